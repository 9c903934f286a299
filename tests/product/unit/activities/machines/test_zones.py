"""Zones: decided once, from what the customer's subscription may have."""

from typing import Any

import pytest

from tests.product.unit.activities.calls import call
from tests.product.unit.activities.checks.offers import CLOSED, MASTER, NOT_IN_3, WORKER, offers, size, sku
from tests.product.unit.product_world import World

DONE = {"outcome": "done"}


@pytest.fixture
def sized(accepted: World) -> World:
    """Let the cluster want sizes."""
    size(accepted)
    return accepted


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
    """Azure may offer more tomorrow, but existing machines stay where they are."""
    asked = offers(sized, sku(MASTER, ""), sku(WORKER, ""))
    assert call("decide_zones") == DONE
    assert asked[0]["$filter"] == ["location eq 'eastus'"]
    count = len(asked)
    offers(sized, sku(MASTER, "123"), sku(WORKER, "123"))
    assert call("decide_zones") == DONE
    assert len(asked) == count
    assert sized.properties["zones"] == []


def test_every_size_that_is_not_offered_is_told(sized: World) -> None:
    """Each is absent or closed to the subscription; the message says how to find another."""
    offers(sized, sku(WORKER, "123", CLOSED))
    error = call("decide_zones")["error"]
    assert (error["code"], error["target"]) == ("InvalidParameter", "properties.masterProfile.vmSize")
    targets = [detail["target"] for detail in error["details"] if detail["code"] == "InvalidParameter"]
    assert targets == ["properties.masterProfile.vmSize", 'properties.workerProfiles["worker"].vmSize']
    assert "az vm list-skus --location eastus" in error["message"]
    assert "zones" not in sized.properties
