"""The host's keys: master, default host key, and the system key of the durable extension.

The host makes them once and keeps them in the state folder, so that the platform can publish them. Only the file's
owner can read it.
"""

import hmac
import json
import os
import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import Any

KEYS_FILE = "keys.json"
DURABLE_SYSTEM_KEY = "durabletask_extension"


@dataclass(frozen=True)
class HostKeys:
    """The keys that callers present."""

    master: str
    host: str
    durable: str

    def permits(self, auth_level: str, presented: str | None) -> bool:
        """Tell whether a key opens a function with an authorization level."""
        match auth_level:
            case "anonymous":
                return True
            case "function":
                return _is_one_of(presented, (self.host, self.master))
            case _:
                return _is_one_of(presented, (self.master,))

    def permits_durable(self, presented: str | None) -> bool:
        """Tell whether a key opens the public routes of the durable extension."""
        return _is_one_of(presented, (self.durable, self.master))


def _is_one_of(presented: str | None, keys: tuple[str, ...]) -> bool:
    return presented is not None and any(hmac.compare_digest(presented.encode(), key.encode()) for key in keys)


def load_keys(state_directory: Path) -> HostKeys:
    """Read the keys, or make them. Two hosts that start together get the same keys."""
    document = read_keys(state_directory)
    return HostKeys(
        master=document["masterKey"],
        host=document["functionKeys"]["default"],
        durable=document["systemKeys"][DURABLE_SYSTEM_KEY],
    )


def read_keys(state_directory: Path) -> dict[str, Any]:
    """Return the document with all keys, in the form in which Azure lists them; make it if there is none."""
    state_directory.mkdir(parents=True, exist_ok=True)
    path = state_directory / KEYS_FILE
    document: dict[str, Any] = {
        "masterKey": secrets.token_urlsafe(40),
        "functionKeys": {"default": secrets.token_urlsafe(40)},
        "systemKeys": {DURABLE_SYSTEM_KEY: secrets.token_urlsafe(40)},
    }
    draft = path.with_name(f"{KEYS_FILE}.{os.getpid()}")
    draft.touch(mode=0o600)
    draft.write_text(json.dumps(document, indent=2), encoding="utf-8")
    try:
        os.link(draft, path)
    except FileExistsError:
        document = json.loads(path.read_text(encoding="utf-8"))
    finally:
        draft.unlink()
    return document
