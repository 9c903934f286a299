"""The ids of the identities: looked up and stored, and what is said of an identity that cannot be read."""

from typing import Any

from tests.product.unit.activities.calls import DONE, call, error_of, twice
from tests.product.unit.activities.identities.conftest import OPERATORS, Identities, identity
from tests.product.unit.activities.identities.identities_fake import object_id
from tests.product.unit.clusters.identities.credentials import CLUSTER_IDENTITY
from tests.product.unit.product_world import CUSTOMER_TENANT, ENVIRONMENT

OWN_ID = ENVIRONMENT["RP_OBJECT_ID"]
ROLE = "ef318e2a-8334-4a05-9e4a-295a196c6a6e"


def stored(identities: Identities) -> dict[str, tuple[str, str]]:
    """Return the stored ids of each operator, and of the cluster as ``."""
    cluster, profile = identities.world.cluster["openShiftCluster"], "platformWorkloadIdentityProfile"
    operators = cluster["properties"][profile]["platformWorkloadIdentities"]
    (assigned,) = cluster["identity"]["userAssignedIdentities"].values()
    return {name: (each.get("clientId"), each.get("objectId")) for name, each in operators.items()} | {
        "": (assigned.get("clientId"), assigned.get("principalId"))
    }


WANT = {operator: (f"client-{operator}", object_id(operator)) for operator in OPERATORS} | {
    "": ("client-aro-Cluster", object_id("aro-Cluster"))
}


def test_the_ids_of_all_identities_are_stored(hosted: Identities) -> None:
    """A second run stores nothing, and what others have written stays."""
    call("ensure_identity_certificate")
    twice("look_up_identities")
    assert stored(hosted) == WANT
    assert hosted.world.cluster["openShiftCluster"]["identity"]["type"] == "UserAssigned"
    assert hosted.world.azure.changes() == ["POST credentials/doc"] * 2


def test_the_first_party_reads_identities_as_the_cluster_identity(hosted: Identities) -> None:
    """With its certificate, in its tenant."""
    call("ensure_identity_certificate")
    hosted.world.azure.calls.clear()
    call("look_up_identities")
    (login,) = (each for each in hosted.world.azure.calls if each.method == "POST" and "/token" in each.path)
    assert login.path.startswith(f"/{CUSTOMER_TENANT}/")
    assert "client_id=client-aro-Cluster" in login.text
    assert "client_assertion=" in login.text


def test_in_ones_own_subscription_the_service_reads_them_itself(in_own_subscription: Identities) -> None:
    """The cluster identity too, because nobody issues a certificate for it."""
    twice("look_up_identities")
    assert stored(in_own_subscription) == WANT
    assert in_own_subscription.azure.issued == []
    assert not [each for each in in_own_subscription.world.azure.calls if "login" in each.host]


def test_identities_that_do_not_exist_are_named_all_at_once(hosted: Identities) -> None:
    """With their operator and the path in the request; waiting does not help."""
    call("ensure_identity_certificate")
    for operator in ("ingress", "machine-api"):
        del hosted.azure.known[identity(operator).lower()]
    outcome = call("look_up_identities")
    error = error_of(outcome)
    assert (error["code"], outcome["retryClass"]) == ("InvalidPlatformWorkloadIdentity", "none")
    found = [each for each in error["details"] if each["code"] == "InvalidPlatformWorkloadIdentity"]
    path = "properties.platformWorkloadIdentityProfile.platformWorkloadIdentities"
    assert [each["target"] for each in found] == [f'{path}["ingress"]', f'{path}["machine-api"]']
    assert f"'{identity('ingress')}' of operator 'ingress' was not found" in found[0]["message"]


def test_an_identity_that_may_not_be_read_is_waited_for_with_the_command_that_helps(hosted: Identities) -> None:
    """A role takes a while to be known everywhere."""
    call("ensure_identity_certificate")
    hosted.azure.refused.add(identity("ingress").lower())
    outcome = call("look_up_identities")
    message = error_of(outcome)["message"]
    assert outcome["retryClass"] == "authorization"
    assert f"The cluster identity '{CLUSTER_IDENTITY}' may not read the identity '{identity('ingress')}'" in message
    assert (
        f"az role assignment create --assignee-object-id {object_id('aro-Cluster')} --assignee-principal-type "
        f"ServicePrincipal --role {ROLE} --scope '{identity('ingress')}'"
    ) in message
    hosted.azure.refused.clear()
    assert call("look_up_identities") == DONE


def test_in_ones_own_subscription_the_command_is_for_the_service(in_own_subscription: Identities) -> None:
    """Its owner gives it the role on each identity, the cluster's too."""
    in_own_subscription.azure.refused.add(CLUSTER_IDENTITY.lower())
    message = error_of(call("look_up_identities"))["message"]
    assert "The service's managed identity may not read the identity" in message
    assert "of the cluster" in message
    assert f"--assignee-object-id {OWN_ID} " in message


def test_a_missing_identity_is_told_before_one_that_may_not_be_read(hosted: Identities) -> None:
    """Both are listed, and no wait is needed to find out."""
    call("ensure_identity_certificate")
    hosted.azure.refused.add(identity("ingress").lower())
    del hosted.azure.known[identity("machine-api").lower()]
    outcome: Any = call("look_up_identities")
    assert outcome["retryClass"] == "none"
    assert len([each for each in error_of(outcome)["details"] if "target" in each and each["code"] != "Step"]) == 2
