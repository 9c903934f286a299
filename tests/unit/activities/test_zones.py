"""Zones: decided once, from what the customer's subscription may have."""

from typing import Any

import pytest

from tests.unit.activities.calls import call
from tests.unit.product_world import CUSTOMER, World

DONE = {"outcome": "done"}
MASTER, WORKER = "Standard_D8s_v5", "Standard_D4s_v5"


@pytest.fixture
def sized(accepted: World) -> World:
    """Let the cluster want sizes."""
    accepted.properties["masterProfile"]["vmSize"] = MASTER
    accepted.properties["workerProfiles"][0]["vmSize"] = WORKER
    return accepted


def sku(name: str, zones: str, *restrictions: dict[str, Any]) -> dict[str, Any]:
    """Make what Azure says of a size."""
    return {
        "resourceType": "virtualMachines",
        "name": name,
        "locationInfo": [{"location": "EastUS", "zones": list(zones)}],
        "restrictions": list(restrictions),
    }


def offers(world: World, *skus: dict[str, Any]) -> list[dict[str, list[str]]]:
    """Let Azure offer these, behind a page of something else; return the queries it is asked."""
    asked: list[dict[str, list[str]]] = []
    disks = {"resourceType": "disks", "name": MASTER, "locationInfo": []}

    def page(request: Any) -> Any:
        asked.append(request.query)
        if "skip" in request.query:
            return 200, {"value": list(skus)}, {}
        return 200, {"value": [disks], "nextLink": f"https://{request.host}{request.path}?skip=1&api-version=1"}, {}

    world.azure.on("GET", f"/subscriptions/{CUSTOMER}/providers/Microsoft.Compute/skus$", page)
    return asked


NOT_IN_3 = {"type": "Zone", "restrictionInfo": {"zones": ["3"]}, "reasonCode": "NotAvailableForSubscription"}
CLOSED = {"type": "Location", "restrictionInfo": {"locations": ["eastus"]}, "reasonCode": "NotAvailableForSubscription"}


@pytest.mark.parametrize(
    ("master", "worker", "want"),
    [
        (sku(MASTER, "312"), sku(WORKER, "123"), ["1", "2", "3"]),
        (sku(MASTER, "1234"), sku(WORKER, "1234"), ["1", "2", "3"]),
        (sku(MASTER, ""), sku(WORKER, ""), []),
        (sku(MASTER, "123"), sku(WORKER, "12"), []),
        (sku(MASTER, "123", NOT_IN_3), sku(WORKER, "123"), []),
        (sku(MASTER, "124"), sku(WORKER, "124"), []),
    ],
    ids=["zonal", "four zones", "region without zones", "worker lacks one", "closed zone", "no zone 3"],
)
def test_three_zones_or_none(sized: World, master: dict[str, Any], worker: dict[str, Any], want: list[str]) -> None:
    """Masters and workers are both zonal or both regional."""
    offers(sized, master, worker)
    assert call("decide_zones") == DONE
    assert sized.properties["zones"] == want


def test_zones_are_decided_once(sized: World) -> None:
    """Azure may offer more tomorrow; the machines that exist stay where they are."""
    asked = offers(sized, sku(MASTER, ""), sku(WORKER, ""))
    assert call("decide_zones") == DONE
    assert asked[0]["$filter"] == ["location eq 'eastus'"]
    count = len(asked)
    offers(sized, sku(MASTER, "123"), sku(WORKER, "123"))
    assert call("decide_zones") == DONE
    assert len(asked) == count
    assert sized.properties["zones"] == []


def test_every_size_that_is_not_offered_is_told(sized: World) -> None:
    """Absent or closed to the subscription, and how to find another."""
    offers(sized, sku(WORKER, "123", CLOSED))
    error = call("decide_zones")["error"]
    assert (error["code"], error["target"]) == ("InvalidParameter", "properties.masterProfile.vmSize")
    targets = [detail["target"] for detail in error["details"] if detail["code"] == "InvalidParameter"]
    assert targets == ["properties.masterProfile.vmSize", 'properties.workerProfiles["worker"].vmSize']
    assert "az vm list-skus --location eastus" in error["message"]
    assert "zones" not in sized.properties
