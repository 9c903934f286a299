"""Certificates: as the facts have them, row by row, and each verified by what its user trusts."""

import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID
from OpenSSL import crypto

from shared.installer.certificates import BUNDLES, CERTIFICATES
from tests.unit.installer import example, facts
from tests.unit.installer.facts import section

# Whom the user of each leaf trusts.
TRUST = {
    "admin-kubeconfig-client": ("admin-kubeconfig-ca-bundle", "kube-apiserver-complete-client-ca-bundle"),
    "aro-service": ("kube-apiserver-complete-client-ca-bundle",),
    "user-admin": ("kube-apiserver-complete-client-ca-bundle",),
    "apiserver-proxy": ("aggregator-ca",),
    "aggregator-client": ("aggregator-ca-bundle",),
    "etcd-client": ("etcd-ca-bundle",),
    "etcd-metric-signer-client": ("etcd-metric-ca-bundle",),
    "kube-apiserver-lb-server": ("kube-apiserver-complete-server-ca-bundle", "kube-apiserver-lb-ca-bundle"),
    "kube-apiserver-internal-lb-server": ("kube-apiserver-complete-server-ca-bundle", "kube-control-plane-ca-bundle"),
    "kube-apiserver-localhost-server": (
        "kube-apiserver-complete-server-ca-bundle",
        "kube-apiserver-localhost-ca-bundle",
    ),
    "kube-apiserver-service-network-server": (
        "kube-apiserver-complete-server-ca-bundle",
        "kube-apiserver-service-network-ca-bundle",
    ),
    "kube-apiserver-to-kubelet-client": ("kube-apiserver-to-kubelet-ca-bundle",),
    "kube-control-plane-kube-controller-manager-client": (
        "kube-control-plane-ca-bundle",
        "kube-apiserver-complete-client-ca-bundle",
    ),
    "kube-control-plane-kube-scheduler-client": (
        "kube-control-plane-ca-bundle",
        "kube-apiserver-complete-client-ca-bundle",
    ),
    "kubelet-client": ("kubelet-bootstrap-kubeconfig-ca-bundle", "kube-apiserver-complete-client-ca-bundle"),
    "machine-config-server": ("root-ca",),
    "journal-gatewayd": ("root-ca",),
}
LEAVES = [row.file for row in CERTIFICATES if row.issuer]
# Not of 2020: handed out to administrators since the service no longer shows them the installer's.
NEWER = {"user-admin"}


def chain(file: str) -> list[x509.Certificate]:
    """Return the certificates of a file."""
    return x509.load_pem_x509_certificates(example.made().file(f"tls/{file}.crt").encode())


def private_key(file: str) -> rsa.RSAPrivateKey:
    """Return a key, checked."""
    key = serialization.load_pem_private_key(example.made().file(f"tls/{file}.key").encode(), None)
    assert isinstance(key, rsa.RSAPrivateKey)
    return key


def verify(leaf: x509.Certificate, trusted: list[x509.Certificate]) -> None:
    """Verify as OpenSSL does, at a time when the certificate is young."""
    store = crypto.X509Store()
    for certificate in trusted:
        store.add_cert(crypto.X509.from_cryptography(certificate))
    store.set_time(datetime.fromisoformat(example.NOW) + timedelta(hours=1))
    crypto.X509StoreContext(store, crypto.X509.from_cryptography(leaf)).verify_certificate()


@pytest.mark.parametrize("file", LEAVES)
def test_every_leaf_is_verified_by_what_its_user_trusts(file: str) -> None:
    """Also by the signer that the file itself names, where it holds a chain."""
    leaf, *rest = chain(file)
    for bundle in TRUST[file]:
        verify(leaf, chain(bundle))
    if rest:
        verify(leaf, rest)


def test_a_leaf_is_not_verified_by_another_signer() -> None:
    """So the verification above says something."""
    with pytest.raises(crypto.X509StoreContextError):
        verify(chain("etcd-client")[0], chain("etcd-metric-ca-bundle"))


@pytest.mark.parametrize("row", CERTIFICATES, ids=lambda row: row.file)
def test_every_key_belongs_to_its_certificate(row: Any) -> None:
    """And is RSA 2048, as PKCS#1."""
    key = private_key(row.file)
    assert key.public_key() == chain(row.file)[0].public_key()
    assert key.key_size == 2048
    assert example.made().file(f"tls/{row.file}.key").startswith("-----BEGIN RSA PRIVATE KEY-----\n")


@facts.present
def test_there_are_29_certificates_and_30_keys() -> None:
    """No certificate of the facts is missing, and none of ours is unaccounted for."""
    assert {file_of(fact) for fact in section("unique_certs")} == {row.file for row in CERTIFICATES} - NEWER
    assert len(section("unique_certs")) == 29
    keys = {path for content in example.made().contents.values() for path in content if path.endswith(".key")}
    distinct = {example.made().file(path) for path in keys - {f"tls/{file}.key" for file in NEWER}}
    assert len(distinct) == facts.facts()["rsa"]["distinct_private_keys_seen"] == 30


def test_the_service_account_pair_belongs_together() -> None:
    """Tokens signed by one half are verified by the other."""
    public = serialization.load_pem_public_key(example.made().file("tls/service-account.pub").encode())
    assert private_key("service-account").public_key() == public
    assert example.made().file("tls/service-account.pub").startswith("-----BEGIN RSA PUBLIC KEY-----")


