"""A cluster as people read it."""

from aroctl import output
from aroctl.api import Json
from aroctl.output import Format
from aroctl.requested_cluster import get

COLUMNS = ("name", "group", "location", "version", "state", "workers")


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
        "state": get(cluster, "properties.provisioningState"),
        "workers": _workers(cluster),
    }


def records(cluster: Json) -> dict[str, str]:
    """Return the names that the owner of a domain publishes, and their addresses; none below the service's domain."""
    domain = get(cluster, "properties.clusterProfile.domain") or ""
    if "." not in domain:
        return {}
    named = (("api", "properties.apiserverProfile.ip"), ("*.apps", "properties.ingressProfiles[].ip"))
    return {f"{name}.{domain}": get(cluster, path) for name, path in named if get(cluster, path)}


def _workers(cluster: Json) -> int:
    """Return how many workers there are now; those asked for while nobody can count them."""
    live = get(cluster, "properties.workerProfilesStatus") or get(cluster, "properties.workerProfiles") or []
    return sum(each.get("count") or 0 for each in live)


def _facts(cluster: Json) -> Json:
    published = [f"{host} A {address}" for host, address in records(cluster).items()]
    return {
        "name": cluster["name"],
        "state": get(cluster, "properties.provisioningState"),
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
        **dict(zip(("records", ""), published, strict=False)),
        "id": cluster["id"],
    }
