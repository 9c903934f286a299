"""Reads others' Ignition configurations into the form of `ignition.py`, and refuses what that form cannot express.

Specs 2.0.0 to 2.2.0 and 3.0.0 to 3.2.0: an older minor version means the same in a newer one.
"""

import base64
import binascii
import hashlib
import re
import zlib
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any, TypeVar
from urllib.parse import unquote_to_bytes

from installer.ignition.ignition import ROOT, Config, Directory, File, Pointer, Unit, User
from shared.findings import Enough, Findings
from shared.json_object import JsonView

_Value = TypeVar("_Value")
_SPEC = re.compile(r"(?P<major>2|3)\.[012]\.0")
_DATA_URL = re.compile(r"data:(?P<kind>[^,]*),(?P<data>.*)", re.DOTALL)
# The values that Ignition writes if a configuration says nothing.
_FILE_MODE, _DIRECTORY_MODE = 0o644, 0o755
# Bytes of all texts of a configuration; that of a bootstrap machine has a quarter of a MiB.
LARGEST = 4 << 20
_GZIP = 31


def parse(document: Any) -> Config:
    """Return a configuration.

    Texts that are compressed or split are returned whole; all together may have `LARGEST` bytes.

    Raises:
        ValueError: with everything that is wrong with it, or that cannot be expressed, up to a hundred findings.
    """
    reader = _Reader()
    config = Config()
    with suppress(Enough):
        config = reader.read(document)
    if reader.problems:
        raise ValueError(f"this Ignition configuration cannot be read: {'; '.join(reader.problems)}")
    return config


