"""Cases from the rows of the emulated types: each rule of each row, broken in a resource that Azure accepts."""

import re
import reprlib
from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from emulator.arm import exceptions
from emulator.arm.ids import parse_resource
from emulator.arm.resources import ResourceType
from emulator.arm.schema import Choice, Fixed, Found, MapOf, ReadOnly, Reference, Required, Rule, Since
from emulator.arm.writes.put_body import UNREADABLE, table_of
from emulator.arm.zones import WITHOUT_ZONES
from emulator.core.refusals import origin
from emulator.core.service_error import ServiceError
from tests.emulator.unit.rules.members import Member, at, changed, members, without
from tests.emulator.unit.rules.stage import PLACEHOLDER, ROWS, Example, Stage
from tests.emulator.unit.rules.targets import Answer

Act = Callable[[Stage], Answer]

# Names that break the rule of one type or another; those that break a type's own rule are sent.
WRONG_NAMES = ("a", "ab", "-", "-start", "end-", "end.", "two words", "UPPER", "under_score", "dotted.name", "été")
LONGEST_SENT = 300
# A value of another type than the one that is wanted.
OTHER_TYPE: Mapping[Any, Any] = {str: {"not": "text"}, int: "three", bool: "perhaps", float: "pi"}
NOT_A_LIST, NOT_AN_OBJECT = {"not": "a list"}, ["not an object"]
TRACKED = ("region", "global")
# Stands for the id in an error of which only the builder matters.
ANY = parse_resource("/subscriptions/s/resourceGroups/g/providers/Microsoft.Example/things/thing")


@dataclass(frozen=True)
class Case:
    """A rule that is broken.

    Args:
        key: key of the example that is broken.
        promise: what is sent, as the end of a test's name.
        act: sends it.
        said: what makes the error that is expected, as `ServiceError.said` has it.
        alone: whether what it makes could disturb other cases, so that it needs a stage of its own.
    """

    key: str
    promise: str
    act: Act
    said: Hashable
    alone: bool = False


@dataclass(frozen=True)
class Place:
    """A member of an example, at which a rule is broken.

    Args:
        key: key of the example.
        example: the example.
        row: the row of its type.
        member: the member.
    """

    key: str
    example: Example
    row: ResourceType
    member: Member

    @property
    def value(self) -> Any:
        """The example's value, or None."""
        return at(self.example.body, self.member.path)

    @property
    def unreadable(self) -> Hashable:
        """What makes the error for a member that cannot be read."""
        return _unreadable(self.row) if self.member.path[0] == "properties" else origin(exceptions.unreadable)

    def puts(self, value: Any) -> Act:
        """Return an act that sends the example with another value."""
        return _puts(self.key, changed(self.example.body, self.member.path, value))


def cases(key: str, example: Example, holders: Mapping[str, str]) -> Iterator[Case]:
    """Yield all cases that follow from the row of an example's type.

    Args:
        key: the example's key.
        example: the example.
        holders: by key of an example, the key of another one that refers to it.
    """
    row = ROWS[example.type]
    if example.supporting:
        return
    yield from _of_names(key, row)
    yield from _of_bodies(key, example, row)
    for member in members(table_of(row), example.body):
        yield from _of_member(key, example, row, member)
    if row.placement in TRACKED:
        yield from _of_locations(key, example, row)
    if row.in_use is not None and key in holders:
        yield _in_use(key, row, holders[key])


def _unreadable(row: ResourceType) -> Hashable:
    return origin(UNREADABLE.get(row.namespace, exceptions.unreadable))


def _puts(key: str, body: Any, **options: Any) -> Act:
    """Return an act that sends a body in place of an example's."""

    def act(stage: Stage) -> Answer:
        stage.make_needs(key)
        return stage.put(key, stage.fill(body), **options)

    return act


