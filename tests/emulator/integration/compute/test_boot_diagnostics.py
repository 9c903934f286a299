"""The serial log of a machine, in the customer's storage account."""

from typing import Any
from urllib.parse import parse_qs, urlsplit
from uuid import uuid4

import pytest
from azure.core.exceptions import HttpResponseError

from tests.emulator.integration.compute.stage import Stage


@pytest.fixture
def account(stage: Stage, group: str) -> str:
    """Create a storage account; return its name."""
    name = f"cluster{uuid4().hex[:10]}"
    body = {"location": "eastus", "sku": {"name": "Standard_LRS"}, "kind": "StorageV2"}
    stage.put(group, f"Microsoft.Storage/storageAccounts/{name}", body, "2023-05-01")
    return name


def test_the_serial_log_is_a_blob_behind_a_sas(stage: Stage, compute: Any, group: str, account: str) -> None:
    """The blob is there once the instance view shows its URL: `az vm boot-diagnostics get-boot-log` relies on that."""
    uri = f"https://{account}.blob.core.windows.net/"
    settings = {"bootDiagnostics": {"enabled": True, "storageUri": uri}}
    body = stage.machine(group, diagnosticsProfile=settings)
    compute.virtual_machines.begin_create_or_update(group, "vm", body, polling=False)
    shown = compute.virtual_machines.instance_view(group, "vm").boot_diagnostics.serial_console_log_blob_uri
    assert list(stage.blobs.written.values()) == [b"log of vm\n"]
    stage.blobs.written.clear()
    expanded = compute.virtual_machines.get(group, "vm", expand="instanceView").instance_view
    assert expanded.boot_diagnostics.serial_console_log_blob_uri == shown
    assert len(stage.blobs.written) == 1
    answer = compute.virtual_machines.retrieve_boot_diagnostics_data(group, "vm", sas_uri_expiration_time_in_minutes=5)
    address = urlsplit(answer.serial_console_log_blob_uri)
    assert f"{address.scheme}://{address.netloc}{address.path}" == shown
    assert parse_qs(address.query)["sp"] == ["r"]
    [(target, content)] = stage.blobs.written.items()
    assert address.path == f"/{target.container}/{target.blob}"
    assert target.container.startswith("bootdiagnostics-vm-")
    assert content == b"log of vm\n"


def test_without_boot_diagnostics_there_is_no_log(stage: Stage, compute: Any, group: str) -> None:
    """The request fails with Azure's error."""
    compute.virtual_machines.begin_create_or_update(group, "vm", stage.machine(group), polling=False)
    with pytest.raises(HttpResponseError, match="Boot diagnostics is not enabled"):
        compute.virtual_machines.retrieve_boot_diagnostics_data(group, "vm")
