"""What a change of an object of a built-in kind may not do: the checks of each kind."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from emulator.json_object import Json
from emulator.openshift.kubernetes.api_errors import Cause, forbidden_value, invalid_value
from emulator.openshift.kubernetes.kinds import APPS, DEFINITIONS, RBAC, Kind

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
CLAIM_MESSAGE = "spec is immutable after creation except resources.requests for bound claims"
SELECTOR = "Invalid value: v1.LabelSelector{...}: field is immutable"
Check = Callable[[Json, Json], Iterator[Cause]]


def _role_ref(old: Json, new: Json) -> Iterator[Cause]:
    ref = new.get("roleRef") or {}
    if old.get("roleRef") != ref:
        members = (
            (go, ref.get(name, "")) for go, name in (("APIGroup", "apiGroup"), ("Kind", "kind"), ("Name", "name"))
        )
        shown = ", ".join(f'{go}:"{value}"' for go, value in members)
        yield Cause("FieldValueInvalid", "roleRef", f"Invalid value: rbac.RoleRef{{{shown}}}: cannot change roleRef")


def _sealed(old: Json, new: Json) -> Iterator[Cause]:
    if not old.get("immutable"):
        return
    if not new.get("immutable"):
        yield forbidden_value("immutable", WHEN_SET)
    for member in ("data", "binaryData"):
        if (old.get(member) or {}) != (new.get(member) or {}):
            yield forbidden_value(member, WHEN_SET)


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
    if old["spec"].get("selector") != new["spec"].get("selector"):
        yield Cause("FieldValueInvalid", "spec.selector", SELECTOR)


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


def _service_address(old: Json, new: Json) -> Iterator[Cause]:
    before, after = old["spec"].get("clusterIP"), new["spec"].get("clusterIP")
    if not before or "ExternalName" in (old["spec"].get("type"), new["spec"].get("type")):
        return
    if before != after:
        message = f'Invalid value: []string{{"{after}"}}: may not change once set'
        yield Cause("FieldValueInvalid", "spec.clusterIPs[0]", message)


CHECKS: Mapping[str, tuple[Check, ...]] = {
    "ConfigMap": (_sealed,),
    "Secret": (_sealed, _fixed("type")),
    f"RoleBinding.{RBAC}": (_role_ref,),
    f"ClusterRoleBinding.{RBAC}": (_role_ref,),
    f"Deployment.{APPS}": (_selector,),
    f"DaemonSet.{APPS}": (_selector,),
    f"ReplicaSet.{APPS}": (_selector,),
    f"StatefulSet.{APPS}": (_stateful,),
    "PersistentVolumeClaim": (_claim,),
    "Service": (_service_address,),
    DEFINITIONS: (_fixed("spec", "scope"),),
}


def causes(kind: Kind, old: Json, new: Json) -> Iterator[Cause]:
    """Yield the changes of an object that are not allowed."""
    for check in CHECKS.get(kind.name, ()):
        yield from check(old, new)
