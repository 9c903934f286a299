"""What operators do with a cluster that lives, below `/sre`: what its owner does, but for credentials that open it."""

from typing import Any
from urllib.parse import urlsplit

import pytest

from frontend.messages import Reply
from shared.clusters.api_versions import ADMIN, has_feature
from tests.product.unit.frontend.clusters.test_openshift_cluster_credentials import bring_up
from tests.product.unit.frontend.world import CLUSTER, World, admin_certificate

BELOW, AT = f"/sre{CLUSTER}", "2026-03-01T09:00:00+00:00"
REQUESTS = (
    *(("POST", action, 202) for action in ("stop", "renew", "revokeCredentials")),
    *(("GET", list_, 200) for list_ in ("operations", "expirations")),
)


def ask(world: World, method: str, below: str, **more: Any) -> Reply:
    """Send a request as an operator with a certificate."""
    return world.send(method, f"{BELOW}/{below}", api_version="", certificate=admin_certificate(), **more)


@pytest.fixture
def up(world: World) -> World:
    """Give a cluster that is up and two days old."""
    bring_up(world)
    world.document["openShiftCluster"]["properties"]["createdAt"] = "2026-02-27T12:00:00+00:00"
    return world


@pytest.mark.parametrize(("method", "below", "status"), REQUESTS)
def test_operators_have_the_requests_of_a_cluster_that_lives(up: World, method: str, below: str, status: int) -> None:
    """ARM does not, below this path."""
    assert up.send(method, f"{BELOW}/{below}", api_version="").status == 403
    assert ask(up, method, below).status == status


def test_operators_list_cancel_and_read_operations(up: World) -> None:
    """The address that a cancel answers is one of theirs."""
    assert ask(up, "POST", "stop").status == 202
    listed = {each["properties"]["plan"]: each["name"] for each in ask(up, "GET", "operations").body["value"]}
    assert sorted(listed) == ["create", "stop"]
    canceled = ask(up, "POST", f"operations/{listed['stop']}/cancel")
    assert canceled.status == 202
    assert up.document["canceling"]
    path = urlsplit(canceled.headers["Location"]).path
    assert path == f"{BELOW}/operations/{listed['stop']}"
    assert up.sre(path.removeprefix("/sre")).body["plan"] == "stop"


def test_operators_see_conditions(up: World) -> None:
    """In their view of the cluster."""
    condition = {"type": "Available", "status": "True", "reason": "AsExpected", "message": "", "lastTransitionTime": AT}
    place = {name: up.document[name] for name in ("id", "partitionKey")}
    up.cosmos["ClusterConditions"].upsert_item(place | {"observedAt": AT, "conditions": [condition]})
    reply = up.send("GET", CLUSTER, api_version="admin", certificate=admin_certificate())
    assert [each["type"] for each in reply.body["properties"]["conditions"]] == ["Available"]


@pytest.mark.parametrize("action", ["requestAdminCredential", "listAdminCredentials", "listCredentials"])
def test_operators_get_no_credential_that_opens_a_cluster(up: World, action: str) -> None:
    """Not below their path, and not in their view. To end credentials gives nothing away."""
    assert not has_feature(ADMIN, action)
    assert ask(up, "POST", action).status == 404
    as_operator = up.send("POST", f"{CLUSTER}/{action}", {}, api_version="admin", certificate=admin_certificate())
    assert (as_operator.status, as_operator.body["error"]["code"]) == (400, "InvalidResourceType")


def test_a_condition_on_the_etag_holds_for_operators(up: World) -> None:
    """As for everybody."""
    for action in ("stop", "renew", "revokeCredentials"):
        assert ask(up, "POST", action, headers={"if-match": '"x"'}).status == 412
