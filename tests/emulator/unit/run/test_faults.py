"""The request that `faults add` sends to the control service."""

from typing import Any

import pytest
from typer.testing import CliRunner

from emulator.run.commands import client
from emulator.run.commands.faults import faults


def test_a_fault_says_what_it_is_told_to(monkeypatch: pytest.MonkeyPatch) -> None:
    """The cluster shows a fault's message as its own, for instance of an operator that never becomes available."""
    wishes: list[Any] = []

    def call(_endpoints: Any, method: str, path: str, body: Any = None) -> Any:
        wishes.append((method, path, body))
        return {"id": "1", **body}

    monkeypatch.setattr(client, "require_endpoints", lambda _folder: {})
    monkeypatch.setattr(client, "call", call)
    told = ["--service", "machines", "--operation", "operator console", "--code", "NoRoute", "--message", "No route."]
    answer = CliRunner().invoke(faults, ["add", *told])
    assert answer.exit_code == 0, answer.output
    (method, path, body) = wishes[0]
    assert (method, path) == ("POST", "/faults")
    wanted = {"service": "machines", "operation": "operator console", "code": "NoRoute", "message": "No route."}
    assert body.items() >= wanted.items()
    assert "message=No route." in answer.output
