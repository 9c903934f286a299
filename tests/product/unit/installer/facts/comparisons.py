"""Compares the facts with the example's graph: the type of a comparison, and where the example's files are.

A fact is one member of one row. `LEFT_OUT` lists what is not compared, with the reason.
"""

import base64
import json
import re
from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

import yaml

from installer import all_assets
from tests.product.unit.installer import example

ROOT = "/opt/openshift/"
_PLACE = re.compile(r"(?P<holder>[^:/]+)[:/](?P<path>.+?)(#\d+)?(\.(users|clusters|data)[.\[].*)?")
DATA_URL = "data:text/plain;charset=utf-8;base64,"

LEFT_OUT = {
    "size": "ours are written by ourselves",
    "contents_size": "ours are written by ourselves",
    "media": "follows from the name",
    "fields": "told by `top_keys` and its like",
    "found_in": "says where the fact was measured",
    "pullSecret_value_kind": "the fact's own words; the value is compared",
    "sshKey_present": "the value is compared",
    "note": "the fact's own words",
    "type": "a name of the original's code",
    "writable": "a property of the original's store",
    "preset": "a property of the original's store",
    "template_meta_keys": "the labels are compared",
    "n_occurrences": "`occurrences` is compared",
}


class Fact(NamedTuple):
    """One member of one row of the facts."""

    name: str
    want: Any
    have: Any


Section = Iterator[Fact]


def compare(row: str, want: dict[str, Any], have: dict[str, Any]) -> Section:
    """Yield the facts of a row; a member that is not compared is a miss."""
    for name, value in want.items():
        if name not in LEFT_OUT:
            yield Fact(f"{row}: {name}", value, have.get(name, "not compared"))


def made(path: str) -> str:
    """Return a file of the example."""
    return example.made().file(path)


def document(path: str) -> Any:
    """Return a file of the example as an object."""
    return yaml.safe_load(made(path))


def decoded(text: str) -> str:
    """Return a value of a Secret."""
    return base64.b64decode(text).decode()


@cache
def all_paths() -> set[str]:
    """Return the paths of all files that are made."""
    given = {asset.name for asset in all_assets.GIVEN}
    return {path for name, content in example.made().contents.items() if name not in given for path in content}


@cache
def boot() -> Any:
    """Return the bootstrap ignition."""
    return json.loads(made("bootstrap.ign"))


def boot_files() -> dict[str, dict[str, Any]]:
    """Return its files by path."""
    return {file["path"]: file for file in boot()["storage"]["files"]}


def boot_text(path: str) -> str:
    """Return the text of one of them."""
    return decoded(boot_files()[path]["contents"]["source"].removeprefix(DATA_URL))


def place_of(place: str) -> tuple[str, str]:
    """Return ignition or asset, and the path in it, for `holder:path`, `holder/path#number` or `holder/path.member`."""
    found = _PLACE.fullmatch(place)
    assert found, place
    return found["holder"], found["path"]


def asset_path(asset: str, path: str) -> str:
    """Return our path of an asset's file. The original has several kubeconfigs with one name in different places."""
    if asset in ("master.ign", "worker.ign"):
        return asset
    return "auth/external/kubeconfig" if (asset, path) == ("kubeconfig.AdminClient", "auth/kubeconfig") else path
