"""In one's own subscription nobody gets the tokens of an identity that is not theirs to use.

There the service itself writes the federated credentials of identities. Without these checks anybody with a cluster
could name any identity, and act as it from within the cluster.
"""

import copy
from typing import Any

import pytest

from frontend.middleware.entra.linked_access import MOST
from tests.product.unit.clusters.identities.role_sets import seeded
from tests.product.unit.frontend.callers.test_admission import WRITE, refused
from tests.product.unit.frontend.callers_world import TENANT, CallersWorld
from tests.product.unit.frontend.identities_world import (
    CLUSTER_IDENTITY,
    IDENTITIES,
    MAP,
    OPERATORS,
    identities,
    identities_body,
    offer,
    replaced,
)
from tests.product.unit.frontend.world import CLUSTER, GROUP, NEW

ASSIGN = "Microsoft.ManagedIdentity/userAssignedIdentities/assign/action"
FEDERATE = "Microsoft.ManagedIdentity/userAssignedIdentities/federatedIdentityCredentials/write"
PREVIEW = "2024-08-12-preview"
NAMED = (CLUSTER_IDENTITY, *(f"{IDENTITIES}/{name}" for name in OPERATORS))
every_right = pytest.mark.parametrize("action", [ASSIGN, FEDERATE], ids=["assign", "federate"])
every_version = pytest.mark.parametrize("version", [PREVIEW, NEW, "2026-12-01-preview"])


@pytest.fixture
def service(own: CallersWorld) -> CallersWorld:
    """A service in one's own subscription that offers workload identity."""
    offer(own)
    return own


def made(service: CallersWorld) -> None:
    """Create a cluster whose identities are all the caller's."""
    assert service.call("PUT", CLUSTER, identities_body()).status == 201
    service.finish()
    service.rights.asked.clear()


def asked_of_identities(service: CallersWorld) -> list[tuple[str, str]]:
    """Return what Azure was asked about identities."""
    return [(action, scope) for action, scope in service.rights.asked if "ManagedIdentity" in action]


def test_a_create_asks_for_both_rights_on_every_identity_that_it_names(service: CallersWorld) -> None:
    """Each once, at its own id, in the caller's name."""
    assert service.call("PUT", CLUSTER, identities_body()).status == 201
    assert sorted(asked_of_identities(service)) == sorted((each, one) for one in NAMED for each in (ASSIGN, FEDERATE))


@every_version
@every_right
@pytest.mark.parametrize("identity", NAMED, ids=lambda each: each.rpartition("/")[2])
def test_a_create_with_somebody_elses_identity_is_refused(
    service: CallersWorld, identity: str, action: str, version: str
) -> None:
    """Whichever it is, and whichever right the caller lacks. Nothing is written."""
    service.rights.deny(action, identity)
    status, code, message = refused(service, "PUT", CLUSTER, identities_body(version), api_version=version)
    assert (status, code) == (403, "LinkedAuthorizationFailed")
    assert action in message
    assert identity in message


@every_version
@every_right
def test_a_later_request_cannot_bring_in_somebody_elses_identity(
    service: CallersWorld, action: str, version: str
) -> None:
    """The create had the caller's own: an update that names another one is asked about again."""
    made(service)
    service.rights.deny(action, f"{IDENTITIES}/ingress-2")
    other = identities_body(version)
    other["properties"]["platformWorkloadIdentityProfile"][MAP] |= identities("ingress", of="-2")
    for method, content in (("PATCH", replaced("ingress")), ("PUT", other)):
        status, code, message = refused(service, method, CLUSTER, content, api_version=version)
        assert (status, code) == (403, "LinkedAuthorizationFailed")
        assert f"{IDENTITIES}/ingress-2" in message
    assert (action, f"{IDENTITIES}/ingress-2") in service.rights.asked


@every_right
@pytest.mark.parametrize("casing", [str.lower, str.upper], ids=["lower", "upper"])
def test_another_casing_of_the_id_is_no_way_around(service: CallersWorld, action: str, casing: Any) -> None:
    """Azure's ids are the same in any case."""
    made(service)
    service.rights.deny(action, f"{IDENTITIES}/theirs")
    theirs = {"ingress": {"resourceId": casing(f"{IDENTITIES}/theirs")}}
    content = {"properties": {"platformWorkloadIdentityProfile": {MAP: theirs}}}
    assert refused(service, "PATCH", CLUSTER, content)[:2] == (403, "LinkedAuthorizationFailed")


@every_right
def test_another_cluster_identity_is_asked_about_too(service: CallersWorld, action: str) -> None:
    """The service reads as it, and writes as it, wherever there is a first party."""
    made(service)
    other = f"{IDENTITIES}/theirs"
    service.rights.deny(action, other)
    content = {"identity": {"type": "UserAssigned", "userAssignedIdentities": {other: {}}}}
    assert refused(service, "PATCH", CLUSTER, content)[:2] == (403, "LinkedAuthorizationFailed")


