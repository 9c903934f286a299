"""What Azure has for the cluster: sizes, encryption sets, registered providers."""

from typing import Any

import pytest

from tests.product.unit.activities.calls import call
from tests.product.unit.activities.checks.customer_network import ENCRYPTION_SET
from tests.product.unit.activities.checks.offers import CLOSED, MASTER, NOT_IN_3, WORKER, offers, size, sku, version
from tests.product.unit.activities.checks.rows import check, problems
from tests.product.unit.product_world import CUSTOMER, World

DONE = {"outcome": "done"}
SIZES = "vm_sizes:validate_vm_sizes"
SETS = "disk_encryption_sets:validate_disk_encryption_sets"
PROVIDERS = "providers:validate_providers"
MASTER_SIZE, WORKER_SIZE = "properties.masterProfile.vmSize", 'properties.workerProfiles["worker"].vmSize'


def test_sizes_that_the_subscription_may_have_pass(accepted: World) -> None:
    """If zones are closed, or the region has none, the machines are regional."""
    size(accepted)
    version(accepted)
    offers(accepted, sku(MASTER, "123", NOT_IN_3), sku(WORKER, ""))
    assert check(SIZES) == check(SIZES) == DONE
    assert call("decide_zones") == DONE
    assert accepted.properties["zones"] == []


def test_the_list_of_sizes_is_read_by_the_check_and_kept_for_the_other_rows(accepted: World) -> None:
    """The list is long. A repeated check reads it again, because Azure may have opened a size."""
    size(accepted)
    version(accepted)
    asked = offers(accepted, sku(MASTER, "123", CLOSED), sku(WORKER))
    assert check(SIZES)["outcome"] == "failed"
    asked = offers(accepted, sku(MASTER), sku(WORKER))
    assert check(SIZES) == call("decide_zones") == DONE
    assert len(asked) == 2, "one list has two pages"


def test_every_size_that_cannot_be_had_is_told_with_sizes_that_can(accepted: World) -> None:
    """A suggestion is a size that this role may have, and that is open here."""
    size(accepted)
    version(accepted)
    offers(accepted, sku(MASTER, "123", CLOSED), sku("Standard_D8s_v4"), sku("Standard_D4s_v4"), sku("Standard_D8s_v3"))
    outcome = check(SIZES)
    master, worker = problems(outcome)
    assert outcome["retryClass"] == "none"
    assert master[:2] == ("InvalidParameter", MASTER_SIZE)
    assert "closed to subscription" in master[2]
    assert "NotAvailableForSubscription" in master[2]
    assert "Standard_D8s_v4" in master[2]
    assert "Standard_D4s_v4" not in master[2], "no size of a master's"
    assert worker[:2] == ("InvalidParameter", WORKER_SIZE)
    assert "not offered in eastus" in worker[2]
    assert "Standard_D4s_v4" in worker[2]
    assert "az vm list-skus --location eastus" in worker[2]


def encrypt(world: World, state: str) -> None:
    """Let the cluster want encryption at host, and its feature be in this state."""
    size(world)
    version(world)
    world.properties["masterProfile"]["encryptionAtHost"] = "Enabled"
    world.properties["workerProfiles"][0]["encryptionAtHost"] = "Enabled"
    path = (
        f"/subscriptions/{CUSTOMER}/providers/microsoft.features/providers/microsoft.compute/features/encryptionathost"
    )
    world.azure.resources[path] = {"name": "Microsoft.Compute/EncryptionAtHost", "properties": {"state": state}}


def test_a_size_whose_host_cannot_encrypt_is_refused_where_it_should(accepted: World) -> None:
    """The target is the member that asks for encryption."""
    encrypt(accepted, "Registered")
    offers(accepted, sku(MASTER, EncryptionAtHostSupported="True"), sku(WORKER))
    (problem,) = problems(check(SIZES))
    assert problem[:2] == ("InvalidParameter", 'properties.workerProfiles["worker"].encryptionAtHost')
    assert WORKER in problem[2]


def test_a_subscription_that_may_not_encrypt_at_host_is_told_how_it_may(accepted: World) -> None:
    """Azure would refuse the machines half an hour later. Clusters without encryption do not need the feature."""
    encrypt(accepted, "NotRegistered")
    offers(accepted, *(sku(name, EncryptionAtHostSupported="True") for name in (MASTER, WORKER)))
    (problem,) = problems(check(SIZES))
    assert problem[:2] == ("InvalidParameter", "properties.masterProfile.encryptionAtHost")
    assert "az feature register --namespace Microsoft.Compute --name EncryptionAtHost" in problem[2]
    for profile in (accepted.properties["masterProfile"], accepted.properties["workerProfiles"][0]):
        profile["encryptionAtHost"] = "Disabled"
    assert check(SIZES) == DONE


