"""Machines that somebody else controls answer without an end, a byte at a time, or nested without measure.

Every client that leaves the service's own network is here, with the wire and TLS real.
"""

import gc
import io
import ssl
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from azure.core.credentials import AccessToken, TokenCredential
from azure.core.exceptions import AzureError
from azure.core.pipeline.policies import BearerTokenCredentialPolicy
from azure.mgmt.compute import ComputeManagementClient

from installer.back_end_errors import InstallerError
from installer.release import downloads
from installer.release.downloads import Downloads
from installer.release.image_registry import Image, Pullspec
from phases.local.service import Service
from shared import cloud, deadline, http_session, settings
from shared.arm.errors import CloudError
from shared.azure import clients, credentials, entra_keys
from shared.azure.arm_reads import ArmReads
from shared.openshift import client, reads
from shared.openshift.client import NotDone, Read
from shared.openshift.reads import Ask
from tests.platform_server import variables
from tests.product.integration.openshift_client import stage
from tests.product.integration.openshift_client.stage import ADDRESS, Behaviour, Cluster, proxied, server
from tests.product.unit.product_world import ENVIRONMENT

HOSTS = ("management.azure.com", "login.microsoftonline.com", "registry.example.org", "rp.example.org")
PROFILE = cloud.CloudProfile(
    "https://management.azure.com",
    "https://management.azure.com/",
    (),
    "https://login.microsoftonline.com",
    "v",
    "s",
    "r",
    "https://graph.microsoft.com",
)
# No client may need longer than this for an answer that drips; each one's own figure is replaced by it.
SECONDS = 1.0
Stranger = Callable[[Cluster], object]
Meet = Callable[[Stranger, Behaviour], str]


class Token(TokenCredential):
    """A credential that has a token."""

    def get_token(self, *_scopes: str, **_options: Any) -> AccessToken:
        return AccessToken("token", int(time.time()) + 3600)


def endless(connection: ssl.SSLSocket, _request: str) -> None:
    """Send an answer that never ends, as fast as it goes."""
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n")
    piece = b"10000\r\n" + b" " * 0x10000 + b"\r\n"
    while True:
        connection.sendall(piece)


def drip(connection: ssl.SSLSocket, _request: str) -> None:
    """Send an answer that never ends, a little at a time, so that no time-out of the socket ever passes."""
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n")
    while True:
        connection.sendall(b"1\r\n \r\n")
        time.sleep(0.01)


def drip_headers(connection: ssl.SSLSocket, _request: str) -> None:
    """Never come to the end of the headers."""
    connection.sendall(b"HTTP/1.1 200 OK\r\n")
    while True:
        connection.sendall(b"x")
        time.sleep(0.01)


def announce(connection: ssl.SSLSocket, _request: str) -> None:
    """Announce an answer forever."""
    while True:
        connection.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
        time.sleep(0.01)


def nested(connection: ssl.SSLSocket, request: str) -> None:
    """Send lists in lists in lists: fewer than make Python's parser give up, more than anything walks through."""
    stage.answers(200, "[" * 900 + "]" * 900)(connection, request)


def nested_deeper(connection: ssl.SSLSocket, request: str) -> None:
    """Send so many that Python's parser gives up."""
    stage.answers(200, "[" * 100_000)(connection, request)


def ask_cluster(cluster: Cluster) -> object:
    """Read as activities and phases do."""
    return client.read(cluster.connect(), Read("Node", "m-0"))


def list_cluster(cluster: Cluster) -> object:
    """List, in a cluster that refuses it and says why at length."""
    return client.read(cluster.connect(), Read("Node"))


def ask_during_request(cluster: Cluster) -> object:
    """Read as requests do that show live clusters."""
    endpoint = client.endpoint("id/1", "aroServiceKubeconfig", ADDRESS, cluster.bundles())
    (found,) = reads.read_all([Ask(endpoint, Read("Node", "m-0"), lambda found: found)], SECONDS)
    if isinstance(found, NotDone):
        raise found
    return found


def limits(opened: ExitStack, seconds: float = SECONDS) -> Downloads:
    """Return the limits of a download."""
    return Downloads("fetch", time.monotonic() + seconds, opened.enter_context(downloads.session()))


def ask_registry(_cluster: Cluster) -> None:
    """Read a file of an image."""
    with ExitStack() as opened:
        at = Pullspec("registry.example.org", "a/b", "4.19.1")
        Image(limits(opened), at).extract("x", io.BytesIO(), 100)


def download(_cluster: Cluster) -> None:
    """Download a file piece by piece, as one arrives that is unpacked meanwhile."""
    url = "https://registry.example.org/x"
    with ExitStack() as opened:
        one = limits(opened)
        with one.get(url) as answer, one.in_time():
            for _ in one.pieces(answer, url, 1 << 20):
                pass
        # As for an answer that is not what was wanted.
        raise one.failed("it has another digest")


def ask_metadata(_cluster: Cluster) -> object:
    """Read which endpoints the cloud has."""
    with deadline.within(SECONDS):
        return cloud.get_json("https://management.azure.com", "/metadata/endpoints?api-version=2022-09-01")


