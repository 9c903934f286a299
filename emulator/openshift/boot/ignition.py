"""Read and refuse Ignition configs as Ignition does: https://coreos.github.io/ignition/specs/ (2.2.0, 3.0 to 3.5).

Only the config itself is checked here, not whether the machine can use its files (certificates, manifests).
"""

import base64
import binascii
import gzip
import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from urllib.parse import unquote_to_bytes

from emulator.json_object import Json

VERSIONS = {"2.0.0", "2.1.0", "2.2.0", "2.3.0", "2.4.0", "3.0.0", "3.1.0", "3.2.0", "3.3.0", "3.4.0", "3.5.0"}
# The newest spec that the Ignition of a release's images reads, by the first minor version of OpenShift 4. It reads all
# earlier specs with the same major version too.
# Source: coreos/ignition `docs/specs.md`; images of 4.6 have Ignition 2.6, 4.8 2.9, 4.11 2.14.
_NEWEST_SPECS = ((19, (3, 5)), (13, (3, 4)), (9, (3, 3)), (7, (3, 2)), (6, (3, 1)), (0, (2, 4)))
_IMAGE = re.compile(r"aro_4(\d+)")
HIGHEST_MODE = 0o7777
ROOT = "root"
_UNIT = re.compile(r"[A-Za-z0-9:_.@\\-]+\.(service|socket|device|mount|automount|swap|target|path|timer|slice|scope)")
_DATA_URL = re.compile(r"data:(?P<type>[^,]*),(?P<data>.*)", re.DOTALL)


class IgnitionError(Exception):
    """Ignition refuses a config; the message is what it prints."""


@dataclass(frozen=True)
class File:
    """A file that a config writes."""

    path: str
    mode: int
    content: bytes
    append: bool = False
    owner: str = ROOT

    @cached_property
    def text(self) -> str:
        """The content as text."""
        return self.content.decode("utf-8", "replace")


@dataclass(frozen=True)
class Unit:
    """A systemd unit: its text, with drop-ins, and whether it is enabled."""

    contents: str
    enabled: bool = False


@dataclass(frozen=True)
class Source:
    """A config at a URL, with the hash (`sha512-...`) that it must have, if one is given."""

    url: str
    verification: str = ""


@dataclass(frozen=True)
class Config:
    """A parsed config.

    Args:
        version: version of the specification.
        replace: the config to use instead.
        merge: configs to add (`append` in 2.x).
        authorities: PEM certificates with which further sources are verified.
        files: files to write, by path.
        users: the entries of `passwd.users`, unchanged.
        units: systemd units, by name.
    """

    version: str
    replace: Source | None = None
    merge: tuple[Source, ...] = ()
    authorities: tuple[str, ...] = ()
    files: dict[str, File] = field(default_factory=dict)
    users: tuple[Json, ...] = ()
    units: dict[str, Unit] = field(default_factory=dict)

    def text(self, path: str) -> str:
        """Return a file's content, "" if there is no such file."""
        found = self.files.get(path)
        return "" if found is None else found.text


def parse(content: bytes, image: str = "") -> Config:
    """Read a config.

    Args:
        content: the config as JSON.
        image: SKU of the machine's image, such as `aro_46`, whose Ignition refuses specifications that it does not
            know. If the SKU names no release, all specifications are read.

    Raises:
        IgnitionError: if the content is not a config, has an unknown version, or is invalid.
    """
    try:
        document = json.loads(content)
    except ValueError as error:
        reason = (
            f"{error.msg} at line {error.lineno} col {error.colno}"
            if isinstance(error, json.JSONDecodeError)
            else "it is not UTF-8"
        )
        raise IgnitionError(f"config is not valid JSON: {reason}") from error
    if not isinstance(document, dict) or not isinstance(document.get("ignition"), dict):
        raise IgnitionError("config is not valid: $.ignition is missing")
    version = document["ignition"].get("version")
    if not version:
        raise IgnitionError("config is not valid: $.ignition.version is missing")
    if str(version) not in VERSIONS or not _reads(image, version):
        raise IgnitionError(f"unsupported config version {version!r}")
    return _Reader(document, old=version.startswith("2.")).read(version)


def _reads(image: str, version: str) -> bool:
    found = _IMAGE.fullmatch(image)
    if found is None:
        return True
    major, minor, _ = version.split(".")
    newest = next(newest for first, newest in _NEWEST_SPECS if int(found[1]) >= first)
    return int(major) == newest[0] and int(minor) <= newest[1]


