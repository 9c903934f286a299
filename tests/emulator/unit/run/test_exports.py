"""The environment of a terminal that uses the local Azure."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from emulator.run.commands import client
from emulator.run.commands.cli import app

APPLICATION = {"tenant_id": "t", "subscription_id": "s", "client_id": "c", "client_secret": "secret"}
ENDPOINTS = APPLICATION | {
    "proxy": "http://127.0.0.1:1",
    "ca_bundle": "/ca.pem",
    "identity_endpoint": "http://localhost:2/msi/token",
    "identity_client_id": "i",
    "identity_header": "h",
    "user": {"name": "u", "password": "p"},
    "deployer": APPLICATION,
}


@pytest.mark.parametrize("options", [[], ["--deployer"]], ids=["a customer", "who deploys the service"])
def test_signing_in_to_the_local_azure_leaves_the_users_own_sign_in_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: list[str]
) -> None:
    """The Azure CLI of that terminal keeps its tokens in the state folder, which `reset` removes."""
    monkeypatch.setattr(client, "require_endpoints", lambda _: ENDPOINTS)
    told = CliRunner().invoke(app, ["env", "--state", str(tmp_path), *options])
    assert told.exit_code == 0, told.output
    assert f"export AZURE_CONFIG_DIR={tmp_path / 'az'}" in told.output.splitlines()
    assert f"export LOCAL_AZURE_STATE={tmp_path}" in told.output.splitlines()
