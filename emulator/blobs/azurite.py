"""Azurite, which stores the blobs in a single account. The account's key never leaves the local Azure.

Azurite reads its accounts from its environment, once a minute, so an account created through ARM cannot become an
Azurite account. All storage accounts share this one; requests are authorized before they get here.
"""

import base64
import secrets
from pathlib import Path
from urllib.parse import urlencode

from emulator.blobs.shared_key import sign
from emulator.core.store import Store

ACCOUNT = "local"
# Azurite would need more only to keep extents in memory; here they are files on disk.
HEAP_MEGABYTES = 96
_SAS_VERSION = "2021-10-04"
# The SAS may last, because Azurite listens on loopback and its key lives only as long as the state folder.
_FOR_EVER = "9999-12-31T23:59:59Z"


def key(store: Store) -> bytes:
    """Return the account's key, creating it at the first call."""
    table = store.table("blobs_azurite")
    found = table.get("key")
    if found is None:
        found = {"value": base64.b64encode(secrets.token_bytes(64)).decode()}
        table.put("key", found)
    return base64.b64decode(found["value"])


def environment(store: Store) -> dict[str, str]:
    """Return the environment variables that Azurite needs."""
    encoded = base64.b64encode(key(store)).decode()
    return {"AZURITE_ACCOUNTS": f"{ACCOUNT}:{encoded}"}


def arguments(script: Path, port: int, folder: Path) -> tuple[str, ...]:
    """Return the arguments with which Node.js runs Azurite's blob service."""
    return (
        f"--max-old-space-size={HEAP_MEGABYTES}",
        *("--require", str(Path(__file__).with_name("save_on_write.js"))),
        str(script),
        *("--blobHost", "127.0.0.1", "--blobPort", str(port), "--location", str(folder)),
        # The SDKs use newer API versions than Azurite knows.
        *("--silent", "--skipApiVersionCheck", "--disableTelemetry"),
    )


def signature(account_key: bytes) -> str:
    """Return the account SAS that is added to the query of every forwarded request."""
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
