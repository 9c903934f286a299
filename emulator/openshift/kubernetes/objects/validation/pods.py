"""The rules of pods that a bundle can break: what its parts name in one another. What runs inside is not judged.

Which members a type must have is in `required.py`, and which types these have in `types.py`.
"""

from collections.abc import Iterator
from typing import Any

from emulator.openshift.kubernetes.errors import Cause, forbidden_value, invalid_value, required
from emulator.openshift.kubernetes.kinds import Json
from emulator.openshift.kubernetes.objects import names
from emulator.openshift.kubernetes.objects.validation.checks import Rule, duplicate, given, one_of, text


def _container_names(value: Json, field: str) -> Iterator[Cause]:
    seen: set[str] = set()
    for member in ("containers", "initContainers"):
        for index, container in enumerate(value.get(member) or []):
            name = container.get("name") or ""
            if name and name in seen:
                yield duplicate(f"{field}.{member}[{index}].name", name)
            seen.add(name)


def _mounted_volumes(value: Json, field: str) -> Iterator[Cause]:
    volumes = {volume.get("name") for volume in value.get("volumes") or []}
    for member in ("containers", "initContainers"):
        for index, container in enumerate(value.get(member) or []):
            for kind in ("volumeMounts", "volumeDevices"):
                for at, mount in enumerate(container.get(kind) or []):
                    if mount.get("name") and mount["name"] not in volumes:
                        path = f"{field}.{member}[{index}].{kind}[{at}].name"
                        yield Cause("FieldValueNotFound", path, f'Not found: "{mount["name"]}"')


def _key(value: Any, field: str) -> Iterator[Cause]:
    for problem in names.qualified_name(value or ""):
        yield invalid_value(field, value or "", problem)


def _values(value: Json, field: str) -> Iterator[Cause]:
    operator, found = value.get("operator"), value.get("values")
    if operator in ("In", "NotIn") and not found:
        yield required(f"{field}.values", "must be specified when `operator` is 'In' or 'NotIn'")
    if operator in ("Exists", "DoesNotExist") and found:
        yield forbidden_value(f"{field}.values", "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")


def _operator(value: Any, field: str) -> Iterator[Cause]:
    if value not in ("In", "NotIn", "Exists", "DoesNotExist"):
        yield invalid_value(field, value or "", "not a valid selector operator")


def _label_values(value: Any, field: str) -> Iterator[Cause]:
    yield from names.label_causes(field, value)


RULES = (
    Rule("PodSpec.containers", given(), None, "Required value", reason="FieldValueRequired"),
    Rule("Container.name", given(), None, "Required value", reason="FieldValueRequired"),
    Rule(
        "Container.name",
        text(names.label),
        "Main_1",
        "Invalid value: \"Main_1\": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
    ),
    Rule("Container.image", given(), None, "Required value", reason="FieldValueRequired"),
    Rule(
        "PodSpec",
        _container_names,
        {"containers": [{"name": "a", "image": "a"}, {"name": "a", "image": "b"}]},
        'Duplicate value: "a"',
        field="containers[1].name",
        reason="FieldValueDuplicate",
    ),
    Rule(
        "PodSpec",
        _container_names,
        {"initContainers": [{"name": "main", "image": "a"}]},
        'Duplicate value: "main"',
        field="initContainers[0].name",
        reason="FieldValueDuplicate",
    ),
    Rule(
        "PodSpec",
        _mounted_volumes,
        {"containers": [{"name": "a", "image": "a", "volumeMounts": [{"name": "none", "mountPath": "/a"}]}]},
        'Not found: "none"',
        field="containers[0].volumeMounts[0].name",
        reason="FieldValueNotFound",
    ),
    Rule(
        "PodSpec.restartPolicy",
        one_of("Always", "OnFailure", "Never"),
        "Sometimes",
        'Unsupported value: "Sometimes": supported values: "Always", "OnFailure", "Never"',
        reason="FieldValueNotSupported",
    ),
    Rule(
        "LabelSelectorRequirement.operator",
        _operator,
        "Is",
        'Invalid value: "Is": not a valid selector operator',
    ),
    Rule(
        "LabelSelectorRequirement",
        _values,
        {"operator": "In", "values": None},
        "Required value: must be specified when `operator` is 'In' or 'NotIn'",
        field="values",
        reason="FieldValueRequired",
    ),
    Rule(
        "LabelSelectorRequirement",
        _values,
        {"operator": "Exists", "values": ["a"]},
        "Forbidden: may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
        field="values",
        reason="FieldValueForbidden",
    ),
    Rule(
        "LabelSelectorRequirement.key",
        _key,
        "a b",
        "Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
    ),
    Rule(
        "LabelSelector.matchLabels",
        _label_values,
        {"a b": "c"},
        "Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
    ),
)
