"""The rules of Nodes, Namespaces, Leases, Events and certificate requests."""

from collections.abc import Iterator
from typing import Any

from emulator.openshift.kubernetes.errors import Cause, invalid_value, not_supported, required
from emulator.openshift.kubernetes.kinds import Json
from emulator.openshift.kubernetes.objects import names
from emulator.openshift.kubernetes.objects.validation.checks import Rule, at_least, text
from emulator.openshift.kubernetes.objects.validation.metadata import STANDARD_FINALIZERS

EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")


def _taints(value: Json, _field: str) -> Iterator[Cause]:
    """Check the taints of a node, which the real server reports below `metadata`."""
    seen = set()
    for index, taint in enumerate((value.get("spec") or {}).get("taints") or []):
        field, key, effect = f"metadata.taints[{index}]", taint.get("key") or "", taint.get("effect")
        for problem in names.qualified_name(key):
            yield invalid_value(f"{field}.key", key, problem)
        yield from text(names.label_value)(taint.get("value"), f"{field}.value")
        if not effect:
            yield required(f"{field}.effect")
        elif effect not in EFFECTS:
            yield not_supported(f"{field}.effect", effect, EFFECTS)
        if (key, effect) in seen:
            shown = f'core.Taint{{Key:"{key}", Value:"{taint.get("value") or ""}", Effect:"{effect}", TimeAdded:<nil>}}'
            message = f"Duplicate value: {shown}: taints must be unique by key and effect pair"
            yield Cause("FieldValueDuplicate", field, message)
        seen.add((key, effect))


def _of_its_namespace(value: Json, _field: str) -> Iterator[Cause]:
    # Events of cluster-scoped objects are in the namespace `default`.
    found, own = (value.get("involvedObject") or {}).get("namespace") or "", value["metadata"].get("namespace")
    if found != own and (found or own != "default"):
        yield invalid_value("involvedObject.namespace", found, "does not match event.namespace")


def _known_finalizers(value: Any, field: str) -> Iterator[Cause]:
    for one in value or []:
        if "/" not in one and one not in STANDARD_FINALIZERS:
            message = "name is neither a standard finalizer name nor is it fully qualified"
            yield invalid_value(field, one, message)


def _transitions(value: Any, field: str) -> Iterator[Cause]:
    # The words are the server's.
    yield from at_least(0, "must to greater or equal than 0")(value, field)


def _positive(value: Any, field: str) -> Iterator[Cause]:
    if value is not None and value <= 0:
        yield invalid_value(field, value, "must be greater than 0")


TAINT: Json = {"key": "a", "effect": "NoSchedule"}
RULES = (
    Rule(
        "Event",
        _of_its_namespace,
        {"involvedObject": {"namespace": "elsewhere"}},
        'Invalid value: "elsewhere": does not match event.namespace',
        field="involvedObject.namespace",
    ),
    Rule(
        "NamespaceSpec.finalizers",
        _known_finalizers,
        ["foo"],
        'Invalid value: "foo": name is neither a standard finalizer name nor is it fully qualified',
    ),
    Rule(
        "Node",
        _taints,
        {"spec": {"taints": [TAINT, TAINT]}},
        'Duplicate value: core.Taint{Key:"a", Value:"", Effect:"NoSchedule", TimeAdded:<nil>}: '
        "taints must be unique by key and effect pair",
        field="metadata.taints[1]",
        reason="FieldValueDuplicate",
    ),
    Rule(
        "Node",
        _taints,
        {"spec": {"taints": [TAINT | {"key": "a b"}]}},
        "Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
        field="metadata.taints[0].key",
    ),
    Rule(
        "Node",
        _taints,
        {"spec": {"taints": [TAINT | {"value": "a b"}]}},
        "Invalid value: \"a b\": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
        field="metadata.taints[0].value",
    ),
    Rule(
        "Node",
        _taints,
        {"spec": {"taints": [TAINT | {"effect": "Evict"}]}},
        'Unsupported value: "Evict": supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"',
        field="metadata.taints[0].effect",
        reason="FieldValueNotSupported",
    ),
    Rule(
        "Node",
        _taints,
        {"spec": {"taints": [{"key": "a"}]}},
        "Required value",
        field="metadata.taints[0].effect",
        reason="FieldValueRequired",
    ),
    Rule("LeaseSpec.leaseDurationSeconds", _positive, 0, "Invalid value: 0: must be greater than 0"),
    Rule("LeaseSpec.leaseTransitions", _transitions, -1, "Invalid value: -1: must to greater or equal than 0"),
)
