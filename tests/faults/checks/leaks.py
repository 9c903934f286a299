"""Searches every place that the platform writes to for secrets, in every encoding that a secret may have."""

import base64
import binascii
import json
import re
import sqlite3
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Protocol
from urllib.parse import quote, quote_plus

from orchestrators.packed_inputs import COMMON

Forms = Callable[[str], list[bytes]]


class Unpacker(Protocol):
    """What `zlib.decompressobj` returns, as far as it is used here."""

    def decompress(self, data: bytes, /) -> bytes:
        """Return what is packed in the data."""


# Shorter parts of a secret can occur by chance and prove nothing.
SHORTEST = 12
# How many times content may be packed inside other content.
DEEPEST = 3
# How packed data begins, and what it is opened with. The last one is how the inputs of instances are packed.
PACKED: Mapping[bytes, tuple[str, Callable[[], Unpacker]]] = {
    b"\x1f\x8b\x08": ("gzip", lambda: zlib.decompressobj(zlib.MAX_WBITS | 16)),
    b"\x78\x9c": ("zlib", zlib.decompressobj),
    b"\x78\xf9": ("zlib with a dictionary", lambda: zlib.decompressobj(zdict=COMMON)),
}
# How such data begins in base64, when nothing stands before it in the encoded data.
PACKED_IN_BASE64 = re.compile(rb"(?:H4sI|eJ[w-z]|eP[k-n])[A-Za-z0-9+/_-]{16,}={0,2}")
SIGNATURE = re.compile(rb"[?&;\"]sig=(?!\*\*\*)[A-Za-z0-9%+/]{20,}")


def _base64(data: bytes, encode: Callable[[bytes], bytes] = base64.b64encode) -> list[bytes]:
    """Return the base64 forms of data that do not depend on its neighbours, one for each of the three alignments."""
    found = []
    for offset in range(3):
        whole = encode(b"\0" * offset + data)
        # The first characters also encode what stands before, and the last ones what stands after.
        begin = (0, 2, 3)[offset]
        found.append(whole.rstrip(b"=")[begin : -1 if (offset + len(data)) % 3 else None])
    return found


def _twice(secret: str) -> list[bytes]:
    return [form for inner in _base64(secret.encode()) for form in _base64(inner)]


ENCODINGS: Mapping[str, Forms] = {
    "plain": lambda secret: [secret.encode()],
    "reversed": lambda secret: [secret.encode()[::-1]],
    "JSON": lambda secret: [json.dumps(secret)[1:-1].encode()],
    "JSON in JSON": lambda secret: [json.dumps(json.dumps(secret)[1:-1])[1:-1].encode()],
    "URL-quoted": lambda secret: [quote(secret, safe="").encode(), quote_plus(secret).encode()],
    "URL-quoted twice": lambda secret: [quote(quote(secret, safe=""), safe="").encode()],
    "XML": lambda secret: [escape(secret).encode()],
    "UTF-16": lambda secret: [secret.encode("utf-16-le"), secret.encode("utf-16-be")],
    "hex": lambda secret: [secret.encode().hex().encode(), secret.encode().hex().upper().encode()],
    "base64": lambda secret: _base64(secret.encode()),
    "base64url": lambda secret: _base64(secret.encode(), base64.urlsafe_b64encode),
    "base64 of UTF-16": lambda secret: _base64(secret.encode("utf-16-le")),
    "base64 twice": _twice,
    "base64 reversed": lambda secret: [form[::-1] for form in _base64(secret.encode())],
}
# In addition, content packed by gzip or zlib is unpacked, even inside base64, and searched for all these forms.


@dataclass(frozen=True)
class Place:
    """Something that was written or said.

    Args:
        name: its location, for people.
        content: its bytes.
    """

    name: str
    content: bytes


@dataclass(frozen=True)
class Home:
    """A place where secrets belong.

    Args:
        table: table of the store of the emulated services.
        key: a regular expression for the keys of its rows.
        why: why they are there.
    """

    table: str
    key: str
    why: str


