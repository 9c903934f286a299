"""Apply the rules to an object."""

from collections import defaultdict
from collections.abc import Iterator, Mapping

from emulator.json_object import Json
from emulator.openshift.kubernetes.api_errors import Cause
from emulator.openshift.kubernetes.kinds import Kind
from emulator.openshift.kubernetes.objects import types
from emulator.openshift.kubernetes.objects.validation import contents, required_members, workloads
from emulator.openshift.kubernetes.objects.validation.checks import Check, join

# The checks of a type, or of one of its members: `Container`, `Container.name`.
CHECKS: Mapping[str, tuple[Check, ...]] = {**contents.CHECKS, **workloads.CHECKS}


def _by_type() -> Mapping[str, list[tuple[str, Check]]]:
    """Return the checks of each type, each with the member that it looks at, "" for the whole value."""
    found: dict[str, list[tuple[str, Check]]] = defaultdict(list)
    for place, checks in CHECKS.items():
        name, _, member = place.partition(".")
        found[name] += [(member, check) for check in checks]
    return found


BY_TYPE = _by_type()


def _of_type(name: str, value: Json, path: str) -> Iterator[Cause]:
    """Yield what is wrong with a value of a type."""
    for member, check in BY_TYPE.get(name, ()):
        yield from check(value.get(member), join(path, member)) if member else check(value, path)


def metadata_causes(obj: Json) -> Iterator[Cause]:
    """Yield what is wrong with the metadata of an object of any kind, except for its name and labels."""
    yield from _of_type("ObjectMeta", obj["metadata"], "metadata")


def causes(kind: Kind, obj: Json) -> Iterator[Cause]:
    """Yield what is wrong with an object of a built-in kind, each thing once."""
    broken = dict.fromkeys(_broken(kind, obj))
    yield from broken
    fields = {cause.field for cause in broken}
    yield from (cause for cause in required_members.causes(kind, obj) if cause.field not in fields)


def _broken(kind: Kind, obj: Json) -> Iterator[Cause]:
    for name, value, path in types.values(kind, obj):
        yield from _of_type(name, value, path)
