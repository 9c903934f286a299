"""The bootstrap machine of each flavour, as its ignition describes it."""

import base64
import json
from functools import cache
from typing import Any

from tests.product.unit.installer import example

# Flavour, a version of it, and its Ignition spec.
FLAVOURS = (("A", "4.3.18", "2.2.0"), ("T", "4.5.1", "2.2.0"), ("B", "4.7.4", "3.2.0"), ("C", "4.19.24", "3.2.0"))
IDS = tuple(flavour for flavour, _, _ in FLAVOURS)
_DATA = "data:text/plain;charset=utf-8;base64,"


@cache
def ignition(flavour: str) -> Any:
    """Return the bootstrap ignition of a flavour."""
    version, spec = next((version, spec) for name, version, spec in FLAVOURS if name == flavour)
    known = example.given(version=version, spec=spec)
    known["release-image"]["flavour"] = flavour
    return json.loads(example.remade(known).file("bootstrap.ign"))


def modes(flavour: str) -> dict[str, int]:
    """Return the modes of its files by path."""
    return {file["path"]: file["mode"] for file in ignition(flavour)["storage"]["files"]}


def text(file: Any) -> str:
    """Return the text of a file of an ignition."""
    contents = file.get("contents") or file["append"][0]
    return base64.b64decode(contents["source"].removeprefix(_DATA)).decode()


def texts(flavour: str) -> dict[str, str]:
    """Return the texts of its files by path."""
    return {file["path"]: text(file) for file in ignition(flavour)["storage"]["files"]}


def units(flavour: str) -> dict[str, Any]:
    """Return its units by name."""
    return {unit["name"]: unit for unit in ignition(flavour)["systemd"]["units"]}


def scripts(flavour: str) -> dict[str, str]:
    """Return its programs by path."""
    return {path: said for path, said in texts(flavour).items() if said.startswith("#!")}
