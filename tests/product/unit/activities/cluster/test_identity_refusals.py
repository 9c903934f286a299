"""Whose access to Azure an operator misses is read from what the cluster says: the operator, its identity, and why."""

import pytest

from activities.cluster import identity_refusals
from activities.cluster.identity_refusals import Refusal
from shared.clusters.identities import cluster_credential
from shared.clusters.identities.cluster_credential import Credential
from shared.json_object import Json
from shared.openshift.conditions import OPERATORS, WORKER_MACHINES
from tests.product.unit.clusters.identities.credentials import IDENTITIES, with_identities, with_principal
from tests.product.unit.openshift.objects import condition, machine, made, operator

IDENTITIES_OF_ALL = cluster_credential.parse(
    with_identities("cloud-network-config", "disk-csi-driver", "file-csi-driver", "ingress", "machine-api")
)
NO_ROLE = (
    "The client '{0}' with object id '{0}' does not have authorization to perform action "
    "'Microsoft.Network/privateDnsZones/A/write' over scope '/subscriptions/x' (AuthorizationFailed)"
)


def refusals(credential: Credential, *operators: Json) -> list[Refusal]:
    """Return what is refused in a cluster with these ClusterOperators."""
    return identity_refusals.refusals(credential, identity_refusals.reports([OPERATORS], [list(operators)]))


def degraded(name: str, said: str) -> Json:
    return made(name, condition("Available", "True"), condition("Degraded", "True", "Refused", said))


@pytest.mark.parametrize(
    ("said", "want"),
    [
        (NO_ROLE.format("object-ingress"), "which lacks a role or its role has not reached all of Azure yet"),
        ("LinkedAuthorizationFailed: no right to join", "which lacks a role or its role has not reached"),
        ("AADSTS700016: Application with identifier 'client-ingress' was not found", "which does not exist any more"),
        ("AADSTS70021: No matching federated identity record found", "federated credentials"),
        ("AADSTS700211: No matching federated identity record found for presented assertion issuer", "credentials"),
        ("AADSTS700213: No matching federated identity record found for presented assertion subject", "credentials"),
        ("AADSTS50166: Request to External OIDC endpoint failed", "the issuer's documents"),
        ("AADSTS7000272: the kid of the token is not among the issuer's keys", "the issuer's documents"),
    ],
    ids=["role", "linked role", "gone", "none", "issuer", "subject", "issuer away", "other key"],
)
def test_an_operator_that_azure_refuses_is_named_with_its_identity(said: str, want: str) -> None:
    """And with what its customer, or the service, has to mend."""
    (refusal,) = refusals(IDENTITIES_OF_ALL, degraded("ingress", said), operator("console"))
    assert str(refusal).startswith(f"the operator 'ingress' acts in Azure as the identity '{IDENTITIES}/ingress', ")
    assert want in str(refusal)


@pytest.mark.parametrize(
    "found",
    [
        operator("ingress"),
        degraded("ingress", "the router has no node"),
        degraded("console", NO_ROLE.format("object-ingress")),
    ],
    ids=["well", "degraded for another reason", "does not act in Azure"],
)
def test_nobody_is_blamed_for_what_azure_did_not_refuse(found: Json) -> None:
    """Not even an operator that is degraded."""
    assert refusals(IDENTITIES_OF_ALL, found) == []


def test_what_two_operators_share_is_blamed_on_the_one_that_azure_names() -> None:
    """One ClusterOperator reports about both drivers; if Azure names nobody, it may be either."""
    for said, want in (
        (NO_ROLE.format("object-file-csi-driver"), ["file-csi-driver"]),
        ("AADSTS700016: 'client-disk-csi-driver'", ["disk-csi-driver"]),
        ("AADSTS70021: No matching record", ["disk-csi-driver", "file-csi-driver"]),
    ):
        found = refusals(IDENTITIES_OF_ALL, degraded("storage", said))
        assert [each.operator for each in found] == want


def test_an_operator_of_another_name_is_found_by_who_reports_about_it() -> None:
    """The network's operator reports about the controller that configures the cloud's network."""
    (refusal,) = refusals(IDENTITIES_OF_ALL, degraded("network", NO_ROLE.format("x")))
    assert refusal.operator == "cloud-network-config"


def test_operators_that_share_a_principal_have_no_identity_to_blame() -> None:
    """Their condition says what Azure told them."""
    credential = cluster_credential.parse(with_principal())
    assert refusals(credential, degraded("ingress", NO_ROLE.format("x"))) == []


def test_an_error_has_the_refusal_as_an_entry_with_its_target() -> None:
    """The member of the request whose identity it is about."""
    (refusal,) = refusals(IDENTITIES_OF_ALL, degraded("ingress", NO_ROLE.format("object-ingress")))
    entry = identity_refusals.entry(refusal)
    assert entry["code"] == "InvalidWorkloadIdentityPermissions"
    assert entry["target"].endswith('.platformWorkloadIdentities["ingress"]')
    assert entry["message"].startswith("The operator 'ingress' acts in Azure as the identity")
    assert "Refused: The client 'object-ingress'" in entry["message"]


def test_a_machine_that_azure_refuses_is_the_machine_operators() -> None:
    """Its own ClusterOperator may be well meanwhile."""
    machines = [machine("w-0"), machine("w-1", "Failed", errorMessage="AADSTS700213: No matching record")]
    (refusal,) = identity_refusals.refusals(
        IDENTITIES_OF_ALL,
        identity_refusals.reports([WORKER_MACHINES, OPERATORS], [machines, [operator("machine-api")]]),
    )
    assert (refusal.operator, refusal.identity.object_id) == ("machine-api", "object-machine-api")
    assert refusal.said == "Machine 'w-1' is Failed: AADSTS700213: No matching record"
