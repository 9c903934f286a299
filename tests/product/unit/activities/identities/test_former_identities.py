"""What an update removes once every operator uses its new identity, and what it leaves alone."""

from typing import Any

import pytest

from activities.azure.storage import role_assignment_name
from tests.product.unit.activities.calls import DONE, call, twice
from tests.product.unit.activities.identities.conftest import OPERATORS, Identities, identity
from tests.product.unit.activities.identities.identities_fake import object_id
from tests.product.unit.azure_fake import Reply, Request
from tests.product.unit.clusters.identities.role_sets import seeded
from tests.product.unit.product_world import CLUSTER_GROUP

ISSUER = "https://eastus.oic.example.com/tenant/doc-1"
ROLES = {
    role["operatorName"]: role["roleDefinitionId"].rpartition("/")[2]
    for role in seeded()["4.19"]["platformWorkloadIdentityRoles"]
}
OWNER = "8e3af657-a8ff-443c-a75c-2fe8c4bcb635"


class Assignments:
    """The role assignments at the cluster's group, by name."""

    def __init__(self, identities: Identities) -> None:
        """Answer for them."""
        self.of: dict[str, tuple[str, str]] = {}
        self.deleted: list[str] = []
        path = f"^{CLUSTER_GROUP}/providers/Microsoft.Authorization/roleAssignments"
        identities.world.azure.on("GET", f"{path}$", self._list)
        identities.world.azure.on("DELETE", f"{path}/[^/]+$", self._delete)

    def assign(self, role: str, principal: str, name: str = "") -> str:
        """Assign a role, under the service's name unless another one is given."""
        name = name or role_assignment_name(CLUSTER_GROUP, principal, role)
        self.of[name] = (role, principal)
        return name

    def _list(self, request: Request) -> Reply:
        assert request.query["$filter"] == ["atScope()"]
        definition = "/providers/Microsoft.Authorization/roleDefinitions"
        found: list[Any] = [
            {"name": name, "properties": {"roleDefinitionId": f"{definition}/{role}", "principalId": principal}}
            for name, (role, principal) in self.of.items()
        ]
        return 200, {"value": found}, {}

    def _delete(self, request: Request) -> Reply:
        name = request.path.rpartition("/")[2]
        self.deleted.append(name)
        del self.of[name]
        return 200, {}, {}


@pytest.fixture
def updated(ready: Identities) -> Identities:
    """Replace the identity of an operator, up to the row that removes the former one's."""
    ready.world.properties["clusterProfile"]["oidcIssuer"] = ISSUER
    call("ensure_federated_credentials")
    profile = ready.world.properties["platformWorkloadIdentityProfile"]["platformWorkloadIdentities"]
    noted = {
        name: {"resourceId": each["resourceId"].lower(), "objectId": each["objectId"]} for name, each in profile.items()
    }
    ready.world.cluster["identities"] = {"worked": {"operators": noted, "upgradeableTo": ""}}
    profile["ingress"] = {"resourceId": identity("ingress-2")}
    ready.azure.add(identity("ingress-2"))
    for row in ("look_up_identities", "note_principal", "ensure_federated_credentials"):
        assert call(row) == DONE
    return ready


@pytest.fixture
def assignments(updated: Identities) -> Assignments:
    """Have the service's assignments for every identity, the former one's too."""
    made = Assignments(updated)
    for operator in (*OPERATORS, "ingress-2"):
        made.assign(ROLES[operator.removesuffix("-2")], object_id(operator))
    return made


def test_a_former_identity_loses_its_role_and_its_trust(updated: Identities, assignments: Assignments) -> None:
    """The new one has both by then. A second run finds nothing."""
    twice("remove_former_identities")
    assert assignments.deleted == [role_assignment_name(CLUSTER_GROUP, object_id("ingress"), ROLES["ingress"])]
    assert updated.azure.subjects(identity("ingress")) == []
    assert len(updated.azure.subjects(identity("ingress-2"))) == 1
    assert "tried" not in updated.world.cluster["identities"]
    assert updated.world.cluster["identities"]["worked"]["operators"]["ingress"]["objectId"] == object_id("ingress-2")


def test_what_the_service_has_not_made_stays(updated: Identities, assignments: Assignments) -> None:
    """Another role of the former identity, an assignment of a person, and trust in another issuer."""
    kept = {
        assignments.assign(OWNER, "a-person", "11111111-0000-0000-0000-000000000001"),
        assignments.assign(OWNER, object_id("ingress"), "11111111-0000-0000-0000-000000000002"),
    }
    updated.azure.trust(identity("ingress"), "theirs", "https://token.actions.githubusercontent.com")
    assert call("remove_former_identities") == DONE
    assert kept <= assignments.of.keys()
    assert list(updated.azure.federated[identity("ingress").lower()]) == ["theirs"]


def test_a_role_that_an_operator_no_longer_has_goes(assignments: Assignments) -> None:
    """The role set of a newer minor version may have another one in its place."""
    former = assignments.assign(OWNER, object_id("machine-api"))
    assert call("remove_former_identities") == DONE
    assert former in assignments.deleted


def test_a_service_account_that_an_operator_no_longer_has_is_not_trusted(
    updated: Identities, assignments: Assignments
) -> None:
    """Nobody would notice who gets its tokens."""
    updated.azure.trust(identity("machine-api"), "old", ISSUER, "system:serviceaccount:openshift-machine-api:old")
    assert call("remove_former_identities") == DONE
    assert "old" not in updated.azure.federated[identity("machine-api").lower()]
    assert assignments.deleted


@pytest.mark.usefixtures("assignments")
@pytest.mark.parametrize("is_gone", [True, False], ids=["deleted", "closed to the service"])
def test_a_former_identity_that_cannot_be_reached_does_not_fail_the_update(
    updated: Identities, caplog: pytest.LogCaptureFixture, is_gone: bool
) -> None:
    """Its owner has deleted it, or has taken the service's role away. What stays is logged."""
    if is_gone:
        updated.azure.forget(identity("ingress"))
    else:
        updated.azure.refused.add(identity("ingress").lower())
    assert call("remove_former_identities") == DONE
    assert "tried" not in updated.world.cluster["identities"]
    assert (f"federated credentials of {identity('ingress').lower()} stay" in caplog.text) == (not is_gone)


@pytest.mark.usefixtures("assignments")
def test_an_outage_delays_the_removal(updated: Identities) -> None:
    """The record of the former identity stays until nothing of it is left."""
    updated.azure.before_write = lambda _request: (503, {}, {})
    assert call("remove_former_identities")["retryClass"] == "transient"
    assert updated.world.cluster["identities"]["tried"]


def test_a_delete_in_the_middle_of_an_update_removes_what_both_identities_trust(updated: Identities) -> None:
    """The document knows of both."""
    assert updated.azure.subjects(identity("ingress"))
    assert call("delete_federated_credentials") == DONE
    assert not any(updated.azure.federated.values())