def lay_set(world: World, **members: Any) -> None:
    """Let the cluster use an encryption set, and let it exist."""
    world.properties["masterProfile"]["diskEncryptionSetId"] = ENCRYPTION_SET
    world.properties["workerProfiles"][0]["diskEncryptionSetId"] = ENCRYPTION_SET.lower()
    body = {"id": ENCRYPTION_SET, "location": "eastus", "properties": {"provisioningState": "Succeeded"}}
    world.azure.resources[ENCRYPTION_SET.lower()] = body | members


def test_an_encryption_set_of_the_region_passes(accepted: World) -> None:
    """It is read once, although masters and workers name it."""
    lay_set(accepted)
    assert check(SETS) == DONE
    assert sum("diskEncryptionSets" in request.path for request in accepted.azure.calls) == 1


def test_an_encryption_set_elsewhere_or_broken_is_refused(accepted: World) -> None:
    """Both are told."""
    lay_set(accepted, location="westus", properties={"provisioningState": "Failed"})
    first, second = problems(check(SETS))
    assert first[:2] == ("InvalidLinkedDiskEncryptionSet", "properties.masterProfile.diskEncryptionSetId")
    assert "westus" in first[2]
    assert "Failed" in second[2]


def test_an_encryption_set_that_is_not_there_is_refused(accepted: World) -> None:
    """The error has its id."""
    lay_set(accepted)
    accepted.azure.resources.pop(ENCRYPTION_SET.lower())
    (problem,) = problems(check(SETS))
    assert problem[0] == "InvalidLinkedDiskEncryptionSet"
    assert ENCRYPTION_SET in problem[2]


def test_an_encryption_set_that_may_not_be_read_yet_is_asked_about_again(accepted: World) -> None:
    """The role may still be spreading."""
    lay_set(accepted)
    accepted.azure.fails("GET", "/diskEncryptionSets/des$", 403, "AuthorizationFailed")
    outcome = check(SETS)
    assert outcome["retryClass"] == "authorization"
    assert problems(outcome)[0][0] == "InvalidResourceProviderPermissions"


def register(world: World, **states: str) -> None:
    """Let these providers be in these states, and the others registered."""
    for name in ("Authorization", "Compute", "Network", "Storage"):
        path = f"/subscriptions/{CUSTOMER}/providers/Microsoft.{name}"
        state = states.get(name, "Registered")
        world.azure.resources[path.lower()] = {"namespace": f"Microsoft.{name}", "registrationState": state}


def test_registered_providers_pass(accepted: World) -> None:
    """All four of them."""
    register(accepted)
    assert check(PROVIDERS) == DONE


def test_every_provider_that_is_not_registered_is_named_with_the_line_that_does_it(accepted: World) -> None:
    """Registrations in progress are reported with them."""
    register(accepted, Compute="NotRegistered", Storage="Unregistered", Network="Registering")
    outcome = check(PROVIDERS)
    assert outcome["retryClass"] == "none"
    found = problems(outcome)
    assert {code for code, _, _ in found} == {"ResourceProviderNotRegistered"}
    names = [message.split("--namespace ")[1].split()[0] for _, _, message in found]
    assert names == ["Microsoft.Compute", "Microsoft.Network", "Microsoft.Storage"]
    assert all(f"--subscription {CUSTOMER}" in message for _, _, message in found)


def test_a_registration_under_way_is_waited_for(accepted: World) -> None:
    """It takes a minute."""
    register(accepted, Network="Registering")
    assert check(PROVIDERS)["retryClass"] == "busy"


@pytest.mark.parametrize("target", [SIZES, SETS, PROVIDERS])
def test_a_throttled_check_is_tried_again(accepted: World, target: str) -> None:
    """Like any call to Azure."""
    size(accepted)
    version(accepted)
    lay_set(accepted)
    accepted.azure.fails("GET", ".*/providers/Microsoft", 429, "TooManyRequests", **{"Retry-After": "7"})
    outcome = check(target)
    assert (outcome["retryClass"], outcome["retryAfterSeconds"]) == ("throttled", 7)
