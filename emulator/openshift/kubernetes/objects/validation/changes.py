"""What a change of an object of a built-in kind may not do: one table of rules, each with a change that it refuses."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from emulator.openshift.kubernetes.errors import Cause, forbidden_value, invalid_value
from emulator.openshift.kubernetes.kinds import APPS, DEFINITIONS, RBAC, Json, Kind
from emulator.openshift.kubernetes.objects.validation.checks import go_list, go_selector

WHEN_SET = "field is immutable when `immutable` is set"
STATEFUL = (
    "updates to statefulset spec for fields other than 'replicas', 'template', and 'updateStrategy' are forbidden"
)
# Fields that later releases let change too: https://github.com/kubernetes/api/blob/master/apps/v1/types.go
STATEFUL_MAY_CHANGE = frozenset(
    {
        *("replicas", "template", "updateStrategy", "minReadySeconds", "ordinals", "revisionHistoryLimit"),
        "persistentVolumeClaimRetentionPolicy",
    }
)
POD_MESSAGE = (
    "pod updates may not change fields other than `spec.containers[*].image`, `spec.initContainers[*].image`, "
    "`spec.activeDeadlineSeconds` or `spec.tolerations` (only additions to existing tolerations)"
)
CLAIM_MESSAGE = "spec is immutable after creation except resources.requests for bound claims"
SOURCE_MESSAGE = "spec.persistentvolumesource is immutable after creation"
VOLUME_MAY_CHANGE = frozenset(
    {
        *("accessModes", "capacity", "claimRef", "mountOptions", "nodeAffinity", "persistentVolumeReclaimPolicy"),
        *("storageClassName", "volumeAttributesClassName", "volumeMode"),
    }
)
Check = Callable[[Json, Json], Iterator[Cause]]


@dataclass(frozen=True)
class ChangeRule:
    """One change that the server refuses.

    Args:
        kind: name of the kind.
        check: takes the object before and after the change; yields what is wrong.
        breaks: a change that is refused, as a merge patch of a valid object.
        says: the message of the cause, without the difference between Go's structures that the real server adds.
        field: the field of the cause.
        reason: the reason of the cause.
        first: what the object has before the change, as a merge patch of a valid object.
    """

    kind: str
    check: Check
    breaks: Json
    says: str
    field: str
    reason: str = "FieldValueInvalid"
    first: tuple[tuple[str, Any], ...] = ()


def _role_ref(old: Json, new: Json) -> Iterator[Cause]:
    ref = new.get("roleRef") or {}
    if old.get("roleRef") != ref:
        members = (
            (go, ref.get(name, "")) for go, name in (("APIGroup", "apiGroup"), ("Kind", "kind"), ("Name", "name"))
        )
        shown = ", ".join(f'{go}:"{value}"' for go, value in members)
        yield Cause("FieldValueInvalid", "roleRef", f"Invalid value: rbac.RoleRef{{{shown}}}: cannot change roleRef")


def _sealed(*members: str) -> Check:
    def check(old: Json, new: Json) -> Iterator[Cause]:
        if not old.get("immutable"):
            return
        if not new.get("immutable"):
            yield forbidden_value("immutable", WHEN_SET)
        for member in members:
            if (old.get(member) or {}) != (new.get(member) or {}):
                yield forbidden_value(member, WHEN_SET)

    return check


def _fixed(*path: str) -> Check:
    def check(old: Json, new: Json) -> Iterator[Cause]:
        before, after = (_at(obj, path) for obj in (old, new))
        if before != after:
            yield invalid_value(".".join(path), after or "", "field is immutable")

    return check


def _at(obj: Json, path: tuple[str, ...]) -> Any:
    value: Any = obj
    for name in path:
        value = (value or {}).get(name)
    return value


def _selector(old: Json, new: Json) -> Iterator[Cause]:
    before, after = (_at(obj, ("spec", "selector")) for obj in (old, new))
    if before != after:
        yield Cause(
            "FieldValueInvalid", "spec.selector", f"Invalid value: {go_selector(after or {})}: field is immutable"
        )


def _stateful(old: Json, new: Json) -> Iterator[Cause]:
    if _differs(old["spec"], new["spec"], STATEFUL_MAY_CHANGE):
        yield forbidden_value("spec", STATEFUL)


def _differs(old: Json, new: Json, may_change: frozenset[str]) -> bool:
    return any(old.get(name) != new.get(name) for name in (old.keys() | new.keys()) - may_change)


def _claim(old: Json, new: Json) -> Iterator[Cause]:
    grows = frozenset({"resources", "volumeName"}) if (old.get("status") or {}).get("phase") == "Bound" else frozenset()
    # A volume is bound to a claim by writing its name.
    if _differs(old["spec"], new["spec"], grows | (frozenset() if old["spec"].get("volumeName") else {"volumeName"})):
        yield forbidden_value("spec", CLAIM_MESSAGE)


def _volume(old: Json, new: Json) -> Iterator[Cause]:
    if _differs(old["spec"], new["spec"], VOLUME_MAY_CHANGE):
        yield forbidden_value("spec.persistentvolumesource", SOURCE_MESSAGE)
    if old["spec"].get("volumeMode") != new["spec"].get("volumeMode"):
        yield invalid_value("volumeMode", new["spec"].get("volumeMode"), "field is immutable")


def _pod(old: Json, new: Json) -> Iterator[Cause]:
    before, after = old["spec"], new["spec"]
    for member in ("containers", "initContainers"):
        if len(before.get(member) or []) != len(after.get(member) or []):
            yield forbidden_value(f"spec.{member}", "pod updates may not add or remove containers")
            return
    known = [_lasting(one) for one in before.get("tolerations") or []]
    wanted = [_lasting(one) for one in after.get("tolerations") or []]
    if not all(one in wanted for one in known):
        yield forbidden_value(
            "spec.tolerations", "existing toleration can not be modified except its tolerationSeconds"
        )
        return
    # The scheduler and the subresource `binding` write the name of the node.
    placed = frozenset({"nodeName"}) if not before.get("nodeName") else frozenset()
    may_change = frozenset({"activeDeadlineSeconds", "tolerations", "containers", "initContainers"}) | placed
    if _differs(before, after, may_change) or any(
        _differs(one, other, frozenset({"image", "imagePullPolicy"}))
        for member in ("containers", "initContainers")
        for one, other in zip(before.get(member) or [], after.get(member) or [], strict=True)
    ):
        yield forbidden_value("spec", POD_MESSAGE)


def _deadline(old: Json, new: Json) -> Iterator[Cause]:
    before, after = (obj["spec"].get("activeDeadlineSeconds") for obj in (old, new))
    if before is None or before == after:
        return
    if after is None:
        message = "must not update from a positive integer to nil value"
        yield invalid_value("spec.activeDeadlineSeconds", "null", message)
    elif after > before:
        yield invalid_value("spec.activeDeadlineSeconds", after, "must be less than or equal to previous value")


def _lasting(toleration: Json) -> Json:
    return {name: value for name, value in toleration.items() if name != "tolerationSeconds"}


def _service_address(old: Json, new: Json) -> Iterator[Cause]:
    before, after = old["spec"].get("clusterIP"), new["spec"].get("clusterIP")
    if not before or "ExternalName" in (old["spec"].get("type"), new["spec"].get("type")):
        return
    if before != after:
        message = f"Invalid value: {go_list([after])}: may not change once set"
        yield Cause("FieldValueInvalid", "spec.clusterIPs[0]", message)


RELABELLED: Json = {
    "spec": {"selector": {"matchLabels": {"app": "new"}}, "template": {"metadata": {"labels": {"app": "new"}}}}
}
SELECTOR = (
    'Invalid value: v1.LabelSelector{MatchLabels:map[string]string{"app":"new"}, '
    "MatchExpressions:[]v1.LabelSelectorRequirement(nil)}: field is immutable"
)
SEALED = (("immutable", True),)
FORBIDDEN = "FieldValueForbidden"
RULES = (
    ChangeRule(
        "ConfigMap",
        _sealed("data", "binaryData"),
        {"immutable": None},
        f"Forbidden: {WHEN_SET}",
        "immutable",
        FORBIDDEN,
        SEALED,
    ),
    ChangeRule(
        "ConfigMap",
        _sealed("data", "binaryData"),
        {"data": {"a": "b"}},
        f"Forbidden: {WHEN_SET}",
        "data",
        FORBIDDEN,
        SEALED,
    ),
    ChangeRule(
        "ConfigMap",
        _sealed("data", "binaryData"),
        {"binaryData": {"a": "AAEC"}},
        f"Forbidden: {WHEN_SET}",
        "binaryData",
        FORBIDDEN,
        SEALED,
    ),
    ChangeRule(
        "Secret", _sealed("data"), {"immutable": False}, f"Forbidden: {WHEN_SET}", "immutable", FORBIDDEN, SEALED
    ),
    ChangeRule("Secret", _sealed("data"), {"data": {"a": "AAEC"}}, f"Forbidden: {WHEN_SET}", "data", FORBIDDEN, SEALED),
    ChangeRule("Secret", _fixed("type"), {"type": "other"}, 'Invalid value: "other": field is immutable', "type"),
    ChangeRule(
        f"RoleBinding.{RBAC}",
        _role_ref,
        {"roleRef": {"name": "other"}},
        f'Invalid value: rbac.RoleRef{{APIGroup:"{RBAC}", Kind:"Role", Name:"other"}}: cannot change roleRef',
        "roleRef",
    ),
    ChangeRule(
        f"ClusterRoleBinding.{RBAC}",
        _role_ref,
        {"roleRef": {"name": "other"}},
        f'Invalid value: rbac.RoleRef{{APIGroup:"{RBAC}", Kind:"ClusterRole", Name:"other"}}: cannot change roleRef',
        "roleRef",
    ),
    ChangeRule(
        f"Deployment.{APPS}",
        _selector,
        RELABELLED,
        SELECTOR.replace(
            "(nil)}", '{v1.LabelSelectorRequirement{Key:"app", Operator:"Exists", Values:[]string(nil)}}}'
        ),
        "spec.selector",
    ),
    ChangeRule(f"DaemonSet.{APPS}", _selector, RELABELLED, SELECTOR, "spec.selector"),
    ChangeRule(f"ReplicaSet.{APPS}", _selector, RELABELLED, SELECTOR, "spec.selector"),
    ChangeRule(f"StatefulSet.{APPS}", _stateful, RELABELLED, f"Forbidden: {STATEFUL}", "spec", FORBIDDEN),
    ChangeRule(
        f"StatefulSet.{APPS}",
        _stateful,
        {"spec": {"serviceName": "other"}},
        f"Forbidden: {STATEFUL}",
        "spec",
        FORBIDDEN,
    ),
    ChangeRule(
        "PersistentVolumeClaim",
        _claim,
        {"spec": {"accessModes": ["ReadWriteMany"]}},
        f"Forbidden: {CLAIM_MESSAGE}",
        "spec",
        FORBIDDEN,
    ),
    ChangeRule(
        "PersistentVolumeClaim",
        _claim,
        {"spec": {"resources": {"requests": {"storage": "20Gi"}}}},
        f"Forbidden: {CLAIM_MESSAGE}",
        "spec",
        FORBIDDEN,
    ),
    ChangeRule(
        "PersistentVolume",
        _volume,
        {"spec": {"azureDisk": {"diskName": "other"}}},
        f"Forbidden: {SOURCE_MESSAGE}",
        "spec.persistentvolumesource",
        FORBIDDEN,
    ),
    ChangeRule(
        "PersistentVolume",
        _volume,
        {"spec": {"volumeMode": "Block"}},
        'Invalid value: "Block": field is immutable',
        "volumeMode",
    ),
    ChangeRule("Pod", _pod, {"spec": {"restartPolicy": "Never"}}, f"Forbidden: {POD_MESSAGE}", "spec", FORBIDDEN),
    ChangeRule(
        "Pod",
        _pod,
        {"spec": {"initContainers": None}},
        "Forbidden: pod updates may not add or remove containers",
        "spec.initContainers",
        FORBIDDEN,
    ),
    ChangeRule(
        "Pod",
        _pod,
        {"spec": {"tolerations": None}},
        "Forbidden: existing toleration can not be modified except its tolerationSeconds",
        "spec.tolerations",
        FORBIDDEN,
    ),
    ChangeRule(
        "Pod",
        _deadline,
        {"spec": {"activeDeadlineSeconds": 20}},
        "Invalid value: 20: must be less than or equal to previous value",
        "spec.activeDeadlineSeconds",
        first=(("spec", {"activeDeadlineSeconds": 10}),),
    ),
    ChangeRule(
        "Pod",
        _deadline,
        {"spec": {"activeDeadlineSeconds": None}},
        'Invalid value: "null": must not update from a positive integer to nil value',
        "spec.activeDeadlineSeconds",
        first=(("spec", {"activeDeadlineSeconds": 10}),),
    ),
    ChangeRule(
        "Service",
        _service_address,
        {"spec": {"clusterIP": "10.0.0.77"}},
        'Invalid value: []string{"10.0.0.77"}: may not change once set',
        "spec.clusterIPs[0]",
    ),
    ChangeRule(
        DEFINITIONS,
        _fixed("spec", "scope"),
        {"spec": {"scope": "Cluster"}},
        'Invalid value: "Cluster": field is immutable',
        "spec.scope",
    ),
    ChangeRule(
        DEFINITIONS,
        _fixed("spec", "names", "kind"),
        {"spec": {"names": {"kind": "Other"}}},
        'Invalid value: "Other": field is immutable',
        "spec.names.kind",
    ),
)


def _by_kind() -> Mapping[str, list[Check]]:
    found: dict[str, list[Check]] = {}
    for rule in RULES:
        checks = found.setdefault(rule.kind, [])
        if rule.check not in checks:
            checks.append(rule.check)
    return found


BY_KIND = _by_kind()


def causes(kind: Kind, old: Json, new: Json) -> Iterator[Cause]:
    """Yield the changes of an object that are not allowed, each once.

    Args:
        kind: kind of the object.
        old: the object before the change.
        new: the object after it.
    """
    found: dict[Cause, None] = {}
    for check in BY_KIND.get(kind.name, ()):
        found.update(dict.fromkeys(check(old, new)))
    yield from found
