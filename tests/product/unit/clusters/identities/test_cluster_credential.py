"""The credential of a cluster is one of two, and only one module reads it from a document."""

import copy
from typing import Any

import pytest

from shared.clusters import principals
from shared.clusters.identities import cluster_credential
from shared.clusters.identities.cluster_credential import Identity, ServicePrincipal, WorkloadIdentity
from shared.documents import ClusterDocument
from tests.product.unit.clusters.identities.credentials import (
    CLUSTER_IDENTITY,
    IDENTITIES,
    operator,
    with_identities,
    with_principal,
)

ISSUER = "https://eastus.oic.aroapp.io/t/d"
BOTH = [with_principal(objectId="object-1"), with_identities("machine-api", "ingress", issuer=ISSUER)]
NAMES = ["principal", "identities"]


def properties_of(document: ClusterDocument) -> Any:
    """Return the properties of the cluster in a document."""
    return document["openShiftCluster"]["properties"]


def test_a_service_principal_is_read_with_the_place_of_its_secret() -> None:
    """The secret itself is in the vault."""
    document = with_principal(objectId="object-1", writtenByANewerBuild="x")
    assert cluster_credential.parse(document) == ServicePrincipal("Client-1", "object-1", "secret/1")
    assert cluster_credential.parse(with_principal()) == ServicePrincipal("Client-1", "", "secret/1")


def test_a_service_principal_counts_even_if_an_identity_of_no_type_stands_beside_it() -> None:
    """Terraform sends one, and an empty profile of workload identity is the same as none."""
    document = with_principal()
    document["openShiftCluster"]["identity"] = {"type": "None", "userAssignedIdentities": {}}
    properties_of(document)["platformWorkloadIdentityProfile"] = {"platformWorkloadIdentities": {}}
    assert isinstance(cluster_credential.parse(document), ServicePrincipal)


def test_workload_identity_is_read_with_all_its_identities() -> None:
    """Operators are sorted by name, and ids that are not known yet are empty."""
    found = cluster_credential.parse(with_identities("machine-api", "ingress", issuer=ISSUER, upgradeable_to="4.20.0"))
    assert isinstance(found, WorkloadIdentity)
    assert found.cluster == Identity(CLUSTER_IDENTITY, "client-cluster", "object-cluster")
    assert list(found.operators) == ["ingress", "machine-api"]
    assert found.operators["ingress"] == Identity(f"{IDENTITIES}/ingress", "client-ingress", "object-ingress")
    assert (found.upgradeable_to, found.issuer) == ("4.20.0", ISSUER)
    new = cluster_credential.parse(with_identities("ingress", ids=False))
    assert new == WorkloadIdentity(Identity(CLUSTER_IDENTITY), {"ingress": Identity(f"{IDENTITIES}/ingress")})


def test_a_document_with_neither_is_refused_by_what_it_lacks() -> None:
    """So is one with two cluster identities."""
    document = with_identities("ingress")
    document["openShiftCluster"]["identity"]["userAssignedIdentities"]["/another"] = {}
    with pytest.raises(ValueError, match="2 cluster identities and 1 identities of operators"):
        cluster_credential.parse(document)
    with pytest.raises(ValueError, match=r"no 'properties\.servicePrincipalProfile', 0 cluster identities and 0"):
        cluster_credential.parse({"openShiftCluster": {"properties": {}}})


@pytest.mark.parametrize("document", BOTH, ids=NAMES)
def test_what_is_written_back_is_the_same_document(document: ClusterDocument) -> None:
    """Members of a newer build stay, at every depth."""
    if "identity" in document["openShiftCluster"]:
        document["openShiftCluster"]["identity"]["later"] = 1
        properties_of(document)["platformWorkloadIdentityProfile"]["platformWorkloadIdentities"]["ingress"]["later"] = 1
        properties_of(document)["platformWorkloadIdentityProfile"]["later"] = 1
    else:
        properties_of(document)["servicePrincipalProfile"]["later"] = 1
    changed = copy.deepcopy(document)
    cluster_credential.store(changed, cluster_credential.parse(document))
    assert changed == document


