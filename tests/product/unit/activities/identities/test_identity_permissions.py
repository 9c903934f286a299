"""What the identities of a cluster must be allowed, as far as roles on them and on the network are for it."""

from typing import Any

import pytest

from tests.product.unit.activities.calls import DONE, call, error_of, twice
from tests.product.unit.activities.checks.customer_network import ENCRYPTION_SET, GATEWAY, ROUTES, SECURITY_GROUP, lay
from tests.product.unit.activities.identities.conftest import OPERATORS, Identities, identity
from tests.product.unit.activities.identities.identities_fake import object_id
from tests.product.unit.activities.identities.roles_fake import ACTOR, ACTOR_ACTIONS, OF_OPERATORS, FakeRoles
from tests.product.unit.clusters.identities.role_sets import seeded
from tests.product.unit.product_world import ENVIRONMENT, NETWORK

GUIDS = {
    role["operatorName"]: role["roleDefinitionId"].rpartition("/")[2]
    for role in seeded()["4.19"]["platformWorkloadIdentityRoles"]
}
SUBNETS = f"{NETWORK}/subnets"


@pytest.fixture
def roles(ready: Identities) -> FakeRoles:
    """Give the customer a network with everything attached, and nobody a role."""
    subnets = lay(ready.world)
    subnets["master"] |= {"routeTable": {"id": ROUTES}, "networkSecurityGroup": {"id": SECURITY_GROUP}}
    subnets["worker"] |= {"natGateway": {"id": GATEWAY}}
    ready.world.properties["networkProfile"]["preconfiguredNSG"] = "Enabled"
    ready.world.properties["masterProfile"]["diskEncryptionSetId"] = ENCRYPTION_SET
    operators = {GUIDS[operator]: actions for operator, actions in OF_OPERATORS.items()}
    return FakeRoles(ready.world.azure, operators | {ACTOR: ACTOR_ACTIONS})


def grant_operators(roles: FakeRoles, *, without: str = "") -> None:
    """Assign the operators' roles at the whole group with the network."""
    group = NETWORK.partition("/providers")[0]
    for operator in OPERATORS:
        if operator != without:
            roles.assign(object_id(operator), GUIDS[operator], group)


def lacking(outcome: dict[str, Any]) -> set[tuple[str, str]]:
    """Return operator and resource of each problem."""
    code = "InvalidWorkloadIdentityPermissions"
    entries = [each for each in error_of(outcome)["details"] if each["code"] == code]
    return {(each["target"].split('"')[1], each["message"].partition("lacks")[2].split("'")[1]) for each in entries}


def test_operators_with_their_roles_pass(roles: FakeRoles) -> None:
    """Assigned at a scope above, as at the resources themselves."""
    grant_operators(roles)
    twice("validate_operator_permissions")


def test_roles_where_the_client_assigns_them_are_enough(roles: FakeRoles) -> None:
    """At subnets, the network, and what is attached to the subnets."""
    at = {
        "aro-operator": [f"{SUBNETS}/master", f"{SUBNETS}/worker", ROUTES, GATEWAY, SECURITY_GROUP],
        "cloud-controller-manager": [f"{SUBNETS}/master", f"{SUBNETS}/worker", ROUTES, GATEWAY, SECURITY_GROUP],
        "cloud-network-config": [NETWORK],
        "disk-csi-driver": [ENCRYPTION_SET],
        "file-csi-driver": [NETWORK, ROUTES, GATEWAY, SECURITY_GROUP],
        "image-registry": [NETWORK],
        "ingress": [f"{SUBNETS}/master", f"{SUBNETS}/worker"],
        "machine-api": [f"{SUBNETS}/master", f"{SUBNETS}/worker", ROUTES, SECURITY_GROUP, ENCRYPTION_SET],
    }
    assert at.keys() == set(OPERATORS)
    for operator, scopes in at.items():
        for scope in scopes:
            roles.assign(object_id(operator), GUIDS[operator], scope)
    assert call("validate_operator_permissions") == DONE


