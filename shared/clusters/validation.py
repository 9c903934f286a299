"""Walk a cluster along its tree, and report everything that is wrong with it at once."""

from collections.abc import Iterator
from typing import Any

from shared.arm.errors import CloudError, invalid_parameter, property_change_not_allowed, raise_all, shown
from shared.clusters.api_versions import ApiVersion
from shared.clusters.documents import Cluster
from shared.clusters.facts import Facts, refuse
from shared.clusters.members import MEMBERS, Kind, Member, Rule
from shared.clusters.shape import Node, is_empty, item_target, step, tree

_ORDER = {row.path: position for position, row in enumerate(MEMBERS)}
# Arrays hold one item, and a rule of their own says so: what a body holds beyond these costs time and tells no more.
_CHECKED_ITEMS = 20
_CHANGEABLE = frozenset({Rule.MUTABLE, Rule.IGNORED})


def validate_static(facts: Facts) -> None:
    """Check a cluster without asking anybody.

    Raises:
        CloudError: the first failure in the table's order; all of them in `details` when there are more.
    """
    found = list(_check_object(tree(facts.version), facts.cluster, "", facts))
    raise_all([failure for _, failure in sorted(found, key=lambda pair: pair[0])])


def _check_object(node: Node, value: dict[str, Any], target: str, facts: Facts) -> Iterator[tuple[int, CloudError]]:
    for child in node.children.values():
        entry, here = value.get(child.name), step(target, child)
        if child.member.create_only and not facts.creating:
            continue
        failures = list(_check_member(child.member, entry, here, facts))
        yield from ((_position(child), failure) for failure in failures)
        if child.kind is Kind.OBJECT and not (failures and entry is None):
            yield from _check_object(child, entry or {}, here, facts)
        elif child.kind is Kind.ARRAY and child.member.rule is not Rule.READ_ONLY:
            for index, item in enumerate((entry or [])[:_CHECKED_ITEMS]):
                yield from _check_object(child, item, item_target(here, item, index), facts)


def _position(node: Node) -> int:
    """Where a node stands in the table; an object without a row stands where its first member does."""
    if node.member.path in _ORDER:
        return _ORDER[node.member.path]
    return min(_position(child) for child in node.children.values())


def _check_member(member: Member, value: Any, target: str, facts: Facts) -> Iterator[CloudError]:
    # A zero, and an object with nothing in it, were given; what they are worth is for the checks.
    missing = value is None if member.kind in (Kind.OBJECT, Kind.INTEGER) else is_empty(value)
    if missing and member.required:
        wanted = f" It must be one of {', '.join(member.values)}." if member.values else ""
        yield invalid_parameter(target, f"The member '{target}' is missing or empty: a PUT must give it.{wanted}")
    elif not missing and member.values and value not in member.values:
        yield refuse(target, value, f"one of {', '.join(member.values)}")
    elif member.check is not None and (not missing or member.check_empty):
        yield from member.check(value, facts, target)


def validate_delta(stored: Cluster, wanted: Cluster, version: ApiVersion) -> None:
    """Refuse to change what is fixed at create or is the service's own.

    Absent and empty are equal, because older clients write one for the other.

    Raises:
        CloudError: 400 `PropertyChangeNotAllowed` for the first such member; all in `details` when there are more.
    """
    raise_all(list(_changes(tree(version), stored, wanted, "")))


def _changes(node: Node, stored: dict[str, Any], wanted: dict[str, Any], target: str) -> Iterator[CloudError]:
    for child in node.children.values():
        before, after, here = stored.get(child.name), wanted.get(child.name), step(target, child)
        if child.kind is Kind.OBJECT:
            yield from _changes(child, before or {}, after or {}, here)
        elif child.member.rule in _CHANGEABLE:
            continue
        elif child.kind is Kind.ARRAY:
            yield from _array_changes(child, before or [], after or [], here)
        elif not _equal(child.member.rule, before, after):
            yield _change(child.member, before, after, here)


def _array_changes(node: Node, before: list[Any], after: list[Any], target: str) -> Iterator[CloudError]:
    if [item.get("name") for item in before] != [item.get("name") for item in after]:
        yield _change(node.member, _names(before), _names(after), target)
        return
    for index, (old, new) in enumerate(zip(before, after, strict=True)):
        yield from _changes(node, old, new, item_target(target, new, index))


def _names(items: list[Any]) -> str:
    return ", ".join(item.get("name") or "(no name)" for item in items)


def _equal(rule: Rule, before: Any, after: Any) -> bool:
    if is_empty(before) and is_empty(after):
        return True
    if rule is Rule.CREATE_ANY_CASE and isinstance(before, str) and isinstance(after, str):
        return before.lower() == after.lower()
    return bool(before == after)


def _change(member: Member, before: Any, after: Any, target: str) -> CloudError:
    values = "" if member.secret else f" It is '{_shown(before)}', and the request has '{_shown(after)}'."
    rule = _FIXED.get(member.rule, "cannot be changed after the cluster is created. Repeat its value")
    return property_change_not_allowed(target, f"The member '{target}' {rule}, or leave it out of a PATCH.{values}")


_BY_SERVICE = "is filled by the service. Leave it out, or repeat its value"
_FIXED = {Rule.READ_ONLY: _BY_SERVICE, Rule.PROVIDED: _BY_SERVICE}


def _shown(value: Any) -> str:
    return "" if value is None else shown(value)
