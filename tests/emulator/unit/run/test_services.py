"""The services of the whole local Azure."""

import asyncio
from pathlib import Path

import pytest

from emulator.core.proxy import Refusal
from emulator.core.world import World
from emulator.run.azure import Azure, make_platform
from emulator.run.state import PORTS


@pytest.mark.parametrize(
    "host",
    [
        "no.blob.core.windows.net",
        "no.z1.web.core.windows.net",
        "no.documents.azure.com",
        "no.vault.azure.net",
        "no.scm.azurewebsites.net",
    ],
)
def test_a_name_that_no_account_has_leads_nowhere(tmp_path: Path, host: str) -> None:
    """Azure's DNS has no name for an account that does not exist, so clients get no connection, rather than a 404."""
    platform = make_platform(tmp_path, dict.fromkeys(PORTS, 1), time_scale=1, world=World())
    refusal = Azure(platform)._resolve(host, 443)
    asyncio.run(platform.stop())
    assert refusal == Refusal(403, f"{host} does not exist on the local Azure.")