@pytest.mark.parametrize("document", BOTH, ids=NAMES)
def test_what_is_written_into_another_document_is_read_there(document: ClusterDocument) -> None:
    """Nothing is left of what that one had."""
    wanted = cluster_credential.parse(document)
    for other in (with_principal("other", 9, objectId="o"), with_identities("file-csi-driver")):
        if isinstance(cluster_credential.parse(other), type(wanted)):
            cluster_credential.store(other, wanted)
            assert cluster_credential.parse(other) == wanted


def test_each_credential_has_a_key_that_no_other_cluster_may_have() -> None:
    """In lower case, because Azure takes ids in any case."""
    keys = [cluster_credential.unique_key(cluster_credential.parse(document)) for document in BOTH]
    assert keys == ["client-1", CLUSTER_IDENTITY.lower()]
    labels = [cluster_credential.label(cluster_credential.parse(document)) for document in BOTH]
    assert labels == ["service principal with client id", "cluster identity"]


@pytest.mark.parametrize(("client_id", "want"), [("CLIENT-1", "object-1"), ("client-2", "")])
def test_an_update_forgets_the_object_id_of_another_principal(client_id: str, want: str) -> None:
    """The same client id in another case is the same application."""
    document = with_principal(objectId="object-1")
    before = cluster_credential.parse(document)
    properties_of(document)["servicePrincipalProfile"]["clientId"] = client_id
    cluster_credential.accept(document, before)
    assert cluster_credential.parse(document) == ServicePrincipal(client_id, want, "secret/1")
    assert document["clientIdKey"] == client_id.lower()


def test_an_update_keeps_the_ids_of_the_identities_that_stay_whatever_the_body_says() -> None:
    """A replaced identity, and an operator that is added, have none yet."""
    document = with_identities("ingress", "machine-api")
    before = cluster_credential.parse(document)
    workloads = properties_of(document)["platformWorkloadIdentityProfile"]["platformWorkloadIdentities"]
    workloads["ingress"] = {"resourceId": f"{IDENTITIES}/INGRESS".upper(), "clientId": "forged"}
    workloads["machine-api"] = operator("another")
    workloads["added"] = operator("added")
    cluster_credential.accept(document, before)
    found = cluster_credential.parse(document)
    assert isinstance(found, WorkloadIdentity)
    assert found.operators == {
        "added": Identity(f"{IDENTITIES}/added"),
        "ingress": Identity(f"{IDENTITIES}/INGRESS".upper(), "client-ingress", "object-ingress"),
        "machine-api": Identity(f"{IDENTITIES}/another"),
    }
    assert found.cluster == Identity(CLUSTER_IDENTITY, "client-cluster", "object-cluster")


def test_another_cluster_identity_changes_the_key() -> None:
    """So the former one can belong to another cluster, and the new one cannot."""
    document = with_identities("ingress")
    before = cluster_credential.parse(document)
    another = {f"{IDENTITIES}/New": {"principalId": "forged"}}
    document["openShiftCluster"]["identity"]["userAssignedIdentities"] = another
    cluster_credential.accept(document, before)
    found = cluster_credential.parse(document)
    assert isinstance(found, WorkloadIdentity)
    assert found.cluster == Identity(f"{IDENTITIES}/New")
    assert document["clientIdKey"] == f"{IDENTITIES}/New".lower()


def test_every_id_that_is_still_to_be_looked_up_is_named() -> None:
    """By its path in the document."""
    known = cluster_credential.unknown_ids
    assert [known(cluster_credential.parse(document)) for document in BOTH] == [[], []]
    assert known(cluster_credential.parse(with_principal())) == [
        "properties.servicePrincipalProfile.objectId is not known yet"
    ]
    here = 'properties.platformWorkloadIdentityProfile.platformWorkloadIdentities["ingress"]'
    assert known(cluster_credential.parse(with_identities("ingress", ids=False))) == [
        f"{here}.clientId is not known yet",
        f"{here}.objectId is not known yet",
    ]


def test_a_cluster_with_workload_identity_has_no_principal_to_carry_in() -> None:
    """Nothing is noted of it, and no principal is left over."""
    document = with_identities("ingress")
    before = copy.deepcopy(document)
    assert principals.current(document) is None
    assert principals.is_carried_in(document)
    assert not principals.note_tried(document)
    principals.note_worked(document)
    principals.start_from_worked(document, "client-1")
    assert principals.former_object_ids(document) == []
    assert document == before
