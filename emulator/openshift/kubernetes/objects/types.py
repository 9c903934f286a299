"""The types of built-in kinds: which members each has, decoding an object by them, and finding the values of a type.

`members.json` has one line for each type. `python -m tools.kubernetes` writes it from the models of the Python client
32.0.1, which are generated from the OpenAPI document of Kubernetes 1.32, the release that the server says it is.
"""

import base64
import binascii
import functools
import json
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from emulator.json_object import Json
from emulator.openshift.kubernetes.api_errors import BAD_REQUEST
from emulator.openshift.kubernetes.kinds import Kind
from emulator.openshift.kubernetes.objects import quantities

INT_OR_STRING = "IntOrString"
JSON_NAMES: Mapping[type, str] = {bool: "bool", int: "number", float: "number", str: "string", list: "array"}
PLAIN: Mapping[str, tuple[type, ...]] = {
    "string": (str,),
    "bool": (bool,),
    "int32": (int,),
    "int64": (int,),
    "float64": (int, float),
    "bytes": (str,),
    "Time": (str,),
    INT_OR_STRING: (int, str),
}
WIDTHS: Mapping[str, int] = {"int32": 31, "int64": 63, INT_OR_STRING: 31}
# Members whose empty list or map means something else than their absence.
KEPT_EMPTY = frozenset({"PolicyRule.verbs", "Role.rules", "ClusterRole.rules"})


class MisfitError(Exception):
    """A value that Go cannot decode, in the words of its decoder."""


@functools.cache
def types() -> Mapping[str, Mapping[str, str]]:
    """Return the type of each member of each type: `string`, `[Container]` for a list, `{Quantity}` for a map."""
    found: Mapping[str, Mapping[str, str]] = json.loads((Path(__file__).parent / "members.json").read_text())
    return found


def decode(kind: Kind, obj: Json) -> tuple[Json, list[str]]:
    """Return an object without members that its type lacks, and the paths of these, in their order.

    Nulls, empty lists and empty maps are left out, as Go leaves them out. Metadata is returned as it is.

    Raises:
        ServiceError: 400 for a value that Go cannot decode.
    """
    if kind.kind not in types():
        return obj, []
    unknown: list[str] = []
    try:
        decoded = _decode(kind, obj, unknown)
    except MisfitError as error:
        raise BAD_REQUEST(
            f'{kind.kind} in version "{kind.version}" cannot be handled as a {kind.kind}: {error}'
        ) from error
    return {name: obj[name] if name == "metadata" else decoded[name] for name in obj if name in decoded} | (
        {"metadata": obj["metadata"]} if "metadata" in obj else {}
    ), unknown


def check_fit(kind: Kind, obj: Json) -> None:
    """Check that Go could decode an object of a built-in kind.

    Raises:
        MisfitError: if it could not.
    """
    if kind.kind in types():
        _decode(kind, obj, [])


def _decode(kind: Kind, obj: Json, unknown: list[str]) -> Json:
    decoded = _struct(kind.kind, obj | {"metadata": None}, (), "", unknown)
    if obj.get("metadata") is not None:
        metadata(kind, obj["metadata"], unknown)
    return decoded


def metadata(kind: Kind, value: Any, unknown: list[str]) -> Json:
    """Return metadata as Go decodes it.

    Raises:
        MisfitError: if it cannot.
    """
    if not isinstance(value, dict):
        raise _misfit(value, (kind.kind, "metadata"), "ObjectMeta")
    return _struct("ObjectMeta", value, ("ObjectMeta", "metadata"), "metadata", unknown)


def struct(name: str, value: Json) -> Json:
    """Return a value of a type that is not a kind, without members that the type lacks.

    Raises:
        MisfitError: for a member that Go cannot decode.
    """
    return _struct(name, value, (), "", [])


def _struct(name: str, value: Json, stack: tuple[str, ...], path: str, unknown: list[str]) -> Json:
    members = types()[name]
    decoded: Json = {}
    for member, inner in value.items():
        at = f"{path}.{member}" if path else member
        if member not in members:
            unknown.append(at)
        elif inner is not None:
            found = _value(members[member], inner, (name, *stack[1:], member) if stack else (name, member), at, unknown)
            if found not in ([], {}) or members[member][0] not in "[{" or f"{name}.{member}" in KEPT_EMPTY:
                decoded[member] = found
    return decoded


