"""Every service account of an operator has a federated credential with a name that does not change."""

import re

import pytest

from shared.clusters.identities import cluster_credential, federated_credentials, required_roles
from shared.clusters.identities.cluster_credential import WorkloadIdentity
from tests.product.unit.clusters.identities.credentials import IDENTITIES, with_identities
from tests.product.unit.clusters.identities.role_sets import seeded

SETS = seeded()
OPERATORS = [role["operatorName"] for role in SETS["4.19"]["platformWorkloadIdentityRoles"]]
ISSUER = "https://eastus.oic.aroapp.io/t/d"
ACCEPTED = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{2,119}")


@pytest.mark.parametrize(
    ("identity", "account", "want"),
    [
        ("ingress", "ingress-operator", "mycluster_ingress-operator_1scs3god3fdm86p2czjmpa6gresy0a2qkg16xyqffetw"),
        (
            "disk-csi-driver",
            "azure-disk-csi-driver-operator",
            "mycluster_azure-disk-csi-driver-operator_2zb95num5r6fb4z89xpydf66jvzu26ctgolyts3mxpp9",
        ),
    ],
)
def test_names_are_those_that_the_hosted_service_makes(identity: str, account: str, want: str) -> None:
    """Two that are known: so it finds its own again, whoever made them."""
    assert federated_credentials.name("mycluster", identity, f"system:serviceaccount:ns:{account}") == want


@pytest.mark.parametrize("cluster", ["c", "c" * 90, "-(a.b)_", "..."])
def test_azure_accepts_every_name_and_no_two_are_the_same(cluster: str) -> None:
    """Even if a cluster's name has characters that Azure does not take here, or is very long."""
    accounts = ["registry", "a.b", "x" * 250]
    pairs = [(identity, account) for identity in ("one", "two") for account in accounts]
    subjects = [(identity, f"system:serviceaccount:ns:{account}") for identity, account in pairs]
    names = [federated_credentials.name(cluster, identity, subject) for identity, subject in subjects]
    assert all(ACCEPTED.fullmatch(name) for name in names)
    assert len(set(names)) == len(names)
    others = [federated_credentials.name(f"{cluster}(", identity, subject) for identity, subject in subjects]
    assert not set(names) & set(others)


def test_there_is_one_for_each_service_account_of_each_identity() -> None:
    """Twelve for today's eight operators, each with the cluster's issuer."""
    credential = cluster_credential.parse(with_identities(*OPERATORS, issuer=ISSUER))
    assert isinstance(credential, WorkloadIdentity)
    found = federated_credentials.wanted("c1", credential, required_roles.required(SETS, "4.19.1"))
    assert list(found) == [f"{IDENTITIES}/{name}" for name in sorted(OPERATORS)]
    assert sum(map(len, found.values())) == 12
    assert {each.issuer for credentials in found.values() for each in credentials} == {ISSUER}
    assert [each.subject for each in found[f"{IDENTITIES}/image-registry"]] == [
        "system:serviceaccount:openshift-image-registry:cluster-image-registry-operator",
        "system:serviceaccount:openshift-image-registry:registry",
    ]


def test_a_service_account_of_two_roles_has_one_credential() -> None:
    """Azure refuses a second one with the same issuer and subject."""
    credential = cluster_credential.parse(with_identities("ingress", issuer=ISSUER))
    assert isinstance(credential, WorkloadIdentity)
    (role,) = (each for each in required_roles.required(SETS, "4.19.1") if each["operatorName"] == "ingress")
    ((one,),) = federated_credentials.wanted("c1", credential, [role, role]).values()
    assert one.subject == "system:serviceaccount:openshift-ingress-operator:ingress-operator"


@pytest.mark.parametrize(
    ("issuer", "audiences", "ours", "want"),
    [
        (ISSUER, ["openshift"], ISSUER, True),
        (f"{ISSUER}/", ["openshift"], ISSUER, False),
        (ISSUER, ["openshift", "api://AzureADTokenExchange"], ISSUER, False),
        (ISSUER, [], ISSUER, False),
        ("", ["openshift"], "", False),
    ],
    ids=["ours", "another issuer", "another audience too", "no audience", "no issuer yet"],
)
def test_only_credentials_of_the_cluster_are_the_services_own(
    issuer: str, audiences: list[str], ours: str, want: bool
) -> None:
    """All others belong to the customer, and stay."""
    assert federated_credentials.is_ours(issuer, audiences, ours) is want
