"""Turns a parsed body into the members of a cluster: known members with the right JSON types, and nothing else."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from shared.arm.errors import CloudError, invalid_request_content, raise_all, shown
from shared.clusters.api_versions import is_generated
from shared.clusters.checks.unknown import Unknown, is_expression
from shared.clusters.member_types import ApiVersion, Kind
from shared.clusters.shape import Node, entry_target, item_target, step, tree
from shared.documents import Cluster
from shared.findings import Enough, Findings

_INT32 = range(-(2**31), 2**31)
_FITS: dict[Kind, Callable[[Any], bool]] = {
    Kind.STRING: lambda value: isinstance(value, str),
    Kind.TIME: lambda value: isinstance(value, str),
    Kind.INTEGER: lambda value: isinstance(value, int) and not isinstance(value, bool) and value in _INT32,
    Kind.BOOLEAN: lambda value: isinstance(value, bool),
    Kind.STRINGS: lambda value: isinstance(value, list) and all(isinstance(item, str) for item in value),
}
_EXPECTED = {
    Kind.OBJECT: "an object",
    Kind.ARRAY: "an array",
    Kind.MAP: "an object of strings",
    Kind.OBJECTS: "an object of objects",
    Kind.STRING: "a string",
    Kind.TIME: "a string",
    Kind.INTEGER: "a whole number of 32 bits",
    Kind.BOOLEAN: "true or false",
    Kind.STRINGS: "an array of strings",
}
# A number may be shown, because the value that belongs there is no secret. A string may be a secret in the wrong place.
_GOT = {dict: "an object", list: "an array", str: "a string", bool: "a boolean", type(None): "null"}


@dataclass
class _Pass:
    """One pass over a body.

    Args:
        version: the version of the request.
        final: whether every value is one; otherwise a text may be an expression of the template language.
        failures: the members of a wrong JSON type.
        unknown: the targets of the members that have an expression.
    """

    version: ApiVersion
    final: bool
    failures: Findings[CloudError] = field(default_factory=Findings)
    unknown: set[str] = field(default_factory=set)

    def is_unknown(self, value: Any) -> bool:
        """Tell whether a value is not known yet."""
        return not self.final and is_expression(value)


def decode_cluster(parsed: Any, version: ApiVersion) -> Cluster:
    """Return the members of a body that this version knows.

    Unknown members are ignored. `null` counts as absent, except for `tags`, which it clears, and for members that a
    PATCH can remove with it.

    Raises:
        CloudError: 400 `InvalidRequestContent`, naming the members of a wrong JSON type, a hundred at most.
    """
    return _decode_body(parsed, _Pass(version, final=True))


def decode_template(parsed: Any, version: ApiVersion) -> tuple[Cluster, Unknown]:
    """Return the members of a resource in a template that this version knows, and those that have an expression.

    A member with an expression counts as absent. An array with an expression as an item, or as an item's name, is not
    known as a whole, because items are found by name.

    Raises:
        CloudError: 400 `InvalidRequestContent`, naming the members of a wrong JSON type, a hundred at most.
    """
    decoding = _Pass(version, final=False)
    cluster = _decode_body(parsed, decoding)
    return cluster, Unknown(frozenset(decoding.unknown))


def _decode_body(parsed: Any, decoding: _Pass) -> Cluster:
    cluster: Cluster = {}
    with suppress(Enough):
        cluster = _decode(tree(decoding.version), parsed, "", decoding)
    raise_all(decoding.failures)
    return cluster


def _decode(node: Node, value: Any, target: str, decoding: _Pass) -> Any:
    match node.kind, value:
        case Kind.OBJECT, dict():
            return _decode_object(node, value, target, decoding)
        case Kind.ARRAY, list():
            return _decode_items(node, value, target, decoding)
        case Kind.MAP, dict():
            return {key: _decode_entry(key, entry, target, decoding) for key, entry in value.items()}
        case Kind.OBJECTS, dict():
            return _decode_entries(node, value, target, decoding)
        case kind, _ if kind in _FITS and _FITS[kind](value):
            return value
    decoding.failures.append(_wrong_type(target, value, node.kind))
    return None


def _decode_items(node: Node, value: list[Any], target: str, decoding: _Pass) -> list[dict[str, Any]]:
    items = []
    for index, item in enumerate(value):
        here = item_target(target, item, index)
        if decoding.is_unknown(item) or (isinstance(item, dict) and decoding.is_unknown(item.get("name"))):
            decoding.unknown.add(target)
        elif isinstance(item, dict):
            items.append(_decode_object(node, item, here, decoding))
        else:
            decoding.failures.append(_wrong_type(here, item, Kind.OBJECT))
    return items


def _decode_entries(node: Node, value: dict[str, Any], target: str, decoding: _Pass) -> dict[str, Any]:
    entries = {}
    for key, entry in value.items():
        here = entry_target(target, key)
        if decoding.is_unknown(key):
            decoding.unknown.add(target)
        elif decoding.is_unknown(entry):
            decoding.unknown.add(here)
        elif isinstance(entry, dict):
            entries[key] = _decode_object(node, entry, here, decoding)
        elif entry is not None:
            decoding.failures.append(_wrong_type(here, entry, Kind.OBJECT))
    return entries


def _decode_object(node: Node, value: dict[str, Any], target: str, decoding: _Pass) -> dict[str, Any]:
    # Models that are not generated match names without case; if a name occurs twice, the last one wins.
    generated = is_generated(decoding.version)
    given = value if generated else {name.lower(): entry for name, entry in value.items()}
    found: dict[str, Any] = {}
    for name, child in node.children.items():
        entry = given.get(name if generated else name.lower(), ...)
        if entry is None and child.kind is Kind.MAP:
            found[name] = {}
        elif entry is None and child.member.clears:
            found[name] = None
        elif decoding.is_unknown(entry):
            decoding.unknown.add(step(target, child))
        elif entry is not None and entry is not ...:
            found[name] = _decode(child, entry, step(target, child), decoding)
    return found


def _decode_entry(key: str, entry: Any, target: str, decoding: _Pass) -> str:
    here = entry_target(target, key)
    if decoding.is_unknown(entry):
        decoding.unknown.add(here)
        return ""
    if entry is None:
        return ""
    if not isinstance(entry, str):
        decoding.failures.append(_wrong_type(here, entry, Kind.STRING))
        return ""
    return entry


def _wrong_type(target: str, value: Any, wanted: Kind) -> CloudError:
    got = _GOT.get(type(value)) or (f"the number {shown(value)}" if wanted is Kind.INTEGER else "a number")
    if not target:
        return invalid_request_content(f"The request body is {got}; it must be a JSON object.")
    return invalid_request_content(
        f"The member '{target}' of the request body is {got}; it must be {_EXPECTED[wanted]}.", target
    )
