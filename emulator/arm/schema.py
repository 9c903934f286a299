"""Property tables: the members that a type's JSON may have, and how wrong members are refused.

A table is a dict from member names to kinds. A kind is a Python type (`str`, `int`, `bool`, `float`; `object` for any
JSON), a list of one kind, a dict (an object), or one of the classes below. Members that are null count as absent.
Names match regardless of case and are stored in the table's casing, as Json.NET does in Azure.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from emulator.arm.ids import ResourceId
from emulator.core.service_error import ServiceError
from emulator.json_object import Json

Kind = Any


@dataclass(frozen=True)
class Found:
    """A value that breaks a rule."""

    id: ResourceId
    path: str
    value: Any


# Builds the error for a value that breaks a rule.
Refusal = Callable[[Found], ServiceError]


@dataclass(frozen=True)
class Choice:
    """A string that must be one of these, in any case.

    Args:
        values: the strings.
        refusal: builds the error; without one, another string is a problem of reading, like an unknown member.
    """

    values: tuple[str, ...]
    refusal: Refusal | None = None


@dataclass(frozen=True)
class Rule:
    """A member that must also keep a rule, such as a range of numbers or a format.

    Args:
        kind: the kind of the member, as which it is read first.
        holds: tells whether a value of that kind keeps the rule.
        wrong: values that break it. The tests send each of them.
        refusal: builds the error.
    """

    kind: Kind
    holds: Callable[[Any], bool]
    wrong: tuple[Any, ...]
    refusal: Refusal


@dataclass(frozen=True)
class Fixed:
    """A member that a resource keeps: a later PUT may leave it out, but not change it.

    Args:
        kind: the kind of the member.
        other: another value that a new resource may have. The tests try to change the member to it.
        refusal: builds the error.
    """

    kind: Kind
    other: Any
    refusal: Refusal


def between(lowest: int, highest: int, refusal: Refusal) -> Rule:
    """Return the rule for a whole number from `lowest` to `highest`."""
    return Rule(int, lambda value: lowest <= value <= highest, (lowest - 1, highest + 1), refusal)


def matching(pattern: str, wrong: tuple[str, ...], refusal: Refusal) -> Rule:
    """Return the rule for a string that a regular expression must match as a whole."""
    return Rule(str, lambda value: re.fullmatch(pattern, value) is not None, wrong, refusal)


@dataclass(frozen=True)
class Reference:
    """A member `{"id": …}` that refers to another resource.

    Args:
        type: the type that the other resource must have.
        join: the action that the caller needs on it, such as `join/action`; "" for none.
        same_region: whether it must be in the region of the resource that refers to it.
        bare: whether the member is the id itself, not an object around it.
        same_subscription: whether it must be in the subscription of the resource that refers to it.
        missing: builds the error for an id of no resource, `target`, from that and the resource that refers to it, `holder`;
            None for the error that most types give.
        another: builds the error for a resource of another type, from a value that was found; None for the error that
            most types give.
    """

    type: str
    join: str = ""
    same_region: bool = True
    bare: bool = False
    same_subscription: bool = True
    missing: Callable[..., ServiceError] | None = None
    another: Refusal | None = None


@dataclass(frozen=True)
class Required:
    """A member that must be present."""

    kind: Kind


@dataclass(frozen=True)
class ReadOnly:
    """A member that clients may send back as they read it; it is dropped."""


@dataclass(frozen=True)
class Since:
    """A member that only this and later api-versions have."""

    api_version: str
    kind: Kind


@dataclass(frozen=True)
class MapOf:
    """An object with free member names."""

    kind: Kind


READ_ONLY = ReadOnly()
NAMES = {str: "System.String", int: "System.Int32", bool: "System.Boolean", float: "System.Double"}


@dataclass
class Reading:
    """The outcome of reading one document.

    Args:
        api_version: the api-version of the request.
        type_name: name of the outermost object in errors.
        problems: all problems found, in Json.NET's words.
        references: (JSON path, id, reference) of each reference found.
        broken: (JSON path, value, refusal) of each value that breaks a rule.
        fixed: (JSON path, value, refusal) of each value that must not change.
    """

    api_version: str
    type_name: str
    problems: list[str] = field(default_factory=list)
    references: list[tuple[str, str, Reference]] = field(default_factory=list)
    broken: list[tuple[str, Any, Refusal]] = field(default_factory=list)
    fixed: list[tuple[str, Any, Refusal]] = field(default_factory=list)

    def read(self, kind: Kind, value: Any, path: str) -> Any:  # noqa: PLR0911 - one return for each kind
        """Return a value in the table's casing, and collect problems and references."""
        match kind:
            case Required() | Since():
                return self.read(kind.kind, value, path)
            case Rule():
                return self._ruled(kind, value, path)
            case Fixed():
                read = self.read(kind.kind, value, path)
                self.fixed.append((path, read, kind.refusal))
                return read
            case Choice():
                return self._choice(kind, value, path)
            case Reference():
                return self._reference(kind, value, path)
            case MapOf():
                return self._map(kind, value, path)
            case list():
                return self._array(kind[0], value, path)
            case dict():
                return self._object(kind, value, path)
        if kind is object or _fits(kind, value):
            return value
        self._mistyped(value, NAMES[kind], path)
        return value

    def _object(self, table: Mapping[str, Kind], value: Any, path: str) -> Json:
        if not isinstance(value, dict):
            self._mistyped(value, self._object_name(path), path)
            return {}
        canonical = {name.lower(): name for name in table}
        result: Json = {}
        for given, member in value.items():
            name = canonical.get(given.lower())
            kind = table[name] if name is not None else None
            if kind is None or (isinstance(kind, Since) and self.api_version < kind.api_version):
                self.problems.append(
                    f"Could not find member '{given}' on object of type '{self._object_name(path)}'. "
                    f"Path '{_join(path, given)}'."
                )
            elif name is not None and member is not None and not isinstance(kind, ReadOnly):
                result[name] = self.read(kind, member, _join(path, name))
        self.problems += [
            f"Required property '{name}' not found in JSON. Path '{path}'."
            for name, kind in table.items()
            if isinstance(kind, Required) and name not in result
        ]
        return result

    def _array(self, kind: Kind, value: Any, path: str) -> list[Any]:
        if not isinstance(value, list):
            self._mistyped(value, "System.Collections.Generic.List`1", path)
            return []
        return [self.read(kind, member, f"{path}[{index}]") for index, member in enumerate(value)]

    def _map(self, kind: MapOf, value: Any, path: str) -> Json:
        if not isinstance(value, dict):
            self._mistyped(value, "System.Collections.Generic.IDictionary`2", path)
            return {}
        return {name: self.read(kind.kind, member, _join(path, name)) for name, member in value.items()}

    def _choice(self, kind: Choice, value: Any, path: str) -> Any:
        for known in kind.values:
            if isinstance(value, str) and value.lower() == known.lower():
                return known
        if kind.refusal is not None and isinstance(value, str):
            self.broken.append((path, value, kind.refusal))
            return value
        self.problems.append(f"Error converting value \"{value}\" to one of {', '.join(kind.values)}. Path '{path}'.")
        return value

    def _ruled(self, kind: Rule, value: Any, path: str) -> Any:
        before = len(self.problems)
        read = self.read(kind.kind, value, path)
        if len(self.problems) == before and not kind.holds(read):
            self.broken.append((path, value, kind.refusal))
        return read

    def _reference(self, kind: Reference, value: Any, path: str) -> Any:
        identifier = value if kind.bare else value.get("id") if isinstance(value, dict) else None
        if not isinstance(identifier, str) or not identifier:
            self.problems.append(f"Value for reference id is missing. Path '{path}'.")
            return {}
        self.references.append((path, identifier, kind))
        return identifier if kind.bare else {"id": identifier}

    def _mistyped(self, value: Any, wanted: str, path: str) -> None:
        self.problems.append(f"Error converting value \"{value}\" to type '{wanted}'. Path '{path}'.")

    def _object_name(self, path: str) -> str:
        last = path.rsplit(".", 1)[-1].partition("[")[0]
        if not last:
            return self.type_name
        return f"{self.type_name}Properties" if path == "properties" else last[0].upper() + last[1:]


def _join(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _fits(kind: type, value: Any) -> bool:
    if kind is float:
        return isinstance(value, int | float) and not isinstance(value, bool)
    if kind is int:
        return isinstance(value, int) and not isinstance(value, bool)
    return isinstance(value, kind)
