"""Ignition in a form of our own, and how to write it: spec 2.2.0 up to OpenShift 4.5, 3.1.0 for 4.6, then 3.2.0.

No feature that is written here is new in 3.2.0.

Source: coreos/ignition, configuration specifications v2.2.0, v3.1.0 and v3.2.0. `ignition_reader.py` reads them back.
"""

import base64
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from installer.ignition import unit_texts

ROOT = "root"
# The folder from which systemd reads units.
UNITS = "/etc/systemd/system"
_TEXT = "data:text/plain;charset=utf-8;base64,"
_HIGHEST_MODE = 0o7777
_PATH = re.compile(r"(/(?!\.{1,2}(/|$))[^/\0]+)+")
_UNIT = re.compile(r"[\w:.@\\-]+\.(automount|device|mount|path|scope|service|slice|socket|swap|target|timer)")
_SOURCE = re.compile(r"(https?|s3|tftp)://\S+|data:[^,]*,.*", re.DOTALL)
_HASH = re.compile(r"sha512-[0-9a-f]{128}")


@dataclass(frozen=True)
class File:
    """A file. `append` adds to the image's file, and `overwrite` lets it replace that."""

    path: str
    text: str = field(repr=False)
    mode: int = 0o600
    append: bool = False
    overwrite: bool = True
    user: str = ROOT
    group: str = ""


@dataclass(frozen=True)
class Directory:
    """A directory that root owns."""

    path: str
    mode: int = 0o755


@dataclass(frozen=True)
class Unit:
    """A systemd unit; with `enabled` None it stays as the image has it."""

    name: str
    text: str = ""
    enabled: bool | None = None
    dropins: tuple[tuple[str, str], ...] = ()
    mask: bool = False


Entry = File | Directory | Unit


@dataclass(frozen=True)
class User:
    """A user and who may log in as that user."""

    name: str
    ssh_keys: tuple[str, ...] = ()
    password_hash: str = field(default="", repr=False)
    groups: tuple[str, ...] = ()


@dataclass(frozen=True)
class Pointer:
    """A configuration elsewhere; `verification` is its required `sha512-<hex>`, or "" for any.

    The address may be signed, so it is never shown.
    """

    source: str = field(repr=False)
    verification: str = ""


@dataclass(frozen=True)
class Config:
    """The configuration of a machine.

    Args:
        files: files of the file system.
        units: units of systemd.
        users: who may log in.
        merge: configurations that are merged on top of this one.
        authorities: certificates by which those addresses are verified, PEM.
        directories: directories of the file system.
        replace: the configuration that is used instead of this one.
    """

    files: tuple[File, ...] = ()
    units: tuple[Unit, ...] = ()
    users: tuple[User, ...] = ()
    merge: tuple[Pointer, ...] = ()
    authorities: tuple[str, ...] = ()
    directories: tuple[Directory, ...] = ()
    replace: Pointer | None = None


def entries(config: Config) -> tuple[Entry, ...]:
    """Return what a configuration writes."""
    return (*config.files, *config.directories, *config.units)


def laid_down(entry: Entry) -> tuple[str, ...]:
    """Return the paths that an entry writes; none for a unit that is only enabled."""
    if not isinstance(entry, Unit):
        return (entry.path,)
    unit_file = (f"{UNITS}/{entry.name}",) if entry.text else ()
    return unit_file + tuple(f"{UNITS}/{entry.name}.d/{name}" for name, text in entry.dropins if text)


def above(path: str) -> Iterator[str]:
    """Yield the folders above a path, nearest first, without the root."""
    while path := path.rpartition("/")[0]:
        yield path


def data_url(text: str) -> str:
    """Return text as a data URL."""
    return _TEXT + base64.b64encode(text.encode()).decode("ascii")


def render(config: Config, version: str) -> dict[str, Any]:
    """Return a configuration in one of the specs.

    Raises:
        ValueError: if the product does not write that spec, or Ignition would refuse the configuration.
    """
    if version not in _SPECS:
        raise ValueError(f"Ignition spec {version} is not one of {', '.join(_SPECS)}")
    if wrong := problems(config):
        raise ValueError(f"Ignition would refuse this: {'; '.join(wrong)}")
    return _SPECS[version](config, version)


def problems(config: Config) -> list[str]:
    """Return why Ignition would refuse a configuration in one of the specs, one sentence each."""
    return [*_file_problems(config), *_unit_problems(config), *_user_problems(config), *_pointer_problems(config)]


def _file_problems(config: Config) -> Iterator[str]:
    nodes: tuple[File | Directory, ...] = (*config.files, *config.directories)
    # A unit's text is a file too.
    paths = [path for entry in entries(config) for path in laid_down(entry)]
    yield from _twice("path", paths)
    no_folders = set(paths) - {directory.path for directory in config.directories}
    yield from (
        f"path '{path}' lies below '{folder}', which is a file"
        for path in paths
        for folder in above(path)
        if folder in no_folders
    )
    for node in nodes:
        if not _PATH.fullmatch(node.path):
            yield f"path '{node.path}' is not absolute and plain"
        if not 0 <= node.mode <= _HIGHEST_MODE:
            yield f"path '{node.path}': mode {node.mode} is not from 0 to {_HIGHEST_MODE} (octal 7777)"


def _unit_problems(config: Config) -> Iterator[str]:
    yield from _twice("unit", (unit.name for unit in config.units))
    for unit in config.units:
        if not _UNIT.fullmatch(unit.name):
            yield f"unit '{unit.name}' does not end as systemd's units do"
        if found := unit_texts.problem(unit.text):
            yield f"unit '{unit.name}' cannot be read: {found}"
        yield from _twice(f"drop-in of unit '{unit.name}'", (name for name, _ in unit.dropins))
        yield from (
            f"drop-in '{name}' of unit '{unit.name}' cannot be read: {found}"
            for name, text in unit.dropins
            if (found := unit_texts.problem(text))
        )
        yield from (
            f"drop-in '{name}' of unit '{unit.name}' does not end in .conf"
            for name, _ in unit.dropins
            if not name.endswith(".conf") or "/" in name
        )


