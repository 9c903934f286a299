"""The rows that end all admin credentials of a cluster: the service can sign in at each of them, wherever they stop."""

import base64
import itertools
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from types import SimpleNamespace
from typing import Any

import pytest
import yaml
from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric import rsa

from orchestrators.plans import PLANS
from shared.clusters.credentials import admin_signer
from shared.clusters.secrets import Purpose, secret_name
from shared.json_object import Json
from shared.openshift import api_servers, client, reads
from shared.openshift.client import NotDone, Unreachable
from shared.openshift.reads import Ask
from shared.store import get_store
from tests.kubernetes_pki import Authority, kubeconfig
from tests.product.unit.activities.calls import call
from tests.product.unit.activities.cluster import cluster_api_fake
from tests.product.unit.activities.cluster.test_cluster_configuration import named
from tests.product.unit.openshift.api_fake import FakeApi
from tests.product.unit.product_world import World

DONE = {"outcome": "done"}
CA = "ca-bundle.crt"
MASTERS = ("10.0.0.4", "10.0.0.5", "10.0.0.6")
ROWS = [row.name for row in PLANS["revoke_credentials"] if row.name not in ("api_servers_available", "finish")]


def client_certificate(text: str) -> x509.Certificate:
    """Return the certificate in a kubeconfig."""
    (user,) = yaml.safe_load(text)["users"]
    return x509.load_pem_x509_certificate(base64.b64decode(user["user"]["client-certificate-data"]))


@cache
def trusts(bundle: str, text: str) -> bool:
    """Tell whether one of these authorities has signed the certificate in a kubeconfig."""
    certificate = client_certificate(text)
    for authority in x509.load_pem_x509_certificates(bundle.encode()):
        try:
            certificate.verify_directly_issued_by(authority)
        except (ValueError, TypeError, InvalidSignature):
            continue
        return True
    return False


@cache
def keys() -> list[rsa.RSAPrivateKey]:
    """Return the keys of three revocations, because each takes a while to make."""
    return [rsa.generate_private_key(public_exponent=65537, key_size=2048) for _ in range(9)]


@dataclass
class Servers:
    """Three API servers behind a load balancer. Each has loaded a version of the bundle that they are told to trust."""

    world: World
    api: FakeApi
    loaded: dict[str, str] = field(default_factory=dict)
    away: set[str] = field(default_factory=set)
    slow: bool = False
    signed_in: list[str] = field(default_factory=list)
    _next: Any = field(default_factory=lambda: itertools.cycle(MASTERS))

    @property
    def told(self) -> str:
        """The bundle that they are told to trust."""
        text: str = self.api.at("ConfigMap", "admin-kubeconfig-client-ca", "openshift-config")["data"][CA]
        return text

    def roll_out(self, *masters: str) -> None:
        """Let API servers load the bundle."""
        self.loaded |= dict.fromkeys(masters or MASTERS, self.told)

    def bundle(self, secret_id: str) -> Json:
        """Return a bundle of the vault by its versioned id."""
        name, version = secret_id.rsplit("/", 2)[1:]
        found: Json = json.loads(self.world.vault("rp-cls").versions[name][int(version) - 1])
        return found

    def accepts(self, master: str, secret_id: str) -> bool:
        """Tell whether an API server accepts the service's credentials in a bundle."""
        return trusts(self.loaded[master], self.bundle(secret_id)["aroServiceKubeconfig"])

    def read_all(self, asks: Sequence[Ask], _seconds: float) -> list[Any]:
        """Answer like `reads.read_all`, each connection by another master."""
        return [self._answer(ask) for ask in asks]

    def _answer(self, ask: Ask) -> Any:
        master = next(self._next)
        if master in self.away:
            return Unreachable("the API server refuses the connection")
        if not self.accepts(master, ask.endpoint.url):
            return client.refused(401, "the API server answers 401 Unauthorized")
        return ask.pick(
            {"serverAddressByClientCIDRs": [{"clientCIDR": "0.0.0.0/0", "serverAddress": f"{master}:6443"}]}
        )

    def connect(self, secret_id: str, *_: object) -> Any:
        """Sign in as the service does: at any of the masters, so each has to accept it."""
        refusing = [master for master in MASTERS if not self.accepts(master, secret_id)]
        assert not refusing, "the service is locked out"
        self.signed_in.append(secret_id)
        return self.api.client

    def can_sign_in(self) -> bool:
        """Tell whether the credentials of the document open each API server."""
        return all(self.accepts(master, self.world.cluster["secrets"]["credentials"]) for master in MASTERS)

    def run(self, row: str, operation: str = "op") -> Json:
        """Run a row; where it waits, let the API servers load what they are told, one by one."""
        for master in (*MASTERS, ""):
            outcome = call(row, operationId=operation)
            assert self.can_sign_in()
            if outcome["outcome"] != "wait" or self.slow:
                return outcome
            self.roll_out(*([master] if master else []))
            assert self.can_sign_in()
        return outcome

    def begin(self, operation: str) -> None:
        """Begin another revocation."""
        self.world.cluster["asyncOperationId"] = operation

    def revoke(self, operation: str = "op") -> None:
        """Run all rows."""
        for row in ROWS:
            assert self.run(row, operation) == DONE, row


