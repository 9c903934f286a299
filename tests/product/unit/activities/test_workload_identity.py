"""What activities do for a cluster whose operators have identities of their own, and that has no service principal."""

from types import SimpleNamespace
from typing import Any

import pytest
from azure.core.exceptions import HttpResponseError

from activities.azure import cluster_principal
from activities.azure.storage import role_assignment_name
from activities.checks import linked_resources
from activities.runtime.step import Step
from shared.clusters.identities import cluster_credential, known_identities
from shared.clusters.identities.cluster_credential import Credential, ServicePrincipal
from tests.product.unit.activities.calls import call, error_of, payload
from tests.product.unit.clusters.identities.credentials import become_identities, operator, with_identities
from tests.product.unit.clusters.identities.role_sets import seeded
from tests.product.unit.product_world import CLUSTER_GROUP, World, move_to_own_subscription

ROLES = {
    role["operatorName"]: role["roleDefinitionId"].rpartition("/")[2]
    for role in seeded()["4.19"]["platformWorkloadIdentityRoles"]
}


@pytest.fixture
def identities(accepted: World) -> World:
    """Give the world a cluster with workload identity, whose names are decided."""
    call("decide_names")
    become_identities(accepted.cluster, *ROLES)
    accepted.properties["clusterProfile"]["version"] = "4.19.24"
    for document in seeded().values():
        accepted.cosmos["PlatformWorkloadIdentityRoleSets"].create_item(dict(document))
    return accepted


def parameters(world: World, deployment: str) -> Any:
    """Return the parameters of a deployment that was sent."""
    path = f"{CLUSTER_GROUP}/providers/Microsoft.Resources/deployments/{deployment}".lower()
    return {name: each["value"] for name, each in world.azure.resources[path]["properties"]["parameters"].items()}


def test_each_operator_gets_its_role_at_the_clusters_resource_group(identities: World) -> None:
    """By the object id of its identity; the cluster identity gets none."""
    assert call("deploy_storage_template")["outcome"] == "wait"
    assignments = parameters(identities, "storage")["roleAssignments"]
    assert {each["principalId"]: each["role"] for each in assignments} == {
        f"object-{operator}": role for operator, role in ROLES.items()
    }
    assert {each["name"] for each in assignments} == {
        role_assignment_name(CLUSTER_GROUP, f"object-{operator}", role) for operator, role in ROLES.items()
    }


def test_the_storage_account_has_no_keys_and_the_first_party_gets_a_role_on_it(identities: World) -> None:
    """Nothing that a cluster without a secret has is opened by one."""
    identities.azure.token_claims = {"oid": "object-provider"}
    call("deploy_storage_template")
    sent = parameters(identities, "storage")
    assert sent["hasKeys"] is False
    blobs = "ba92f5b4-2d11-453d-a403-e96b0029c9fe"
    name = role_assignment_name(CLUSTER_GROUP, "object-provider", blobs)
    assert sent["blobAssignments"] == [{"name": name, "role": blobs, "principalId": "object-provider"}]