def test_a_missing_role_names_operator_resource_and_command_and_is_waited_for(roles: FakeRoles) -> None:
    """All of them at once; only what the operator's role is for is asked about."""
    grant_operators(roles, without="ingress")
    outcome = call("validate_operator_permissions")
    assert outcome["retryClass"] == "authorization"
    assert lacking(outcome) == {("ingress", f"{SUBNETS}/master"), ("ingress", f"{SUBNETS}/worker")}
    first = error_of(outcome)["details"][0]["message"]
    assert "lacks these permissions on the subnet" in first
    assert (
        f"az role assignment create --assignee-object-id {object_id('ingress')} --assignee-principal-type "
        f"ServicePrincipal --role {GUIDS['ingress']} --scope '{SUBNETS}/master'"
    ) in first
    roles.assign(object_id("ingress"), GUIDS["ingress"], NETWORK)
    assert call("validate_operator_permissions") == DONE


@pytest.mark.usefixtures("roles")
def test_nobody_having_a_role_is_reported_for_each_resource_that_matters() -> None:
    """Not for the others, such as a write on the network, which no operator's role has."""
    found = lacking(call("validate_operator_permissions"))
    assert {operator for operator, _ in found} == set(OPERATORS)
    assert {scope for operator, scope in found if operator == "machine-api"} == {
        *(f"{SUBNETS}/{name}" for name in ("master", "worker")),
        ROUTES,
        SECURITY_GROUP,
        ENCRYPTION_SET,
    }
    assert {scope for operator, scope in found if operator == "disk-csi-driver"} == {ENCRYPTION_SET}


def test_what_another_operator_may_does_not_count(roles: FakeRoles) -> None:
    """Each identity acts for its own operator."""
    grant_operators(roles, without="ingress")
    roles.assign(object_id("machine-api"), GUIDS["ingress"], NETWORK)
    assert {operator for operator, _ in lacking(call("validate_operator_permissions"))} == {"ingress"}


def test_a_role_that_azure_does_not_have_is_the_services_mistake(roles: FakeRoles) -> None:
    """Its operators have written the role set."""
    del roles.definitions[GUIDS["ingress"]]
    error = error_of(call("validate_operator_permissions"))
    assert GUIDS["ingress"] in error["message"]
    assert {"code": "Owner", "message": "platform"} in error["details"]


@pytest.mark.parametrize("row", ["validate_operator_permissions", "validate_cluster_identity_permissions"])
def test_rights_that_cannot_be_read_now_are_read_later(roles: FakeRoles, row: str) -> None:
    """An outage says nothing about roles."""
    roles.away = True
    outcome = call(row)
    assert outcome["retryClass"] == "transient"
    assert {"code": "Owner", "message": "azure"} in error_of(outcome)["details"]


def test_the_cluster_identity_with_its_role_on_each_identity_passes(roles: FakeRoles) -> None:
    """Nothing is changed to find out."""
    for operator in OPERATORS:
        roles.assign(object_id("aro-Cluster"), ACTOR, identity(operator))
    twice("validate_cluster_identity_permissions")


def test_each_identity_on_which_the_role_is_missing_is_named(roles: FakeRoles, ready: Identities) -> None:
    """With the actions and the command; roles spread."""
    for operator in OPERATORS[2:]:
        roles.assign(object_id("aro-Cluster"), ACTOR, identity(operator))
    outcome = call("validate_cluster_identity_permissions")
    error = error_of(outcome)
    assert (error["code"], outcome["retryClass"]) == ("InvalidClusterMSIPermissions", "authorization")
    assert "target" not in error
    entries = [each["message"] for each in error["details"] if each["code"] == "InvalidClusterMSIPermissions"]
    assert len(entries) == 2
    assert f"on the identity '{identity(min(OPERATORS))}'" in entries[0]
    assert all(action in entries[0] for action in ACTOR_ACTIONS)
    assert f"--assignee-object-id {object_id('aro-Cluster')} " in entries[0]
    assert ready.world.azure.changes() == []


def test_in_ones_own_subscription_the_service_needs_the_role(
    in_own_subscription: Identities,
) -> None:
    """Whoever acts is checked."""
    roles = FakeRoles(in_own_subscription.world.azure, {ACTOR: ACTOR_ACTIONS})
    call("look_up_identities")
    message = error_of(call("validate_cluster_identity_permissions"))["message"]
    assert f"The service's managed identity (object id {ENVIRONMENT['RP_OBJECT_ID']}) lacks" in message
    for operator in OPERATORS:
        roles.assign(ENVIRONMENT["RP_OBJECT_ID"], ACTOR, identity(operator))
    assert call("validate_cluster_identity_permissions") == DONE
