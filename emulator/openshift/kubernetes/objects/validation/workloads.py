"""The rules of pods, workloads and Services that a bundle can break: what their parts name in one another.

What runs inside pods is not judged. Which members a type must have is in `required_members.py`, and which types these have in
`types.py`.
"""

from collections.abc import Iterator, Mapping

from emulator.json_object import Json
from emulator.openshift.kubernetes.api_errors import Cause, required
from emulator.openshift.kubernetes.objects import names
from emulator.openshift.kubernetes.objects.validation.checks import Check, duplicate, given, text


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


CHECKS: Mapping[str, tuple[Check, ...]] = {
    "PodSpec": (_container_names, _mounted_volumes),
    "PodSpec.containers": (given,),
    "Container.name": (given, text(names.label)),
    "Container.image": (given,),
    "ServiceSpec": (_ports,),
    **dict.fromkeys(("DeploymentSpec", "ReplicaSetSpec", "StatefulSetSpec", "DaemonSetSpec"), (_selector,)),
}