def test_in_ones_own_subscription_only_roles_of_operators_are_assigned(
    identities: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The service's own role lets it work on the blobs, and lets it assign nothing else."""
    move_to_own_subscription(identities, monkeypatch)
    call("deploy_storage_template")
    sent = parameters(identities, "storage")
    assert (sent["hasKeys"], sent["blobAssignments"]) == (False, [])
    assert {each["role"] for each in sent["roleAssignments"]} == set(ROLES.values())


def test_a_cluster_with_a_principal_keeps_the_keys_of_its_account(accepted: World) -> None:
    """And the service needs no role there."""
    call("decide_names")
    accepted.properties["servicePrincipalProfile"]["objectId"] = "object-1"
    call("deploy_storage_template")
    sent = parameters(accepted, "storage")
    assert (sent["hasKeys"], sent["blobAssignments"]) == (True, [])


def test_a_version_whose_roles_nobody_knows_any_more_fails_with_what_is_missing(identities: World) -> None:
    """The role set was there when the request came."""
    identities.properties["clusterProfile"]["version"] = "4.99.1"
    error = error_of(call("deploy_storage_template"))
    assert "OpenShift 4.99 cannot have workload identity" in error["message"]
    assert identities.azure.changes() == []


def test_after_an_upgrade_the_roles_are_those_of_the_version_that_the_request_went_by(identities: World) -> None:
    """An operator that only the live version has gets its role."""
    known = identities.cosmos["PlatformWorkloadIdentityRoleSets"].documents
    (later,) = [each for each in known.values() if each["openShiftVersion"] == "4.20"]
    roles = later["platformWorkloadIdentityRoles"]
    roles.append(roles[0] | {"operatorName": "later", "secretLocation": {"namespace": "later", "name": "later"}})
    become_identities(identities.cluster, *ROLES, "later")
    identities.properties["clusterProfile"]["version"] = "4.19.24"
    assert "later must not be there" in error_of(call("deploy_storage_template"))["message"]
    identities.cluster["liveVersion"] = "4.20.15"
    assert call("deploy_storage_template")["outcome"] == "wait"
    assignments = parameters(identities, "storage")["roleAssignments"]
    assert "object-later" in {each["principalId"] for each in assignments}


@pytest.mark.parametrize("row", ["deploy_storage_template", "deploy_deny_assignment"])
def test_ids_that_are_not_looked_up_yet_are_named_before_anything_is_sent(identities: World, row: str) -> None:
    """Each of them."""
    del identities.properties["platformWorkloadIdentityProfile"]["platformWorkloadIdentities"]["ingress"]["objectId"]
    message = error_of(call(row))["message"]
    assert 'platformWorkloadIdentities["ingress"].objectId is not known yet' in message
    assert identities.azure.changes() == []


def test_operators_and_the_service_are_exempt_from_the_deny_assignment(identities: World) -> None:
    """The cluster identity is not, because it does nothing in the group."""
    identities.azure.token_claims = {"oid": "object-provider"}
    assert call("deploy_deny_assignment")["outcome"] == "wait"
    spared = parameters(identities, "deny")["sparedPrincipals"]
    assert {each["id"] for each in spared} == {"object-provider", *(f"object-{operator}" for operator in ROLES)}
    assert {each["type"] for each in spared} == {"ServicePrincipal"}
    assert call("settle_deny_assignment") == {"outcome": "done"}, "nothing has to change"


def test_former_identities_stay_exempt_until_the_cluster_runs_without_them(identities: World) -> None:
    """An update exempts the new one beside the former one first."""
    identities.azure.token_claims = {"oid": "object-provider"}
    known_identities.note_created(identities.cluster)
    profile = identities.properties["platformWorkloadIdentityProfile"]["platformWorkloadIdentities"]
    profile["ingress"] = operator("ingress-2")
    assert call("note_principal") == {"outcome": "done"}
    call("deploy_deny_assignment")
    spared = {each["id"] for each in parameters(identities, "deny")["sparedPrincipals"]}
    assert {"object-ingress", "object-ingress-2"} <= spared
    call("settle_deny_assignment")
    spared = {each["id"] for each in parameters(identities, "deny")["sparedPrincipals"]}
    assert "object-ingress-2" in spared
    assert "object-ingress" not in spared


def test_what_the_service_may_not_read_is_read_by_nobody_else() -> None:
    """The service never acts as the cluster, so its own refusal is the answer."""
    tried = []
    forbidden = HttpResponseError("forbidden")
    forbidden.status_code = 403
    step: Any = SimpleNamespace(customer="service", credential=cluster_credential.parse(with_identities("ingress")))

    def read(connect: Any) -> None:
        tried.append(connect)
        raise forbidden

    with pytest.raises(HttpResponseError) as caught:
        cluster_principal.read_as_either(step, read)
    assert caught.value is forbidden
    assert tried == ["service"]


@pytest.mark.parametrize(
    ("credential", "want"),
    [
        (ServicePrincipal("client-1"), "Neither the resource provider nor the service principal may read the"),
        (cluster_credential.parse(with_identities("ingress")), "The resource provider may not read the"),
    ],
    ids=["service principal", "workload identity"],
)
def test_who_may_not_read_a_resource_is_named(accepted: World, credential: Credential, want: str) -> None:
    """A cluster without a principal blames none."""
    step = Step(payload({"name": "validate_network", "phase": "validation"}, "run"), accepted.cluster)
    assert linked_resources.network(step).unreadable(credential).message.startswith(want)


def test_a_row_that_is_about_a_principal_never_runs_for_such_a_cluster(identities: World) -> None:
    """Its plan leaves these rows out; a plan that has one is a mistake of the service."""
    for row in ("validate_service_principal", "validate_service_principal_permissions"):
        assert error_of(call(row))["code"] == "InternalServerError"
    assert identities.azure.changes() == []


def test_an_update_notes_identities_and_no_principal_and_removes_nobodys_roles(identities: World) -> None:
    """The rows run, because an update without a change runs them too. It notes only what has changed."""
    known_identities.note_created(identities.cluster)
    for row in ("note_principal", "remove_former_role_assignments"):
        assert call(row) == {"outcome": "done"}
    assert "principal" not in identities.cluster
    assert "tried" not in identities.cluster["identities"]
    assert identities.azure.changes() == []