@pytest.fixture
def servers(accepted: World, monkeypatch: pytest.MonkeyPatch) -> Servers:
    """A cluster with its first credentials, from the install graph."""
    api = cluster_api_fake.wire(accepted, monkeypatch)
    made = Servers(accepted, api)
    first = Authority("admin-kubeconfig-signer")
    bundle = {
        "aroServiceKubeconfig": kubeconfig(first, first.issue("system:aro-service")),
        "userAdminKubeconfig": kubeconfig(first, first.issue("system:admin")),
        "kubeadminPassword": "kept",
    }
    for purpose, content in (
        (Purpose.CREDENTIALS, bundle),
        (Purpose.ADMIN_SIGNER, {"certificate": first.pem, "key": ""}),
    ):
        stored = accepted.vault("rp-cls").set_secret(
            secret_name("doc-1", purpose),
            json.dumps(content),
            content_type="application/json",
            tags={"cluster": "doc-1"},
        )
        accepted.cluster["secrets"][str(purpose)] = stored.id
    api.add(
        named("ConfigMap", "admin-kubeconfig-client-ca", "openshift-config", data={CA: first.pem}),
        *(named("Node", f"m{at}", status={"addresses": [{"type": "InternalIP", "address": at}]}) for at in MASTERS),
    )
    made.roll_out()
    left = iter(keys())
    monkeypatch.setattr(admin_signer, "_new_key", lambda: next(left))
    monkeypatch.setattr(client, "connect", made.connect)
    monkeypatch.setattr(client, "endpoint", lambda secret_id, *_: SimpleNamespace(url=secret_id))
    monkeypatch.setattr(reads, "read_all", made.read_all)
    return made


def credentials(servers: Servers) -> str:
    """Return the versioned id of the credentials in use."""
    found: str = servers.world.cluster["secrets"]["credentials"]
    return found


def expect_ended(servers: Servers, former: str) -> None:
    """Check that no API server accepts former credentials, and that the document names what works."""
    assert not any(servers.accepts(master, former) for master in MASTERS)
    assert servers.can_sign_in()
    signer = servers.bundle(servers.world.cluster["secrets"]["adminsigner"])
    assert servers.told == signer["certificate"]
    assert "revocation" not in servers.world.cluster


def test_all_credentials_that_were_given_end_and_the_service_goes_on(servers: Servers) -> None:
    """The user's are made again, too; the password is as it was."""
    former, before = credentials(servers), servers.bundle(credentials(servers))
    servers.revoke()
    expect_ended(servers, former)
    after = servers.bundle(credentials(servers))
    assert after["kubeadminPassword"] == before["kubeadminPassword"]
    signer = x509.load_pem_x509_certificate(
        servers.bundle(servers.world.cluster["secrets"]["adminsigner"])["certificate"].encode()
    )
    for member, name in (
        ("aroServiceKubeconfig", "CN=system:aro-service,O=system:masters"),
        ("userAdminKubeconfig", "CN=system:admin"),
    ):
        certificate = client_certificate(after[member])
        certificate.verify_directly_issued_by(signer)
        assert certificate.subject.rfc4514_string() == name
    assert servers.signed_in[-1] == credentials(servers)


def test_former_versions_in_the_vault_are_disabled_and_those_in_use_are_not(servers: Servers) -> None:
    """Nobody can read a former signer any more."""
    former = [servers.world.cluster["secrets"][purpose] for purpose in ("adminsigner", "credentials")]
    servers.revoke()
    disabled = servers.world.vault("rp-cls").disabled
    assert {secret_id.split("/secrets/")[1] for secret_id in former} <= set(disabled)
    expect_only_versions_in_use(servers)


def expect_only_versions_in_use(servers: Servers) -> None:
    """Check that nobody can read any other version of signer and credentials, whoever has made it."""
    vault = servers.world.vault("rp-cls")
    for purpose in (Purpose.ADMIN_SIGNER, Purpose.CREDENTIALS):
        name = secret_name("doc-1", purpose)
        enabled = [each.id for each in vault.list_properties_of_secret_versions(name) if each.enabled]
        assert enabled == [servers.world.cluster["secrets"][purpose]]


@pytest.mark.parametrize("last", ROWS)
@pytest.mark.parametrize("same", [True, False], ids=["the same one goes on", "another one begins"])
def test_a_revocation_that_stops_after_any_row_can_be_finished(servers: Servers, last: str, same: bool) -> None:
    """By the next attempt, which may run rows again, and by another request. The service is never locked out."""
    former = [credentials(servers)]
    for row in ROWS[: ROWS.index(last) + 1]:
        assert servers.run(row) == DONE
    former += [credentials(servers)] if credentials(servers) not in former and not same else []
    assert servers.can_sign_in()
    if same:
        for row in ROWS[ROWS.index(last) :]:
            assert servers.run(row) == DONE
        former = former[:1]
    else:
        servers.begin("op-2")
        servers.revoke("op-2")
    for each in former:
        expect_ended(servers, each)
    expect_only_versions_in_use(servers)