@every_right
@pytest.mark.parametrize("failed", [False, True], ids=["update", "resume"])
def test_repeating_the_request_of_somebody_else_is_no_way_around(
    service: CallersWorld, action: str, failed: bool
) -> None:
    """Every identity that a body names is asked about, also one that the cluster has already."""
    assert service.call("PUT", CLUSTER, identities_body()).status == 201
    service.finish(failed=failed)
    service.rights.deny(action, f"{IDENTITIES}/ingress")
    for method in ("PUT", "PATCH"):
        assert refused(service, method, CLUSTER, identities_body())[:2] == (403, "LinkedAuthorizationFailed")


@every_right
def test_a_dry_run_asks_for_the_same_rights(service: CallersWorld, action: str) -> None:
    """It reads the identities, too, with rights of the service."""
    service.rights.deny(action, f"{IDENTITIES}/ingress")
    found = refused(service, "POST", f"{CLUSTER}/dryRun", identities_body(), api_version="2026-12-01-preview")
    assert found[:2] == (403, "LinkedAuthorizationFailed")


def test_a_change_that_names_no_identity_asks_about_none(service: CallersWorld) -> None:
    """As in ARM: only what the body names."""
    made(service)
    assert service.call("PATCH", CLUSTER, {"tags": {"team": "two"}}).status == 200
    assert asked_of_identities(service) == []
    assert service.rights.asked == [(WRITE, GROUP)]


FORGED = {
    "x-ms-identity-url": "https://attacker.example.com/canary",
    "x-ms-home-tenant-id": "ffffffff-0000-0000-0000-000000000001",
    "X-Ms-Identity-Principal-Id": "ffffffff-0000-0000-0000-000000000002",
    "x-ms-client-tenant-id": "ffffffff-0000-0000-0000-000000000003",
}


def test_a_forged_header_means_nothing(service: CallersWorld) -> None:
    """Where the service would get certificates, and whose tenant it is, no caller decides."""
    assert service.call("PUT", CLUSTER, identities_body(), headers=FORGED).status == 201
    service.finish()
    assert service.call("PUT", CLUSTER, identities_body(), headers=FORGED).status == 200
    service.finish()
    shown = service.call("PATCH", CLUSTER, replaced("ingress"), headers=FORGED)
    assert (shown.status, shown.body["identity"]["tenantId"]) == (200, TENANT)
    stored = service.document["openShiftCluster"]["identity"]
    assert (stored["tenantId"], stored.get("identityURL")) == (TENANT, None)
    assert "attacker" not in str([container.documents for container in service.cosmos.values()])
    assert "ffffffff-" not in str([container.documents for container in service.cosmos.values()])


OWNER, CONTRIBUTOR = "8e3af657-a8ff-443c-a75c-2fe8c4bcb635", "b24988ac-6180-42a0-ab88-20f7382dd24c"


@pytest.mark.parametrize("role", [OWNER, CONTRIBUTOR], ids=["owner", "contributor"])
def test_a_role_set_that_names_another_role_is_refused(service: CallersWorld, role: str) -> None:
    """Whoever wrote it: an identity gets the roles of operators and no other one."""
    entry: Any = copy.deepcopy(seeded()["4.17"])
    entry["platformWorkloadIdentityRoles"][0]["roleDefinitionId"] = (
        f"/providers/Microsoft.Authorization/roleDefinitions/{role.upper()}"
    )
    service.cosmos["PlatformWorkloadIdentityRoleSets"].upsert_item(entry)
    status, code, message = refused(service, "PUT", CLUSTER, identities_body())
    assert (status, code) == (400, "InvalidParameter")
    assert role in message
    assert entry["platformWorkloadIdentityRoles"][0]["operatorName"] in message


@pytest.mark.parametrize(
    "value",
    [
        "ingress",
        f"{GROUP}/providers/Microsoft.Network/virtualNetworks/vnet",
        f"{IDENTITIES}/..",
        f"{IDENTITIES}/one/federatedIdentityCredentials/two",
        f"{IDENTITIES}/one?api-version=1",
        f"{IDENTITIES}/one%2f..",
        f"{IDENTITIES}/one/../theirs",
    ],
)
@pytest.mark.parametrize("where", ["cluster", "operator"])
def test_what_is_no_id_of_an_identity_is_refused_before_azure_is_asked_about_it(
    service: CallersWorld, where: str, value: str
) -> None:
    """ARM would read such a text as another path."""
    content = copy.deepcopy(identities_body())
    if where == "cluster":
        content["identity"]["userAssignedIdentities"] = {value: {}}
    else:
        content["properties"]["platformWorkloadIdentityProfile"][MAP]["ingress"]["resourceId"] = value
    assert refused(service, "PUT", CLUSTER, content)[:2] == (400, "LinkedInvalidPropertyId")
    assert asked_of_identities(service) == []


def test_a_body_with_many_identities_causes_no_storm_of_reads(service: CallersWorld) -> None:
    """A cluster has nine."""
    content = identities_body(NEW, *(f"operator-{number}" for number in range(MOST + 1)))
    assert refused(service, "PUT", CLUSTER, content)[:2] == (400, "InvalidParameter")
    assert asked_of_identities(service) == []
