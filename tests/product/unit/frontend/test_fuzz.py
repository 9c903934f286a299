"""Invalid input never causes a 500; the inputs are mutations of a valid body."""

import copy
import json
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.api_versions import VERSIONS
from tests.fuzz.strategies import ANY_JSON
from tests.product.unit.frontend.world import CLUSTER, World, body


def _places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the path of everything in a JSON value."""
    entries: list[tuple[Any, Any]] = []
    if isinstance(value, dict):
        entries = list(value.items())
    elif isinstance(value, list):
        entries = list(enumerate(value))
    return [path, *(place for name, entry in entries for place in _places(entry, (*path, name)))]


@st.composite
def mutated_bodies(draw: st.DrawFn) -> tuple[str, bytes]:
    """Draw a version and a valid body of it, with one to three places replaced, removed or duplicated."""
    api_version = draw(st.sampled_from(VERSIONS))
    mutant: Any = body(api_version)
    for _ in range(draw(st.integers(1, 3))):
        *parents, last = draw(st.sampled_from(_places(mutant)[1:] or [("x",)]))
        holder: Any = mutant
        for parent in parents:
            holder = holder[parent]
        action = draw(st.sampled_from(["replace", "remove", "double", "add"]))
        if action == "replace":
            holder[last] = draw(ANY_JSON)
        elif action == "remove" and last in holder:
            del holder[last]
        elif action == "double" and isinstance(holder, list):
            holder.append(copy.deepcopy(holder[last]))
        elif action == "add" and isinstance(holder, dict):
            holder[draw(st.text(max_size=10))] = draw(ANY_JSON)
    return api_version, json.dumps(mutant).encode()


@settings(derandomize=True, max_examples=400, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(mutated_bodies())
def test_a_mutated_body_is_accepted_or_refused_in_good_form(drawn: tuple[str, bytes]) -> None:
    """The reply is a cluster or an ARM error, and a refusal leaves nothing behind."""
    api_version, raw = drawn
    world = World()
    reply = world.send("PUT", CLUSTER, raw, api_version=api_version)
    assert reply.status in {400, 415, 201}, reply.text()
    json.loads(reply.text())
    if reply.status == 201:
        again = world.send("GET", CLUSTER, api_version=api_version)
        assert again.body == reply.body
        return
    error = reply.body["error"]
    assert error["code"]
    assert error["message"]
    assert not world.cosmos["OpenShiftClusters"].documents
    assert not world.cosmos["AsyncOperations"].documents


@settings(derandomize=True, max_examples=200, deadline=None)
@given(mutated_bodies())
def test_a_mutated_update_is_accepted_or_refused_in_good_form(drawn: tuple[str, bytes]) -> None:
    """The same holds for an existing cluster; a refused update changes nothing."""
    api_version, raw = drawn
    world = World()
    assert world.send("PUT", CLUSTER, body(api_version), api_version=api_version).status == 201
    world.finish()
    before = copy.deepcopy(world.document)
    for method in ("PATCH", "PUT"):
        reply = world.send(method, CLUSTER, raw, api_version=api_version)
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