def holders_of(examples: Mapping[str, Example]) -> dict[str, str]:
    """Return, by key of each example to which a member of another one refers, the key of that other one."""
    found: dict[str, str] = {}
    for key, example in examples.items():
        for member in members(table_of(ROWS[example.type]), example.body):
            value = at(example.body, member.path)
            if isinstance(member.kind, Reference) and value is not None:
                target = value if member.kind.bare else value["id"]
                found.setdefault(PLACEHOLDER.sub(lambda match: match[1].removeprefix("id:"), target), key)
    return found


def _of_names(key: str, row: ResourceType) -> Iterator[Case]:
    wrong = [*WRONG_NAMES, "n" * LONGEST_SENT]
    for name in wrong:
        if re.fullmatch(row.name_pattern, name):
            continue

        def act(stage: Stage, name: str = name) -> Answer:
            stage.make_needs(key)
            return stage.put(key, stage.fill(stage.examples[key].body), name=name)

        said = row.name_refusal(Found(ANY, "name", name)).said
        shown = name if len(name) < LONGEST_SENT else f"{LONGEST_SENT} characters"
        yield Case(key, f"the name {shown!r}", act, said)


def _of_bodies(key: str, example: Example, row: ResourceType) -> Iterator[Case]:
    unreadable = origin(exceptions.unreadable)
    yield Case(key, "a member that the type lacks", _puts(key, example.body | {"colour": "red"}), unreadable)
    if not isinstance(row.properties, MapOf):
        properties = example.body.get("properties", {}) | {"colour": "red"}
        yield Case(
            key,
            "a property that the type lacks",
            _puts(key, example.body | {"properties": properties}),
            _unreadable(row),
        )
    yield Case(key, "a list as body", _puts(key, []), unreadable)
    yield Case(key, "another name in the body", _puts(key, example.body | {"name": "another"}), unreadable)
    if example.parent and not example.extends:

        def orphaned(stage: Stage) -> Answer:
            parent, _, rest = stage.id(key).rpartition(f"/{stage.fill(stage.examples[example.parent].name)}/")
            stage.make_needs(key)
            return stage.target.put(f"{parent}/missing/{rest}", example.api_version, stage.fill(example.body))

        yield Case(key, "a parent that does not exist", orphaned, origin(exceptions.PARENT_RESOURCE_NOT_FOUND))


def _of_locations(key: str, example: Example, row: ResourceType) -> Iterator[Case]:
    body = example.body
    yield Case(key, "no location", _puts(key, without(body, ("location",))), origin(exceptions.LOCATION_REQUIRED))
    nowhere = body | {"location": "atlantis"}
    yield Case(key, "a location that Azure lacks", _puts(key, nowhere), origin(exceptions.LOCATION_NOT_AVAILABLE))
    if body.get("zones"):
        unknown, elsewhere = body | {"zones": ["9"]}, body | {"location": WITHOUT_ZONES[0]}
        yield Case(key, "a zone that its region lacks", _puts(key, unknown), origin(exceptions.UNKNOWN_ZONES))
        yield Case(key, "a zone in a region without any", _puts(key, elsewhere), origin(exceptions.NO_ZONES))
    if row.placement == "region":

        def moved(stage: Stage) -> Answer:
            stage.make(key)
            return stage.put(key, stage.fill(body | {"location": "westeurope"}))

        yield Case(key, "another location later", moved, origin(exceptions.INVALID_RESOURCE_LOCATION), alone=True)


def _in_use(key: str, row: ResourceType, holder: str) -> Case:
    def act(stage: Stage) -> Answer:
        stage.make(holder)
        return stage.delete(key)

    assert row.in_use is not None
    said = row.in_use(identifier=str(ANY), holders=[str(ANY)]).said
    return Case(key, f"the deletion while a {holder} uses it", act, said, alone=True)


def _of_member(key: str, example: Example, row: ResourceType, member: Member) -> Iterator[Case]:
    if not member.placed:
        return
    for layer in member.layers:
        for kind, make in MAKERS.items():
            if isinstance(layer, kind):
                yield from make(Place(key, example, row, member), layer)
                break
        else:
            yield from _of_type(Place(key, example, row, member), layer)


