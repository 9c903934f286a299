"""The cells of built-in kinds: each function prints one cell, from the object and the time.

An object may have only metadata without a name, because the bookmarks of a watch are printed too.
"""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from emulator.json_object import Json
from emulator.openshift.kubernetes.objects.scale import selector_text
from emulator.openshift.kubernetes.printing import ages

Cell = Callable[[Json, datetime], Any]

NONE, UNKNOWN, UNSET = "<none>", "<unknown>", "<unset>"
ROLE_PREFIX, ROLE_LABEL = "node-role.kubernetes.io/", "kubernetes.io/role"


def member(obj: Json, path: str) -> Any:
    """Return the value at a path such as `spec.nodeName`, or None."""
    value: Any = obj
    for name in path.split("."):
        value = value.get(name) if isinstance(value, Mapping) else None
    return value


def word(obj: Json, name: str) -> str:
    """Return a member as text, "" if it is missing."""
    return str(obj.get(name) or "")


def text(path: str, default: str = "") -> Cell:
    """Print a member."""
    return lambda obj, _now: str(member(obj, path) or default)


def number(path: str) -> Cell:
    """Print a count."""
    return lambda obj, _now: int(member(obj, path) or 0)


def size(*paths: str) -> Cell:
    """Print the number of entries of several members together."""
    return lambda obj, _now: sum(len(member(obj, path) or ()) for path in paths)


def ratio(path: str, of: str) -> Cell:
    """Print `2/3`."""
    return lambda obj, _now: f"{member(obj, path) or 0}/{member(obj, of) or 0}"


def since(path: str = "metadata.creationTimestamp") -> Cell:
    """Print how long ago a time was."""
    return lambda obj, now: ages.age(member(obj, path), now)


def labels(path: str) -> Cell:
    """Print a map of labels."""

    def cell(obj: Json, _now: datetime) -> str:
        return ",".join(f"{key}={value}" for key, value in sorted((member(obj, path) or {}).items())) or NONE

    return cell


def selector(obj: Json, _now: datetime) -> str:
    """Print the selector of a workload."""
    return selector_text(member(obj, "spec.selector") or {}) or NONE


def containers(name: str) -> Cell:
    """Print one member of each container of a workload."""

    def cell(obj: Json, _now: datetime) -> str:
        found = member(obj, "spec.template.spec.containers") or ()
        return ",".join(str(container.get(name) or "") for container in found)

    return cell


def node_status(obj: Json, _now: datetime) -> str:
    """Print whether a node is ready, and whether pods can be scheduled on it."""
    ready = [
        one.get("status") == "True" for one in member(obj, "status.conditions") or () if one.get("type") == "Ready"
    ]
    words = ["Unknown"] if not ready else ["Ready" if ready[0] else "NotReady"]
    return ",".join([*words, "SchedulingDisabled"] if member(obj, "spec.unschedulable") else words)


def node_roles(obj: Json, _now: datetime) -> str:
    """Print the roles that a node's labels name."""
    found: set[str] = set()
    for key, value in (member(obj, "metadata.labels") or {}).items():
        if key.startswith(ROLE_PREFIX):
            found.add(key.removeprefix(ROLE_PREFIX))
        elif key == ROLE_LABEL:
            found.add(value)
    return ",".join(sorted(found - {""})) or NONE


def node_address(kind: str) -> Cell:
    """Print a node's first address of a kind."""

    def cell(obj: Json, _now: datetime) -> str:
        addresses = member(obj, "status.addresses") or ()
        return next((word(one, "address") for one in addresses if one.get("type") == kind), NONE)

    return cell


def cluster_address(obj: Json, _now: datetime) -> str:
    """Print the address of a service in the cluster."""
    return str(member(obj, "spec.clusterIP") or NONE)


def external_address(obj: Json, _now: datetime) -> str:
    """Print the addresses at which a service is reached from outside."""
    kind, given = member(obj, "spec.type"), list(member(obj, "spec.externalIPs") or ())
    if kind == "ExternalName":
        return str(member(obj, "spec.externalName") or "")
    if kind != "LoadBalancer":
        return ",".join(given) or (NONE if kind else UNKNOWN)
    ingress = [word(one, "ip") or word(one, "hostname") for one in member(obj, "status.loadBalancer.ingress") or ()]
    return ",".join([*ingress, *given]) or "<pending>"


def ports(obj: Json, _now: datetime) -> str:
    """Print `80/TCP,443:31000/TCP`."""
    shown = []
    for one in member(obj, "spec.ports") or ():
        on_nodes = f":{one.get('nodePort')}" if one.get("nodePort") else ""
        shown.append(f"{one.get('port')}{on_nodes}/{one.get('protocol', 'TCP')}")
    return ",".join(shown) or NONE


def request_status(obj: Json, _now: datetime) -> str:
    """Print the state of a certificate signing request."""
    kinds = {one.get("type") for one in member(obj, "status.conditions") or ()}
    decided = next((kind for kind in ("Denied", "Approved") if kind in kinds), "Pending")
    failed = ",Failed" if "Failed" in kinds else ""
    return decided + failed + (",Issued" if member(obj, "status.certificate") else "")


def event_first_seen(obj: Json, now: datetime) -> str:
    """Print how long ago an event first happened."""
    return ages.age(obj.get("firstTimestamp") or obj.get("eventTime"), now)


def event_last_seen(obj: Json, now: datetime) -> str:
    """Print how long ago an event last happened."""
    last = member(obj, "series.lastObservedTime") or obj.get("lastTimestamp")
    return ages.age(last, now) if last else event_first_seen(obj, now)


def event_count(obj: Json, _now: datetime) -> int:
    """Print how often an event happened."""
    return int(member(obj, "series.count") or obj.get("count") or 1)


def event_object(obj: Json, _now: datetime) -> str:
    """Print what an event is about."""
    kind, name = (str(member(obj, f"involvedObject.{one}") or "") for one in ("kind", "name"))
    return f"{kind.lower()}/{name}" if name else kind.lower()


def event_source(obj: Json, _now: datetime) -> str:
    """Print who reported an event."""
    component = member(obj, "source.component") or obj.get("reportingComponent") or ""
    host = member(obj, "source.host") or obj.get("reportingInstance") or ""
    return ", ".join([component, host] if host else [component])
