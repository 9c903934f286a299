"""The subresource `scale`: the replicas of an object as an object of its own, `Scale` of `autoscaling/v1`."""

import copy
from typing import Any

from emulator.json_object import Json
from emulator.openshift.kubernetes import api_errors
from emulator.openshift.kubernetes.api_errors import invalid_value
from emulator.openshift.kubernetes.kinds import Kind

NAME, API_VERSION, KIND = "scale", "autoscaling/v1", "Scale"
SHOWN = ("name", "namespace", "uid", "resourceVersion", "creationTimestamp")


def of(kind: Kind, obj: Json) -> Json:
    """Return the Scale of an object.

    Raises:
        ServiceError: 500 if a custom object has no replicas, as in the real server.
    """
    wanted = _at(obj, kind.scale["specReplicasPath"])
    if wanted is None and kind.is_custom:
        raise api_errors.INTERNAL(f'the spec replicas field "{kind.scale["specReplicasPath"]}" does not exist')
    status: Json = {"replicas": _at(obj, kind.scale["statusReplicasPath"]) or 0}
    selector = _selector(kind, obj)
    return {
        "kind": KIND,
        "apiVersion": API_VERSION,
        "metadata": {name: obj["metadata"][name] for name in SHOWN if name in obj["metadata"]},
        # Go leaves out a zero.
        "spec": {"replicas": wanted} if wanted else {},
        "status": status | ({"selector": selector} if selector else {}),
    }


def check(kind: Kind, scale: Json) -> None:
    """Check the Scale of an update.

    Raises:
        ServiceError: 400 for replicas that are not a number; 422 for replicas below 0.
    """
    wanted = _replicas(scale)
    if not isinstance(wanted, int) or isinstance(wanted, bool):
        raise api_errors.BAD_REQUEST(f"{KIND}.spec.replicas is {wanted!r}, not a number")
    if wanted < 0:
        cause = invalid_value(kind.scale["specReplicasPath"], wanted, "should be a non-negative integer")
        raise api_errors.invalid_object(kind, scale["metadata"]["name"], [cause])


def scaled(kind: Kind, obj: Json, scale: Json) -> Json:
    """Return an object with the replicas of a Scale, in the version on which the Scale is based."""
    new = copy.deepcopy(obj)
    version = (scale.get("metadata") or {}).get("resourceVersion")
    if version:
        new["metadata"]["resourceVersion"] = version
    *parents, last = _steps(kind.scale["specReplicasPath"])
    target = new
    for step in parents:
        target = target.setdefault(step, {})
    target[last] = _replicas(scale)
    return new


def _replicas(scale: Json) -> Any:
    wanted = (scale.get("spec") or {}).get("replicas")
    return 0 if wanted is None else wanted


def _steps(path: str) -> list[str]:
    return path.removeprefix(".").split(".")


def _at(obj: Json, path: str) -> Any:
    found: Any = obj
    for step in _steps(path):
        found = found.get(step) if isinstance(found, dict) else None
    return found


def _selector(kind: Kind, obj: Json) -> str:
    """Return the selector of the object's pods as a text; a custom object has it in the member that its kind names."""
    if kind.is_custom:
        path = kind.scale.get("labelSelectorPath")
        return str(_at(obj, path) or "") if path else ""
    return selector_text(obj["spec"].get("selector") or {})


def selector_text(selector: Json) -> str:
    """Return a label selector as a text: `app=web,tier in (back,front),!old`."""
    parts = [(name, f"{name}={value}") for name, value in (selector.get("matchLabels") or {}).items()]
    for one in selector.get("matchExpressions") or ():
        key, operator = str(one.get("key") or ""), str(one.get("operator") or "")
        shown = {"Exists": key, "DoesNotExist": f"!{key}"}
        values = ",".join(sorted(one.get("values") or ()))
        parts.append((key, shown.get(operator, f"{key} {operator.lower()} ({values})")))
    return ",".join(text for _, text in sorted(parts))
