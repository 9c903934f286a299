"""What the tests share: a service, and the command in front of it, configured for it."""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from aroctl import api, command, credentials
from aroctl.settings import Settings
from tests.client.unit.fake_service import GROUP, HOST, SUBSCRIPTION, FakeService


@dataclass(frozen=True)
class Done:
    """A command that has ended: its exit code, and what it has printed."""

    code: int
    out: str
    err: str


Run = Callable[..., Done]


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> FakeService:
    """Give the service, in place of the network and of the sign-in."""
    fake = FakeService()
    monkeypatch.setattr(api, "new_transport", fake.transport)
    monkeypatch.setattr(credentials, "find", lambda _tenant="": fake)
    return fake


@pytest.fixture
def unconfigured(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    """Give the command on a machine on which it has never run."""
    for name in ("AZURE_SUBSCRIPTION_ID", "AROCTL_RESOURCE_GROUP", "CLIENT_SECRET", "KUBECONFIG"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("HOME", str(tmp_path))

    def run(*words: str) -> Done:
        monkeypatch.setattr(sys, "argv", ["aroctl", *words])
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            command.main()
        printed = capsys.readouterr()
        return Done(int(ended.value.code or 0), printed.out, printed.err)

    return run


@pytest.fixture
def run(unconfigured: Run, service: FakeService) -> Run:
    """Give the command, configured for the service."""
    assert service
    Settings(HOST, "api://app/.default", "tenant", SUBSCRIPTION, GROUP).save()
    return unconfigured
