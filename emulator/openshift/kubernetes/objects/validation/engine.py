"""Apply the rules to an object."""

from collections import defaultdict
from collections.abc import Iterator, Mapping

from emulator.openshift.kubernetes.errors import Cause
from emulator.openshift.kubernetes.kinds import Json, Kind
from emulator.openshift.kubernetes.objects import types
from emulator.openshift.kubernetes.objects.validation import contents, required, workloads
from emulator.openshift.kubernetes.objects.validation.checks import Check, Rule

RULES: tuple[Rule, ...] = (*contents.RULES, *workloads.RULES)


def _by_type() -> Mapping[str, list[Rule]]:
    """Return the rules of each type. Rows that differ only in their examples share a check, which runs once."""
    found: dict[str, list[Rule]] = defaultdict(list)
    seen: set[tuple[str, Check]] = set()
    for rule in RULES:
        if (rule.on, rule.check) not in seen:
            seen.add((rule.on, rule.check))
            found[rule.type].append(rule)
    return found


BY_TYPE = _by_type()


def metadata_causes(obj: Json) -> Iterator[Cause]:
    """Yield what is wrong with the metadata of an object of any kind, except for its name and labels."""
    for rule in BY_TYPE["ObjectMeta"]:
        yield from rule.causes(obj["metadata"], "metadata")


def causes(kind: Kind, obj: Json) -> Iterator[Cause]:
    """Yield what is wrong with an object of a built-in kind, each thing once."""
    broken = dict.fromkeys(_broken(kind, obj))
    yield from broken
    fields = {cause.field for cause in broken}
    yield from (cause for cause in required.causes(kind, obj) if cause.field not in fields)


def _broken(kind: Kind, obj: Json) -> Iterator[Cause]:
    for name, value, path in types.values(kind, obj):
        for rule in BY_TYPE.get(name, ()):
            yield from rule.causes(value, path)
