"""For each check of a built-in kind a value, or a change, that it refuses, and the words that the real server has."""

from dataclasses import dataclass
from typing import Any

from emulator.json_object import Json
from emulator.openshift.kubernetes.kinds import APPS, DEFINITIONS, RBAC
from emulator.openshift.kubernetes.objects import names
from emulator.openshift.kubernetes.objects.validation.changes import CLAIM_MESSAGE, SELECTOR, STATEFUL, WHEN_SET
from emulator.openshift.kubernetes.objects.validation.contents import MOST_ANNOTATION_BYTES, TYPE_KEYS

WORKLOADS = ("DeploymentSpec", "ReplicaSetSpec", "StatefulSetSpec", "DaemonSetSpec")
# A value that an example leaves out.
NOTHING = None


@dataclass(frozen=True)
class ChangeRule:
    """One change that the server refuses.

    Args:
        kind: name of the kind.
        breaks: a change that is refused, as a merge patch of a valid object.
        says: the message of the cause, without the difference between Go's structures that the real server adds.
        field: the field of the cause.
        reason: the reason of the cause.
        first: what the object has before the change, as a merge patch of a valid object.
    """

    kind: str
    breaks: Json
    says: str
    field: str
    reason: str = "FieldValueInvalid"
    first: tuple[tuple[str, Any], ...] = ()


@dataclass(frozen=True)
class Rule:
    """One thing that the server checks, with a value that it refuses.

    Args:
        on: the member, `Container.name`, or a type, for a check of several of its members.
        breaks: a value of the member that is refused; for a type, the members that make its value so.
        says: the message of the cause, as the real server words it.
        field: path of the member in the cause, seen from the type; "" for the member itself.
        reason: reason of the cause.
    """

    on: str
    breaks: Any
    says: str
    field: str = ""
    reason: str = "FieldValueInvalid"

    @property
    def type(self) -> str:
        """Return the type to which the rule belongs."""
        return self.on.partition(".")[0]

    @property
    def member(self) -> str:
        """Return the member, "" for a rule about the whole value."""
        return self.on.partition(".")[2]


RELABELLED: Json = {
    "spec": {"selector": {"matchLabels": {"app": "new"}}, "template": {"metadata": {"labels": {"app": "new"}}}}
}
SEALED = (("immutable", True),)
FORBIDDEN = "FieldValueForbidden"
CHANGES = (
    *(
        ChangeRule(kind, breaks, f"Forbidden: {WHEN_SET}", next(iter(breaks)), FORBIDDEN, SEALED)
        for kind in ("ConfigMap", "Secret")
        for breaks in ({"immutable": None}, {"data": {"a": "AAEC"}})
    ),
    ChangeRule("Secret", {"type": "other"}, 'Invalid value: "other": field is immutable', "type"),
    *(
        ChangeRule(
            f"{kind}Binding.{RBAC}",
            {"roleRef": {"name": "other"}},
            f'Invalid value: rbac.RoleRef{{APIGroup:"{RBAC}", Kind:"{kind}", Name:"other"}}: cannot change roleRef',
            "roleRef",
        )
        for kind in ("Role", "ClusterRole")
    ),
    *(
        ChangeRule(f"{kind}.{APPS}", RELABELLED, SELECTOR, "spec.selector")
        for kind in ("Deployment", "DaemonSet", "ReplicaSet")
    ),
    ChangeRule(f"StatefulSet.{APPS}", RELABELLED, f"Forbidden: {STATEFUL}", "spec", FORBIDDEN),
    ChangeRule(
        "PersistentVolumeClaim",
        {"spec": {"accessModes": ["ReadWriteMany"]}},
        f"Forbidden: {CLAIM_MESSAGE}",
        "spec",
        FORBIDDEN,
    ),
    ChangeRule(
        "Service",
        {"spec": {"clusterIP": "10.0.0.77"}},
        'Invalid value: []string{"10.0.0.77"}: may not change once set',
        "spec.clusterIPs[0]",
    ),
    ChangeRule(
        DEFINITIONS,
        {"spec": {"scope": "Cluster"}},
        'Invalid value: "Cluster": field is immutable',
        "spec.scope",
    ),
)

RULES = (
    Rule(
        "ObjectMeta",
        {"annotations": {"a": "b" * MOST_ANNOTATION_BYTES}},
        "Too long: must have at most 262144 bytes",
        field="annotations",
        reason="FieldValueTooLong",
    ),
    *(
        Rule(
            kind,
            {member: {"a/b": "AAEC"}},
            f'Invalid value: "a/b": {names.CONFIG_KEY_MESSAGE}',
            field=f"{member}[a/b]",
        )
        for kind, member in (
            ("ConfigMap", "data"),
            ("ConfigMap", "binaryData"),
            ("Secret", "data"),
        )
    ),
    *(
        Rule("Secret", {"type": kind}, "Required value", field=f"data[{key}]", reason="FieldValueRequired")
        for kind, keys in TYPE_KEYS.items()
        for key in keys
    ),
    Rule("PodSpec.containers", None, "Required value", reason="FieldValueRequired"),
    Rule("Container.name", None, "Required value", reason="FieldValueRequired"),
    Rule("Container.name", "Main_1", f'Invalid value: "Main_1": {names.LABEL_MESSAGE}'),
    Rule("Container.image", None, "Required value", reason="FieldValueRequired"),
    Rule(
        "PodSpec",
        {"containers": [{"name": "a", "image": "a"}, {"name": "a", "image": "b"}]},
        'Duplicate value: "a"',
        field="containers[1].name",
        reason="FieldValueDuplicate",
    ),
    Rule(
        "PodSpec",
        {"containers": [{"name": "a", "image": "a", "volumeMounts": [{"name": "none", "mountPath": "/a"}]}]},
        'Not found: "none"',
        field="containers[0].volumeMounts[0].name",
        reason="FieldValueNotFound",
    ),
    *(
        Rule(
            kind,
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
    Rule("ServiceSpec", {"ports": []}, "Required value", field="ports", reason="FieldValueRequired"),
    Rule(
        "ServiceSpec",
        {"ports": [{"port": 80}, {"port": 81, "name": "b"}]},
        "Required value",
        field="ports[0].name",
        reason="FieldValueRequired",
    ),
    Rule(
        "ServiceSpec",
        {"ports": [{"port": 80, "name": "a"}, {"port": 81, "name": "a"}]},
        'Duplicate value: "a"',
        field="ports[1].name",
        reason="FieldValueDuplicate",
    ),
)
