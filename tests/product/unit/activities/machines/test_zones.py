"""Zones and image: decided once, from what the customer's subscription may have and what the catalogue says."""

from typing import Any

import pytest

from tests.product.unit.activities.calls import call
from tests.product.unit.activities.checks.offers import CLOSED, MASTER, NOT_IN_3, WORKER, offers, size, sku, version
from tests.product.unit.product_world import World

DONE = {"outcome": "done"}
IMAGE = {"publisher": "azureopenshift", "offer": "aro4", "sku": "aro_43", "version": "43.81.20200311"}


@pytest.fixture
def sized(accepted: World) -> World:
    """Let the cluster want sizes, and a version whose image follows from its release."""
    size(accepted)
    version(accepted)
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


def test_the_image_is_decided_once(sized: World) -> None:
    """The catalogue may have a newer one by now, but the machines of a cluster are alike."""
    offers(sized, sku(MASTER, "123"), sku(WORKER, "123"))
    assert call("decide_zones") == DONE
    assert sized.properties["rhcosImage"] == IMAGE
    older = IMAGE | {"version": "43.81.20191122"}
    sized.properties["rhcosImage"] = older
    assert call("decide_zones") == DONE
    assert sized.properties["rhcosImage"] == older


def test_zones_of_an_older_build_stay_and_get_an_image(sized: World) -> None:
    """A create that continues under a newer build does not ask Azure again."""
    sized.properties["zones"] = ["1", "2", "3"]
    assert call("decide_zones") == DONE
    assert (sized.properties["zones"], sized.properties["rhcosImage"]) == (["1", "2", "3"], IMAGE)


def test_a_version_without_an_image_is_the_operators(sized: World) -> None:
    """The error says what the entry lacks, before anything is made from it."""
    offers(sized, sku(MASTER, "123"), sku(WORKER, "123"))
    sized.cosmos["OpenShiftVersions"].upsert_item({"id": "4.3.18", "version": "4.3.18", "enabled": True})
    error = call("decide_zones")["error"]
    assert (error["code"], error["target"]) == ("InternalServerError", "properties.clusterProfile.version")
    assert "has no 'rhcosImage', and no 'releaseMetadata'" in error["message"]
    assert "zones" not in sized.properties


def test_an_image_that_the_release_has_to_be_asked_for_is_left_open(sized: World) -> None:
    """There is no token for the release's registry yet; a later decision stays."""
    offers(sized, sku(MASTER, "123"), sku(WORKER, "123"))
    (entry,) = sized.cosmos["OpenShiftVersions"].documents.values()
    sized.cosmos["OpenShiftVersions"].upsert_item(
        entry | {"id": "4.19.24", "version": "4.19.24", "releaseMetadata": None}
    )
    sized.properties["clusterProfile"]["version"] = "4.19.24"
    assert call("decide_zones") == DONE
    assert sized.properties["zones"] == ["1", "2", "3"]
    assert "rhcosImage" not in sized.properties
    sized.properties["rhcosImage"] = IMAGE
    assert call("decide_zones") == DONE
    assert sized.properties["rhcosImage"] == IMAGE
