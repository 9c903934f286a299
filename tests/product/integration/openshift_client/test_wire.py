"""The client on the wire: proxy, TLS, client certificate, time-outs, and its message for each kind of failure."""

import gc
import socket
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from emulator.core.faults import CUTS, Cut
from emulator.core.proxy import Refusal
from shared.openshift import client
from shared.openshift.client import NotDone, Read, Unreachable
from tests.kubernetes_pki import SERVER_NAME
from tests.patience import PATIENCE_SECONDS
from tests.platform_server import free_port
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

NODE = Read("Node", "m-0")


@pytest.fixture(scope="module")
def cluster() -> Cluster:
    """Give the certificate authorities, made only once because generating keys takes time."""
    return Cluster()


@pytest.fixture
def route() -> Iterator[Route]:
    """Run a proxy and name it in the environment, where the product's process has it."""
    with proxied() as made:
        yield made


def why(cluster: Cluster, what: Read = NODE, address: str = ADDRESS) -> str:
    """Return the reason why a read failed.

    Args:
        cluster: the cluster to read from.
        what: the object to read.
        address: the address to connect to.
    """
    with pytest.raises(NotDone) as caught:
        client.read(cluster.connect(address), what)
    return str(caught.value)


def test_a_read_goes_through_the_proxy_to_the_private_endpoint_as_the_services_user(
    cluster: Cluster, route: Route
) -> None:
    """The client connects to the endpoint's address, but verifies the certificate for the name in the kubeconfig."""
    with server(cluster.certificate(), cluster.clients, answers(200, {"kind": "Node", "metadata": {}})) as api:
        route.to = api.port
        assert client.read(cluster.connect(), NODE) == {"kind": "Node", "metadata": {}}
    assert route.asked == [(ADDRESS, 6443)]
    assert api.users == ["system:aro-service"]
    (request,) = api.requests
    assert request.startswith("GET /api/v1/nodes/m-0 HTTP/1.1\r\n")
    assert f"Host: {ADDRESS}:6443\r\n" in request
    assert "User-Agent: aro-resource-provider\r\n" in request


@pytest.mark.parametrize(
    ("what", "want"),
    [
        (Read("ConfigMap", "bootstrap", "kube-system"), "/api/v1/namespaces/kube-system/configmaps/bootstrap"),
        (Read("ClusterOperator", "ingress"), "/apis/config.openshift.io/v1/clusteroperators/ingress"),
        (
            Read("Machine", namespace="openshift-machine-api", labels="a/b=c"),
            "/apis/machine.openshift.io/v1beta1/namespaces/openshift-machine-api/machines?labelSelector=a%2Fb%3Dc",
        ),
    ],
)
def test_objects_are_asked_for_by_their_own_paths(what: Read, want: str) -> None:
    """Paths are right for the core group and others, with and without a namespace."""
    assert what.path == want


def test_polls_share_a_connection(cluster: Cluster, route: Route) -> None:
    """Polls reuse a connection; a TLS handshake for each poll of each cluster would be most of the work."""
    with server(cluster.certificate(), cluster.clients, answers(200, {"items": []})) as api:
        route.to = api.port
        connected = cluster.connect()
        assert [client.read(connected, Read("Node")) for _ in range(3)] == [[], [], []]
    assert (api.connections, len(api.requests)) == (1, 3)


def test_one_client_serves_the_same_credentials_and_address(cluster: Cluster) -> None:
    """Another version of the credentials, or another address, gets another client."""
    read = cluster.bundles()
    first = client.connect("id/1", "aroServiceKubeconfig", ADDRESS, read)
    assert client.connect("id/1", "aroServiceKubeconfig", ADDRESS, read) is first
    assert client.connect("id/2", "aroServiceKubeconfig", ADDRESS, read) is not first
    assert client.connect("id/1", "aroServiceKubeconfig", "127.128.0.6", read) is not first