def _value(wanted: str, value: Any, stack: tuple[str, ...], path: str, unknown: list[str]) -> Any:
    """Decode one value.

    Args:
        wanted: its type.
        value: the value, not null.
        stack: the type that has the member, and the names of the members on the way, for Go's message.
        path: path of the value.
        unknown: collects the paths of unknown members.

    Raises:
        MisfitError: if it has another type.
    """
    if wanted == "any":
        return value
    if wanted[0] == "[":
        if not isinstance(value, list):
            raise _misfit(value, stack, wanted)
        return [
            _value(wanted[1:-1], _zero(wanted[1:-1]) if item is None else item, stack, f"{path}[{index}]", unknown)
            for index, item in enumerate(value)
        ]
    if wanted[0] == "{":
        if not isinstance(value, dict):
            raise _misfit(value, stack, wanted)
        return {
            key: _value(wanted[1:-1], _zero(wanted[1:-1]) if item is None else item, stack, f"{path}.{key}", unknown)
            for key, item in value.items()
        }
    if wanted == "Quantity":
        return _quantity(value)
    if wanted in PLAIN:
        return _plain(wanted, value, stack)
    if not isinstance(value, dict):
        raise _misfit(value, stack, wanted)
    return _struct(wanted, value, stack, path, unknown)


def _zero(wanted: str) -> Any:
    return {"string": "", "bytes": "", "Quantity": "0", "bool": False}.get(wanted, {} if wanted[0].isupper() else 0)


def _plain(wanted: str, value: Any, stack: tuple[str, ...]) -> Any:
    if not isinstance(value, PLAIN[wanted]) or (isinstance(value, bool) and wanted != "bool"):
        raise _misfit(value, stack, wanted)
    if wanted in WIDTHS and isinstance(value, int) and not -(2 ** WIDTHS[wanted]) <= value < 2 ** WIDTHS[wanted]:
        raise _misfit(value, stack, wanted, f" {value}")
    if isinstance(value, str) and wanted == "bytes":
        return _base64(value)
    if isinstance(value, str) and wanted == "Time":
        _check_time(value)
    return value


def _base64(value: str) -> str:
    """Return Base64 without its line breaks, which Go's decoder skips."""
    bare = value.replace("\r", "").replace("\n", "")
    try:
        base64.b64decode(bare, validate=True)
    except (binascii.Error, ValueError) as error:
        raise MisfitError(f"illegal base64 data at input byte {_first_bad_byte(value)}") from error
    return bare


def _check_time(value: str) -> None:
    try:
        datetime.fromisoformat(value)
    except ValueError as error:
        form = "2006-01-02T15:04:05Z07:00"
        raise MisfitError(f'parsing time "{value}" as "{form}": cannot parse "{value}" as "2006"') from error


def _first_bad_byte(text: str) -> int:
    for index, character in enumerate(text):
        if not (character.isascii() and (character.isalnum() or character in "+/\r\n")):
            return index
    return len(text) - len(text) % 4


def _quantity(value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise MisfitError(quantities.MESSAGE)
    try:
        return quantities.canonical(str(value))
    except ValueError as error:
        raise MisfitError(str(error)) from error


def _misfit(value: Any, stack: tuple[str, ...], wanted: str, shown: str = "") -> MisfitError:
    found = JSON_NAMES.get(type(value), "object")
    if isinstance(value, float) and wanted in WIDTHS:
        shown = f" {value}"
    if wanted == INT_OR_STRING:
        return MisfitError(f"json: cannot unmarshal {found}{shown} into Go value of type int32")
    message = f"json: cannot unmarshal {found}{shown} into Go struct field {'.'.join(stack)} of type {_go_type(wanted)}"
    return MisfitError(message)


def _go_type(wanted: str) -> str:
    if wanted[0] == "[":
        return f"[]{_go_type(wanted[1:-1])}"
    if wanted[0] == "{":
        return f"map[string]{_go_type(wanted[1:-1])}"
    if wanted == "bytes":
        return "[]uint8"
    return f"v1.{wanted}" if wanted[0].isupper() else wanted


def values(kind: Kind, obj: Json) -> Iterator[tuple[str, Json, str]]:
    """Yield the values of an object that have members of their own: type, value, path. The object is the first."""
    if kind.kind in types():
        yield from _values(kind.kind, obj, "")


def _values(name: str, value: Any, path: str) -> Iterator[tuple[str, Json, str]]:
    if name[0] in "[{":
        items = enumerate(value) if name[0] == "[" else sorted(value.items())
        for key, item in items:
            yield from _values(name[1:-1], item, f"{path}[{key}]")
    elif name in types():
        yield name, value, path
        for member, inner in types()[name].items():
            if value.get(member) is not None and inner.strip("[{}]") in types() and inner != "ObjectMeta":
                yield from _values(inner, value[member], f"{path}.{member}" if path else member)
