"""The rules by which Ignition accepts a document: members, types, and further checks.

Written from coreos/ignition, `doc/configuration-v2_2.md`, `docs/configuration-v3_1.md` and `config/v3_2/schema`,
independently of the code under test.
"""

import base64
import gzip
import hashlib
import posixpath
import re
from collections.abc import Callable, Iterator
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import unquote_to_bytes

from shared.json_object import Json

# A member ending in "!" is required; a list holds the shape of its entries.
_VERIFICATION = {"hash": str}
_SOURCE_2 = {"source!": str, "verification": _VERIFICATION}
_SOURCE_3 = {
    "source": str,
    "compression": str,
    "verification": _VERIFICATION,
    "httpHeaders": [{"name!": str, "value": str}],
}
_OWNER = {"id": int, "name": str}
_TIMEOUTS = {"httpResponseHeaders": int, "httpTotal": int}
_UNIT = {"name!": str, "enabled": bool, "mask": bool, "contents": str, "dropins": [{"name!": str, "contents": str}]}
_USER = {
    "name!": str,
    "passwordHash": str,
    "sshAuthorizedKeys": [str],
    "uid": int,
    "gecos": str,
    "homeDir": str,
    "noCreateHome": bool,
    "primaryGroup": str,
    "groups": [str],
    "noUserGroup": bool,
    "noLogInit": bool,
    "shell": str,
    "system": bool,
}
_NODE_2 = {"filesystem!": str, "path!": str, "overwrite": bool, "mode": int, "user": _OWNER, "group": _OWNER}
_NODE_3 = {"path!": str, "overwrite": bool, "mode": int, "user": _OWNER, "group": _OWNER}
_CONTENTS_2 = {"source": str, "compression": str, "verification": _VERIFICATION}

_SPEC_3: dict[str, Any] = {
    "ignition!": {
        "version!": str,
        "config": {"merge": [_SOURCE_3], "replace": _SOURCE_3},
        "timeouts": _TIMEOUTS,
        "proxy": {"httpProxy": str, "httpsProxy": str, "noProxy": [str]},
        "security": {"tls": {"certificateAuthorities": [_SOURCE_3]}},
    },
    "storage": {"files": [_NODE_3 | {"append": [_SOURCE_3], "contents": _SOURCE_3}], "directories": [_NODE_3]},
    "systemd": {"units": [_UNIT]},
    "passwd": {"users": [_USER]},
}
SHAPES: dict[str, Any] = {
    "2.2.0": {
        "ignition!": {
            "version!": str,
            "config": {"append": [_SOURCE_2], "replace": _SOURCE_2},
            "timeouts": _TIMEOUTS,
            "security": {"tls": {"certificateAuthorities": [_SOURCE_2]}},
        },
        "storage": {"files": [_NODE_2 | {"append": bool, "contents": _CONTENTS_2}], "directories": [_NODE_2]},
        "systemd": {"units": [_UNIT | {"enable": bool}]},
        "networkd": {"units": [_UNIT]},
        "passwd": {"users": [_USER]},
    },
    "3.1.0": _SPEC_3,
    "3.2.0": _SPEC_3 | {"passwd": {"users": [_USER | {"shouldExist": bool}]}},
}
# As coreos/go-systemd reads a unit, `unit/deserialize.go`: a backslash continues a comment or a value on the next line.
_BLANK, _REST = r"[^\S\n]*+\n", r"(?:[^\n\\]|\\\n|\\)*+\n"
_COMMENT, _SECTION, _OPTION = rf"\s*+[#;]{_REST}", r"\s*+\[[^\]\n]*\][^\S\n]*\n", rf"\s*+(?![#;\[])[^=\r\n]*+={_REST}"
_UNIT_TEXT = re.compile(rf"(?:[^\[#;]|[#;]{_REST})*+(?:{_SECTION}(?:{_BLANK}|{_COMMENT}|{_SECTION}|{_OPTION})*+)?")
_LONGEST_LINE = 2048
_UNIT_NAME = re.compile(r".+\.(service|socket|device|mount|automount|swap|target|path|timer|slice|scope)")
_HASH_SIZES = {"sha512": 128, "sha256": 64}


def violations(document: Json) -> list[str]:
    """Return Ignition's objections to a document in one of these specs."""
    version = document.get("ignition", {}).get("version")
    if version not in SHAPES:
        return [f"ignition.version {version!r} is unknown"]
    if wrong := list(_shape(document, SHAPES[version], "$")):
        return wrong
    rules: tuple[Callable[[Json, bool], Iterator[str]], ...] = (_places, _nodes, _units, _users, _references)
    return [problem for rule in rules for problem in rule(document, version == "2.2.0")]


def _shape(value: Any, shape: Any, where: str) -> Iterator[str]:
    if isinstance(shape, dict):
        if not isinstance(value, dict):
            yield f"{where} is not an object"
            return
        members = {name.rstrip("!"): inner for name, inner in shape.items()}
        yield from (f"{where}.{name} is unknown" for name in value.keys() - members.keys())
        yield from (f"{where}.{name[:-1]} is missing" for name in shape if name[-1] == "!" and not value.get(name[:-1]))
        for name in value.keys() & members.keys():
            yield from _shape(value[name], members[name], f"{where}.{name}")
    elif isinstance(shape, list):
        if not isinstance(value, list):
            yield f"{where} is not a list"
            return
        for number, entry in enumerate(value):
            yield from _shape(entry, shape[0], f"{where}[{number}]")
    elif type(value) is not shape:
        yield f"{where} is not of type {shape.__name__}"


def _entries(document: Json, section: str, member: str) -> list[Json]:
    found: list[Json] = document.get(section, {}).get(member, [])
    return found


