"""Ignition in a form of its own, and its two spellings: spec 2.2.0 up to OpenShift 4.5, 3.2.0 after it."""

import base64
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

_TEXT = "data:text/plain;charset=utf-8;base64,"


@dataclass(frozen=True)
class File:
    """A file of root's; `append` adds to what the image has."""

    path: str
    text: str = field(repr=False)
    mode: int = 0o600
    append: bool = False


@dataclass(frozen=True)
class Unit:
    """A systemd unit; `enabled` None leaves it as the image has it."""

    name: str
    text: str = ""
    enabled: bool | None = None
    dropins: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class User:
    """A user and who may log in as it."""

    name: str
    ssh_keys: tuple[str, ...]


@dataclass(frozen=True)
class Config:
    """What a machine is to become.

    Args:
        files: of the file system.
        units: of systemd.
        users: who may log in.
        merge: addresses of configurations that come on top of this one.
        authorities: certificates by which those addresses are verified, PEM.
    """

    files: tuple[File, ...] = ()
    units: tuple[Unit, ...] = ()
    users: tuple[User, ...] = ()
    merge: tuple[str, ...] = ()
    authorities: tuple[str, ...] = ()


def data_url(text: str) -> str:
    """Return text as an address that carries it."""
    return _TEXT + base64.b64encode(text.encode()).decode("ascii")


def render(config: Config, version: str) -> dict[str, Any]:
    """Return a configuration in one of the specs.

    Raises:
        ValueError: when nobody here writes that spec.
    """
    if version not in _SPECS:
        raise ValueError(f"Ignition spec {version} is not one of {', '.join(_SPECS)}")
    return _SPECS[version](config)


def _user(user: User) -> dict[str, Any]:
    return {"name": user.name, "sshAuthorizedKeys": list(user.ssh_keys)}


def _unit(unit: Unit) -> dict[str, Any]:
    rendered: dict[str, Any] = {"name": unit.name}
    if unit.text:
        rendered["contents"] = unit.text
    if unit.enabled is not None:
        rendered["enabled"] = unit.enabled
    if unit.dropins:
        rendered["dropins"] = [{"name": name, "contents": text} for name, text in unit.dropins]
    return rendered


def _spec_2(config: Config) -> dict[str, Any]:
    """Source: coreos/ignition, configuration specification v2.2.0, with the empty objects that its Go types write."""
    head: dict[str, Any] = {"config": {}, "security": {"tls": {}}, "timeouts": {}, "version": "2.2.0"}
    if config.merge:
        head["config"] = {"append": [{"source": source, "verification": {}} for source in config.merge]}
    if config.authorities:
        head["security"]["tls"]["certificateAuthorities"] = [
            {"source": data_url(pem), "verification": {}} for pem in config.authorities
        ]
    return {
        "ignition": head,
        "networkd": {},
        "passwd": {"users": [_user(user) for user in config.users]} if config.users else {},
        "storage": {"files": [_file_2(file) for file in config.files]} if config.files else {},
        "systemd": {"units": [_unit(unit) for unit in config.units]} if config.units else {},
    }


def _file_2(file: File) -> dict[str, Any]:
    return {
        "filesystem": "root",
        "path": file.path,
        "user": {"name": "root"},
        "contents": {"source": data_url(file.text), "verification": {}},
        "mode": file.mode,
    } | ({"append": True} if file.append else {})


def _spec_3(config: Config) -> dict[str, Any]:
    """Source: coreos/ignition, configuration specification v3.2.0."""
    head: dict[str, Any] = {"version": "3.2.0"}
    if config.merge:
        head["config"] = {"merge": [{"source": source} for source in config.merge]}
    if config.authorities:
        head["security"] = {
            "tls": {"certificateAuthorities": [{"source": data_url(pem)} for pem in config.authorities]}
        }
    rendered: dict[str, Any] = {"ignition": head}
    if config.users:
        rendered["passwd"] = {"users": [_user(user) for user in config.users]}
    if config.files:
        rendered["storage"] = {"files": [_file_3(file) for file in config.files]}
    if config.units:
        rendered["systemd"] = {"units": [_unit(unit) for unit in config.units]}
    return rendered


def _file_3(file: File) -> dict[str, Any]:
    contents = {"source": data_url(file.text)}
    # What spec 2 does unasked, spec 3 refuses unless told to: the image may have a file of this name.
    written = {"append": [contents]} if file.append else {"contents": contents, "overwrite": True}
    return {"path": file.path, "user": {"name": "root"}, "mode": file.mode} | written


_SPECS: dict[str, Callable[[Config], dict[str, Any]]] = {"2.2.0": _spec_2, "3.2.0": _spec_3}
