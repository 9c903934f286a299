"""The ETags of clusters, and what `If-Match` and `If-None-Match` refuse, in every API version."""

import copy
from typing import Any

import pytest
from azure.core.exceptions import ServiceResponseError

from frontend.messages import Reply
from tests.api_versions import VERSIONS
from tests.product.unit.frontend.clusters.test_enrichment import OBJECTS, bring_up
from tests.product.unit.frontend.world import CLUSTER, CLUSTERS, NEW, World, body

OWN = VERSIONS[-1]
PATCH = {"tags": {"team": "two"}}
every_version = pytest.mark.parametrize("version", VERSIONS)


def send(world: World, method: str, version: str = NEW, content: Any = None, **conditions: str) -> Reply:
    """Send a request about the cluster; `if_match` and `if_none_match` are its conditions."""
    headers = {name.replace("_", "-"): value for name, value in conditions.items()}
    return world.send(method, CLUSTER, content, api_version=version, headers=headers)


def created(world: World, version: str = NEW) -> str:
    """Create the cluster, let it succeed, and return the ETag that a GET has."""
    assert send(world, "PUT", version, body(version)).status == 201
    world.finish()
    return send(world, "GET", version).headers["ETag"]


def refused(world: World, reply: Reply, before: Any) -> str:
    """Check that a request was refused by its condition and has written nothing; return the message."""
    assert {name: container.documents for name, container in world.cosmos.items()} == before
    error = reply.body["error"]
    assert (reply.status, error["code"]) == (412, "PreconditionFailed")
    return str(error["message"])


def everything(world: World) -> Any:
    """Return everything that is stored."""
    return copy.deepcopy({name: container.documents for name, container in world.cosmos.items()})


@every_version
@pytest.mark.parametrize(("method", "content"), [("PUT", body), ("PATCH", lambda _: PATCH), ("DELETE", lambda _: None)])
def test_a_change_of_what_the_caller_has_read_is_made_and_of_anything_else_refused(
    world: World, version: str, method: str, content: Any
) -> None:
    """The refusal has the ETag of now, and nothing is written."""
    etag, before = created(world, version), everything(world)
    unwanted = ({"if_none_match": each} for each in (etag, "*", f"W/{etag}", f'"x", W/{etag}'))
    for condition in ({"if_match": '"x"'}, {"if_match": f"W/{etag}"}, *unwanted):
        message = refused(world, send(world, method, version, content(version), **condition), before)
        assert world.document["_etag"] in message
    assert send(world, method, version, content(version), if_match=f'"x", {etag}').status in (200, 202)


@pytest.mark.parametrize("method", ["PUT", "PATCH", "DELETE"])
def test_of_two_callers_with_one_etag_the_second_is_refused(world: World, method: str) -> None:
    """Also if the first one's operation has ended in between."""
    etag = created(world)
    assert send(world, "PATCH", NEW, PATCH, if_match=etag).status == 200
    content = {"PUT": body(), "PATCH": PATCH, "DELETE": None}[method]
    refused(world, send(world, method, NEW, content, if_match=etag), everything(world))
    world.finish()
    refused(world, send(world, method, NEW, content, if_match=etag), everything(world))


def test_a_caller_who_loses_a_race_is_refused_and_does_not_decide_again(world: World) -> None:
    """The condition is compared with each version of the document that is read."""
    etag = created(world)
    container = world.cosmos["OpenShiftClusters"]
    container.before_write.append(lambda: container.upsert_item(world.document | {"bucket": 1}))
    reply = send(world, "PATCH", NEW, PATCH, if_match=etag)
    assert (reply.status, reply.body["error"]["code"]) == (412, "PreconditionFailed")
    assert "asyncOperationId" not in world.document


def test_a_cluster_that_exists_is_not_created_again(world: World) -> None:
    """Whoever asks for a new cluster learns that there is one, whatever its state."""
    assert send(world, "PUT", NEW, body(), if_none_match="*").status == 201
    refused(world, send(world, "PUT", NEW, body(), if_none_match="*"), everything(world))
    world.finish(failed=True)
    refused(world, send(world, "PUT", NEW, body(), if_none_match="*"), everything(world))