def _user_problems(config: Config) -> Iterator[str]:
    yield from _twice("user", (user.name for user in config.users))
    if any(not user.name for user in config.users):
        yield "a user has no name"


def _pointer_problems(config: Config) -> Iterator[str]:
    for number, pointer in enumerate((*config.merge, *((config.replace,) if config.replace else ()))):
        if not _SOURCE.fullmatch(pointer.source):
            yield f"pointer {number}: its address is not one of http, https, s3, tftp, data"
        if pointer.verification and not _HASH.fullmatch(pointer.verification):
            yield f"pointer {number}: its verification is not sha512-<128 hexadecimal digits>"


def _twice(what: str, names: Iterable[str]) -> Iterator[str]:
    return (f"{what} '{name}' is given {count} times" for name, count in Counter(names).items() if count > 1)


def _user(user: User) -> dict[str, Any]:
    rendered: dict[str, Any] = {"name": user.name}
    if user.ssh_keys:
        rendered["sshAuthorizedKeys"] = list(user.ssh_keys)
    if user.password_hash:
        rendered["passwordHash"] = user.password_hash
    if user.groups:
        rendered["groups"] = list(user.groups)
    return rendered


def _unit(unit: Unit) -> dict[str, Any]:
    rendered: dict[str, Any] = {"name": unit.name}
    if unit.text:
        rendered["contents"] = unit.text
    if unit.enabled is not None:
        rendered["enabled"] = unit.enabled
    if unit.mask:
        rendered["mask"] = True
    if unit.dropins:
        rendered["dropins"] = [{"name": name, "contents": text} for name, text in unit.dropins]
    return rendered


def _owner(file: File) -> dict[str, Any]:
    return {"user": {"name": file.user}} | ({"group": {"name": file.group}} if file.group else {})


def _spec_2(config: Config, version: str) -> dict[str, Any]:
    """Return spec 2, with the empty objects that Ignition's own Go types write."""
    head: dict[str, Any] = {"config": {}, "security": {"tls": {}}, "timeouts": {}, "version": version}
    if config.merge:
        head["config"]["append"] = [_pointer_2(pointer) for pointer in config.merge]
    if config.replace:
        head["config"]["replace"] = _pointer_2(config.replace)
    if config.authorities:
        head["security"]["tls"]["certificateAuthorities"] = [
            _pointer_2(Pointer(data_url(pem))) for pem in config.authorities
        ]
    storage = {
        "files": [_file_2(file) for file in config.files],
        "directories": [
            {"filesystem": ROOT, "path": directory.path, "user": {"name": ROOT}, "mode": directory.mode}
            for directory in config.directories
        ],
    }
    return {
        "ignition": head,
        "networkd": {},
        "passwd": {"users": [_user(user) for user in config.users]} if config.users else {},
        "storage": {member: nodes for member, nodes in storage.items() if nodes},
        "systemd": {"units": [_unit(unit) for unit in config.units]} if config.units else {},
    }


def _pointer_2(pointer: Pointer) -> dict[str, Any]:
    return {"source": pointer.source, "verification": {"hash": pointer.verification} if pointer.verification else {}}


def _file_2(file: File) -> dict[str, Any]:
    rendered = {
        "filesystem": ROOT,
        "path": file.path,
        **_owner(file),
        "contents": {"source": data_url(file.text), "verification": {}},
        "mode": file.mode,
    }
    if file.append:
        return rendered | {"append": True}
    return rendered if file.overwrite else rendered | {"overwrite": False}


def _spec_3(config: Config, version: str) -> dict[str, Any]:
    head: dict[str, Any] = {"version": version}
    references: dict[str, Any] = {}
    if config.merge:
        references["merge"] = [_pointer_3(pointer) for pointer in config.merge]
    if config.replace:
        references["replace"] = _pointer_3(config.replace)
    if references:
        head["config"] = references
    if config.authorities:
        head["security"] = {
            "tls": {"certificateAuthorities": [{"source": data_url(pem)} for pem in config.authorities]}
        }
    storage = {
        "files": [_file_3(file) for file in config.files],
        "directories": [
            {"path": directory.path, "user": {"name": ROOT}, "mode": directory.mode} for directory in config.directories
        ],
    }
    sections = {
        "passwd": {"users": [_user(user) for user in config.users]},
        "storage": {member: nodes for member, nodes in storage.items() if nodes},
        "systemd": {"units": [_unit(unit) for unit in config.units]},
    }
    return {"ignition": head} | {name: section for name, section in sections.items() if any(section.values())}


def _pointer_3(pointer: Pointer) -> dict[str, Any]:
    verification = {"verification": {"hash": pointer.verification}} if pointer.verification else {}
    return {"source": pointer.source} | verification


def _file_3(file: File) -> dict[str, Any]:
    contents = {"source": data_url(file.text)}
    if file.append:
        written: dict[str, Any] = {"append": [contents]}
    else:
        # Spec 2 does this by default, spec 3 only if told to: the image may have a file of this name.
        written = {"contents": contents} | ({"overwrite": True} if file.overwrite else {})
    return {"path": file.path, **_owner(file), "mode": file.mode} | written


_SPECS: dict[str, Callable[[Config, str], dict[str, Any]]] = {"2.2.0": _spec_2, "3.1.0": _spec_3, "3.2.0": _spec_3}
VERSIONS = tuple(_SPECS)
