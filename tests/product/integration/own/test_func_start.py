"""The service under `func start`: the settings that the page tells people to use, under the local Functions host."""

import json
import random
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import requests

from emulator.run.exports import plain_environment, secret_environment
from tests.entra_azure import API_VERSION, EntraAzure
from tests.local_azure import TIME_SCALE, unique, wait_for
from tests.patience import PATIENCE_SECONDS, served
from tests.platform_server import free_port
from tests.product.integration.own.stage import RESTRICTED_SIZE, prepare
from tests.product.integration.service.inventory import taken

pytestmark = pytest.mark.slow(20)

REPOSITORY = Path(__file__).resolve().parents[4]
INHERITED = {"PATH": "/usr/bin:/bin"}


@contextmanager
def _func_start(azure: EntraAzure, folder: Path) -> Iterator[str]:
    """Run the service as `func start` does, with the settings that the command `settings` prints; give its address."""
    port = free_port()
    settings = json.loads(azure.command("settings", "--port", str(port)))
    assert settings["IsEncrypted"] is False
    terminal = plain_environment(azure.endpoints) | secret_environment(azure.endpoints)
    command = [
        *("--app", str(REPOSITORY), "--state", str(folder / "host"), "--port", str(port)),
        *("--log", str(folder / "host.log"), "--time-scale", str(TIME_SCALE)),
    ]
    with subprocess.Popen(
        [sys.executable, "-m", "emulator.host", *command],
        cwd=REPOSITORY,
        env=INHERITED | terminal | {"HOME": str(folder)} | settings["Values"],
        stdout=subprocess.PIPE,
        text=True,
    ) as host:
        try:
            assert host.stdout is not None
            assert host.stdout.readline() == f"ready http://localhost:{port}\n"
            yield f"http://localhost:{port}"
        finally:
            host.terminate()
            host.wait(PATIENCE_SECONDS)


def test_the_service_takes_tokens_under_func_start(entra_azure: EntraAzure, rng: random.Random, tmp_path: Path) -> None:
    """Callers use the host's own address, and its links lead there; its task hub drives what begins there."""
    azure, name = entra_azure, unique(rng)
    user = azure.user(name)
    owner = prepare(azure, name, user)
    with _func_start(azure, tmp_path) as address, requests.Session() as session:
        session.trust_env = False
        url = f"{address}{owner.cluster_id}?api-version={API_VERSION}"
        refused = served(lambda: session.get(url, timeout=PATIENCE_SECONDS))
        assert (refused.status_code, refused.headers["WWW-Authenticate"][:6]) == (401, "Bearer")
        session.headers["Authorization"] = f"Bearer {user.token}"
        assert served(lambda: session.get(url, timeout=PATIENCE_SECONDS)).status_code == 404
        begun = served(lambda: session.put(url, json=owner.body_that_fails(), timeout=PATIENCE_SECONDS))
        assert begun.status_code == 201, begun.text
        status = begun.headers["Azure-AsyncOperation"]
        assert status.startswith(f"{address}/subscriptions/")
        ended = wait_for(lambda: _ended(session, status), "the end of the create")
        assert ended["status"] == "Failed"
        assert RESTRICTED_SIZE in json.dumps(ended["error"])
    with taken(azure.state) as inventory:
        (operation,) = inventory.operations(owner)
    assert operation["taskHub"] == "FuncStart"


def _ended(session: requests.Session, status: str) -> dict[str, object] | None:
    """Return an operation if it has ended."""
    found: dict[str, object] = session.get(status, timeout=PATIENCE_SECONDS).json()
    return found if "endTime" in found else None