def file_of(fact: dict[str, Any]) -> str:
    """Return our file of a certificate of the facts, by where it occurs there."""
    for place in fact["occurrences"]:
        if found := re.fullmatch(r"tls\.\w+/tls/([\w-]+)(?<!-bundle)\.crt", place):
            return found[1]
    assert any(place.startswith("ARO-service-kubeconfig/") for place in fact["occurrences"])
    return "aro-service"


@facts.present
@pytest.mark.parametrize("fact", section("unique_certs"), ids=file_of)
def test_every_certificate_is_as_the_facts_have_it(fact: dict[str, Any]) -> None:
    """Subject, issuer, usages, names, validity, criticality, identifiers, serial."""
    certificate = chain(file_of(fact))[0]
    want = {name: fact[name] for name in properties(certificate)}
    assert properties(certificate) == want


def properties(certificate: x509.Certificate) -> dict[str, Any]:
    """Return what the facts say of a certificate."""
    begins, ends = certificate.not_valid_before_utc, certificate.not_valid_after_utc
    constraints = extension(certificate, x509.BasicConstraints)
    usage = extension(certificate, x509.KeyUsage)
    extended = extension(certificate, x509.ExtendedKeyUsage)
    names = extension(certificate, x509.SubjectAlternativeName)
    self_signed = certificate.issuer == certificate.subject
    purposes = {ExtendedKeyUsageOID.SERVER_AUTH: "serverAuth", ExtendedKeyUsageOID.CLIENT_AUTH: "clientAuth"}
    return {
        "subject": {
            "CN": values(certificate.subject, NameOID.COMMON_NAME)[0],
            "O": values(certificate.subject, NameOID.ORGANIZATION_NAME),
            "OU": values(certificate.subject, NameOID.ORGANIZATIONAL_UNIT_NAME),
        },
        "issuer_CN": values(certificate.issuer, NameOID.COMMON_NAME)[0],
        "issuer_OU": values(certificate.issuer, NameOID.ORGANIZATIONAL_UNIT_NAME),
        "self_signed": self_signed,
        "isCA": constraints.value.ca,
        "path_length": constraints.value.path_length,
        "basicConstraints_critical": constraints.critical,
        "sig_alg": certificate.signature_algorithm_oid._name,
        "validity_days": (ends - begins) / timedelta(days=1),
        "keyUsage": [
            name
            for name in ("digital_signature", "key_encipherment", "key_cert_sign", "crl_sign", "data_encipherment")
            if usage and getattr(usage.value, name)
        ],
        "keyUsage_critical": bool(usage and usage.critical),
        "extKeyUsage": [purposes[oid] for oid in extended.value] if extended else [],
        "extKeyUsage_critical": bool(extended and extended.critical),
        "SAN_dns": names.value.get_values_for_type(x509.DNSName) if names else [],
        "SAN_ip": [str(ip) for ip in names.value.get_values_for_type(x509.IPAddress)] if names else [],
        "SAN_critical": bool(names and names.critical),
        "has_SKI": extension(certificate, x509.SubjectKeyIdentifier) is not None,
        "has_AKI": extension(certificate, x509.AuthorityKeyIdentifier) is not None,
        "x509_version": certificate.version.name,
        "serial_bits_le_63": certificate.serial_number.bit_length() <= 63,
        "notBefore_equals_issuer_notBefore": begins == datetime.fromisoformat(example.NOW).astimezone(UTC),
    }


def extension(certificate: x509.Certificate, kind: Any) -> Any:
    """Return an extension, or None."""
    try:
        return certificate.extensions.get_extension_for_class(kind)
    except x509.ExtensionNotFound:
        return None


def values(name: x509.Name, oid: x509.ObjectIdentifier) -> list[str]:
    """Return the values of a part of a name."""
    return [str(attribute.value) for attribute in name.get_attributes_for_oid(oid)]


@facts.present
def test_every_file_holds_the_certificates_of_the_facts_in_their_order() -> None:
    """Bundles and chains, each path that the facts list."""
    listed = {
        path.removeprefix("/opt/openshift/"): names
        for path, names in facts.facts()["certificates_by_file"].items()
        if path.startswith("/opt/openshift/tls/")
    }
    assert len(listed) == 39
    for path, names in listed.items():
        held = chain(path.removeprefix("tls/").removesuffix(".crt"))
        assert [values(certificate.subject, NameOID.COMMON_NAME)[0] for certificate in held] == names, path


@pytest.mark.usefixtures("quick_keys")
def test_a_domain_of_any_length_gets_its_certificates() -> None:
    """X.520 ends a common name after 64 characters; customers' domains do not."""
    given = example.given()
    given["install-config"]["baseDomain"] = "a-rather-long-department.of-a-rather-long-company.example.com"
    made = example.resolve(given)
    (certificate,) = x509.load_pem_x509_certificates(made.file("tls/machine-config-server.crt").encode())
    assert len(values(certificate.subject, NameOID.COMMON_NAME)[0]) > 64


def test_every_bundle_is_of_signers() -> None:
    """A leaf in a bundle would be trusted to sign."""
    for name in BUNDLES:
        assert all(extension(certificate, x509.BasicConstraints).value.ca for certificate in chain(name))
