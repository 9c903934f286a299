"""What the client of a cluster costs, and where it connects."""

import io
import ssl
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import urllib3
import yaml

from shared.openshift import client
from tests.kubernetes_pki import Authority, kubeconfig

LOOK = """
import sys
from activities.cluster import cluster_conditions, cluster_configuration, router_address
typed = [name for name in sys.modules if name.startswith(("kubernetes.client.api.", "kubernetes.client.models."))]
print(len(typed))
"""


def test_reading_and_writing_load_no_typed_models() -> None:
    """They would cost each worker a hundred megabytes."""
    done = subprocess.run([sys.executable, "-c", LOOK], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["0"]


@pytest.mark.parametrize(
    ("address", "want"), [("127.128.0.5", "https://127.128.0.5:6443"), ("fd00::5", "https://[fd00::5]:6443")]
)
def test_the_address_is_dialled_and_the_kubeconfigs_name_is_verified(address: str, want: str) -> None:
    """The server's certificate contains the name, never the address."""
    authority = Authority("signer")
    bundle = {"member": kubeconfig(authority, authority.issue("user"), "api-int.c1.example.org")}
    configuration = client.connect("id", "member", address, lambda _id: bundle).configuration
    assert configuration.host == want
    assert configuration.tls_server_name == "api-int.c1.example.org"
    assert configuration.verify_ssl is True
    assert configuration.retries is False


def of_context(server: str, user: dict[str, str], cluster: dict[str, str] | None = None) -> dict[str, Any]:
    """Return a kubeconfig with one context."""
    return {
        "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}],
        "clusters": [{"name": "c", "cluster": {"server": server, **(cluster or {})}}],
        "users": [{"name": "u", "user": user}],
        "current-context": "c",
    }


@pytest.mark.parametrize(
    ("user", "want"),
    [({"token": "abc"}, "Bearer abc"), ({"username": "me", "password": "pw"}, "Basic bWU6cHc="), ({}, None)],
    ids=["token", "password", "nobody"],
)
def test_each_request_says_whose_it_is(monkeypatch: pytest.MonkeyPatch, user: dict[str, str], want: str | None) -> None:
    """The package adds tokens only to the requests of its typed APIs, which are not used."""
    api = client.connect_with(of_context("https://api.example.org:6443/", user))
    sent: list[dict[str, str]] = []

    def call_api(_method: str, url: str, headers: dict[str, str], **_options: Any) -> Any:
        assert url == "https://api.example.org:6443/version"
        sent.append(headers)
        whole = urllib3.HTTPResponse(io.BytesIO(b"{}"), {"Content-Length": "2"}, preload_content=False)
        return SimpleNamespace(status=200, response=whole)

    monkeypatch.setattr(api, "call_api", call_api)
    client.send(api, "GET", "/version")
    assert [headers.get("authorization") for headers in sent] == [want]


def test_a_client_certificate_is_in_no_file_that_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The package would leave the key on the disk for the life of the process."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    authority = Authority("signer")
    document = yaml.safe_load(kubeconfig(authority, authority.issue("user"), "api.c1.example.org"))
    api = client.connect_with(document)
    assert api.rest_client.pool_manager.connection_pool_kw["ssl_context"].verify_mode is ssl.CERT_REQUIRED
    assert list(tmp_path.iterdir()) == []


def test_a_kubeconfig_with_something_else_than_a_key_says_so() -> None:
    """It quotes nothing of it."""
    wrong = of_context("https://a", {"client-certificate-data": "c2VjcmV0", "client-key-data": "c2VjcmV0"})
    with pytest.raises(client.NotDone, match="is not base64 of PEM") as error:
        client.connect_with(wrong)
    assert "c2VjcmV0" not in str(error.value)


WRONG_NAME = "certificate verify failed: Hostname mismatch, certificate is not valid for 'api'. (_ssl.c:1006)"
FAILURES: dict[str, tuple[BaseException, type[client.NotDone], str]] = {
    "another's certificate": (
        ssl.SSLCertVerificationError(1, f"[SSL] {WRONG_NAME}"),
        client.NotDone,
        "Hostname mismatch",
    ),
    "an alert": (ssl.SSLError(1, "[SSL] tlsv1 alert internal error"), client.NotDone, "ends the TLS handshake"),
    "a server that hangs up": (
        ssl.SSLEOFError(8, "EOF occurred in violation of protocol"),
        client.Unreachable,
        "ends the TLS handshake",
    ),
    "nobody listens": (ConnectionRefusedError(111, "Connection refused"), client.Unreachable, "refuses"),
}


@pytest.mark.parametrize(("cause", "kind", "says"), FAILURES.values(), ids=FAILURES)
def test_a_server_is_away_only_if_it_does_not_answer(
    cause: BaseException, kind: type[client.NotDone], says: str
) -> None:
    """Whoever takes an answer in the handshake for an outage waits for something that does not change."""
    for error in (cause, urllib3.exceptions.HTTPError(cause)):
        found = client.failure(error)
        assert type(found) is kind
        assert says in str(found)
