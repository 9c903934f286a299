"""Reads during a request, on the wire: many at once, within one time limit, from servers that nobody trusts."""

import json
import socket
import ssl
import threading
import time
from collections.abc import Iterator
from operator import itemgetter
from typing import Any

import pytest

from emulator.core.faults import CUTS, Cut
from emulator.core.proxy import Refusal
from shared.openshift import client, reads
from shared.openshift.client import NotDone, Read
from shared.openshift.reads import MOST_BYTES, Ask
from tests.platform_server import free_port, variables
from tests.product.integration.openshift_client.stage import (
    ADDRESS,
    Behaviour,
    Cluster,
    Route,
    answers,
    cut,
    proxied,
    server,
)

NODE, NODES = Read("Node", "m-0"), Read("Node", limit=3)
# More than any machine needs; no test waits that long if all is well.
GENEROUS = 120


@pytest.fixture(scope="module")
def cluster() -> Cluster:
    """Give the certificate authorities, made only once because generating keys takes time."""
    return Cluster()


@pytest.fixture
def route() -> Iterator[Route]:
    """Run a proxy and name it in the environment, where the product's process has it."""
    with proxied() as made:
        yield made


def ask(cluster: Cluster, what: Read = NODE, address: str = ADDRESS) -> Ask:
    """Return a read that keeps everything."""
    return Ask(client.endpoint("id/1", "aroServiceKubeconfig", address, cluster.bundles()), what, lambda found: found)


def why(cluster: Cluster, what: Read = NODE, seconds: float = GENEROUS) -> str:
    """Return the reason why a read found nothing."""
    (found,) = reads.read_all([ask(cluster, what)], seconds)
    assert isinstance(found, NotDone), found
    return str(found)


def silent(_connection: ssl.SSLSocket, _request: str) -> None:
    """Never answer."""


def test_reads_go_through_the_proxy_to_the_private_endpoint_as_the_services_user(
    cluster: Cluster, route: Route
) -> None:
    """As activities do: the endpoint's address, the certificate of the kubeconfig's name, the service's own user."""
    with server(cluster.certificate(), cluster.clients, answers(200, {"metadata": {}, "items": [1, 2]})) as api:
        route.to = api.port
        assert reads.read_all([ask(cluster, NODES)], GENEROUS) == [[1, 2]]
    assert route.asked == [(ADDRESS, 6443)]
    assert api.users == ["system:aro-service"]
    (request,) = api.requests
    assert request.startswith("GET /api/v1/nodes?limit=3 HTTP/1.1\r\n")
    assert "User-Agent: aro-resource-provider\r\n" in request
    assert "Accept-Encoding: identity\r\n" in request


def test_only_what_is_picked_is_kept(cluster: Cluster, route: Route) -> None:
    """Answers come back in the order of the reads."""
    with server(cluster.certificate(), cluster.clients, answers(200, {"kind": "Node", "name": "m-0"})) as api:
        route.to = api.port
        found = ask(cluster).endpoint
        kept = [Ask(found, NODE, itemgetter("kind")), Ask(found, NODE, itemgetter("name"))]
        assert reads.read_all(kept, GENEROUS) == ["Node", "m-0"]


def test_no_reads_take_no_time() -> None:
    """A page may have no cluster that is up."""
    assert reads.read_all([], 0) == []


def test_a_read_does_not_wait_for_another(cluster: Cluster, route: Route) -> None:
    """The first server answers only after the second one has been read."""
    is_read = threading.Event()

    def after_the_other(connection: ssl.SSLSocket, request: str) -> None:
        if "slow" in request:
            is_read.wait(GENEROUS)
        answers(200, {"kind": "Node"})(connection, request)

    def tell(found: Any) -> Any:
        is_read.set()
        return found

    with server(cluster.certificate(), cluster.clients, after_the_other) as api:
        route.to = api.port
        slow, fast = ask(cluster, Read("Node", "slow")), ask(cluster, Read("Node", "fast"))
        assert reads.read_all([slow, Ask(fast.endpoint, fast.what, tell)], GENEROUS) == [
            {"kind": "Node"},
            {"kind": "Node"},
        ]


def drip(connection: ssl.SSLSocket, _request: str) -> None:
    """Send an answer that never ends, a little at a time, so that no time-out of the socket ever passes."""
    connection.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
    while True:
        connection.sendall(b"1\r\n \r\n")
        time.sleep(0.01)


@pytest.mark.parametrize("behave", [silent, drip])
def test_a_server_that_does_not_end_its_answer_is_given_up(cluster: Cluster, route: Route, behave: Behaviour) -> None:
    """However it delays, the read ends."""
    with server(cluster.certificate(), cluster.clients, behave) as api:
        route.to = api.port
        assert why(cluster, seconds=0.3) == "the API server does not answer in time"


