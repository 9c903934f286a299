"""What is read of a cluster's certificates and credentials."""

import base64
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest
import yaml
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from shared.azure.arm_reads import ArmRefused
from shared.cluster_conditions import expirations, facts, principal_secrets
from shared.cluster_conditions.derivations import Expiration
from shared.cluster_conditions.expirations import Sources
from shared.json_object import Json
from shared.openshift import handshakes
from shared.settings import parse
from tests.product.unit.cluster_conditions.observations import NOW
from tests.product.unit.frontend.clusters.live_fake import LiveFake
from tests.product.unit.product_world import ENVIRONMENT, OWN, cluster_document

END = NOW + timedelta(days=100)
SIGNER = "kube-apiserver-to-kubelet-signer"


def certificate(end: datetime) -> bytes:
    """Make a certificate that ends then, as PEM."""
    key, name = ec.generate_private_key(ec.SECP256R1()), x509.Name([])
    builder = x509.CertificateBuilder(name, name, key.public_key(), 1, NOW - timedelta(days=1), end)
    return builder.sign(key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)


def kubeconfig(end: datetime) -> str:
    """Make a kubeconfig whose client certificate ends then."""
    user = {"client-certificate-data": base64.b64encode(certificate(end)).decode()}
    return yaml.safe_dump({"users": [{"name": "u", "user": user}]})


def row(namespace: str, name: str, end: str = END.isoformat()) -> Json:
    """Make a row of a table of Secrets, as the API server shows their metadata."""
    metadata = {"name": name, "namespace": namespace, "annotations": {"auth.openshift.io/certificate-not-after": end}}
    return {"cells": [name], "object": {"kind": "PartialObjectMetadata", "metadata": metadata}}


class World:
    """A hosted service's cluster, and what the sources say of it."""

    def __init__(self) -> None:
        self.live = LiveFake({"Secret": {"rows": [row("openshift-kube-apiserver-operator", SIGNER)]}})
        self.document = cluster_document(secrets={"credentials": "credentials", "request": "request"})
        cluster: Json = self.document["openShiftCluster"]["properties"]
        cluster |= {
            "networkProfile": {"privateEndpointIp": "10.0.0.9"},
            "consoleProfile": {"url": "https://console-openshift-console.apps.c1.eastus.aroapp.io/"},
            "ingressProfiles": [{"name": "default", "visibility": "Public", "ip": "20.0.0.1"}],
        }
        self.secrets: dict[str, Json] = {
            "credentials": {"userAdminKubeconfig": kubeconfig(END), "aroServiceKubeconfig": kubeconfig(END)},
            "request": {"clientSecret": "canary-secret"},
            "registry": {"name": "password2", "password": "canary-password"},
        }
        self.environment = dict(ENVIRONMENT)
        self.endpoint: Any = "endpoint"
        self.token: Any = None

    def read(self, known: list[Expiration] | None = None) -> dict[str, Expiration]:
        """Read what ends, by row."""
        vault: Any = SimpleNamespace(get_secret=self.secrets.__getitem__, get_service_secret=None)
        arm: Any = SimpleNamespace(get=self._arm)
        settings = parse(self.environment)
        sources = Sources(settings, vault, self.live.read_all, self.endpoint, lambda: "tenant", lambda: arm)
        return {each.name: each for each in expirations.read(self.document, sources, known or [])}

    def _arm(self, path: str, _version: str) -> Any:
        assert path.endswith("/registries/arosvc/tokens/token-1")
        if isinstance(self.token, Exception):
            raise self.token
        return self.token


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> World:
    """Give a cluster whose every certificate ends on one day."""
    asked: list[tuple[str, int, str]] = []

    def presented(*where: Any) -> Any:
        asked.append(where)
        return SimpleNamespace(not_valid_after_utc=END)

    monkeypatch.setattr(handshakes, "presented", presented)
    monkeypatch.setattr(principal_secrets, "end", lambda *_where: None)
    made = World()
    made.asked = asked  # type: ignore[attr-defined] # for one test
    return made


def test_ends_are_read_from_the_cluster_and_the_vault(world: World) -> None:
    """In the order of the calendar; of a Secret only what its operator has written on it."""
    found = world.read()
    assert list(found) == [
        "api-certificate",
        "ingress-certificate",
        "user-kubeconfig",
        "service-kubeconfig",
        "kube-apiserver-to-kubelet-signer",
    ]
    assert {each.end for each in found.values()} == {END}
    assert found[SIGNER].detail == f"openshift-kube-apiserver-operator/{SIGNER}"
    assert {str(ask.form) for ask in world.live.asked} == {"application/json;as=Table;v=v1;g=meta.k8s.io"}
    assert world.asked == [  # type: ignore[attr-defined] # see above
        ("10.0.0.9", 6443, "api.c1.eastus.aroapp.io"),
        ("20.0.0.1", 443, "expirations.apps.c1.eastus.aroapp.io"),
    ]