class _Reader:
    """Reads one document and collects its problems."""

    def __init__(self) -> None:
        self.problems: Findings[str] = Findings()
        self._old = False
        self._left = LARGEST

    def read(self, document: Any) -> Config:
        document = self._object({"": document}, "", "", ("ignition", "storage", "systemd", "passwd", "networkd"))
        head = self._object(document, "ignition", "", ("version", "config", "security", "timeouts"))
        version = self._value(head, "version", str, "", "ignition")
        if not (spec := _SPEC.fullmatch(version)):
            self.problems.append(f"ignition.version '{version}' is not one of 2.0.0 to 2.2.0, 3.0.0 to 3.2.0")
            return Config()
        self._old = spec["major"] == "2"
        pointers = "append" if self._old else "merge"
        references = self._object(head, "config", "ignition", (pointers, "replace"))
        security = self._object(head, "security", "ignition", ("tls",))
        tls = self._object(security, "tls", "ignition.security", ("certificateAuthorities",))
        # Time limits for fetching, and units of networkd, which the images do not run, cannot be expressed here.
        self._object(head, "timeouts", "ignition", ())
        self._object(document, "networkd", "", ())
        storage = self._object(document, "storage", "", ("files", "directories"))
        systemd = self._object(document, "systemd", "", ("units",))
        passwd = self._object(document, "passwd", "", ("users",))
        replace = self._pointer(references.get("replace") or {}, "ignition.config.replace")
        authorities = self._list(tls, "certificateAuthorities", "ignition.security.tls")
        return Config(
            files=tuple(self._file(entry, where) for where, entry in self._list(storage, "files", "storage")),
            units=tuple(self._unit(entry, where) for where, entry in self._list(systemd, "units", "systemd")),
            users=tuple(self._user(entry, where) for where, entry in self._list(passwd, "users", "passwd")),
            merge=tuple(
                self._pointer(entry, where) for where, entry in self._list(references, pointers, "ignition.config")
            ),
            authorities=tuple(
                self._text(entry, where) for where, entry in authorities if self._name(entry, "source", where)
            ),
            directories=tuple(
                self._directory(entry, where) for where, entry in self._list(storage, "directories", "storage")
            ),
            replace=replace if replace.source else None,
        )

    def _object(self, parent: JsonView, name: str, where: str, members: Iterable[str]) -> JsonView:
        """Return a member that is an object. Members other than the given ones are a problem, unless they are empty."""
        path = f"{where}.{name}".strip(".")
        found = parent.get(name) or {}
        if not isinstance(found, Mapping):
            self.problems.append(f"{path or 'it'} is not an object")
            return {}
        self._only(found, path, members)
        return found

    def _only(self, entry: JsonView, where: str, members: Iterable[str]) -> None:
        strange = (name for name, value in entry.items() if name not in members and value not in ({}, [], None, ""))
        self.problems.extend(f"{where}.{name}".strip(".") + " is not supported" for name in strange)

    def _list(self, parent: JsonView, name: str, where: str) -> list[tuple[str, JsonView]]:
        """Return the objects of a list, each with its path."""
        path, found = f"{where}.{name}", parent.get(name) or []
        if not isinstance(found, list):
            self.problems.append(f"{path} is not a list")
            return []
        entries = [(f"{path}[{number}]", entry) for number, entry in enumerate(found)]
        self.problems.extend(f"{place} is not an object" for place, entry in entries if not isinstance(entry, Mapping))
        return [(place, entry) for place, entry in entries if isinstance(entry, Mapping)]

    def _value(self, entry: JsonView, name: str, kind: type[_Value], default: _Value, where: str) -> _Value:
        found = entry.get(name)
        if found is None:
            return default
        # In Python a bool is an int, in JSON it is not.
        if not isinstance(found, kind) or (kind is int and isinstance(found, bool)):
            self.problems.append(f"{where}.{name} is not of type {kind.__name__}")
            return default
        return found

    def _texts(self, entry: JsonView, name: str, where: str) -> tuple[str, ...]:
        found = self._value(entry, name, list, [], where)
        if not all(isinstance(text, str) for text in found):
            self.problems.append(f"{where}.{name} is not a list of strings")
            return ()
        return tuple(found)

    def _name(self, entry: JsonView, name: str, where: str) -> str:
        found = self._value(entry, name, str, "", where)
        if not found:
            self.problems.append(f"{where}.{name} is missing")
        return found

    def _owner(self, entry: JsonView, name: str, where: str, default: str) -> str:
        owner = self._object(entry, name, where, ("name", "id"))
        if owner.get("id") is not None and owner.get("id") != 0:
            self.problems.append(f"{where}.{name}.id is not supported: give a name")
        return self._value(owner, "name", str, default, f"{where}.{name}") or default

    def _file_system(self, entry: JsonView, where: str) -> None:
        if self._old and entry.get("filesystem") != ROOT:
            self.problems.append(f"{where}.filesystem is not '{ROOT}'")

    def _file(self, entry: JsonView, where: str) -> File:
        members = ["path", "overwrite", "append", "contents", "mode", "user", "group"]
        self._only(entry, where, [*members, "filesystem"] if self._old else members)
        self._file_system(entry, where)
        contents = self._object(entry, "contents", where, ("source", "verification", "compression"))
        parts = [(f"{where}.contents", contents)] if contents.get("source") is not None else []
        if self._old:
            append = self._value(entry, "append", bool, default=False, where=where)
        else:
            additions = self._list(entry, "append", where)
            append = bool(additions) and not parts
            parts += additions
            if not parts:
                self.problems.append(
                    f"{where}.contents.source is missing: to leave the text of a file as it is, is not supported; "
                    "'data:,' is an empty one"
                )
        overwrite = self._value(entry, "overwrite", bool, default=self._old and not append, where=where)
        if append and overwrite:
            self.problems.append(f"{where} can be appended or overwritten, not both")
        return File(
            self._name(entry, "path", where),
            "".join(self._text(part, place) for place, part in parts),
            self._value(entry, "mode", int, _FILE_MODE, where),
            append=append,
            overwrite=overwrite or append,
            user=self._owner(entry, "user", where, ROOT),
            group=self._owner(entry, "group", where, ""),
        )

    def _directory(self, entry: JsonView, where: str) -> Directory:
        members = ["path", "mode", "user"]
        self._only(entry, where, [*members, "filesystem"] if self._old else members)
        self._file_system(entry, where)
        if self._owner(entry, "user", where, ROOT) != ROOT:
            self.problems.append(f"{where}.user is not '{ROOT}'")
        return Directory(self._name(entry, "path", where), self._value(entry, "mode", int, _DIRECTORY_MODE, where))

    def _unit(self, entry: JsonView, where: str) -> Unit:
        members = ["name", "contents", "enabled", "mask", "dropins"]
        self._only(entry, where, [*members, "enable"] if self._old else members)
        enabled = (
            self._value(entry, "enabled", bool, default=False, where=where)
            if entry.get("enabled") is not None
            else None
        )
        if self._old and entry.get("enable") is True:
            enabled = True
        return Unit(
            self._name(entry, "name", where),
            self._value(entry, "contents", str, "", where),
            enabled=enabled,
            dropins=tuple(
                (self._name(dropin, "name", place), self._value(dropin, "contents", str, "", place))
                for place, dropin in self._list(entry, "dropins", where)
            ),
            mask=self._value(entry, "mask", bool, default=False, where=where),
        )

    def _user(self, entry: JsonView, where: str) -> User:
        self._only(entry, where, ("name", "sshAuthorizedKeys", "passwordHash", "groups"))
        return User(
            self._name(entry, "name", where),
            self._texts(entry, "sshAuthorizedKeys", where),
            self._value(entry, "passwordHash", str, "", where),
            self._texts(entry, "groups", where),
        )

    def _pointer(self, entry: Any, where: str) -> Pointer:
        if not isinstance(entry, Mapping):
            self.problems.append(f"{where} is not an object")
            return Pointer("")
        self._only(entry, where, ("source", "verification"))
        verification = self._object(entry, "verification", where, ("hash",))
        return Pointer(self._value(entry, "source", str, "", where), self._value(verification, "hash", str, "", where))

    def _text(self, entry: JsonView, where: str) -> str:
        """Return the text in a resource."""
        self._only(entry, where, ("source", "verification", "compression"))
        verification = self._object(entry, "verification", where, ("hash",))
        try:
            text = carried(
                self._value(entry, "source", str, "", where),
                self._value(entry, "compression", str, "", where),
                self._value(verification, "hash", str, "", where),
                largest=self._left,
            )
        except ValueError as error:
            self.problems.append(f"{where}: {error}")
            return ""
        self._left -= len(text.encode())
        return text


