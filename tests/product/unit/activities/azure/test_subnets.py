"""The service endpoint of storage in the cluster's subnets."""

from collections.abc import Callable
from typing import Any

import pytest

from shared import remedies
from tests.product.unit.activities.calls import DONE, call, error_of
from tests.product.unit.activities.test_create import until_done
from tests.product.unit.product_world import NETWORK, World

ROW = "ensure_service_endpoints"
STORAGE = {"service": "Microsoft.Storage", "locations": ["*"]}


def subnet(world: World, name: str, *services: str) -> Callable[[], Any]:
    """Let a subnet of the customer's have these service endpoints; return a function that reads its properties."""
    endpoints = {"serviceEndpoints": [{"service": each} for each in services]} if services else {}
    properties = {"addressPrefix": "10.0.0.0/24", "provisioningState": "Succeeded", "kept": 1} | endpoints
    world.azure.resources[f"{NETWORK}/subnets/{name}".lower()] = {"name": name, "properties": properties}
    return lambda: world.azure.resources[f"{NETWORK}/subnets/{name}".lower()]["properties"]


def test_both_subnets_get_the_endpoint_one_after_the_other(accepted: World) -> None:
    """Their other endpoints and properties stay, and the second run changes nothing."""
    master, worker = subnet(accepted, "master", "Microsoft.KeyVault"), subnet(accepted, "worker")
    assert until_done(ROW) == 3
    assert call(ROW) == DONE
    assert accepted.azure.changes() == ["PUT subnets/master", "PUT subnets/worker"]
    assert master()["serviceEndpoints"] == [{"service": "Microsoft.KeyVault"}, STORAGE]
    assert worker()["serviceEndpoints"] == [STORAGE]
    assert master()["kept"] == worker()["kept"] == 1


@pytest.mark.parametrize("service", ["microsoft.storage", "Microsoft.Storage.Global"])
def test_a_subnet_with_an_endpoint_of_storage_is_left_alone(accepted: World, service: str) -> None:
    """Azure allows no endpoint of the region beside that of all regions, which does as well."""
    for name in ("master", "worker"):
        subnet(accepted, name, service)
    assert call(ROW) == DONE
    assert accepted.azure.changes() == []


def test_a_subnet_that_azure_still_changes_has_no_endpoint_yet(accepted: World) -> None:
    """Azure says when it has."""
    master = subnet(accepted, "master", "Microsoft.Storage")
    subnet(accepted, "worker", "Microsoft.Storage")
    master()["provisioningState"] = "Updating"
    assert call(ROW) == {"outcome": "wait", "message": "subnet master is Updating"}


def test_a_subnet_that_is_gone_is_named(accepted: World) -> None:
    """It is the customer's."""
    subnet(accepted, "master", "Microsoft.Storage")
    error = error_of(call(ROW))
    assert (error["code"], error["target"]) == ("InvalidLinkedVNet", 'properties.workerProfiles["worker"].subnetId')
    assert f"{NETWORK}/subnets/worker" in error["message"]


def test_a_customer_who_forbids_the_endpoint_reads_how_to_allow_it(accepted: World) -> None:
    """Azure names the policy. Whatever else keeps the endpoint away ends with the row's own remedy."""
    subnet(accepted, "master")
    accepted.azure.fails("PUT", "/subnets/master$", 403, "RequestDisallowedByPolicy")
    details = {each["code"]: each["message"] for each in error_of(call(ROW))["details"]}
    assert details["Step"] == ROW
    assert details["Owner"] == "customer"
    assert details["Remedy"] == remedies.BY_CODE["RequestDisallowedByPolicy"]
    assert "policies that forbid the endpoint or remove it" in remedies.BY_ROW[ROW]
