"""Each rule of a built-in kind: the value that it refuses, in the words that the real server has for it."""

from collections import Counter

import pytest

from emulator.core.clock import Clock
from emulator.core.service_error import ServiceError
from emulator.core.store import Store
from emulator.json_object import Json
from emulator.openshift.kubernetes import Objects
from emulator.openshift.kubernetes.api_errors import Cause
from emulator.openshift.kubernetes.objects.validation import changes, engine
from emulator.openshift.kubernetes.objects.validation.checks import join
from tests.emulator import kubernetes_objects as samples
from tests.emulator import kubernetes_rules as rules
from tests.emulator.kubernetes_rules import ChangeRule, Rule

CHANGES = samples.named(rules.CHANGES)
NAMED = samples.named(rules.RULES)


@pytest.fixture(scope="module")
def objects() -> Objects:
    """Return the objects of a new cluster."""
    return Objects(Store(":memory:"), Clock(), "c")


def _create(objects: Objects, kind: str, obj: Json) -> Json:
    known = objects.kinds.of(obj["apiVersion"], kind)
    assert known is not None
    return objects.add(known, "default" if known.namespaced else "", obj, dry_run=True)


@pytest.mark.parametrize("kind", samples.VALID)
def test_the_object_in_which_rules_are_broken_is_valid(objects: Objects, kind: str) -> None:
    """Otherwise a test could pass because of another mistake."""
    assert _create(objects, kind, samples.valid(kind, "valid"))


def test_each_check_has_an_example() -> None:
    """A check that no example breaks is a rule that nobody has tried."""
    examples = Counter(rule.on for rule in rules.RULES)
    assert [place for place, checks in engine.CHECKS.items() if examples[place] < len(checks)] == []
    assert {rule.kind for rule in rules.CHANGES} == set(changes.CHECKS)


@pytest.mark.parametrize("rule", NAMED.values(), ids=NAMED)
def test_what_a_rule_refuses_is_invalid(objects: Objects, rule: Rule) -> None:
    """The status, the reason, the field and the words of the row."""
    kind, path, obj = samples.broken(rule)
    with pytest.raises(ServiceError) as refused:
        _create(objects, kind, obj)
    at_once = rule.field.startswith(("metadata.", "data[", "[]"))
    field = rule.field if at_once else join(path, rule.field or rule.member).rstrip(".")
    assert (refused.value.status_code, refused.value.code) == (422, "Invalid")
    assert Cause(rule.reason, field, rule.says).as_json() in refused.value.extra["details"]["causes"]
    assert f"{field}: {rule.says}" in refused.value.message


@pytest.mark.parametrize("rule", CHANGES.values(), ids=CHANGES)
def test_a_change_that_a_rule_refuses_is_invalid(rule: ChangeRule) -> None:
    """The status, the reason, the field and the words of the row."""
    objects = Objects(Store(":memory:"), Clock(), "c", "10.0.0.0/24")
    obj = samples.changed(samples.valid(rule.kind.partition(".")[0], "web"), dict(rule.first))
    known = objects.kinds.of(obj["apiVersion"], obj["kind"])
    assert known is not None
    namespace = "default" if known.namespaced else ""
    made = objects.add(known, namespace, obj)
    with pytest.raises(ServiceError) as refused:
        objects.change(
            known, namespace, made["metadata"]["name"], lambda current: samples.changed(current, rule.breaks)
        )
    assert (refused.value.status_code, refused.value.code) == (422, "Invalid")
    assert Cause(rule.reason, rule.field, rule.says).as_json() in refused.value.extra["details"]["causes"]
