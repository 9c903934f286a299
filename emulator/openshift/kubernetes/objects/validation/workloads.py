"""The rules of pods, workloads and Services that a bundle can break: what their parts name in one another.

What runs inside pods is not judged. Which members a type must have is in `required.py`, and which types these have in
`types.py`.
"""

from collections.abc import Iterator

from emulator.openshift.kubernetes.errors import Cause, required
from emulator.openshift.kubernetes.kinds import Json
from emulator.openshift.kubernetes.objects import names
from emulator.openshift.kubernetes.objects.validation.checks import Rule, duplicate, given, text

WORKLOADS = ("DeploymentSpec", "ReplicaSetSpec", "StatefulSetSpec", "DaemonSetSpec")


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


def _selector(value: Json, field: str) -> Iterator[Cause]:
    wanted = (value.get("selector") or {}).get("matchLabels") or {}
    labels = ((value.get("template") or {}).get("metadata") or {}).get("labels") or {}
    if not wanted.items() <= labels.items():
        shown = ", ".join(f'"{name}":"{label}"' for name, label in sorted(labels.items()))
        says = f"map[string]string{f'{{{shown}}}' if labels else '(nil)'}: `selector` does not match template `labels`"
        yield Cause("FieldValueInvalid", f"{field}.template.metadata.labels", f"Invalid value: {says}")


def _ports(value: Json, field: str) -> Iterator[Cause]:
    ports = value.get("ports") or []
    if not ports and value.get("clusterIP") != "None" and value.get("type") != "ExternalName":
        yield required(f"{field}.ports")
    seen: set[str] = set()
    for index, port in enumerate(ports):
        name = port.get("name")
        if not name and len(ports) > 1:
            yield required(f"{field}.ports[{index}].name")
        if name and name in seen:
            yield duplicate(f"{field}.ports[{index}].name", name)
        seen.add(name)


RULES = (
    Rule("PodSpec.containers", given, None, "Required value", reason="FieldValueRequired"),
    Rule("Container.name", given, None, "Required value", reason="FieldValueRequired"),
    Rule("Container.name", text(names.label), "Main_1", f'Invalid value: "Main_1": {names.LABEL_MESSAGE}'),
    Rule("Container.image", given, None, "Required value", reason="FieldValueRequired"),
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
        _mounted_volumes,
        {"containers": [{"name": "a", "image": "a", "volumeMounts": [{"name": "none", "mountPath": "/a"}]}]},
        'Not found: "none"',
        field="containers[0].volumeMounts[0].name",
        reason="FieldValueNotFound",
    ),
    *(
        Rule(
            kind,
            _selector,
            {
                "template": {
                    "metadata": {"labels": {"app": "other"}},
                    "spec": {"containers": [{"name": "a", "image": "a"}]},
                }
            },
            'Invalid value: map[string]string{"app":"other"}: `selector` does not match template `labels`',
            field="template.metadata.labels",
        )
        for kind in WORKLOADS
    ),
    Rule("ServiceSpec", _ports, {"ports": []}, "Required value", field="ports", reason="FieldValueRequired"),
    Rule(
        "ServiceSpec",
        _ports,
        {"ports": [{"port": 80}, {"port": 81, "name": "b"}]},
        "Required value",
        field="ports[0].name",
        reason="FieldValueRequired",
    ),
    Rule(
        "ServiceSpec",
        _ports,
        {"ports": [{"port": 80, "name": "a"}, {"port": 81, "name": "a"}]},
        'Duplicate value: "a"',
        field="ports[1].name",
        reason="FieldValueDuplicate",
    ),
)
