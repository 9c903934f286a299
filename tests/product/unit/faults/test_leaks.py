"""The search finds secrets in every form, wherever in a text they begin."""

import base64
import gzip
import hashlib
import json
import sqlite3
import zlib
from collections.abc import Callable
from contextlib import closing
from itertools import product
from pathlib import Path
from urllib.parse import quote

import pytest

from orchestrators.packed_inputs import pack
from tests.faults.checks.leaks import AT_HOME, ENCODINGS, Place, Search, homes, places

SECRET = 'canary/"~+\\pull&secret=7f3a9c1e'  # noqa: S105 - a canary
SEARCH = Search({"secret": SECRET})


def _found(content: bytes) -> bool:
    return bool(SEARCH.hits(Place("here", content)))


WRITTEN: dict[str, Callable[[bytes], bytes]] = {
    "plain": lambda text: text,
    "reversed": lambda text: text[::-1],
    "JSON": lambda text: json.dumps({"a": text.decode()}).encode(),
    "JSON in JSON": lambda text: json.dumps({"a": json.dumps(text.decode())}).encode(),
    "URL-quoted": lambda text: quote(text.decode(), safe="").encode(),
    "UTF-16": lambda text: text.decode().encode("utf-16-le"),
    "hex": lambda text: text.hex().encode(),
    "base64": base64.b64encode,
    "base64url": base64.urlsafe_b64encode,
    "base64 of UTF-16": lambda text: base64.b64encode(text.decode().encode("utf-16-le")),
    "base64 twice": lambda text: base64.b64encode(b"x" + base64.b64encode(text)),
    "base64 reversed": lambda text: base64.b64encode(text)[::-1],
    "gzip": gzip.compress,
    "gzip in base64": lambda text: base64.b64encode(gzip.compress(text)),
    "gzip in base64url": lambda text: base64.urlsafe_b64encode(gzip.compress(text)),
    "zlib in base64": lambda text: base64.b64encode(zlib.compress(text)),
    "base64 in gzip in base64": lambda text: base64.b64encode(gzip.compress(b"a" + base64.b64encode(text))),
}


@pytest.mark.parametrize("write", WRITTEN.values(), ids=list(WRITTEN))
def test_a_secret_is_found_in_every_encoding_at_every_alignment(write: Callable[[bytes], bytes]) -> None:
    """Whatever is next to it."""
    for before, behind in product(("", "a", "ab", "abc", "abcd"), ("", "z", "zy", "zyx")):
        text = f"{before}{SECRET}{behind}".encode()
        assert _found(b'{"of": "a file", "it": "' + write(text) + b'"}'), text


def test_there_are_no_fewer_than_a_dozen_encodings() -> None:
    """Not counting compressed data."""
    assert len(ENCODINGS) >= 12


@pytest.mark.parametrize("write", WRITTEN.values(), ids=list(WRITTEN))
def test_nothing_is_found_where_nothing_is(write: Callable[[bytes], bytes]) -> None:
    """A search with false alarms would be switched off."""
    assert not _found(write(b"a quite different text, as long as the secret is, or longer"))


def test_a_hit_says_what_how_and_where() -> None:
    """The hit says where to look."""
    packed = base64.b64encode(gzip.compress(SECRET.encode()))
    (hit, *_) = SEARCH.hits(Place("journal.jsonl", packed))
    assert hit == "secret (plain, base64, gzip) in journal.jsonl"


def test_a_signature_is_found_but_not_a_masked_one() -> None:
    """Its value need not be known."""
    assert _found(b"https://x.blob.core.windows.net/a?sv=1&sig=abcdefghijklmnopqrstuvwxyz%3D")
    assert not _found(b"https://x.blob.core.windows.net/a?sv=1&sig=***")


def test_places_are_all_rows_and_files_but_the_homes(tmp_path: Path) -> None:
    """A secret belongs in the vault; in any other table or file it is a leak."""
    with closing(sqlite3.connect(tmp_path / "emulator.sqlite")) as store:
        for table in ("keyvault_versions", "cosmos_items", "kubernetes_objects"):
            store.execute(f"CREATE TABLE {table} (key TEXT, document TEXT)")
        rows = [("keyvault_versions", "v"), ("cosmos_items", "c"), ("kubernetes_objects", "x|pods/y")]
        for table, key in rows:
            store.execute(f"INSERT INTO {table} VALUES (?, ?)", (key, json.dumps({"value": SECRET})))  # noqa: S608 - above
        store.commit()
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "azure.log").write_bytes(base64.b64encode(b"a" + SECRET.encode()))
    (tmp_path / "endpoints.json").write_text(json.dumps(SECRET), encoding="utf-8")

    found = {hit.rpartition(" in ")[2] for place in places(tmp_path) for hit in SEARCH.hits(place)}

    assert found == {"cosmos_items c", "kubernetes_objects x|pods/y", "logs/azure.log"}
    assert homes(tmp_path, {"secret": SECRET}) == {"keyvault_versions"}


def test_a_secret_in_a_packed_input_of_the_task_hub_is_found(tmp_path: Path) -> None:
    """The input spans pages of the hub's file, among the pages of others."""
    (tmp_path / "functions").mkdir()
    sqlite3.connect(tmp_path / "emulator.sqlite").close()
    with closing(sqlite3.connect(tmp_path / "functions" / "Hub.sqlite")) as hub:
        hub.execute("CREATE TABLE instances (id TEXT, input TEXT)")
        for name in "abc":
            filler = [hashlib.sha256(f"{name}{number}".encode()).hexdigest() for number in range(500)]
            packed = pack({"filler": filler, "secret": SECRET if name == "b" else ""})
            hub.execute("INSERT INTO instances VALUES (?, ?)", (name, packed))
        hub.commit()
    hits = [hit for place in places(tmp_path) for hit in SEARCH.hits(place)]
    assert any(hit.endswith("in Hub.sqlite instances b") for hit in hits)
    assert not any("instances a" in hit or "instances c" in hit for hit in hits)


def test_every_home_says_why() -> None:
    """The list is short, and each entry has its reason."""
    assert all(home.why for home in AT_HOME)
