"""Calls to the resource provider's routes for operators, as the kind of its callers wants operators to sign in."""

import time
from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import Any

import requests

from emulator.json_object import Json
from emulator.run.calls import send
from emulator.run.command_error import RunError
from emulator.run.provider.callers import Callers

# The service answers 503 if a machine is too busy for a request, and says that it can be repeated.
BUSY_SECONDS, BUSY_PAUSE_SECONDS = 60.0, 0.5


def as_operator(where: Json, method: str, path: str, body: Any = None, headers: Mapping[str, str] | None = None) -> Any:
    """Call a route of the resource provider as an operator, again while it is too busy; return the parsed answer, if any.

    Raises:
        RunError: the resource provider does not answer, or it refuses the call; with every problem that it names.
    """
    credentials = CREDENTIALS[Callers(where["callers"])](where)
    sent = {**(headers or {}), **credentials.pop("headers", {})}
    options = {"json": body, "headers": sent, "verify": where["rp_ca_bundle"], **credentials}
    response = _served(lambda: send(where["rp"] + path, method, **options))
    document = response.json() if response.content else {}
    if "error" in document:
        error = document["error"]
        raise RunError("\n".join(each["message"] for each in error.get("details") or [error]))
    return document


def _served(call: Callable[[], requests.Response]) -> requests.Response:
    until = time.monotonic() + BUSY_SECONDS
    while (response := call()).status_code == HTTPStatus.SERVICE_UNAVAILABLE and time.monotonic() < until:
        time.sleep(BUSY_PAUSE_SECONDS)
    return response


def _certificate(where: Json) -> Json:
    """Return the options with an operator's client certificate."""
    return {"cert": (where["admin_client_cert"], where["admin_client_key"])}


def _token(where: Json) -> Json:
    """Return the options with a token of whoever deployed the service, who has its roles."""
    form = {"grant_type": "client_credentials", "scope": f"api://{where['api_client_id']}/.default"}
    form |= {name: where["deployer"][name] for name in ("client_id", "client_secret")}
    answer = send(where["token_url"], "POST", data=form, verify=where["ca_bundle"]).json()
    if "access_token" not in answer:
        raise RunError(answer["error_description"])
    return {"headers": {"Authorization": f"Bearer {answer['access_token']}"}}


# The options of `send` with which an operator signs in.
CREDENTIALS: Mapping[Callers, Callable[[Json], Json]] = {Callers.ARM: _certificate, Callers.ENTRA: _token}
