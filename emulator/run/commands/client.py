"""Calls from the commands to the running platform's control service."""

import json
from typing import Any

from emulator.run.calls import send
from emulator.run.command_error import RunError
from emulator.run.state import StateFolder


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

    Raises:
        RunError: the service does not answer, or it refuses the call.
    """
    document = send(where["control"] + path, method, json=body).json()
    if "error" in document:
        raise RunError(document["error"]["message"])
    return document
