"""A cluster as people read it."""

from collections.abc import Iterator
from typing import Any

from aroctl import output
from aroctl.api import Json
from aroctl.output import Format
from aroctl.requested_cluster import get

COLUMNS = ("name", "group", "location", "version", "state", "workers")
# What `show` adds to the cluster: the answer of GET expirations, what ends next first.
ENDS = "expirations"
# The status of a condition that is as it should be; "False" of all others.
_GOOD = {"Available": "True", "HibernationPossible": "True"}
# A cluster that was stopped is not available, as it should be; one that is at work is not ill.
_QUIET_TYPE, _QUIET_REASON = "Progressing", "Stopped"


def show(cluster: Json, form: Format) -> None:
    """Print a cluster."""
    if form is Format.TABLE:
        output.facts(_facts(cluster))
    else:
        output.document(cluster, form)


def row(cluster: Json) -> Json:
    """Return the row of a cluster in a list."""
    return {
        "name": cluster["name"],
        "group": cluster["id"].split("/")[4],
        "location": cluster["location"],
        "version": get(cluster, "properties.clusterProfile.version"),
        "state": _state(cluster),
        "workers": _workers(cluster),
    }


def _state(cluster: Json) -> Any:
    """Return the state of a cluster; of one on which nothing runs and nothing has failed, whether it is stopped."""
    state, power = get(cluster, "properties.provisioningState"), get(cluster, "properties.powerState")
    return power if state == "Succeeded" and power == "Stopped" else state


def records(cluster: Json) -> dict[str, str]:
    """Return the names that the owner of a domain publishes, and their addresses; none below the service's domain."""
    domain = get(cluster, "properties.clusterProfile.domain") or ""
    if "." not in domain:
        return {}
    named = (("api", "properties.apiserverProfile.ip"), ("*.apps", "properties.ingressProfiles[].ip"))
    return {f"{name}.{domain}": get(cluster, path) for name, path in named if get(cluster, path)}


def power_schedule(schedule: Json) -> str:
    """Return a schedule as a sentence; "" for none."""
    if not schedule:
        return ""
    days = ", ".join(schedule["days"])
    return f"stops {schedule['stopTime']}, starts {schedule['startTime']} ({schedule['timeZone']}) on {days}"


def asks_for_attention(condition: Json) -> bool:
    """Tell whether somebody should look at a condition: it is not as it should be, or nobody knows."""
    if condition["type"] == _QUIET_TYPE or condition.get("reason") == _QUIET_REASON:
        return False
    return bool(condition["status"] != _GOOD.get(condition["type"], "False"))


def _conditions(found: list[Json]) -> Iterator[str]:
    """Yield a line for each condition: first, with reason and message, those that ask for attention."""
    for each in sorted(found, key=asks_for_attention, reverse=True):
        line = f"{each['type']} {each['status']}"
        why = [each[member] for member in ("reason", "message") if each.get(member)]
        yield ": ".join([line, *why]) if asks_for_attention(each) else line


def _next_end(ends: list[Json]) -> str:
    if not ends:
        return ""
    first = ends[0]
    what = " ".join(filter(None, [first.get("what", first["name"]), first.get("detail")]))
    renewer = f"; renewed by: {first['renewedBy']}" if first.get("renewedBy") else ""
    return f"{output.moment(first['end'])}, {what}{renewer}"


def _workers(cluster: Json) -> int:
    """Return how many workers there are now; those asked for while nobody can count them."""
    live = get(cluster, "properties.workerProfilesStatus") or get(cluster, "properties.workerProfiles") or []
    return sum(each.get("count") or 0 for each in live)


def _facts(cluster: Json) -> Json:
    published = tuple(f"{host} A {address}" for host, address in records(cluster).items())
    return {
        "name": cluster["name"],
        "state": get(cluster, "properties.provisioningState"),
        "power": get(cluster, "properties.powerState"),
        "schedule": power_schedule(get(cluster, "properties.powerSchedule") or {}),
        "conditions": tuple(_conditions(get(cluster, "properties.conditions") or [])),
        "ends next": _next_end(cluster.get(ENDS) or []),
        "version": get(cluster, "properties.clusterProfile.version"),
        "location": cluster["location"],
        "console": get(cluster, "properties.consoleProfile.url"),
        "API": get(cluster, "properties.apiserverProfile.url"),
        "masters": f"3 of {get(cluster, 'properties.masterProfile.vmSize')}",
        "workers": f"{_workers(cluster)} of {get(cluster, 'properties.workerProfiles[].vmSize')}",
        "machines in": (get(cluster, "properties.clusterProfile.resourceGroupId") or "").rpartition("/")[2],
        "tags": [f"{name}={value}" for name, value in (cluster.get("tags") or {}).items()],
        "created": output.moment(get(cluster, "systemData.createdAt") or ""),
        "created by": get(cluster, "systemData.createdBy"),
        "records": published,
        "id": cluster["id"],
    }
