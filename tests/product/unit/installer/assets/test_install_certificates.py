"""Certificates: each is verified by what its user trusts, and its key matches. The facts are compared elsewhere."""

import base64
from datetime import datetime, timedelta
from typing import Any

import pytest
import yaml
from cryptography import x509
from cryptography.hazmat.primitives import serialization
from cryptography.x509.oid import NameOID
from OpenSSL import crypto

from installer.assets.install_certificates import BUNDLES, CERTIFICATES
from tests.product.unit.installer import example
from tests.product.unit.installer.assets.trust import LEAVES, TRUST
from tests.product.unit.installer.facts.certificate_facts import chain, extension, private_key, values


def verify(leaf: x509.Certificate, trusted: list[x509.Certificate]) -> None:
    """Verify as OpenSSL does, at a time when the certificate is young."""
    store = crypto.X509Store()
    for certificate in trusted:
        store.add_cert(crypto.X509.from_cryptography(certificate))
    store.set_time(datetime.fromisoformat(example.NOW) + timedelta(hours=1))
    crypto.X509StoreContext(store, crypto.X509.from_cryptography(leaf)).verify_certificate()


@pytest.mark.parametrize("file", LEAVES)
def test_every_leaf_is_verified_by_what_its_user_trusts(file: str) -> None:
    """If the file contains a chain, also by the signer in it."""
    leaf, *rest = chain(file)
    for bundle in TRUST[file]:
        verify(leaf, chain(bundle))
    if rest:
        verify(leaf, rest)


def test_a_leaf_is_not_verified_by_another_signer() -> None:
    """This shows that the verification above can fail."""
    with pytest.raises(crypto.X509StoreContextError):
        verify(chain("etcd-client")[0], chain("etcd-metric-ca-bundle"))


def test_only_what_the_platform_itself_uses_stands_above_all_bindings() -> None:
    """No binding limits `system:masters`, and nobody can take it away, so no customer's certificate names it."""
    masters = {row.file for row in CERTIFICATES if "system:masters" in organizations(row.file)}
    assert masters == {
        "admin-kubeconfig-client",
        "aro-service",
        "kube-control-plane-kube-controller-manager-client",
        "kube-control-plane-kube-scheduler-client",
    }


def test_the_customers_kubeconfig_names_the_user_that_openshift_binds() -> None:
    """The binding `cluster-admins` gives `system:admin` its rights, and an administrator may delete it."""
    config = yaml.safe_load(example.made().file("auth/user-admin/kubeconfig"))
    (user,), (context,) = config["users"], config["contexts"]
    (leaf,) = x509.load_pem_x509_certificates(base64.b64decode(user["user"]["client-certificate-data"]))
    assert leaf.subject.rfc4514_string() == "CN=system:admin"
    assert {user["name"], context["name"], context["context"]["user"], config["current-context"]} == {"system:admin"}


def organizations(file: str) -> list[str]:
    """Return the organizations of a certificate, which Kubernetes takes for groups."""
    return values(chain(file)[0].subject, NameOID.ORGANIZATION_NAME)


@pytest.mark.parametrize("row", CERTIFICATES, ids=lambda row: row.file)
def test_every_key_belongs_to_its_certificate(row: Any) -> None:
    """It is RSA 2048, as PKCS#1."""
    key = private_key(row.file)
    assert key.public_key() == chain(row.file)[0].public_key()
    assert key.key_size == 2048
    assert example.made().file(f"tls/{row.file}.key").startswith("-----BEGIN RSA PRIVATE KEY-----\n")


def test_the_service_account_pair_belongs_together() -> None:
    """Tokens signed by one half are verified by the other."""
    public = serialization.load_pem_public_key(example.made().file("tls/service-account.pub").encode())
    assert private_key("service-account").public_key() == public
    assert example.made().file("tls/service-account.pub").startswith("-----BEGIN RSA PUBLIC KEY-----")


def test_the_public_half_of_a_key_is_in_the_form_that_the_api_server_reads() -> None:
    """Under the words for PKCS#1 it expects the content of a `PUBLIC KEY`, and reads no other."""
    _, *lines, _ = example.made().file("tls/service-account.pub").strip().splitlines()
    form = serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
    assert base64.b64decode("".join(lines)) == private_key("service-account").public_key().public_bytes(*form)


@pytest.mark.usefixtures("quick_keys")
def test_a_domain_of_any_length_gets_its_certificates() -> None:
    """X.520 limits a common name to 64 characters; customers' domains may be longer."""
    given = example.given()
    given["install-config"]["baseDomain"] = "a-rather-long-department.of-a-rather-long-company.example.com"
    made = example.resolve(given)
    (certificate,) = x509.load_pem_x509_certificates(made.file("tls/machine-config-server.crt").encode())
    assert len(values(certificate.subject, NameOID.COMMON_NAME)[0]) > 64


def test_every_bundle_is_of_signers() -> None:
    """A leaf in a bundle would be trusted as a signer."""
    for name in BUNDLES:
        assert all(extension(certificate, x509.BasicConstraints).value.ca for certificate in chain(name))