AT_HOME = (
    Home("keyvault_versions", ".*", "the vault itself"),
    Home("seed", ".*", "the secrets of endpoints.json, made once"),
    Home("managed_identity_endpoints", ".*", "the secrets of apps' identity endpoints, made once"),
    Home("arm_resources", ".*/microsoft.storage/storageaccounts/[^/]+", "Azure's side of an account: its keys"),
    Home("arm_resources", ".*/registries/[^/]+/tokens/[^/]+", "Azure's side of a token: its passwords"),
    Home("arm_operations", ".*", "the answer of generateCredentials, which its caller fetches once"),
    Home("openshift_configs", ".*", "the ignition that a machine has fetched, as its disk holds it"),
    Home("kubernetes_objects", r".*\|secrets/.*", "the cluster's own etcd"),
    Home("kubernetes_changes", ".*", "the same, for watches"),
)
# Files in which secrets belong, and why.
FILES_AT_HOME = {
    "endpoints.json": "what people need to call the platform",
    "keys.json": "the keys of the Functions host",
    "emulator.sqlite": "searched table by table",
    "emulator.sqlite-wal": "pages of the same tables",
    "emulator.sqlite-shm": "the index of those pages",
}
# Where Azurite keeps the content of blobs, and how the bootstrap ignition begins. Azurite sweeps the ignition some
# minutes after its container was deleted. The sealed graph was written before the ignition, and is searched.
EXTENTS, IGNITION = "__blobstorage__", re.compile(rb'\{\s*"ignition"')


class Search:
    """A search for some secrets.

    Args:
        canaries: name to value of each secret.
    """

    def __init__(self, canaries: Mapping[str, str]) -> None:
        self._needles = {
            (what, encoding): [form for form in forms(secret) if len(form) >= SHORTEST]
            for what, secret in canaries.items()
            for encoding, forms in ENCODINGS.items()
        }

    def hits(self, place: Place) -> list[str]:
        """Return which secrets are in a place, a sentence each."""
        found = set()
        for content, packing in _unpacked(place.content):
            for (what, encoding), forms in self._needles.items():
                if any(form in content for form in forms):
                    found.add(f"{what} ({encoding}{packing}) in {place.name}")
            if SIGNATURE.search(content):
                found.add(f"a signature ({packing or 'plain'}) in {place.name}")
        return sorted(found)


def _unpacked(content: bytes, packing: str = "", depth: int = 0) -> Iterator[tuple[bytes, str]]:
    """Yield content and everything that is packed in it, each with how it is packed."""
    yield content, packing
    if depth == DEEPEST:
        return
    for inner, how in _packed(content):
        yield from _unpacked(inner, f"{packing}, {how}", depth + 1)


def _packed(content: bytes) -> Iterator[tuple[bytes, str]]:
    for magic, (how, unpacker) in PACKED.items():
        begin = content.find(magic)
        while begin != -1:
            with suppress(zlib.error):
                yield unpacker().decompress(content[begin:]), how
            begin = content.find(magic, begin + 1)
    for found in PACKED_IN_BASE64.finditer(content):
        with suppress(binascii.Error):
            text = found[0].rstrip(b"=").translate(bytes.maketrans(b"-_", b"+/"))
            yield base64.b64decode(text[: len(text) // 4 * 4]), "base64"


def places(state: Path) -> Iterator[Place]:
    """Yield everything that a platform wrote, except where secrets belong."""
    for name, row in _rows(state, at_home=False):
        yield Place(name, row)
    yield from _of_the_hub(state)
    # The task hub and its write-ahead log are searched as raw bytes, too.
    for path in sorted(state.rglob("*")):
        if path.is_file() and path.name not in FILES_AT_HOME:
            yield Place(str(path.relative_to(state)), _content(path))


def _of_the_hub(state: Path) -> Iterator[Place]:
    """Yield the rows of the task hub: packed inputs span pages of its file, and are whole only in their rows."""
    for hub in (state / "functions").glob("*.sqlite"):
        with closing(sqlite3.connect(f"file:{hub}?mode=ro", uri=True)) as connection:
            tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
            for table in tables:
                for row in connection.execute(f'SELECT * FROM "{table}"'):  # noqa: S608 - its own name
                    yield Place(f"{hub.name} {table} {row[0]}", "\n".join(map(str, row)).encode())


def homes(state: Path, canaries: Mapping[str, str]) -> set[str]:
    """Return the tables in which secrets belong and were found: a search that finds nothing there proves nothing."""
    search = Search(canaries)
    return {name.split(" ")[0] for name, row in _rows(state, at_home=True) if search.hits(Place(name, row))}


def _content(path: Path) -> bytes:
    content = path.read_bytes()
    return IGNITION.split(content, 1)[0] if path.parent.name == EXTENTS else content


def _rows(state: Path, *, at_home: bool) -> Iterator[tuple[str, bytes]]:
    """Yield (table and key, row) of the services' store, either where secrets belong or everywhere else."""
    with closing(sqlite3.connect(f"file:{state / 'emulator.sqlite'}?mode=ro", uri=True)) as connection:
        tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        for table in tables:
            keys = [re.compile(home.key) for home in AT_HOME if home.table == table]
            for key, document in connection.execute(f'SELECT key, document FROM "{table}"'):  # noqa: S608 - its own name
                if at_home == any(pattern.fullmatch(key) for pattern in keys):
                    yield f"{table} {key}", f"{key}\n{document}".encode()
