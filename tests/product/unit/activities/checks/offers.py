"""Azure's offers in the cluster's region, scripted for the fake."""

from typing import Any

from tests.product.unit.product_world import CUSTOMER, World

MASTER, WORKER = "Standard_D8s_v5", "Standard_D4s_v5"
IMAGE = {"publisher": "azureopenshift", "offer": "aro4", "sku": "aro_419", "version": "419.6.20250523"}
NOT_IN_3 = {"type": "Zone", "restrictionInfo": {"zones": ["3"]}, "reasonCode": "NotAvailableForSubscription"}
CLOSED = {"type": "Location", "restrictionInfo": {"locations": ["eastus"]}, "reasonCode": "NotAvailableForSubscription"}


def size(world: World, master: str = MASTER, worker: str = WORKER, count: int = 3) -> None:
    """Let the cluster want sizes."""
    world.properties["masterProfile"]["vmSize"] = master
    world.properties["workerProfiles"][0] |= {"vmSize": worker, "count": count}


def version(world: World, name: str = "4.19.24", **members: Any) -> None:
    """Let the cluster want a version, and let Azure have its image.

    Args:
        world: the world.
        name: the version.
        **members: members of its entry in the catalogue.
    """
    world.properties["clusterProfile"]["version"] = name
    pullspec = "quay.io/openshift-release-dev/ocp-release@sha256:1f0f"
    entry = {"id": name, "version": name, "enabled": True, "openShiftPullspec": pullspec, "rhcosImage": IMAGE} | members
    world.cosmos["OpenShiftVersions"].upsert_item(entry)
    lay_image(world, IMAGE)


def lay_image(world: World, image: dict[str, str], **properties: Any) -> None:
    """Let the marketplace have an image, in every region.

    Args:
        world: the world.
        image: its coordinates.
        **properties: what Azure says of it, besides that it is for machines of the first generation.
    """
    world.azure.resources[marketplace_path(image)] = {
        "location": "eastus",
        "properties": {"hyperVGeneration": "V1", "architecture": "x64"} | properties,
    }


def marketplace_path(image: dict[str, str]) -> str:
    """Return where Azure shows an image of the marketplace, in lower case."""
    publisher, offer, sku, number = (image[member] for member in ("publisher", "offer", "sku", "version"))
    return (
        f"/subscriptions/{CUSTOMER}/providers/microsoft.compute/locations/eastus/publishers/{publisher}/artifacttypes/"
        f"vmimage/offers/{offer}/skus/{sku}/versions/{number}".lower()
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
