"""Queues, files and tables of storage accounts: refused by name, in the wire format of each."""

from pathlib import Path

import pytest
from starlette.requests import Request

from emulator.blobs import missing_services
from emulator.core.clock import Clock
from emulator.core.platform import Platform
from emulator.core.world import World


@pytest.mark.parametrize(
    ("host", "kind", "mark"),
    [
        ("a.queue.core.windows.net", "queues", "<Code>NotSupportedByLocalAzure</Code>"),
        ("a.file.core.windows.net", "files", "<Code>NotSupportedByLocalAzure</Code>"),
        ("a.dfs.core.windows.net", "data lakes", "<Code>NotSupportedByLocalAzure</Code>"),
        ("a.table.core.windows.net", "tables", '"odata.error":{"code":"NotSupportedByLocalAzure"'),
    ],
)
def test_what_an_account_lacks_here_is_named(tmp_path: Path, host: str, kind: str, mark: str) -> None:
    """The client would otherwise look for the mistake in its account."""
    platform = Platform(tmp_path, clock=Clock(1), world=World())
    try:
        platform.services += [missing_services.create(platform), missing_services.create_tables(platform)]
        service = platform.service_for(host)
    finally:
        platform.journal.close()
        platform.store.close()
    assert service is not None
    request = Request({"type": "http", "method": "GET", "path": "/x", "headers": [(b"host", host.encode())]})
    error = service.not_found(request)
    reply = service.render(request, error)
    assert (reply.status_code, reply.headers["x-ms-error-code"]) == (400, "NotSupportedByLocalAzure")
    assert error.message == f"The local Azure does not have {kind} of storage accounts ({host})."
    assert mark in bytes(reply.body).decode()