class _Reader:
    """Reads one document; `old` tells whether its specification is 2.x."""

    def __init__(self, document: Json, *, old: bool) -> None:
        self._document, self._old = document, old

    def read(self, version: str) -> Config:
        ignition = self._document["ignition"]
        references = ignition.get("config") or {}
        replace = references.get("replace") or {}
        merge = references.get("append" if self._old else "merge") or []
        authorities = ((ignition.get("security") or {}).get("tls") or {}).get("certificateAuthorities") or []
        return Config(
            version,
            _source(replace, "$.ignition.config.replace") if replace.get("source") else None,
            tuple(_source(one, "$.ignition.config.merge") for one in merge),
            tuple(_authority(one, number) for number, one in enumerate(authorities)),
            {file.path: file for file in self._files()},
            tuple(self._users()),
            dict(self._units()),
        )

    def _entries(self, section: str, member: str) -> Iterator[tuple[str, Json]]:
        entries = (self._document.get(section) or {}).get(member) or []
        if not isinstance(entries, list):
            raise IgnitionError(f"config is not valid: $.{section}.{member} is not a list")
        for number, entry in enumerate(entries):
            where = f"$.{section}.{member}.{number}"
            if not isinstance(entry, dict):
                raise IgnitionError(f"config is not valid: {where} is not an object")
            yield where, entry

    def _files(self) -> Iterator[File]:
        seen: dict[str, bool] = {}
        for where, entry in self._entries("storage", "files"):
            path = entry.get("path")
            if not isinstance(path, str) or not path.startswith("/"):
                raise IgnitionError(f"config is not valid: {where}.path: path {path!r} is not absolute")
            if self._old and entry.get("filesystem") != "root":
                raise IgnitionError(
                    f"config is not valid: {where}.filesystem: {entry.get('filesystem')!r} is not defined"
                )
            append = bool(entry.get("append"))
            # Several entries may append to the same file; any other second entry for a path is refused.
            if path in seen and not (append and seen[path]):
                raise IgnitionError(f"config is not valid: {where}: duplicate entry defined: path {path!r}")
            seen[path] = append
            yield File(path, _mode(entry, where), self._content(entry, where), append, _owner(entry))

    def _content(self, entry: Json, where: str) -> bytes:
        append = entry.get("append")
        parts = append if isinstance(append, list) and append else [entry.get("contents") or {}]
        return b"".join(_resource(part, f"{where}.contents") for part in parts)

    def _users(self) -> Iterator[Json]:
        for where, entry in self._entries("passwd", "users"):
            keys = entry.get("sshAuthorizedKeys") or []
            if not entry.get("name"):
                raise IgnitionError(f"config is not valid: {where}.name is missing")
            if not isinstance(keys, list) or not all(isinstance(key, str) for key in keys):
                raise IgnitionError(f"config is not valid: {where}.sshAuthorizedKeys is not a list of strings")
            yield entry

    def _units(self) -> Iterator[tuple[str, Unit]]:
        seen = set()
        for where, entry in self._entries("systemd", "units"):
            name = entry.get("name")
            if not isinstance(name, str) or not _UNIT.fullmatch(name):
                raise IgnitionError(f"config is not valid: {where}.name: invalid systemd unit extension in {name!r}")
            if name in seen:
                raise IgnitionError(f"config is not valid: {where}: duplicate entry defined: unit {name!r}")
            seen.add(name)
            parts = [entry, *(entry.get("dropins") or [])]
            contents = "\n".join(str(part.get("contents") or "") for part in parts)
            # Older configs of 2.x say `enable`.
            yield name, Unit(contents, bool(entry.get("enabled") or entry.get("enable")))


def _source(entry: Json, where: str) -> Source:
    url = entry.get("source")
    if not isinstance(url, str) or not re.match(r"(https?://|data:)", url):
        raise IgnitionError(f"config is not valid: {where}.source: invalid url scheme")
    return Source(url, (entry.get("verification") or {}).get("hash") or "")


def _authority(entry: Json, number: int) -> str:
    where = f"$.ignition.security.tls.certificateAuthorities.{number}"
    text = _resource(entry, where).decode("ascii", "replace")
    if "-----BEGIN CERTIFICATE-----" not in text:
        raise IgnitionError(f"config is not valid: {where}: unable to parse certificate authority")
    return text


def _owner(entry: Json) -> str:
    """Return the owner of a file: a name, or a number."""
    user = entry.get("user") or {}
    return str(user.get("name") or user.get("id") or ROOT)


def _mode(entry: Json, where: str) -> int:
    mode = entry.get("mode", 0o644)
    if not isinstance(mode, int) or isinstance(mode, bool) or not 0 <= mode <= HIGHEST_MODE:
        raise IgnitionError(f"config is not valid: {where}.mode: {mode!r}: illegal file mode")
    return mode


def _resource(entry: Json, where: str) -> bytes:
    """Return the content of a resource, from its data URL."""
    url = entry.get("source") or "data:,"
    if not isinstance(url, str) or not url.startswith("data:"):
        raise IgnitionError(f"config is not valid: {where}.source: {str(url)[:40]!r}: unable to fetch resource")
    content = read_data_url(url, where)
    if entry.get("compression") == "gzip":
        try:
            content = gzip.decompress(content)
        except (OSError, EOFError) as error:
            raise IgnitionError(f"config is not valid: {where}: gzip: {error}") from error
    elif entry.get("compression"):
        raise IgnitionError(f"config is not valid: {where}.compression: invalid compression method")
    verify(content, (entry.get("verification") or {}).get("hash") or "", where)
    return content


def read_data_url(url: str, where: str) -> bytes:
    """Return the content of a data URL (RFC 2397).

    Raises:
        IgnitionError: if the URL is malformed.
    """
    found = _DATA_URL.fullmatch(url)
    if found is None:
        raise IgnitionError(f"config is not valid: {where}.source: invalid data url: no comma")
    data = unquote_to_bytes(found["data"])
    if not found["type"].endswith(";base64"):
        return data
    try:
        return base64.b64decode(data, validate=True)
    except binascii.Error as error:
        raise IgnitionError(f"config is not valid: {where}.source: invalid data url: {error}") from error


def verify(content: bytes, wanted: str, where: str) -> None:
    """Check content against its hash, if there is one.

    Args:
        content: the bytes to check.
        wanted: the hash as `sha512-<hex>` or `sha256-<hex>`, "" for none.
        where: path of the content in the config, for the message.

    Raises:
        IgnitionError: if the hash differs, or its function is unknown.
    """
    if not wanted:
        return
    function, _, value = wanted.partition("-")
    if function not in ("sha512", "sha256"):
        raise IgnitionError(f"{where}: unrecognized hash function {function!r}")
    if hashlib.new(function, content).hexdigest() != value.lower():
        raise IgnitionError(f"{where}: failed to verify hash")
