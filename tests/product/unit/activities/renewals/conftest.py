"""A living cluster whose certificates age, with an API server and whatever answers handshakes."""

import json
from typing import Any

import pytest
from cryptography import x509

from activities.machines import graph
from installer import graph as install_graph
from installer import pki
from installer.assets.install_certificates import CERTIFICATES
from shared.openshift import handshakes
from shared.openshift.client import Unreachable
from tests.product.unit.activities.cluster import cluster_api_fake
from tests.product.unit.openshift.api_fake import FakeApi
from tests.product.unit.product_world import World, accepted, own, world

__all__ = ["accepted", "own", "world"]


@pytest.fixture
def api(accepted: World, monkeypatch: pytest.MonkeyPatch) -> FakeApi:
    """Put an API server behind the cluster's private endpoint."""
    return cluster_api_fake.wire(accepted, monkeypatch)


@pytest.fixture
def signers(monkeypatch: pytest.MonkeyPatch) -> dict[str, pki.Pair]:
    """Let the install graph hold the signers that renewals need; return them by their file."""
    now = "2026-03-01T09:00:00+00:00"
    rows = {row.file: row for row in CERTIFICATES}
    made = {name: pki.issue(rows[name], {}, now, None) for name in ("admin-kubeconfig-signer", "root-ca")}
    files = {
        f"tls/{name}": {f"tls/{name}.key": pair.key, f"tls/{name}.crt": pair.certificate} for name, pair in made.items()
    }
    monkeypatch.setattr(graph, "load", lambda _step: install_graph.Graph(files))
    return made


class Outside:
    """What answers handshakes: certificates by address and port. A list gives one to each handshake in turn."""

    def __init__(self) -> None:
        self.presented: dict[tuple[str, int], Any] = {}
        self.asked: list[tuple[str, int, str]] = []

    def answer(self, address: str, port: int, name: str) -> x509.Certificate:
        """Answer as `handshakes.presented` does."""
        self.asked.append((address, port, name))
        found = self.presented.get((address, port))
        if isinstance(found, list):
            found = found[len(self.asked) % len(found)]
        if found is None:
            raise Unreachable("the API server does not answer in time")
        return x509.load_pem_x509_certificate(found.encode())


@pytest.fixture
def outside(monkeypatch: pytest.MonkeyPatch) -> Outside:
    """Answer handshakes in memory."""
    made = Outside()
    monkeypatch.setattr(handshakes, "presented", made.answer)
    return made


def bundle(world: World, purpose: str) -> dict[str, Any]:
    """Return the bundle that the document names."""
    version = int(world.cluster["secrets"][purpose].rsplit("/", 1)[1])
    found: dict[str, Any] = json.loads(world.vault("rp-cls").versions[f"doc-1-{purpose}"][version - 1])
    return found
