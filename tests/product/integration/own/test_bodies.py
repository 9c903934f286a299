"""Bodies that name what belongs to another team are refused, and nothing is written."""

import json
import random
from collections.abc import Callable

import pytest

from shared.json_object import Json
from tests.entra_azure import ARM, EntraAzure
from tests.local_azure import unique
from tests.product.integration.own.conftest import Stored
from tests.product.integration.own.stage import Tenant, tenant
from tests.product.integration.service.inventory import taken

pytestmark = pytest.mark.xdist_group("own-stored")

CONTAINERS = ("OpenShiftClusters", "AsyncOperations", "Domains", "Billing")
ENCRYPTION = "/providers/Microsoft.Compute/diskEncryptionSets/theirs"


def _master_subnet(body: Json, theirs: Tenant) -> None:
    body["properties"]["masterProfile"]["subnetId"] = f"{theirs.vnet_id}/subnets/master"


def _worker_subnet(body: Json, theirs: Tenant) -> None:
    body["properties"]["workerProfiles"][0]["subnetId"] = f"{theirs.vnet_id}/subnets/worker"


def _missing_subnet(body: Json, theirs: Tenant) -> None:
    body["properties"]["masterProfile"]["subnetId"] = f"{theirs.vnet_id}/subnets/nothing"


def _encryption_set(body: Json, theirs: Tenant) -> None:
    body["properties"]["masterProfile"]["diskEncryptionSetId"] = f"{theirs.group_id}{ENCRYPTION}"


def _group(body: Json, theirs: Tenant) -> None:
    body["properties"]["clusterProfile"]["resourceGroupId"] = theirs.group_id


# What the body names, and the status and the code with which it is refused.
REFUSED: dict[str, tuple[Callable[[Json, Tenant], None], int, str]] = {
    "the masters' subnet": (_master_subnet, 403, "LinkedAuthorizationFailed"),
    "the workers' subnet": (_worker_subnet, 403, "LinkedAuthorizationFailed"),
    "a subnet that does not exist": (_missing_subnet, 403, "LinkedAuthorizationFailed"),
    "an encryption set": (_encryption_set, 403, "LinkedAuthorizationFailed"),
    "a resource group": (_group, 400, "ClusterResourceGroupAlreadyExists"),
}


@pytest.fixture(scope="module")
def teams(entra_azure: EntraAzure) -> tuple[Tenant, Tenant]:
    """Give two teams, each Owner of its own group."""
    rng = random.Random("teams")  # noqa: S311 - for repeatable tests
    return _team(entra_azure, unique(rng, "a")), _team(entra_azure, unique(rng, "b"))


def _team(azure: EntraAzure, name: str) -> Tenant:
    user = azure.user(name)
    found = tenant(azure, name, user)
    azure.assign(user.object_id, "Owner", found.group_id, kind="User")
    return found


def _written(azure: EntraAzure, mine: Tenant) -> set[str]:
    """Return where the state has something of a team's cluster: containers of the service, its vault, ARM's groups."""
    with taken(azure.state) as inventory:
        found = {
            container
            for container in CONTAINERS
            for document in inventory.documents(container)
            if mine.cluster in json.dumps(document)
        }
        secret = mine.principal["client_secret"]
        found |= {"vault" for value in inventory.secret_values("") if secret in value}
        found |= {"group" for key, _ in inventory.rows("arm_groups") if key.endswith(f"/aro-{mine.cluster}")}
    return found


def test_what_an_accepted_body_writes_is_found(entra_azure: EntraAzure, stored: Stored) -> None:
    """The tests below look in the right places."""
    assert _written(entra_azure, stored.owner) == {"OpenShiftClusters", "AsyncOperations", "vault"}


@pytest.mark.parametrize("named", REFUSED)
def test_a_body_that_names_what_is_another_teams_is_refused(
    entra_azure: EntraAzure, teams: tuple[Tenant, Tenant], named: str
) -> None:
    """The service could act on it with its own rights; so it asks what the caller may do before it writes anything."""
    mine, theirs = teams
    change, status, code = REFUSED[named]
    body = mine.body()
    change(body, theirs)
    assert mine.caller is not None
    answer = mine.caller.send("PUT", mine.cluster_id, body)
    assert (answer.status_code, answer.json()["error"]["code"]) == (status, code), answer.text
    assert not _written(entra_azure, mine)


def test_a_cluster_needs_a_group_that_exists(entra_azure: EntraAzure, teams: tuple[Tenant, Tenant]) -> None:
    """ARM would refuse it in front of a provider."""
    mine, _ = teams
    path = mine.cluster_id.replace(f"/{mine.group}/", f"/{mine.group}-nothing/")
    answer = entra_azure.owner.send("PUT", path, mine.body())
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "ResourceGroupNotFound"), answer.text
    assert not _written(entra_azure, mine)


def test_a_lock_on_the_group_keeps_its_clusters(entra_azure: EntraAzure, teams: tuple[Tenant, Tenant]) -> None:
    """A lock holds for whoever may do everything else."""
    mine, _ = teams
    assert mine.caller is not None
    lock = f"{ARM}{mine.group_id}/providers/Microsoft.Authorization/locks/keep?api-version=2020-05-01"
    entra_azure.administrate("PUT", lock, {"properties": {"level": "ReadOnly"}})
    try:
        for method, body in (("PUT", mine.body()), ("DELETE", None)):
            answer = mine.caller.send(method, mine.cluster_id, body)
            assert (answer.status_code, answer.json()["error"]["code"]) == (409, "ScopeLocked"), answer.text
    finally:
        entra_azure.administrate("DELETE", lock)
