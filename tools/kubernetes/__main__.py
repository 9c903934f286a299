"""Write the names and types of the members of Kubernetes' objects, from the models of the Python client.

The models are generated from the OpenAPI document of one Kubernetes release, so the client must be the release's own:

    uv run --no-project --with kubernetes==32.0.1 python -m tools.kubernetes
"""

import json
import re
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from emulator.openshift.kubernetes.kinds import BUILT_IN

TARGET = Path(__file__).parents[2] / "emulator/openshift/kubernetes/objects/members.json"
PREFIX = re.compile(r"\b(?:CoreV1|RbacV1|ApiextensionsV1|V1)(?=[A-Z])")
# Types that the client does not tell apart, by type and member. The server's own document has them as formats.
QUANTITY, INT_OR_STRING, INT64, BYTES, ANYTHING = "Quantity", "IntOrString", "int64", "bytes", "any"
SPECIAL: Mapping[str, tuple[str, ...]] = {
    QUANTITY: (
        *("EmptyDirVolumeSource.sizeLimit", "NodeStatus.allocatable", "NodeStatus.capacity", "PodSpec.overhead"),
        *("PersistentVolumeClaimStatus.allocatedResources", "PersistentVolumeClaimStatus.capacity"),
        *("PersistentVolumeSpec.capacity", "ResourceFieldSelector.divisor", "ContainerStatus.allocatedResources"),
        *("ResourceRequirements.limits", "ResourceRequirements.requests"),
        *("VolumeResourceRequirements.limits", "VolumeResourceRequirements.requests"),
    ),
    INT_OR_STRING: (
        *("HTTPGetAction.port", "TCPSocketAction.port", "ServicePort.targetPort"),
        *("RollingUpdateDaemonSet.maxSurge", "RollingUpdateDaemonSet.maxUnavailable"),
        *("RollingUpdateDeployment.maxSurge", "RollingUpdateDeployment.maxUnavailable"),
        "RollingUpdateStatefulSetStrategy.maxUnavailable",
    ),
    BYTES: (
        *("CertificateSigningRequestSpec.request", "CertificateSigningRequestStatus.certificate"),
        *("ConfigMap.binaryData", "Secret.data", "WebhookClientConfig.caBundle"),
    ),
    INT64: (
        "DeleteOptions.gracePeriodSeconds",
        *("Condition.observedGeneration", "ContainerImage.sizeBytes", "DaemonSetStatus.observedGeneration"),
        *("DeploymentStatus.observedGeneration", "ReplicaSetStatus.observedGeneration"),
        *("StatefulSetStatus.observedGeneration", "JSONSchemaProps.maxItems", "JSONSchemaProps.maxLength"),
        *("JSONSchemaProps.maxProperties", "JSONSchemaProps.minItems", "JSONSchemaProps.minLength"),
        *("JSONSchemaProps.minProperties", "ObjectMeta.deletionGracePeriodSeconds", "ObjectMeta.generation"),
        *("PodSecurityContext.fsGroup", "PodSecurityContext.runAsGroup", "PodSecurityContext.runAsUser"),
        *("PodSecurityContext.supplementalGroups", "PodSpec.activeDeadlineSeconds"),
        *("PodSpec.terminationGracePeriodSeconds", "Probe.terminationGracePeriodSeconds"),
        *("SecurityContext.runAsGroup", "SecurityContext.runAsUser", "SleepAction.seconds"),
        *("ServiceAccountTokenProjection.expirationSeconds", "Toleration.tolerationSeconds"),
        *("LinuxContainerUser.gid", "LinuxContainerUser.uid", "LinuxContainerUser.supplementalGroups"),
    ),
}
SPECIAL_TYPES = {member: special for special, members in SPECIAL.items() for member in members}
PLAIN = {"str": "string", "int": "int32", "float": "float64", "bool": "bool", "object": ANYTHING, "datetime": "Time"}
# No kind of its own, but what the body of a deletion may have.
OPTIONS = "DeleteOptions"
MEMBERS_IN_ALL = ("apiVersion", "kind")


def members(models: Any) -> dict[str, dict[str, str]]:
    """Return the types of the members of every type that the built-in kinds reach.

    Args:
        models: the module `kubernetes.client.models`.
    """
    classes = {PREFIX.sub("", name): model for name, model in vars(models).items() if name[:1].isupper()}
    named = {name: getattr(models, f"V1{name}", classes.get(name)) for name in classes}
    named |= {"Event": models.CoreV1Event, "Subject": models.RbacV1Subject}
    found: dict[str, dict[str, str]] = {}
    reached = [kind.kind for kind in BUILT_IN] + [OPTIONS]
    while reached:
        name = reached.pop()
        if name in found:
            continue
        model: Any = named[name]
        found[name] = {
            model.attribute_map[attribute]: _type(f"{name}.{model.attribute_map[attribute]}", written)
            for attribute, written in model.openapi_types.items()
        }
        reached += [word for written in found[name].values() for word in re.findall(r"\w+", written) if word in named]
    return dict(sorted(found.items()))


def _type(member: str, written: str) -> str:
    """Return a type as `string`, `[Container]` for a list or `{string}` for a map."""
    plain = PREFIX.sub("", written)
    inner = re.fullmatch(r"(?:list\[|dict\(str, )?(.+?)[\])]*", plain)
    item = SPECIAL_TYPES.get(member) or (PLAIN.get(inner[1], inner[1]) if inner else plain)
    if plain.startswith("list["):
        return f"[{item}]"
    if plain.startswith("dict(str, list["):
        return "{[string]}"
    return f"{{{item}}}" if plain.startswith("dict(") else item


def main() -> None:
    """Write the file."""
    found = members(import_module("kubernetes.client.models"))
    lines = [f"{json.dumps(name)}: {json.dumps(types)}" for name, types in found.items()]
    TARGET.write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main()
