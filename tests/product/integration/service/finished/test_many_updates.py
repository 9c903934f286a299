"""Many clients update one cluster at the same time: none is lost, and each learns what became of its request."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from threading import Barrier
from uuid import uuid4

import pytest
import requests

from tests.local_azure import wait_for
from tests.product.integration.service.inventory import taken
from tests.product.integration.service.stage import Cluster, begun, fault

pytestmark = [pytest.mark.slow(40), pytest.mark.xdist_group("standing")]

CLIENTS = 50
OK, BAD_REQUEST, UNAVAILABLE = 200, 400, 503


@pytest.fixture
def cluster(standing: Cluster) -> Iterator[Cluster]:
    """Give the standing cluster, and take its tags away again."""
    yield standing
    standing.succeed(begun(standing.send("PATCH", body={"tags": {}})))


def _together(cluster: Cluster) -> tuple[list[requests.Response], set[int]]:
    """Let each client PATCH a tag of its own, all at the same moment.

    On a machine that is too slow for so many requests, some have no time left: the service says so, and the client
    repeats its request, as those of the SDKs do.

    Returns:
        The answers, and the clients that had to repeat.
    """
    barrier, repeated = Barrier(CLIENTS), set[int]()

    def patch(client: int) -> requests.Response:
        barrier.wait()
        while (answer := cluster.send("PATCH", body=_tags(client))).status_code == UNAVAILABLE:
            assert answer.json()["error"]["code"] == "ServiceUnavailable"
            repeated.add(client)
        return answer

    with ThreadPoolExecutor(CLIENTS) as pool:
        return list(pool.map(patch, range(CLIENTS))), repeated


def _tags(client: int) -> dict[str, dict[str, str]]:
    return {"tags": {"client": str(client)}}


def test_of_fifty_updates_each_is_carried_out_or_refused_with_the_address_of_the_one_that_runs(
    cluster: Cluster,
) -> None:
    """An accepted update has an operation of its own, which carries its tags; the last one's are the cluster's."""
    with taken(cluster.azure.state) as inventory:
        before = {each["id"] for each in inventory.operations(cluster.customer)}
    answers, repeated = _together(cluster)
    told = [(answer.status_code, answer.text) for answer in answers if answer.status_code not in (OK, BAD_REQUEST)]
    assert told == []
    accepted = {begun(answer): client for client, answer in enumerate(answers) if answer.status_code == OK}
    assert accepted

    named = set[str]()
    for answer in answers:
        if answer.status_code == BAD_REQUEST:
            named.add(_expect_address(cluster, answer))
    for client in accepted.values():
        assert answers[client].json()["tags"] == _tags(client)["tags"]
    for operation_id in named | accepted.keys():
        cluster.succeed(operation_id)

    with taken(cluster.azure.state) as inventory:
        made = [each for each in inventory.operations(cluster.customer) if each["id"] not in before]
    tags = {each["id"]: each["openShiftCluster"]["tags"] for each in made}
    assert named | accepted.keys() <= tags.keys()
    assert {client: tags[operation_id] for operation_id, client in accepted.items()} == {
        client: _tags(client)["tags"] for client in accepted.values()
    }
    # Nobody can tell a client whose answer was late whether its request was accepted.
    assert {int(tags[operation_id]["client"]) for operation_id in tags.keys() - accepted.keys()} <= repeated
    assert cluster.send("GET").json()["tags"] == tags[made[-1]["id"]]


def _expect_address(cluster: Cluster, refused: requests.Response) -> str:
    """Check a refusal; return the operation that it names."""
    error, address = refused.json()["error"], refused.headers["Azure-AsyncOperation"]
    assert error["code"] == "RequestNotAllowed"
    assert address in error["message"]
    assert address.startswith(cluster.azure.endpoints["arm"])
    return address.split("?")[0].rsplit("/", 1)[-1]


def test_a_client_that_waits_for_the_operation_it_was_told_of_gets_its_turn(cluster: Cluster) -> None:
    """The address answers until that operation has ended, and then the same request is accepted."""
    first = replace(cluster, correlation_id=str(uuid4()))
    held = {"service": "arm", "step": "deploy_storage_template", "kind": "hold", "delay_seconds": 600}
    with fault(cluster.azure, correlation_id=first.correlation_id, **held):
        operation_id = begun(first.send("PATCH", body={"tags": {"turn": "first"}}))
        refused = cluster.send("PATCH", body={"tags": {"turn": "second"}})
        assert _expect_address(cluster, refused) == operation_id
    address = refused.headers["Azure-AsyncOperation"].removeprefix(cluster.azure.endpoints["arm"])
    wait_for(lambda: cluster.send("GET", address).json()["status"] == "Succeeded", "the end of the first update")
    cluster.succeed(begun(cluster.send("PATCH", body={"tags": {"turn": "second"}})))
    assert cluster.send("GET").json()["tags"] == {"turn": "second"}