def carried(source: str, compression: str = "", verification: str = "", *, largest: int = LARGEST) -> str:
    """Return the text in a data URL (RFC 2397).

    Args:
        source: the address.
        compression: `gzip` or empty.
        verification: `sha512-<hex>`, `sha256-<hex>` or empty; of the uncompressed text.
        largest: maximum size, in bytes.

    Raises:
        ValueError: if the address contains no text, or does not match its verification.
    """
    url = _DATA_URL.fullmatch(source or "data:,")
    if url is None:
        raise ValueError("its source is not a data URL; what lies elsewhere is not fetched here")
    content = unquote_to_bytes(url["data"])
    if url["kind"].endswith(";base64"):
        try:
            content = base64.b64decode(content, validate=True)
        except binascii.Error as error:
            raise ValueError(f"its data is not base64: {error}") from error
    if compression not in ("", "gzip"):
        raise ValueError(f"compression '{compression}' is not gzip")
    if compression:
        content = _unpacked(content, largest)
    if len(content) > largest:
        raise ValueError(f"its data is too large: all texts together may have {LARGEST} bytes")
    kind, _, digest = verification.partition("-")
    if verification and kind not in ("sha256", "sha512"):
        raise ValueError(f"hash function '{kind}' is not sha512")
    if verification and hashlib.new(kind, content).hexdigest() != digest:
        raise ValueError("its data does not have the hash that it promises")
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        raise ValueError("its data is not UTF-8 text") from error


def _unpacked(packed: bytes, largest: int) -> bytes:
    """Return the content of gzip, in one member or several, but at most one byte more than the largest size."""
    content = b""
    while len(content) <= largest:
        member = zlib.decompressobj(wbits=_GZIP)
        try:
            content += member.decompress(packed, largest + 1 - len(content))
        except zlib.error as error:
            raise ValueError(f"its data is not gzip: {error}") from error
        if not member.eof and len(content) <= largest:
            raise ValueError("its data is not gzip: it ends too soon")
        packed = member.unused_data
        if not packed:
            break
    return content