def _of_required(place: Place, _kind: Required) -> Iterator[Case]:
    if place.value is not None and place.member.path != ("properties",):
        body = without(place.example.body, place.member.path)
        yield Case(place.key, f"no {place.member}", _puts(place.key, body), place.unreadable)


def _of_since(place: Place, kind: Since) -> Iterator[Case]:
    older = max((one for one in place.row.api_versions if one < kind.api_version), default="")
    if older and place.value is not None:
        act = _puts(place.key, place.example.body, version=older)
        yield Case(place.key, f"{place.member} before {kind.api_version}", act, place.unreadable)


def _of_choice(place: Place, kind: Choice) -> Iterator[Case]:
    said = place.unreadable if kind.refusal is None else _refused(place, kind.refusal, "Nonsense")
    yield Case(place.key, f"Nonsense as {place.member}", place.puts("Nonsense"), said)


def _of_type(place: Place, kind: Any) -> Iterator[Case]:
    wrong = _of_another_type(kind)
    if wrong is not None:
        yield Case(place.key, f"{wrong!r} as {place.member}", place.puts(wrong), place.unreadable)


def _of_another_type(kind: Any) -> Any:
    if isinstance(kind, list):
        return NOT_A_LIST
    if isinstance(kind, dict | MapOf):
        return NOT_AN_OBJECT
    return OTHER_TYPE.get(kind)


def _refused(place: Place, refusal: Callable[[Found], ServiceError], value: Any) -> Hashable:
    return refusal(Found(ANY, str(place.member), value)).said


def _of_rule(place: Place, rule: Rule) -> Iterator[Case]:
    for value in rule.wrong:
        yield Case(
            place.key,
            f"{reprlib.repr(value)} as {place.member}",
            place.puts(value),
            _refused(place, rule.refusal, value),
        )


def _of_fixed(place: Place, fixed: Fixed) -> Iterator[Case]:
    def act(stage: Stage) -> Answer:
        made = stage.make(place.key)
        assert not made.code, made
        return stage.put(place.key, stage.fill(changed(place.example.body, place.member.path, fixed.other)))

    promise = f"{fixed.other!r} as {place.member} later"
    yield Case(place.key, promise, act, _refused(place, fixed.refusal, fixed.other), alone=True)


def _of_reference(place: Place, reference: Reference) -> Iterator[Case]:
    namespace, *kinds = reference.type.split("/")
    path = "/".join(part for kind in kinds for part in (kind, "missing"))
    missing: Hashable = origin(exceptions.REFERENCE_NOT_EMULATED)
    if reference.type in ROWS:
        missing = (
            reference.missing(holder=ANY, target=str(ANY)).said
            if reference.missing
            else exceptions.REFERENCED_RESOURCE_MISSING
        )
    another: Hashable = origin(exceptions.REFERENCE_OF_ANOTHER_TYPE)
    if reference.another is not None:
        another = _refused(place, reference.another, str(ANY))
    if reference.join:
        act = place.puts("name" if reference.bare else {"id": "name"})
        yield Case(place.key, f"a bare name as {place.member}", act, origin(exceptions.LINKED_ID_MALFORMED))
    for what, target, said in (
        ("a missing resource", f"{{group}}/providers/{namespace}/{path}", missing),
        ("a resource of another type", "{group}/providers/Microsoft.Example/things/thing", another),
    ):
        act = place.puts(target if reference.bare else {"id": target})
        yield Case(place.key, f"{what} as {place.member}", act, said)


def _of_read_only(_place: Place, _kind: ReadOnly) -> Iterator[Case]:
    """Break nothing: clients may send what they read."""
    yield from ()


# What breaks each kind of a property table; any other kind is a JSON type.
MAKERS: Mapping[type, Callable[[Place, Any], Iterator[Case]]] = {
    Required: _of_required,
    Since: _of_since,
    Rule: _of_rule,
    Fixed: _of_fixed,
    Reference: _of_reference,
    Choice: _of_choice,
    ReadOnly: _of_read_only,
}
