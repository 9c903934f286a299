"""Azure's offers in the cluster's region, scripted for the fake."""

from typing import Any

from tests.product.unit.product_world import CUSTOMER, World

MASTER, WORKER = "Standard_D8s_v5", "Standard_D4s_v5"
NOT_IN_3 = {"type": "Zone", "restrictionInfo": {"zones": ["3"]}, "reasonCode": "NotAvailableForSubscription"}
CLOSED = {"type": "Location", "restrictionInfo": {"locations": ["eastus"]}, "reasonCode": "NotAvailableForSubscription"}


def size(world: World, master: str = MASTER, worker: str = WORKER, count: int = 3) -> None:
    """Let the cluster want sizes."""
    world.properties["masterProfile"]["vmSize"] = master
    world.properties["workerProfiles"][0] |= {"vmSize": worker, "count": count}


def version(world: World) -> None:
    """Let the cluster want a version whose image follows from its release."""
    world.properties["clusterProfile"]["version"] = "4.3.18"
    world.cosmos["OpenShiftVersions"].create_item(
        {
            "id": "4.3.18",
            "version": "4.3.18",
            "enabled": True,
            "openShiftPullspec": "quay.io/openshift-release-dev/ocp-release@sha256:1f0f",
            "releaseMetadata": {"azure": {"image": "rhcos-43.81.202003111353.0-azure.x86_64.vhd"}},
        }
    )


def sku(name: str, zones: str = "123", *restrictions: dict[str, Any], **capabilities: str) -> dict[str, Any]:
    """Make what Azure says of a size."""
    cores = "".join(character for character in name.split("_")[1] if character.isdigit())
    return {
        "resourceType": "virtualMachines",
        "name": name,
        "family": "standardDSv5Family",
        "locationInfo": [{"location": "EastUS", "zones": list(zones)}],
        "capabilities": [{"name": key, "value": value} for key, value in ({"vCPUs": cores} | capabilities).items()],
        "restrictions": list(restrictions),
    }


def offers(world: World, *skus: dict[str, Any]) -> list[dict[str, list[str]]]:
    """Make Azure offer these, after a page of something else; return the queries that it gets."""
    asked: list[dict[str, list[str]]] = []
    disks = {"resourceType": "disks", "name": MASTER, "locationInfo": []}

    def page(request: Any) -> Any:
        asked.append(request.query)
        if "skip" in request.query:
            return 200, {"value": list(skus)}, {}
        return 200, {"value": [disks], "nextLink": f"https://{request.host}{request.path}?skip=1&api-version=1"}, {}

    world.azure.on("GET", f"/subscriptions/{CUSTOMER}/providers/Microsoft.Compute/skus$", page)
    return asked
