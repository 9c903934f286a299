"""Walks a cluster along its tree, and reports all problems at once."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from shared import findings
from shared.arm.errors import CloudError, invalid_parameter, property_change_not_allowed, raise_all, shown
from shared.clusters import states
from shared.clusters.api_versions import API_VERSIONS, changed_fields
from shared.clusters.checks.facts import Facts, refuse
from shared.clusters.checks.unknown import ALL_KNOWN, NotKnownError, Unknown
from shared.clusters.member_types import BY_SERVICE, ApiVersion, Kind, Rule
from shared.clusters.members import Member
from shared.clusters.shape import Node, entry_key, entry_target, is_empty, is_same, item_target, step, tree
from shared.documents import Cluster

# Arrays have one item, and another rule enforces that. Checking more items would cost time and reveal nothing new.
_CHECKED_ITEMS = 20
_CHANGEABLE = frozenset({Rule.MUTABLE, Rule.MUTABLE_ANY_CASE, Rule.LASTING, Rule.IGNORED})


def validate_static(facts: Facts) -> None:
    """Check a cluster without any call.

    Raises:
        CloudError: the first failure in the table's order; if there are more, all of them in `details`.
    """
    found = list(_check_object(tree(facts.version), facts.cluster, "", facts))
    raise_all([failure for _, failure in sorted(found, key=lambda pair: pair[0])])


def _check_object(node: Node, value: Mapping[str, Any], target: str, facts: Facts) -> Iterator[tuple[int, CloudError]]:
    for child in node.children.values():
        entry, here = value.get(child.name), step(target, child)
        is_due = (facts.creating or not child.member.create_only) and not facts.unknown.covers(here)
        failures = (
            list(islice(_decided(_check_member(child.member, entry, here, facts)), findings.MOST)) if is_due else []
        )
        yield from ((child.position, failure) for failure in failures)
        # A check of its own has said whether the object may be missing.
        if child.kind is Kind.OBJECT and not (entry is None and (failures or child.member.check)):
            yield from _check_object(child, entry or {}, here, facts)
        elif child.kind is Kind.OBJECTS:
            for key, each in islice((entry or {}).items(), findings.MOST):
                yield from _check_object(child, each, entry_target(here, key), facts)
        elif child.kind is Kind.ARRAY and child.member.rule is not Rule.READ_ONLY:
            for index, item in enumerate((entry or [])[:_CHECKED_ITEMS]):
                yield from _check_object(child, item, item_target(here, item, index), facts)


def _decided(failures: Iterator[CloudError]) -> Iterator[CloudError]:
    """Yield the failures of a check, until it needs a member that is not known yet."""
    try:
        yield from failures
    except NotKnownError:
        return


def _check_member(member: Member, value: Any, target: str, facts: Facts) -> Iterator[CloudError]:
    # A zero, or an empty object, counts as given; the checks judge it.
    missing = value is None if member.kind in (Kind.OBJECT, Kind.INTEGER) else is_empty(value)
    if missing and member.required:
        wanted = f" It must be one of {', '.join(member.values)}." if member.values else ""
        yield invalid_parameter(target, f"The member '{target}' is missing or empty. Give it a value.{wanted}")
    elif not missing and member.values and value not in member.values:
        yield refuse(target, value, f"one of {', '.join(member.values)}")
    elif member.check is not None and (not missing or member.check_empty):
        yield from member.check(value, facts, target)


@dataclass(frozen=True)
class _Change:
    """A member whose stored value differs from the one that a request wants."""

    member: Member
    before: Any
    after: Any
    target: str


def validate_delta(stored: Cluster, wanted: Cluster, version: ApiVersion, unknown: Unknown = ALL_KNOWN) -> None:
    """Refuse changes to members that are fixed at create, or are the service's own.

    Absent and empty are equal, because older clients write one for the other.

    Args:
        stored: the cluster before the request.
        wanted: the cluster that the request asks for.
        version: the version of the request.
        unknown: the members whose values are not known yet. They count as unchanged.

    Raises:
        CloudError: 400 `PropertyChangeNotAllowed` for the first such member; if there are more, all of them in
            `details`.
    """
    found = _known_changes(stored, wanted, version, unknown)
    raise_all(_not_allowed(change) for change in found if change.member.rule not in _CHANGEABLE)


def validate_operators(stored: Cluster, wanted: Cluster, version: ApiVersion) -> None:
    """Refuse every change that operators ask for: what is not fixed concerns something that the service does not have.

    Args:
        stored: the cluster before the request.
        wanted: the cluster that the request asks for.
        version: the version of the request.

    Raises:
        CloudError: 400 `PropertyChangeNotAllowed` or `InvalidParameter` for the first member that differs; if there are
            more, all of them in `details`.
    """
    found = (each for each in _changes(tree(version), stored, wanted, "") if each.member.rule is not Rule.IGNORED)
    raise_all(_not_built(each) if each.member.rule in _CHANGEABLE else _not_allowed(each) for each in found)


def _not_built(change: _Change) -> CloudError:
    return invalid_parameter(
        change.target,
        f"The value '{_shown(change.after)}' of '{change.target}' cannot be applied: this service has no maintenance "
        "tasks, no operator in the cluster and no gateway. Leave it out.",
    )


def validate_resume(stored: Cluster, wanted: Cluster, version: ApiVersion, unknown: Unknown = ALL_KNOWN) -> None:
    """Refuse to resume a create with another body. Members that the service fills are ignored, as at the create.

    Args:
        stored: the cluster before the request.
        wanted: the cluster that the request asks for.
        version: the version of the request.
        unknown: the members whose values are not known yet. They count as unchanged.

    Raises:
        CloudError: 400 `RequestNotAllowed`, naming every member that differs.
    """
    found = _known_changes(stored, wanted, version, unknown)
    if differing := [change.target for change in found if change.member.rule not in BY_SERVICE]:
        raise states.other_body(stored, differing)


def changed_members(stored: Cluster, wanted: Cluster, version: ApiVersion, paths: Iterable[str]) -> list[str]:
    """Return those of some members, by JSON path, that a request changes.

    Args:
        stored: the cluster before the request.
        wanted: the cluster that the request asks for.
        version: the version of the request.
        paths: the members to look at; each includes everything below it.
    """
    targets = [change.target for change in _changes(tree(version), stored, wanted, "")]
    return [
        path
        for path in paths
        if any(target == path or target.startswith((f"{path}.", f"{path}[")) for target in targets)
    ]


def is_changed(stored: Cluster, wanted: Cluster, version: ApiVersion) -> bool:
    """Tell whether a request changes a member that is not the service's own."""
    return any(change.member.rule not in BY_SERVICE for change in _changes(tree(version), stored, wanted, ""))


