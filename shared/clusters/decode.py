"""Turns a parsed body into the members of a cluster: known members with the right JSON types, and nothing else."""

from collections.abc import Callable
from typing import Any

from shared.arm.errors import CloudError, invalid_request_content, raise_all, shown
from shared.clusters.api_versions import ApiVersion, is_generated
from shared.clusters.members import Kind
from shared.clusters.shape import Node, item_target, step, tree
from shared.documents import Cluster

_INT32 = range(-(2**31), 2**31)
_FITS: dict[Kind, Callable[[Any], bool]] = {
    Kind.STRING: lambda value: isinstance(value, str),
    Kind.INTEGER: lambda value: isinstance(value, int) and not isinstance(value, bool) and value in _INT32,
    Kind.BOOLEAN: lambda value: isinstance(value, bool),
    Kind.STRINGS: lambda value: isinstance(value, list) and all(isinstance(item, str) for item in value),
}
_EXPECTED = {
    Kind.OBJECT: "an object",
    Kind.ARRAY: "an array",
    Kind.MAP: "an object of strings",
    Kind.STRING: "a string",
    Kind.INTEGER: "a whole number of 32 bits",
    Kind.BOOLEAN: "true or false",
    Kind.STRINGS: "an array of strings",
}
# A number may be shown, because the value that belongs there is no secret. A string may be a secret in the wrong place.
_GOT = {dict: "an object", list: "an array", str: "a string", bool: "a boolean", type(None): "null"}


def decode_cluster(parsed: Any, version: ApiVersion) -> Cluster:
    """Return the members of a body that this version knows.

    Unknown members are ignored. `null` counts as absent, except for `tags`, which it clears.

    Raises:
        CloudError: 400 `InvalidRequestContent`, naming every member of a wrong JSON type.
    """
    failures: list[CloudError] = []
    decoded = _decode(tree(version), parsed, "", failures, exact=is_generated(version))
    raise_all(failures)
    cluster: Cluster = decoded
    return cluster


def _decode(node: Node, value: Any, target: str, failures: list[CloudError], *, exact: bool) -> Any:
    match node.kind, value:
        case Kind.OBJECT, dict():
            return _decode_object(node, value, target, failures, exact=exact)
        case Kind.ARRAY, list():
            items = []
            for index, item in enumerate(value):
                here = item_target(target, item, index)
                if isinstance(item, dict):
                    items.append(_decode_object(node, item, here, failures, exact=exact))
                else:
                    failures.append(_wrong_type(here, item, Kind.OBJECT))
            return items
        case Kind.MAP, dict():
            return {key: _decode_entry(key, entry, target, failures) for key, entry in value.items()}
        case kind, _ if kind in _FITS and _FITS[kind](value):
            return value
    failures.append(_wrong_type(target, value, node.kind))
    return None


def _decode_object(
    node: Node, value: dict[str, Any], target: str, failures: list[CloudError], *, exact: bool
) -> dict[str, Any]:
    # Models that are not generated match names without case; if a name occurs twice, the last one wins.
    given = value if exact else {name.lower(): entry for name, entry in value.items()}
    found: dict[str, Any] = {}
    for name, child in node.children.items():
        entry = given.get(name if exact else name.lower(), ...)
        if entry is None and child.kind is Kind.MAP:
            found[name] = {}
        elif entry is not None and entry is not ...:
            found[name] = _decode(child, entry, step(target, child), failures, exact=exact)
    return found


def _decode_entry(key: str, entry: Any, target: str, failures: list[CloudError]) -> str:
    if entry is None:
        return ""
    if not isinstance(entry, str):
        failures.append(_wrong_type(f'{target}["{shown(key)}"]', entry, Kind.STRING))
        return ""
    return entry


def _wrong_type(target: str, value: Any, wanted: Kind) -> CloudError:
    got = _GOT.get(type(value)) or (f"the number {shown(value)}" if wanted is Kind.INTEGER else "a number")
    if not target:
        return invalid_request_content(
            f"The request body is {got if value is not None else 'empty'}; it must be a JSON object."
        )
    return invalid_request_content(
        f"The member '{target}' of the request body is {got}; it must be {_EXPECTED[wanted]}.", target
    )
