"""The local Azure of the demonstration: starts and stops it with its own commands, and reads its endpoints.json."""

import fcntl
import json
import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import requests

# A file in the state folder of a demonstration that was to stay.
KEPT = "kept"


class PlatformError(Exception):
    """A command of the local Azure failed. The message is the command's own."""


def start(state: Path, time_scale: float) -> dict[str, Any]:
    """Start an empty local Azure; return its endpoints.

    Raises:
        PlatformError: if it does not start.
    """
    if (state / "lock").exists():
        _command("reset", state)
    _command("up", state, "--detach", "--time-scale", f"{time_scale:g}")
    return _endpoints(state)


def resume(state: Path, time_scale: float) -> dict[str, Any]:
    """Return the endpoints of a local Azure that was kept; start it again if it is down.

    Raises:
        PlatformError: if it does not start.
    """
    if not runs(state):
        _command("up", state, "--detach", "--time-scale", f"{time_scale:g}")
    return _endpoints(state)


def keep(state: Path) -> None:
    """Mark a local Azure as kept. `emulator reset` removes the mark with all else."""
    (state / KEPT).touch()


def is_kept(state: Path) -> bool:
    """Tell whether the folder holds what somebody may want to keep: a marked local Azure, or one that runs."""
    return (state / KEPT).exists() or runs(state)


def runs(state: Path) -> bool:
    """Tell whether a local Azure runs on the folder: it then holds the folder's lock."""
    try:
        with (state / "lock").open("rb") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False
    except BlockingIOError:
        return True
    return False


def command(*words: str, state: Path) -> str:
    """Return a command for a terminal, such as `demo --resume`, with the state folder."""
    return shlex.join([sys.executable, "-m", *words, "--state", str(state)])


def stop(state: Path) -> None:
    """Stop the local Azure. Its state stays, for `explain` and `logs`."""
    _command("down", state)


def memory(endpoints: dict[str, Any]) -> float:
    """Return the current memory of all processes of the local Azure and of the service, in MiB."""
    with requests.Session() as session:
        session.trust_env = False
        processes = session.get(endpoints["control"] + "/health", timeout=30).json()["processes"]
    return float(sum(process["memoryMiB"] for process in processes))


def lead_there(endpoints: dict[str, Any]) -> None:
    """Send this process's calls to Azure's names to this machine, by a proxy and a CA as in a company's network."""
    os.environ.update(
        HTTPS_PROXY=endpoints["proxy"],
        NO_PROXY="localhost,127.0.0.1",
        REQUESTS_CA_BUNDLE=endpoints["ca_bundle"],
        SSL_CERT_FILE=endpoints["ca_bundle"],
    )
    # A shell may have set the lower-case variants, which take precedence.
    for name in ("https_proxy", "no_proxy", "CURL_CA_BUNDLE"):
        os.environ.pop(name, None)


def _endpoints(state: Path) -> dict[str, Any]:
    endpoints: dict[str, Any] = json.loads((state / "endpoints.json").read_text(encoding="utf-8"))
    return endpoints


def _command(*words: str | Path) -> None:
    word, state, *rest = words
    done = subprocess.run(
        [sys.executable, "-m", "emulator", str(word), "--state", str(state), *map(str, rest)],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise PlatformError((done.stderr or done.stdout).strip())