def _known_changes(stored: Cluster, wanted: Cluster, version: ApiVersion, unknown: Unknown) -> Iterator[_Change]:
    for change in _changes(tree(version), stored, wanted, ""):
        if not unknown.touches(change.target):
            yield change


def _changes(node: Node, stored: Mapping[str, Any], wanted: Mapping[str, Any], target: str) -> Iterator[_Change]:
    for child in node.children.values():
        before, after, here = stored.get(child.name), wanted.get(child.name), step(target, child)
        if child.kind is Kind.OBJECT:
            yield from _changes(child, before or {}, after or {}, here)
        elif child.kind is Kind.ARRAY:
            yield from _array_changes(child, before or [], after or [], here)
        elif child.kind is Kind.OBJECTS:
            yield from _entry_changes(child, before or {}, after or {}, here)
        elif not is_same(child.member, before, after):
            yield _Change(child.member, before, after, here)


def _array_changes(node: Node, before: list[Any], after: list[Any], target: str) -> Iterator[_Change]:
    if [item.get("name") for item in before] != [item.get("name") for item in after]:
        yield _Change(node.member, _names(before), _names(after), target)
        return
    for index, (old, new) in enumerate(zip(before, after, strict=True)):
        yield from _changes(node, old, new, item_target(target, new, index))


def _entry_changes(node: Node, before: dict[str, Any], after: dict[str, Any], target: str) -> Iterator[_Change]:
    old, new = ({entry_key(node.member, key): each for key, each in side.items()} for side in (before, after))
    if old.keys() != new.keys():
        goes = node.member.rule is Rule.LASTING and old.keys() - new.keys()
        member = replace(node.member, rule=Rule.CREATE) if goes else node.member
        yield _Change(member, ", ".join(sorted(before)), ", ".join(sorted(after)), target)
    for key, each in after.items():
        yield from _changes(node, old.get(entry_key(node.member, key), {}), each, entry_target(target, key))


def _names(items: list[Any]) -> str:
    return ", ".join(item.get("name") or "(no name)" for item in items)


_WORKER_COUNT = "properties.workerProfiles[].count"
_FILLED = "is filled by the service. Leave it out, or repeat its value."
_FIXED = "cannot be changed after the cluster is created. Repeat its value, or leave it out of a PATCH."


def _not_allowed(change: _Change) -> CloudError:
    values = f" It is '{_shown(change.before)}', and the request has '{_shown(change.after)}'."
    rule = _FILLED if change.member.rule in BY_SERVICE else _FIXED
    return property_change_not_allowed(
        change.target,
        f"The member '{change.target}' {rule}{'' if change.member.secret else values}{_instead(change.member)}",
    )


def _instead(member: Member) -> str:
    """Return how to get what a fixed member cannot give, if there is another way."""
    return _OTHER_WAYS[member.path]() if member.path in _OTHER_WAYS else ""


def _scale() -> str:
    able = [row.name for row in API_VERSIONS if changed_fields(row, _WORKER_COUNT).get("rule") is Rule.MUTABLE]
    return (
        " To scale workers, set the replicas of the cluster's machine sets: `oc scale machineset NAME --replicas N "
        f"--namespace openshift-machine-api`. A total for all of them is taken by api-version {', '.join(able)}."
    )


# By path.
_OTHER_WAYS: Mapping[str, Callable[[], str]] = {
    _WORKER_COUNT: _scale,
    "identity.type": lambda: (
        " A cluster keeps its service principal, or its workload identity, for good. For the other one, create a new "
        "cluster."
    ),
    "properties.platformWorkloadIdentityProfile.platformWorkloadIdentities{}": lambda: (
        " An operator may get another identity, and others may be added, but none may be left out."
    ),
}


def _shown(value: Any) -> str:
    return "" if value is None else shown(value)