@pytest.mark.parametrize("write", range(1, 4))
def test_a_revocation_that_dies_while_it_prepares_is_repeated(
    servers: Servers, monkeypatch: pytest.MonkeyPatch, write: int
) -> None:
    """Whichever of its three writes was the last."""
    vault, documents = servers.world.vault("rp-cls"), servers.world.cosmos["OpenShiftClusters"]
    count = itertools.count(1)

    def dying(real: Any) -> Any:
        def written(*args: Any, **kwargs: Any) -> Any:
            result = real(*args, **kwargs)
            if next(count) == write:
                raise KeyboardInterrupt
            return result

        return written

    former = credentials(servers)
    with monkeypatch.context() as patch:
        patch.setattr(vault, "set_secret", dying(vault.set_secret))
        patch.setattr(documents, "replace_item", dying(documents.replace_item))
        with pytest.raises(KeyboardInterrupt):
            call("prepare_revocation")
    assert servers.can_sign_in()
    servers.revoke()
    expect_ended(servers, former)
    expect_only_versions_in_use(servers)


def test_credentials_are_not_used_before_every_server_accepts_them(servers: Servers) -> None:
    """The wait names the servers that do not yet."""
    for row in ("prepare_revocation", "trust_new_signer"):
        servers.run(row)
    servers.slow = True
    servers.roll_out("10.0.0.5")
    outcome = servers.run("new_credentials_accepted")
    assert outcome["outcome"] == "wait"
    assert "the API servers at 10.0.0.4, 10.0.0.6 have not accepted the new credentials yet" in outcome["message"]
    servers.roll_out("10.0.0.4", "10.0.0.6")
    servers.away.add("10.0.0.6")
    assert "at 10.0.0.6 have not" in servers.run("new_credentials_accepted")["message"]
    servers.away.clear()
    assert servers.run("new_credentials_accepted") == DONE


def test_it_ends_only_when_every_server_refuses_the_former_ones(servers: Servers) -> None:
    """A server that is away may still trust them when it comes back."""
    for row in ROWS[: ROWS.index("former_credentials_refused")]:
        assert servers.run(row) == DONE
    servers.slow = True
    servers.roll_out("10.0.0.5")
    message = servers.run("former_credentials_refused")["message"]
    assert message == "the API servers at 10.0.0.4, 10.0.0.6 still accept the former credentials"
    servers.roll_out("10.0.0.4")
    servers.away.add("10.0.0.6")
    assert "only 2" in servers.run("former_credentials_refused")["message"]
    servers.away.clear()
    servers.roll_out()
    assert servers.run("former_credentials_refused") == DONE


def test_authorities_of_others_stay_while_both_are_trusted_and_go_with_the_former_ones(servers: Servers) -> None:
    """Nobody can tell whose they are, and every admin credential has to end."""
    other = Authority("somebody").pem
    found = servers.api.at("ConfigMap", "admin-kubeconfig-client-ca", "openshift-config")
    servers.api.add(found | {"data": {CA: found["data"][CA] + other}})
    servers.roll_out()
    for row in ROWS[:3]:
        servers.run(row)
    assert other in servers.told
    for row in ROWS[3:]:
        servers.run(row)
    assert other not in servers.told


@pytest.mark.parametrize("row", ["trust_new_signer", "remove_former_signers"])
def test_what_the_cluster_is_told_is_written_once(servers: Servers, row: str) -> None:
    """A second run writes nothing."""
    for each in ROWS[: ROWS.index(row) + 1]:
        servers.run(each)
    changes = len(servers.api.changes)
    assert servers.run(row) == DONE
    assert len(servers.api.changes) == changes


def test_a_cluster_of_an_earlier_build_gets_a_signer(servers: Servers) -> None:
    """Its first one is in the install graph alone."""
    del servers.world.cluster["secrets"]["adminsigner"]
    former = credentials(servers)
    servers.revoke()
    expect_ended(servers, former)


def test_certificates_that_were_given_are_forgotten(servers: Servers) -> None:
    """They open nothing any more."""
    document: Any = {"id": "doc-1", "credentials": []}
    get_store().admin_credentials.create(document)
    servers.revoke()
    assert get_store().admin_credentials.read("doc-1") is None


def test_nodes_that_have_no_address_yet_are_waited_for(servers: Servers) -> None:
    """Otherwise one server might be left out."""
    for row in ROWS[:2]:
        servers.run(row)
    servers.slow = True
    servers.api.add(named("Node", "m10.0.0.6", status={}))
    assert "Node 'm10.0.0.6' has no address yet" in servers.run("new_credentials_accepted")["message"]
    with pytest.raises(NotDone, match="no masters"):
        api_servers.addresses([])
