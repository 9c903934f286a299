"""A dry run of the create of a cluster with identities: what can be looked at is, and nothing is issued or written."""

import copy
from typing import Any

import pytest

from activities.dry_run.rows import dry_run
from orchestrators import plans
from shared import settings
from tests.product.unit.activities.checks.customer_network import lay
from tests.product.unit.activities.identities.conftest import OPERATORS, Identities, identity
from tests.product.unit.activities.identities.identities_fake import object_id
from tests.product.unit.activities.identities.roles_fake import ACTOR, ACTOR_ACTIONS, OF_OPERATORS, FakeRoles
from tests.product.unit.clusters.identities.role_sets import seeded
from tests.product.unit.product_world import ENVIRONMENT, NETWORK

CHECKS = (
    *("look_up_identities", "validate_cluster_identity_permissions", "validate_operator_permissions"),
    "validate_federated_credentials",
)
GUIDS = {
    role["operatorName"]: role["roleDefinitionId"].rpartition("/")[2]
    for role in seeded()["4.19"]["platformWorkloadIdentityRoles"]
}


def tried(identities: Identities) -> dict[str, Any]:
    """Try the create, and return what is told of each row that is about identities."""
    document = copy.deepcopy(identities.world.cluster) | {"secrets": {}}
    found: Any = dry_run(
        {
            "plan": plans.resolve("create", document, settings.load()),
            "document": document,
            "operationId": "try-1",
            "correlationId": "corr-1",
            "clientRequestId": "",
            "traceparent": "",
        }
    )
    of_identities = {row.name for row in plans.PLANS["create"] if "identity" in row.when}
    return {row["row"]: row for row in found["rows"] if row["row"] in of_identities}


@pytest.fixture
def roles(hosted: Identities) -> FakeRoles:
    """Give the customer a network, and nobody a role."""
    lay(hosted.world)
    definitions = {GUIDS[operator]: actions for operator, actions in OF_OPERATORS.items()}
    return FakeRoles(hosted.world.azure, definitions | {ACTOR: ACTOR_ACTIONS})


@pytest.mark.usefixtures("roles")
def test_no_certificate_is_issued_for_a_dry_run(hosted: Identities) -> None:
    """What needs one is told as not looked at, and not as refused."""
    found = tried(hosted)
    assert {name: found[name]["verdict"] for name in CHECKS} == {
        "look_up_identities": "later",
        **dict.fromkeys(CHECKS[1:], "notChecked"),
    }
    assert not {row["verdict"] for row in found.values()} & {"refused", "made", "checked"}
    assert hosted.azure.issued == []
    assert hosted.world.azure.changes() == []


def test_in_ones_own_subscription_all_checks_are_made(roles: FakeRoles, in_own_subscription: Identities) -> None:
    """The service itself may look, and says what is missing."""
    service = ENVIRONMENT["RP_OBJECT_ID"]
    for operator in OPERATORS:
        roles.assign(object_id(operator), GUIDS[operator], NETWORK)
    assert tried(in_own_subscription)["validate_cluster_identity_permissions"]["verdict"] == "refused"
    for operator in OPERATORS:
        roles.assign(service, ACTOR, identity(operator))
    found = tried(in_own_subscription)
    assert {found[name]["verdict"] for name in CHECKS} == {"checked"}
    assert in_own_subscription.world.azure.changes() == []
