"""The signer of admin credentials, and the certificates that it makes."""

import base64
from datetime import UTC, datetime, timedelta
from functools import cache

import pytest
import yaml
from cryptography import x509
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID

from installer import pki
from installer.assets.install_certificates import CERTIFICATES
from shared.clusters.credentials import admin_signer
from tests.kubernetes_pki import Authority, kubeconfig

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
KEY = ec.generate_private_key(ec.SECP256R1())
ANN = "33333333-0000-4000-8000-000000000003"


@cache
def a_signer() -> admin_signer.Signer:
    """Return a new signer."""
    return admin_signer.load(admin_signer.new(NOW))


def signed(life: timedelta, now: datetime = NOW) -> x509.Certificate:
    """Return an administrator's certificate."""
    signer = a_signer()
    found = admin_signer.issue(signer, admin_signer.administrator(ANN), KEY.public_key(), now, life)
    found.verify_directly_issued_by(signer.certificate)
    return found


def test_a_certificate_says_who_asked_and_is_for_clients_alone() -> None:
    """OpenShift's own binding gives the group its rights; no member of `system:masters` could be refused."""
    found = signed(timedelta(hours=8))
    assert found.subject.rfc4514_string() == f"CN=system:aro-admin:{ANN},O=system:cluster-admins"
    constraints = found.extensions.get_extension_for_class(x509.BasicConstraints)
    assert constraints.critical
    assert not constraints.value.ca
    usages = found.extensions.get_extension_for_class(x509.ExtendedKeyUsage).value
    assert list(usages) == [ExtendedKeyUsageOID.CLIENT_AUTH]


def test_a_certificate_begins_a_little_earlier_and_ends_when_it_is_said_to() -> None:
    """Clocks differ."""
    found = signed(timedelta(hours=8))
    assert NOW - found.not_valid_before_utc == timedelta(minutes=5)
    assert found.not_valid_after_utc - NOW == timedelta(hours=8)


def test_no_certificate_outlives_its_signer() -> None:
    """It would be refused earlier than it says."""
    later = NOW + timedelta(days=3649, hours=20)
    found = signed(timedelta(hours=24), later)
    assert found.not_valid_after_utc - later == timedelta(hours=4)


def test_no_two_certificates_have_one_serial_number() -> None:
    """It is what the log and the document name them by."""
    assert len({signed(timedelta(hours=1)).serial_number for _ in range(20)}) == 20


def test_signers_can_be_told_apart() -> None:
    """By name, in the ConfigMap that lists them."""
    one, other = (admin_signer.load(admin_signer.new(NOW + timedelta(days=days))) for days in (0, 1))
    assert one.certificate.subject != other.certificate.subject
    assert one.certificate.extensions.get_extension_for_class(x509.BasicConstraints).value.ca


def test_the_signer_of_the_installer_signs_too() -> None:
    """Its key and certificate are as the install graph has them."""
    (row,) = (each for each in CERTIFICATES if each.file == "admin-kubeconfig-signer")
    made = pki.issue(row, {}, NOW.isoformat(), None)
    signer = admin_signer.load(admin_signer.bundle_of(made.certificate, made.key))
    found = admin_signer.issue(signer, admin_signer.USER, KEY.public_key(), NOW, timedelta(days=365))
    found.verify_directly_issued_by(signer.certificate)
    assert found.not_valid_before_utc == NOW


def test_a_bundle_with_another_kind_of_key_is_none() -> None:
    """Nobody could sign with it."""
    forms = serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    bundle = admin_signer.new(NOW)
    bundle["key"] = KEY.private_bytes(serialization.Encoding.PEM, *forms).decode()
    with pytest.raises(ValueError, match="not of RSA"):
        admin_signer.load(bundle)


def test_a_kubeconfig_is_made_again_with_all_but_its_user() -> None:
    """Server, authority and context stay; key and certificate are new, and fit."""
    authority = Authority("kube-apiserver-lb-signer")
    before = kubeconfig(authority, authority.issue("system:aro-service"))
    signer = admin_signer.load(admin_signer.new(NOW))
    text = admin_signer.remade(before, signer, admin_signer.SERVICE, NOW, timedelta(days=3))
    old, new = yaml.safe_load(before), yaml.safe_load(text)
    assert {name: new[name] for name in new if name != "users"} == {name: old[name] for name in old if name != "users"}
    user = new["users"][0]["user"]
    certificate = x509.load_pem_x509_certificate(base64.b64decode(user["client-certificate-data"]))
    key = serialization.load_pem_private_key(base64.b64decode(user["client-key-data"]), None)
    assert certificate.subject.rfc4514_string() == "CN=system:aro-service,O=system:masters"
    assert certificate.public_key() == key.public_key()
    certificate.verify_directly_issued_by(signer.certificate)