def test_an_update_creates_no_cluster(world: World) -> None:
    """`If-Match: *` is for a cluster that exists, and so is every ETag."""
    for condition in ("*", '"1"'):
        assert "does not exist" in refused(
            world, send(world, "PUT", NEW, body(), if_match=condition), everything(world)
        )
    assert send(world, "PATCH", NEW, PATCH, if_match="*").status == 404
    assert send(world, "GET", NEW, if_match="*").status == 404
    refused(world, send(world, "DELETE", NEW, if_match="*"), everything(world))


@every_version
def test_every_answer_with_a_cluster_has_its_etag(world: World, version: str) -> None:
    """In the header, and as a member where the version has it."""
    for reply in (send(world, "PUT", version, body(version)), send(world, "GET", version)):
        etag = reply.headers["ETag"]
        assert reply.body.get("etag") == (etag if version == OWN else None)
    world.finish()
    reply = send(world, "PATCH", version, PATCH)
    assert (reply.status, reply.headers["ETag"]) == (200, world.document["_etag"])
    listed = world.send("GET", CLUSTERS, api_version=version).body["value"][0]
    assert listed.get("etag") == send(world, "GET", version).body.get("etag")
    assert "etag" not in world.document["openShiftCluster"]


def test_what_a_get_shows_can_be_put_back_under_its_etag(world: World) -> None:
    """The member is the service's: another value of it changes nothing."""
    etag = created(world, OWN)
    shown = send(world, "GET", OWN).body
    assert send(world, "PUT", OWN, shown | {"etag": '"other"'}, if_match=etag).status == 200
    assert "etag" not in world.document["openShiftCluster"]


def test_the_etag_of_a_create_is_that_of_what_was_written(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Even if the answer of the database is lost."""
    container = world.cosmos["OpenShiftClusters"]
    real = container.create_item

    def lose(document: Any) -> Any:
        real(document)
        raise ServiceResponseError("the connection broke")

    monkeypatch.setattr(container, "create_item", lose)
    reply = send(world, "PUT", OWN, body())
    assert (reply.status, reply.headers["ETag"]) == (201, world.document["_etag"])
    refused(world, send(world, "DELETE", OWN, if_match='"other"'), everything(world))
    assert send(world, "DELETE", OWN, if_match=reply.headers["ETag"]).status == 202


@every_version
def test_a_get_of_what_the_caller_has_already_is_answered_without_a_body(world: World, version: str) -> None:
    """One whose `If-Match` does not hold is refused."""
    etag = created(world, version)
    reply = send(world, "GET", version, if_none_match=f'"x", {etag}')
    assert (reply.status, reply.text(), reply.headers["ETag"]) == (304, "", etag)
    for condition in ("*", f"W/{etag}"):
        assert send(world, "GET", version, if_none_match=condition).status == 304
    assert send(world, "GET", version, if_match=etag, if_none_match='"x"').status == 200
    refused(world, send(world, "GET", version, if_match='"x"'), everything(world))


def test_a_get_is_answered_again_when_the_live_cluster_says_something_else(world: World) -> None:
    """A change is nonetheless one of the same stored cluster."""
    bring_up(world)
    etag = send(world, "GET").headers["ETag"]
    world.live.objects = OBJECTS
    reply = send(world, "GET", if_none_match=etag)
    assert reply.status == 200
    assert reply.headers["ETag"] != etag
    assert send(world, "PATCH", NEW, PATCH, if_match=etag).status == 200


@pytest.mark.parametrize("tag", ["", " ", ",", '"', "x" * 20_000, '".0123456789abcdef"', "*" * 3, "\x00"])
def test_a_tag_that_no_answer_has_had_matches_nothing(world: World, tag: str) -> None:
    """An empty header is none."""
    created(world)
    reply = send(world, "PATCH", NEW, PATCH, if_match=tag)
    assert reply.status == (412 if tag.strip(" ,") else 200)