def ask_keys(_cluster: Cluster) -> object:
    """Read the keys that sign tokens."""
    with deadline.within(SECONDS):
        return entra_keys.SigningKeys(entra_keys._fetch).find("k")


def ask_arm(_cluster: Cluster) -> object:
    """Read a list of ARM during a request."""
    token = BearerTokenCredentialPolicy(Token(), "x/.default")
    with deadline.within(SECONDS):
        return ArmReads(cloud.prompt_client(PROFILE.arm_endpoint, token), PROFILE.arm_endpoint).list("/x", "1")


def ask_arm_in_activity(_cluster: Cluster) -> object:
    """Read a list of ARM as activities do."""
    with clients.connect(ComputeManagementClient, "0", Token()) as compute:
        return list(compute.virtual_machines.list_all())


def ask_entra(_cluster: Cluster) -> object:
    """Ask for a token of a cluster's principal."""
    return credentials.cluster_principal("aaaaaaaa-0000-0000-0000-000000000001", "c", "s").get_token("x/.default")


def ask_service(_cluster: Cluster) -> object:
    """Call the service from a terminal."""
    return Service("https://rp.example.org", Path("operator.pem")).post("/x", {})


STRANGERS = [
    pytest.param(one, id=one.__name__)
    for one in (
        ask_cluster,
        list_cluster,
        ask_during_request,
        ask_registry,
        download,
        ask_metadata,
        ask_keys,
        ask_arm,
        ask_arm_in_activity,
        ask_entra,
        ask_service,
    )
]
REFUSALS = (NotDone, InstallerError, AzureError, CloudError)


@pytest.fixture(scope="module")
def cluster() -> Cluster:
    """Give the certificate authorities, made only once because generating keys takes time."""
    return Cluster()


@pytest.fixture
def meet(cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Meet:
    """Give a function that lets a client ask a server, and returns the client's refusal of the answer."""
    authority, pair = tmp_path / "ca.pem", cluster.clients.issue("sre")
    authority.write_text(cluster.servers.pem)
    (tmp_path / "operator.pem").write_text(pair.certificate + pair.key)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(settings, "load", lambda: settings.parse(ENVIRONMENT))
    monkeypatch.setattr(cloud, "cloud_profile", lambda: PROFILE)
    monkeypatch.setattr(downloads, "_AGAIN", downloads._AGAIN.new(backoff_factor=0))
    certificate = cluster.certificate("api-int.c1.example.org", *HOSTS)

    def meeting(ask: Stranger, behave: Behaviour) -> str:
        authorities = {"REQUESTS_CA_BUNDLE": str(authority), "SSL_CERT_FILE": str(authority)}
        # Only API servers ask for the client's certificate here.
        clients_of = cluster.clients if ask in (ask_cluster, list_cluster, ask_during_request) else None
        with proxied() as route, variables(authorities), server(certificate, clients_of, behave) as other:
            route.to = other.port
            with pytest.raises(REFUSALS) as caught:
                ask(cluster)
            assert other.connections
            return str(caught.value)

    return meeting


@pytest.mark.parametrize("behave", [drip, drip_headers, announce])
@pytest.mark.parametrize("ask", STRANGERS)
def test_an_answer_that_drips_is_given_up(
    meet: Meet, monkeypatch: pytest.MonkeyPatch, ask: Stranger, behave: Behaviour
) -> None:
    """The time of a whole answer is limited, in its headers and in its body; else it would hold a thread forever."""
    monkeypatch.setattr(client, "_SECONDS", SECONDS)
    monkeypatch.setattr(cloud, "ANSWER_SECONDS", SECONDS)
    monkeypatch.setattr("phases.local.service._SECONDS", SECONDS)
    assert meet(ask, behave)


@pytest.mark.parametrize("ask", STRANGERS)
def test_an_answer_without_an_end_is_not_kept(meet: Meet, monkeypatch: pytest.MonkeyPatch, ask: Stranger) -> None:
    """Reading stops after a number of bytes, long before the time is up."""
    monkeypatch.setitem(globals(), "SECONDS", 60)
    for module, name in (
        (client, "_MOST_BYTES"),
        (http_session, "MOST_BYTES"),
        (reads, "MOST_BYTES"),
        (downloads, "_SHORT_BYTES"),
    ):
        assert getattr(module, name) <= 32 << 20
        monkeypatch.setattr(module, name, 1 << 20)
    monkeypatch.setattr("phases.local.service._MOST_BYTES", 1 << 20)
    told = meet(ask, endless)
    # What requests need to know of callers is away then, and the log has the reason.
    assert f"than {1 << 20} bytes" in told or "ServiceUnavailable" in told


@pytest.mark.parametrize("behave", [nested, nested_deeper])
@pytest.mark.parametrize("ask", STRANGERS)
def test_an_answer_that_nests_too_deep_is_refused(meet: Meet, ask: Stranger, behave: Behaviour) -> None:
    """What walks through it later would raise `RecursionError`, which would be a crash and not a refusal."""
    # At the parser's deepest level, the functions that the garbage collector calls would fail, and pytest would say so.
    gc.disable()
    try:
        assert meet(ask, behave)
    finally:
        gc.enable()
