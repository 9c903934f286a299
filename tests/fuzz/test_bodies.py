"""Invalid input never causes a 500; the inputs are mutations of a valid body."""

import copy
import json

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.fuzz.mutations import mutated_bodies
from tests.product.unit.frontend.identities_world import FROM_ARM, identities_body, offer
from tests.product.unit.frontend.world import CLUSTER, NEW, World, body


@settings(derandomize=True, max_examples=400, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(mutated_bodies())
def test_a_mutated_body_is_accepted_or_refused_in_good_form(drawn: tuple[str, bytes]) -> None:
    """The reply is a cluster or an ARM error, and a refusal leaves nothing behind."""
    api_version, raw = drawn
    world = World()
    offer(world)
    reply = world.send("PUT", CLUSTER, raw, api_version=api_version, headers=FROM_ARM)
    assert reply.status in {400, 415, 201}, reply.text()
    json.loads(reply.text())
    if reply.status == 201:
        again = world.send("GET", CLUSTER, api_version=api_version)
        # The ETag of a GET is also that of the live values.
        assert again.body | {"etag": ""} == reply.body | {"etag": ""}
        return
    error = reply.body["error"]
    assert error["code"]
    assert error["message"]
    assert not world.cosmos["OpenShiftClusters"].documents
    assert not world.cosmos["AsyncOperations"].documents


@settings(derandomize=True, max_examples=200, deadline=None)
@given(mutated_bodies(), st.booleans())
def test_a_mutated_update_is_accepted_or_refused_in_good_form(drawn: tuple[str, bytes], identities: bool) -> None:
    """The same holds for an existing cluster; a refused update changes nothing."""
    api_version, raw = drawn
    world = World()
    offer(world)
    content, version = (identities_body(), NEW) if identities else (body(api_version), api_version)
    assert world.send("PUT", CLUSTER, content, api_version=version, headers=FROM_ARM).status == 201
    world.finish()
    before = copy.deepcopy(world.document)
    for method in ("PATCH", "PUT"):
        reply = world.send(method, CLUSTER, raw, api_version=api_version, headers=FROM_ARM)
        # The cluster of this test cannot be read, so a body with machine sets cannot be compared with its own.
        unread = reply.status == 409 and reply.body["error"]["target"] == "properties.workerProfiles"
        assert reply.status in {200, 400} or unread, reply.text()
        json.loads(reply.text())
        if reply.status == 200:
            world.finish()
        else:
            assert reply.body["error"]["message"]
            assert world.document["openShiftCluster"]["properties"] == before["openShiftCluster"]["properties"]
        before = copy.deepcopy(world.document)


@settings(derandomize=True, max_examples=200, deadline=None)
@given(raw=st.binary(max_size=200))
def test_any_bytes_are_answered_in_good_form(raw: bytes) -> None:
    """Some requests were never meant to be JSON."""
    reply = World().send("PUT", CLUSTER, raw, headers={"content-type": "application/json"})
    assert (reply.status, reply.body["error"]["code"]) == (400, "InvalidRequestContent")
