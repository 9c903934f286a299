"""Calls from the commands to the control service of the running platform."""

import json
from typing import Any

import requests

from emulator.run.errors import RunError
from emulator.run.state import StateFolder

TIMEOUT_SECONDS = 10


def endpoints(folder: StateFolder) -> dict[str, Any] | None:
    """Return `endpoints.json` of the platform that runs on a folder, or None if none runs."""
    running = folder.running()
    if running is None or running.platform.process() is None or not folder.endpoints.exists():
        return None
    document: dict[str, Any] = json.loads(folder.endpoints.read_text(encoding="utf-8"))
    return document


def require_endpoints(folder: StateFolder) -> dict[str, Any]:
    """Return `endpoints.json` of the running platform.

    Raises:
        RunError: no platform runs.
    """
    found = endpoints(folder)
    if found is None:
        raise RunError(f"no local Azure runs on {folder.root}; start one with `python -m emulator up{folder.option()}`")
    return found


def get(where: dict[str, Any], path: str) -> Any:
    """Send a GET to the control service."""
    return call(where, "GET", path)


def call(where: dict[str, Any], method: str, path: str, body: Any = None) -> Any:
    """Call the control service; return the parsed answer.

    Args:
        where: `endpoints.json` of the platform.
        method: HTTP method.
        path: path at the control service, such as `/faults`.
        body: JSON value of the body, if any.

    Raises:
        RunError: the service does not answer, or it refuses the call.
    """
    session = requests.Session()
    # The service is on this machine, so the shell's proxy settings must not apply.
    session.trust_env = False
    try:
        response = session.request(method, where["control"] + path, json=body, timeout=TIMEOUT_SECONDS)
    except requests.RequestException as error:
        raise RunError(f"the local Azure does not answer at {where['control']}: {error}") from error
    document = response.json()
    if "error" in document:
        raise RunError(document["error"]["message"])
    return document