def test_without_a_managed_domain_the_router_has_its_own_certificate(world: World) -> None:
    """And the API server's is the cluster's own affair. A private router cannot be asked."""
    world.environment |= OWN
    assert "default-ingress-certificate" in world.read()
    assert "api-certificate" not in world.read()
    world.document["openShiftCluster"]["properties"]["ingressProfiles"][0]["visibility"] = "Private"
    assert "default-ingress-certificate" not in world.read()


def test_the_signer_of_admin_credentials_is_read_from_its_bundle(world: World) -> None:
    """A cluster without such a bundle has no row; one that cannot be read hides no other."""
    assert "admin-kubeconfig-signer" not in world.read()
    world.document["secrets"]["adminsigner"] = "adminsigner"
    world.secrets["adminsigner"] = {"certificate": certificate(END).decode(), "key": "canary-key"}
    found = world.read()["admin-kubeconfig-signer"]
    assert (found.end, found.detail) == (END, "adminsigner")
    world.secrets["adminsigner"] = {"certificate": "garbled"}
    assert set(world.read()) >= {"user-kubeconfig", "service-kubeconfig"}


def test_of_several_secrets_the_one_that_ends_first_counts(world: World) -> None:
    """What is not annotated, or has no row, is left out."""
    rows = [row("openshift-etcd", f"etcd-peer-{number}", f"2027-0{number}-01T00:00:00Z") for number in (3, 2, 4)]
    world.live.objects["Secret"] = {"rows": [*rows, row("openshift-etcd", "etcd-peer-9", "soon"), {"object": 7}]}
    etcd = world.read()["etcd"]
    assert (etcd.end, etcd.detail) == (datetime(2027, 2, 1, tzinfo=UTC), "openshift-etcd/etcd-peer-2")


def test_what_cannot_be_read_stays_as_it_is_known(world: World, caplog: pytest.LogCaptureFixture) -> None:
    """The rest is read; the log has no secret."""
    known = [Expiration(SIGNER, NOW), Expiration("user-kubeconfig", NOW)]
    world.live.objects.clear()
    found = world.read(known)
    assert (found[SIGNER].end, found["user-kubeconfig"].end) == (NOW, END)
    world.endpoint = None
    world.secrets.clear()
    assert world.read(known) == {each.name: each for each in known}
    assert "canary" not in caplog.text
    assert "the cluster cannot be asked" in caplog.text


def test_the_password_in_use_ends_180_days_after_it_was_made(world: World) -> None:
    """The registry says when that was, or when it ends; the other slot does not matter."""
    world.document["secrets"]["registry"] = "registry"
    world.document["openShiftCluster"]["properties"]["registryProfiles"] = [{"username": "token-1"}]
    passwords = [
        {"name": "password1", "creationTime": "2020-01-01T00:00:00Z"},
        {"name": "password2", "creationTime": NOW.isoformat()},
    ]
    world.token = {"properties": {"credentials": {"passwords": passwords}}}
    assert world.read()["registry-token"] == Expiration("registry-token", NOW + timedelta(days=180), "token-1")
    passwords[1]["expiry"] = END.isoformat()
    assert world.read()["registry-token"].end == END
    world.token = ArmRefused("no role")
    assert "registry-token" not in world.read()


def test_the_directory_may_say_when_the_principals_secret_ends(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the service may read it."""
    monkeypatch.setattr(principal_secrets, "end", lambda *_where: END)
    assert world.read()["service-principal"] == Expiration("service-principal", END, "client-1")


class Directory:
    """Microsoft Graph, as it shows an application."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.calls = 0
        self.answer: Any = None
        monkeypatch.setattr(principal_secrets, "_application", self._application)
        monkeypatch.setattr(principal_secrets, "_refusals", {})

    def _application(self, *_where: Any) -> Any:
        self.calls += 1
        return self.answer

    def end(self) -> datetime | None:
        return principal_secrets.end("tenant", "client", "abcdef", str)


def test_the_secret_in_use_is_told_by_its_beginning(monkeypatch: pytest.MonkeyPatch) -> None:
    """An application may have several."""
    directory = Directory(monkeypatch)
    other, ours = {"hint": "xyz", "endDateTime": NOW.isoformat()}, {"hint": "abc", "endDateTime": END.isoformat()}
    directory.answer = {"passwordCredentials": [other, ours, {"hint": "abc", "endDateTime": None}, 7]}
    assert directory.end() == END
    directory.answer = {"passwordCredentials": [other]}
    assert directory.end() is None


def test_a_directory_that_shows_nothing_is_left_alone_for_a_day(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody has given the service that right."""
    directory = Directory(monkeypatch)
    assert directory.end() is None
    assert directory.end() is None
    assert directory.calls == 1


@pytest.mark.parametrize("text", ["", "7", "users: []", "users: [{user: {client-certificate-data: x}}]", "a: b: c"])
def test_a_kubeconfig_that_cannot_be_read_has_no_end(text: str) -> None:
    """It is made again, which is a renewal's work."""
    assert expirations.kubeconfig_end(text) is None


def test_a_strangers_time_is_a_time_or_nothing() -> None:
    """It needs its zone."""
    assert facts.time("2026-03-01T12:00:00Z") == NOW
    assert facts.time("2026-03-01T12:00:00") is None