def test_a_server_that_does_not_shake_hands_is_given_up(cluster: Cluster, route: Route) -> None:
    """The time limit holds for the handshake, too."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        route.to = listener.getsockname()[1]
        assert why(cluster, seconds=0.3) == "the API server does not answer in time"


def test_without_any_time_nothing_is_found(cluster: Cluster, route: Route) -> None:
    """A request may have used up all of it."""
    with server(cluster.certificate(), cluster.clients, silent) as api:
        route.to = api.port
        assert why(cluster, seconds=-1) == "the API server does not answer in time"


def redirect(connection: ssl.SSLSocket, _request: str) -> None:
    """Lead elsewhere."""
    connection.sendall(b"HTTP/1.1 302 Found\r\nLocation: https://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n")


@pytest.mark.parametrize(
    ("what", "behave", "want"),
    [
        pytest.param(NODE, answers(403, {"message": "no"}), "the API server answers 403 Forbidden: no", id="forbidden"),
        pytest.param(NODE, answers(404, "gone"), "the API server answers 404 Not Found: gone", id="not there"),
        pytest.param(NODES, answers(404, "gone"), "the API server answers 404 Not Found: gone", id="no such kind"),
        pytest.param(NODE, redirect, "the API server answers 302 Found", id="a redirect"),
        pytest.param(NODE, answers(200, "<html>"), "answer is not understood: Expecting value", id="no JSON"),
        pytest.param(
            NODE, answers(200, "[" * 100_000), "answer is not understood: it is nested deeper than", id="too deep"
        ),
        pytest.param(NODES, answers(200, ["no", "list"]), "answer is not understood: TypeError", id="no list"),
        pytest.param(NODES, answers(200, {"items": []}), "answer is not understood: KeyError", id="no metadata"),
        pytest.param(
            NODES,
            answers(200, {"metadata": {"continue": "x"}, "items": [1]}),
            "there are more than 3",
            id="a long list",
        ),
        pytest.param(
            NODE,
            answers(200, json.dumps({"x": "a" * MOST_BYTES})),
            f"answer has more than {MOST_BYTES} bytes",
            id="a large answer",
        ),
    ],
)
def test_an_answer_that_is_no_use_is_told(
    cluster: Cluster, route: Route, what: Read, behave: Behaviour, want: str
) -> None:
    """The reason is the server's own words as far as it has some."""
    with server(cluster.certificate(), cluster.clients, behave) as api:
        route.to = api.port
        assert want in why(cluster, what)


@pytest.mark.parametrize("kind", CUTS)
def test_a_connection_that_is_cut_is_told(cluster: Cluster, route: Route, kind: Cut) -> None:
    """Wherever the answer ends, nothing was read."""
    with server(cluster.certificate(), cluster.clients, cut(kind)) as api:
        route.to = api.port
        assert why(cluster).startswith("the API server is not reached: ")


def test_a_pick_that_fails_finds_nothing(cluster: Cluster, route: Route) -> None:
    """No answer can fail a request, even one that the code below does not expect."""

    def fail(_found: Any) -> Any:
        raise KeyError("x")

    with server(cluster.certificate(), cluster.clients, answers(200, {"kind": "Node"})) as api:
        route.to = api.port
        (found,) = reads.read_all([Ask(ask(cluster).endpoint, NODE, fail)], GENEROUS)
    assert str(found) == "the API server's answer is not understood: KeyError"


def test_a_certificate_that_does_not_verify_is_told_and_gets_no_request(cluster: Cluster, route: Route) -> None:
    """Only the kubeconfig's authority and name are accepted."""
    with server(Cluster().certificate(), cluster.clients, answers(200, {})) as api:
        route.to = api.port
        assert why(cluster).startswith("the API server's certificate does not verify: unable to get local issuer")
    with server(cluster.certificate("api-int.c2.example.org"), cluster.clients, answers(200, {})) as other:
        route.to = other.port
        assert why(cluster).startswith("the API server's certificate does not verify: Hostname mismatch")
    assert [*api.requests, *other.requests] == []


def test_a_route_that_does_not_exist_is_told(cluster: Cluster, route: Route) -> None:
    """As after the private endpoint of a cluster has been removed."""
    route.to = Refusal(504, "Nobody listens.")
    assert why(cluster).startswith("the API server is not reached: 504")


def test_without_a_proxy_a_closed_port_refuses(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a proxy it connects directly, as in Azure, which has no proxy before the private endpoints."""
    monkeypatch.setattr(client, "_PORT", free_port())
    with variables(dict.fromkeys(("HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"), "")):
        (found,) = reads.read_all([ask(cluster, address="127.0.0.1")], GENEROUS)
    assert str(found) == "the API server refuses the connection"
