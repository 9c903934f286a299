"""The handshake with what a cluster serves: through the proxy, whatever the certificate is worth."""

from collections.abc import Iterator

import pytest
from cryptography import x509

from emulator.core.proxy import Refusal
from shared.openshift import handshakes
from shared.openshift.client import NotDone, Unreachable
from tests.product.integration.openshift_client.stage import (
    ADDRESS,
    Cluster,
    Route,
    answers,
    proxied,
    server,
)

NAME = "api.c1.example.org"


@pytest.fixture
def route() -> Iterator[Route]:
    """Run a proxy and name it in the environment, where the product's process has it."""
    with proxied() as made:
        yield made


@pytest.mark.parametrize("days", [1, -1], ids=["valid", "ended"])
def test_the_certificate_is_seen_whether_or_not_it_is_still_valid(route: Route, days: int) -> None:
    """Nobody trusts its authority either, and the server gets no client certificate, which it wants."""
    cluster = Cluster()
    pair = cluster.certificate(NAME, days=days)
    with server(pair, cluster.clients, answers(200, {})) as api:
        route.to = api.port
        found = handshakes.presented(ADDRESS, 6443, NAME)
    assert found == x509.load_pem_x509_certificate(pair.certificate.encode())
    assert route.asked == [(ADDRESS, 6443)]
    assert api.requests == []


def test_a_route_that_does_not_exist_is_told(route: Route) -> None:
    """The wait says so."""
    route.to = Refusal(403, "No rule leads there.")
    with pytest.raises(Unreachable, match="Tunnel connection failed: 403"):
        handshakes.presented(ADDRESS, 6443, NAME)


def test_a_server_that_is_gone_is_told(route: Route) -> None:
    """The next poll asks again."""
    cluster = Cluster()
    with server(cluster.certificate(), None, answers(200, {})) as gone:
        route.to = gone.port
    with pytest.raises(NotDone):
        handshakes.presented(ADDRESS, 443, NAME)
