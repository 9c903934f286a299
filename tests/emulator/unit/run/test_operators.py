"""Calls to the resource provider's routes for operators, from commands and from `up`."""

import json
from typing import Any

import pytest
import requests

from emulator.run.command_error import RunError
from emulator.run.provider import operators
from emulator.run.provider.operators import as_operator

WHERE = {
    "callers": "arm",
    "rp": "https://localhost:1",
    "rp_ca_bundle": "ca.pem",
    "admin_client_cert": "c.pem",
    "admin_client_key": "k.pem",
}
BUSY = {"error": {"code": "ServiceUnavailable", "message": "The service had no time left: repeat the request."}}


@pytest.fixture
def answers(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, Any]]:
    """Let the service give these answers, one after the other, without pauses."""
    given: list[tuple[int, Any]] = []

    def send(*_: object, **__: object) -> requests.Response:
        response = requests.Response()
        response.status_code, body = given.pop(0)
        response._content = json.dumps(body).encode()
        return response

    monkeypatch.setattr(operators, "send", send)
    monkeypatch.setattr(operators, "BUSY_PAUSE_SECONDS", 0)
    return given


def test_a_service_that_is_too_busy_is_asked_again(answers: list[tuple[int, Any]]) -> None:
    """One request that got no time must not end the `up` of a whole local Azure."""
    answers += [(503, BUSY), (503, BUSY), (200, {"value": []})]
    assert as_operator(WHERE, "GET", "/sre/versions") == {"value": []}


def test_a_service_that_stays_too_busy_is_given_up(
    answers: list[tuple[int, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With what it says."""
    monkeypatch.setattr(operators, "BUSY_SECONDS", 0.0)
    answers += [(503, BUSY)]
    with pytest.raises(RunError, match="no time left"):
        as_operator(WHERE, "GET", "/sre/versions")


def test_a_refusal_is_told_at_once(answers: list[tuple[int, Any]]) -> None:
    """Another attempt would get the same."""
    answers += [(400, {"error": {"code": "InvalidParameter", "message": "It has no version."}})]
    with pytest.raises(RunError, match="It has no version"):
        as_operator(WHERE, "PUT", "/sre/versions/x", {})
