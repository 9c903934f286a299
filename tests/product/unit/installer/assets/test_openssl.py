"""The verdict of OpenSSL's own command on the certificates, verified from files as their users do."""

import base64
import shutil
import subprocess
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import serialization

from installer.assets.install_certificates import CERTIFICATES
from installer.assets.kubeconfigs import KUBECONFIGS, Kubeconfig
from tests.product.unit.installer import example
from tests.product.unit.installer.assets.trust import LEAVES, TRUST
from tests.product.unit.installer.facts.comparisons import document

OPENSSL = shutil.which("openssl") or ""
pytestmark = pytest.mark.skipif(not OPENSSL, reason="there is no openssl on this machine")

AN_HOUR = 3600
PURPOSES = {"serverAuth": "sslserver", "clientAuth": "sslclient"}
NAMES = {"domain": example.DOMAIN, "service_ip": "172.30.0.1"}
# OpenSSL requires that a client's key may sign. Upstream's key may not, and etcd, written in Go, does not require it.
NO_SIGNATURE = {"etcd-client"}
# Who answers at each name of the API.
SERVERS = {
    "api-int": "kube-apiserver-internal-lb-server",
    "api": "kube-apiserver-lb-server",
    "localhost": "kube-apiserver-localhost-server",
}


@pytest.fixture(scope="module")
def tls(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with all certificates and bundles."""
    folder = tmp_path_factory.mktemp("tls")
    for content in example.made().contents.values():
        for path, text in content.items():
            if path.startswith("tls/") and path.endswith(".crt"):
                (folder / Path(path).name).write_text(text)
    return folder


def refusal(certificate: Path, trusted: Path, *options: str) -> str:
    """Return OpenSSL's objection to a certificate an hour after its begin, or ""."""
    moment = str(int(datetime.fromisoformat(example.NOW).timestamp()) + AN_HOUR)
    # Without the machine's own authorities, so that only the bundle can verify it.
    alone = ["-no-CAfile", "-no-CApath", "-no-CAstore", "-attime", moment]
    command = [OPENSSL, "verify", *alone, "-CAfile", str(trusted), *options, str(certificate)]
    ran = subprocess.run(command, capture_output=True, text=True, check=False, timeout=200)
    return "" if ran.returncode == 0 else ran.stdout + ran.stderr


@pytest.mark.parametrize("file", LEAVES)
def test_openssl_verifies_every_leaf_by_each_bundle_of_its_users(tls: Path, file: str) -> None:
    """For each of its purposes, and by each name that it serves."""
    (row,) = (row for row in CERTIFICATES if row.file == file)
    asked = [["-purpose", PURPOSES[purpose]] for purpose in row.extended if file not in NO_SIGNATURE]
    asked += [["-verify_hostname", name.format(**NAMES)] for name in row.dns]
    asked += [["-verify_ip", address.format(**NAMES)] for address in row.ip]
    for bundle in TRUST[file]:
        for options in asked or [[]]:
            assert not refusal(tls / f"{file}.crt", tls / f"{bundle}.crt", *options)


@pytest.mark.parametrize("file", LEAVES)
def test_openssl_refuses_a_leaf_to_whoever_does_not_know_its_signer(tls: Path, file: str) -> None:
    """This shows that the verification above can fail."""
    (row,) = (row for row in CERTIFICATES if row.file == file)
    stranger = next(other.file for other in CERTIFICATES if not other.issuer and other.file != row.issuer)
    assert "verification failed" in refusal(tls / f"{file}.crt", tls / f"{stranger}.crt")


def test_openssl_refuses_a_name_and_a_purpose_that_are_not_in_the_certificate(tls: Path) -> None:
    """A client's certificate is not valid for a server."""
    trusted = tls / "kube-apiserver-complete-server-ca-bundle.crt"
    server = tls / "kube-apiserver-lb-server.crt"
    assert "hostname mismatch" in refusal(server, trusted, "-verify_hostname", f"api-int.{example.DOMAIN}")
    assert "unsuitable" in refusal(server, trusted, "-purpose", "sslclient")
    for file in NO_SIGNATURE:
        found = refusal(tls / f"{file}.crt", tls / f"{TRUST[file][0]}.crt", "-purpose", "sslclient")
        assert "unsuitable certificate purpose" in found


@pytest.mark.parametrize("row", KUBECONFIGS, ids=lambda row: row.path)
def test_a_kubeconfig_and_the_server_that_it_names_believe_each_other(
    tls: Path, tmp_path: Path, row: Kubeconfig
) -> None:
    """Its bundle verifies the server, the API server's bundle verifies its client, and key and certificate match."""
    config: Any = document(row.path)
    cluster, user = config["clusters"][0]["cluster"], config["users"][0]["user"]
    files = {
        "bundle": cluster["certificate-authority-data"],
        "client": user["client-certificate-data"],
        "key": user["client-key-data"],
    }
    for name, encoded in files.items():
        (tmp_path / name).write_bytes(base64.b64decode(encoded))
    host = str(urlsplit(cluster["server"]).hostname)
    server = tls / f"{SERVERS[host.partition('.')[0]]}.crt"
    assert not refusal(server, tmp_path / "bundle", "-purpose", "sslserver", "-verify_hostname", host)
    servers_bundle = tls / "kube-apiserver-complete-client-ca-bundle.crt"
    assert not refusal(tmp_path / "client", servers_bundle, "-purpose", "sslclient")
    key = serialization.load_pem_private_key((tmp_path / "key").read_bytes(), None)
    certificate = x509.load_pem_x509_certificate((tmp_path / "client").read_bytes())
    assert key.public_key() == certificate.public_key()
