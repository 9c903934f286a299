"""Azurite, which stores the blobs: one account of its own, whose key nobody outside learns.

Azurite reads its accounts once a minute from its own environment, so the accounts that ARM makes cannot be its
accounts. All of them share this one; who may do what is decided before a request gets here.
"""

import base64
import secrets
from pathlib import Path
from urllib.parse import urlencode

from emulator.blobs.shared_key import sign
from emulator.core.store import Store

ACCOUNT = "local"
# More would be for extents kept in memory; the files are on disk.
HEAP_MEGABYTES = 96
_SAS_VERSION = "2021-10-04"
# Azurite is on loopback, and its key is as old as the state folder.
_FOR_EVER = "9999-12-31T23:59:59Z"


def key(store: Store) -> bytes:
    """Return the account's key, made at the first call."""
    table = store.table("blobs_azurite")
    found = table.get("key")
    if found is None:
        found = {"value": base64.b64encode(secrets.token_bytes(64)).decode()}
        table.put("key", found)
    return base64.b64decode(found["value"])


def environment(store: Store) -> dict[str, str]:
    """Return what Azurite's environment has to hold."""
    encoded = base64.b64encode(key(store)).decode()
    return {"AZURITE_ACCOUNTS": f"{ACCOUNT}:{encoded}"}


def arguments(script: Path, port: int, folder: Path) -> tuple[str, ...]:
    """Return how to call Node.js for Azurite's blob service.

    Args:
        script: Azurite's `dist/src/blob/main.js`.
        port: on 127.0.0.1.
        folder: where blobs are kept.
    """
    return (
        f"--max-old-space-size={HEAP_MEGABYTES}",
        *("--require", str(Path(__file__).with_name("save_on_write.js"))),
        str(script),
        *("--blobHost", "127.0.0.1", "--blobPort", str(port), "--location", str(folder)),
        # The SDKs speak newer API versions than Azurite knows.
        *("--silent", "--skipApiVersionCheck", "--disableTelemetry"),
    )


def signature(account_key: bytes) -> str:
    """Return the query of the account SAS with which every request is forwarded."""
    fields = {
        "sp": "rwdxlacuptfi",
        "ss": "b",
        "srt": "sco",
        "st": "",
        "se": _FOR_EVER,
        "sip": "",
        "spr": "",
        "sv": _SAS_VERSION,
        "ses": "",
    }
    text = "\n".join([ACCOUNT, *fields.values(), ""])
    given = {name: value for name, value in fields.items() if value}
    return urlencode(given | {"sig": sign(account_key, text)})