def test_the_key_stays_on_no_disk(cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file that the standard library needs for the key is gone once the client exists."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    assert cluster.connect()
    assert list(tmp_path.iterdir()) == []


def test_an_object_that_is_not_there_is_none_and_an_unknown_kind_has_no_objects(cluster: Cluster, route: Route) -> None:
    """The API server answers 404 to both; neither is a failure."""
    with server(cluster.certificate(), cluster.clients, answers(404, "404 page not found")) as api:
        route.to = api.port
        assert client.read(cluster.connect(), NODE) is None
        assert client.read(cluster.connect(), Read("ClusterOperator")) == []


FORBIDDEN = {"kind": "Status", "status": "Failure", "message": 'nodes "m-0" is forbidden: User "x" cannot get'}


@pytest.mark.parametrize(
    ("behave", "want"),
    [
        (
            answers(403, FORBIDDEN),
            'the API server answers 403 Forbidden: nodes "m-0" is forbidden: User "x" cannot get',
        ),
        (answers(401, {"message": "Unauthorized"}), "the API server answers 401 Unauthorized: Unauthorized"),
        (
            answers(503, "no endpoints\navailable"),
            "the API server answers 503 Service Unavailable: no endpoints available",
        ),
        (answers(500, ""), "the API server answers 500 Internal Server Error"),
        (answers(200, "<html>"), "the API server answers with something that is not of kind Node"),
    ],
    ids=["forbidden", "unauthorized", "unavailable", "no reason", "no JSON"],
)
def test_an_answer_that_is_an_error_is_told_in_its_own_words(
    cluster: Cluster, route: Route, behave: Behaviour, want: str
) -> None:
    """The error quotes the status and the message of the API server."""
    with server(cluster.certificate(), cluster.clients, behave) as api:
        route.to = api.port
        assert why(cluster) == want


def test_a_list_that_is_none_is_told(cluster: Cluster, route: Route) -> None:
    """The error says so if something other than an API server answers at the address."""
    with server(cluster.certificate(), cluster.clients, answers(200, ["not", "a", "list"])) as api:
        route.to = api.port
        assert why(cluster, Read("Node")) == "the API server answers with something that is not of kind Node"


def test_a_failure_is_not_tried_again_inside(cluster: Cluster, route: Route) -> None:
    """The client sends a request once: the plan decides what to retry and when, and no thread waits for it."""
    with server(cluster.certificate(), cluster.clients, answers(503, "busy")) as api:
        route.to = api.port
        why(cluster)
    assert len(api.requests) == 1


def test_a_certificate_of_another_authority_does_not_verify(cluster: Cluster, route: Route) -> None:
    """Only the kubeconfig's authority is trusted, whatever the machine trusts."""
    with server(Cluster().certificate(), cluster.clients, answers(200, {})) as api:
        route.to = api.port
        assert why(cluster).startswith("the API server's certificate does not verify: unable to get local issuer")
    assert api.requests == []


def test_a_certificate_of_another_name_does_not_verify(cluster: Cluster, route: Route) -> None:
    """The certificate must carry the name in the kubeconfig, although the client connects to another address."""
    with server(cluster.certificate("api-int.c2.example.org"), cluster.clients, answers(200, {})) as api:
        route.to = api.port
        assert why(cluster) == (
            "the API server's certificate does not verify: Hostname mismatch, "
            f"certificate is not valid for '{SERVER_NAME}'."
        )


def test_an_expired_certificate_does_not_verify(cluster: Cluster, route: Route) -> None:
    """The error gives the reason that TLS gives."""
    with server(cluster.certificate(days=-1), cluster.clients, answers(200, {})) as api:
        route.to = api.port
        assert why(cluster) == "the API server's certificate does not verify: certificate has expired"


def test_a_client_certificate_that_is_refused_is_told(cluster: Cluster, route: Route) -> None:
    """The error says so, although with TLS 1.3 the refusal comes after the handshake."""
    with server(cluster.certificate(), Cluster().clients, answers(200, {})) as api:
        route.to = api.port
        assert "unknown ca" in why(cluster).lower()


def test_something_that_speaks_no_tls_is_told(cluster: Cluster, route: Route) -> None:
    """The error says so if a load balancer's error page, or another service, answers on the port."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        route.to = listener.getsockname()[1]

        def answer() -> None:
            connection, _address = listener.accept()
            with connection:
                connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")
                connection.recv(65536)

        thread = threading.Thread(target=answer)
        thread.start()
        assert why(cluster).startswith("the API server ends the TLS handshake: ")
        thread.join(PATIENCE_SECONDS)


def test_a_server_that_goes_away_in_the_handshake_is_away(cluster: Cluster, route: Route) -> None:
    """A server that restarts behind a load balancer is unreachable; neither its certificate nor ours is wrong."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        route.to = listener.getsockname()[1]

        def hang_up() -> None:
            connection, _address = listener.accept()
            with connection:
                connection.recv(65536)

        thread = threading.Thread(target=hang_up)
        thread.start()
        with pytest.raises(Unreachable, match="ends the TLS handshake"):
            client.read(cluster.connect(), NODE)
        thread.join(PATIENCE_SECONDS)


def test_a_certificate_that_does_not_verify_is_an_answer(cluster: Cluster, route: Route) -> None:
    """A bad certificate does not count as an outage, so the row's deadline keeps running: waiting does not fix it."""
    with server(Cluster().certificate(), cluster.clients, answers(200, {})) as api:
        route.to = api.port
        with pytest.raises(NotDone) as caught:
            client.read(cluster.connect(), NODE)
    assert not isinstance(caught.value, Unreachable)


@pytest.mark.parametrize("kind", CUTS)
def test_a_connection_that_is_cut_is_told(cluster: Cluster, route: Route, kind: Cut) -> None:
    """A server that hangs up before or in the middle of an answer, as when it restarts, is away."""
    with server(cluster.certificate(), cluster.clients, cut(kind)) as api:
        route.to = api.port
        with pytest.raises(Unreachable, match=r"is not reached: |breaks off"):
            client.read(cluster.connect(), NODE)


def test_a_silent_server_is_given_up(cluster: Cluster, route: Route, monkeypatch: pytest.MonkeyPatch) -> None:
    """The client gives up after one time-out, without a retry."""
    monkeypatch.setattr(client, "_READ_SECONDS", 1)
    with server(cluster.certificate(), cluster.clients, lambda _connection, _request: None) as api:
        route.to = api.port
        assert why(cluster) == "the API server does not answer in time"
    assert len(route.asked) == 1


@pytest.mark.parametrize("refusal", [Refusal(403, "No rule leads there."), Refusal(504, "Nobody listens.")])
def test_a_route_that_does_not_exist_is_told(cluster: Cluster, route: Route, refusal: Refusal) -> None:
    """The error says so if the load balancer has no rule, or nothing listens behind it."""
    route.to = refusal
    assert why(cluster).startswith(f"the API server is not reached: Tunnel connection failed: {refusal.status}")


def test_without_a_proxy_a_closed_port_refuses(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a proxy the client connects directly, as in Azure, which has no proxy before the private endpoints."""
    for name in ("HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(client, "_PORT", free_port())
    assert why(cluster, address="127.0.0.1") == "the API server refuses the connection"


def test_a_connection_that_is_not_accepted_is_given_up(
    cluster: Cluster, route: Route, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The client gives up on a proxy or network that accepts packets but never answers, without a retry."""
    monkeypatch.setattr(client, "_CONNECT_SECONDS", 0.3)
    assert route.asked == []
    with socket.create_server(("127.0.0.1", 0)) as silent:
        monkeypatch.setenv("HTTPS_PROXY", f"http://127.0.0.1:{silent.getsockname()[1]}")
        assert why(cluster) == "the API server does not answer in time"
        silent.setblocking(False)
        silent.accept()[0].close()
        with pytest.raises(BlockingIOError):
            silent.accept()


def test_a_client_that_is_forgotten_leaves_no_connection(cluster: Cluster, route: Route) -> None:
    """Dropping the client of a finished cluster closes its sockets; otherwise a warning would fail this test."""
    with server(cluster.certificate(), cluster.clients, answers(200, {"items": []})) as api:
        route.to = api.port
        assert client.read(cluster.connect(), Read("Node")) == []
        client.connect.cache_clear()
        gc.collect()
    assert api.connections == 1
