"""What ARM is told of blobs while Azurite does not answer."""

import asyncio
from pathlib import Path
from unittest.mock import Mock

import httpx
import pytest

from emulator.blobs.models import BlobsModel, StorageAccounts
from emulator.core.clock import Clock
from emulator.core.platform import Platform
from emulator.core.service_error import ServiceError
from emulator.core.world import World


def _refuse(request: httpx.Request) -> httpx.Response:
    raise httpx.ConnectError("All connection attempts failed", request=request)


def test_a_container_cannot_be_made_and_the_error_says_that_it_passes(tmp_path: Path) -> None:
    """ARM answers 503, as Azure does when its storage is busy, and nothing crashes."""
    platform = Platform(tmp_path, clock=Clock(1), world=World())
    platform.ports["azurite"] = 1
    model = BlobsModel(platform, Mock(spec=StorageAccounts))
    model._client = httpx.AsyncClient(transport=httpx.MockTransport(_refuse))
    try:
        with pytest.raises(ServiceError) as caught:
            asyncio.run(model.create_container("account", "container"))
    finally:
        platform.journal.close()
        platform.store.close()
    assert (caught.value.status_code, caught.value.code) == (503, "ServerBusy")
