"""A cluster whose operators have identities of their own, in both kinds of deployments."""

from dataclasses import dataclass

import pytest

from activities.identities import issuer
from tests.product.unit.activities.calls import call
from tests.product.unit.activities.identities.identities_fake import URL, FakeIdentities
from tests.product.unit.clusters.identities.credentials import CLUSTER_IDENTITY, IDENTITIES, become_identities
from tests.product.unit.clusters.identities.role_sets import seeded
from tests.product.unit.product_world import World, move_to_own_subscription

OPERATORS = tuple(role["operatorName"] for role in seeded()["4.19"]["platformWorkloadIdentityRoles"])


@dataclass
class Identities:
    """A cluster with workload identity, and the identities in Azure."""

    world: World
    azure: FakeIdentities


def identity(operator: str) -> str:
    """Return the id of an operator's identity."""
    return f"{IDENTITIES}/{operator}"


@pytest.fixture
def hosted(accepted: World, monkeypatch: pytest.MonkeyPatch) -> Identities:
    """Give the world a cluster with workload identity, none of whose ids are known."""
    # Keys of the real length take a second each.
    monkeypatch.setattr(issuer, "_KEY_BITS", 2048)
    call("decide_names")
    become_identities(accepted.cluster, *OPERATORS, ids=False)
    accepted.cluster["openShiftCluster"]["identity"] |= {"identityURL": URL}
    accepted.properties["clusterProfile"]["version"] = "4.19.24"
    for document in seeded().values():
        accepted.cosmos["PlatformWorkloadIdentityRoleSets"].create_item(dict(document))
    identities = (CLUSTER_IDENTITY, *(identity(operator) for operator in OPERATORS))
    return Identities(accepted, FakeIdentities(accepted.azure, *identities))


@pytest.fixture
def ready(hosted: Identities) -> Identities:
    """Have the certificate of the cluster identity, and the ids of all."""
    call("ensure_identity_certificate")
    call("look_up_identities")
    hosted.world.azure.calls.clear()
    return hosted


@pytest.fixture
def in_own_subscription(hosted: Identities, monkeypatch: pytest.MonkeyPatch) -> Identities:
    """Let the service run in one's own subscription."""
    move_to_own_subscription(hosted.world, monkeypatch)
    del hosted.world.cluster["openShiftCluster"]["identity"]["identityURL"]
    return hosted