def is_unit_text(text: str) -> bool:
    """Tell whether Ignition accepts a text as that of a unit or drop-in."""
    is_short = all(len(line.encode()) < _LONGEST_LINE for line in text.split("\n"))
    # The last line may be continued by nothing.
    return is_short and bool(_UNIT_TEXT.fullmatch(f"{text}\n\n"))


def _unit_paths(document: Json) -> Iterator[str]:
    for unit in _entries(document, "systemd", "units"):
        written = [(unit["name"], unit)] + [(f"{unit['name']}.d/{one['name']}", one) for one in unit.get("dropins", [])]
        yield from (f"/etc/systemd/system/{path}" for path, entry in written if entry.get("contents"))


def _places(document: Json, _old: bool) -> Iterator[str]:
    files = {file["path"] for file in _entries(document, "storage", "files")}
    directories = {directory["path"] for directory in _entries(document, "storage", "directories")}
    units = set(_unit_paths(document))
    yield from (f"path {path} conflicts with systemd unit or dropin" for path in (files | directories) & units)
    for path in files | directories | units:
        parents = {str(parent) for parent in PurePosixPath(path).parents}
        yield from (f"path {path} has the file {parent} above it" for parent in parents & (files | units))


def _nodes(document: Json, old: bool) -> Iterator[str]:
    nodes = [node for member in ("files", "directories") for node in _entries(document, "storage", member)]
    yield from _doubles("path", [node["path"] for node in nodes])
    for node in nodes:
        path = node["path"]
        if not posixpath.isabs(path) or posixpath.normpath(path) != path:
            yield f"path {path} is not absolute"
        if not 0 <= node.get("mode", 0) <= 0o7777:
            yield f"path {path}: illegal mode"
        if old and node["filesystem"] != "root":
            yield f"path {path}: file system {node['filesystem']} is not defined"
        if node.get("append") and (node.get("overwrite") or (not old and "contents" in node)):
            yield f"path {path}: both appended and overwritten"
        if not old and node.get("overwrite") and "source" not in node.get("contents", {}):
            yield f"path {path}: overwrite must be false if source is unspecified"
        additions = [] if old else node.get("append", [])
        for resource in (*additions, node.get("contents", {})):
            yield from _resource(resource, f"path {path}", old=old)


def _units(document: Json, _old: bool) -> Iterator[str]:
    units = _entries(document, "systemd", "units")
    yield from _doubles("unit", [unit["name"] for unit in units])
    for unit in units:
        if not _UNIT_NAME.fullmatch(unit["name"]):
            yield f"unit {unit['name']}: invalid extension"
        for part in (unit, *unit.get("dropins", [])):
            if not is_unit_text(part.get("contents", "")):
                yield f"{part['name']}: invalid unit content"
        names = [dropin["name"] for dropin in unit.get("dropins", [])]
        yield from _doubles(f"drop-in of {unit['name']}", names)
        yield from (f"drop-in {name}: invalid extension" for name in names if not name.endswith(".conf"))


def _users(document: Json, _old: bool) -> Iterator[str]:
    yield from _doubles("user", [user["name"] for user in _entries(document, "passwd", "users")])


def _references(document: Json, old: bool) -> Iterator[str]:
    head = document["ignition"]
    config = head.get("config", {})
    pointers = config.get("append" if old else "merge", [])
    for pointer in (*pointers, *([config["replace"]] if "replace" in config else [])):
        if not pointer.get("source", "").startswith(("http://", "https://", "s3://", "tftp://", "data:")):
            yield "a pointer has an invalid scheme"
        yield from _headers(pointer, "pointer")
        yield from _hash(pointer, None, "pointer", old=old)
    for authority in head.get("security", {}).get("tls", {}).get("certificateAuthorities", []):
        yield from _resource(authority, "authority", old=old)


def _doubles(what: str, names: list[str]) -> Iterator[str]:
    yield from (f"{what} {name} is there twice" for name in sorted({name for name in names if names.count(name) > 1}))


def _headers(resource: Json, where: str) -> Iterator[str]:
    if resource.get("httpHeaders") and not resource.get("source", "").startswith(("http://", "https://")):
        yield f"{where}: cannot use HTTP headers with this source scheme"


def _resource(resource: Json, where: str, *, old: bool) -> Iterator[str]:
    yield from _headers(resource, where)
    if not old and "hash" in resource.get("verification", {}) and "source" not in resource:
        yield f"{where}: source must be specified if verification is specified"
    source = resource.get("source", "data:,")
    if not source.startswith("data:") or "," not in source:
        yield f"{where}: no data URL"
        return
    kind, _, data = source.partition(",")
    content = unquote_to_bytes(data)
    try:
        if kind.endswith(";base64"):
            content = base64.b64decode(content, validate=True)
        if resource.get("compression") == "gzip":
            content = gzip.decompress(content)
    except (ValueError, OSError, EOFError):
        yield f"{where}: the data cannot be read"
    if resource.get("compression") not in (None, "", "gzip"):
        yield f"{where}: unknown compression"
    yield from _hash(resource, content, where, old=old)


def _hash(resource: Json, content: bytes | None, where: str, *, old: bool) -> Iterator[str]:
    given = resource.get("verification", {}).get("hash")
    if given is None:
        return
    kind, _, digest = given.partition("-")
    if kind not in _HASH_SIZES or (old and kind == "sha256"):
        yield f"{where}: unknown hash function"
    elif len(digest) != _HASH_SIZES[kind]:
        yield f"{where}: the hash has a wrong size"
    elif content is not None and hashlib.new(kind, content).hexdigest() != digest:
        yield f"{where}: another hash"
