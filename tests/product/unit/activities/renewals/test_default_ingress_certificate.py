"""The router's own certificate and its authority: renewed in place with sixty days left, unless it was given one."""

from datetime import timedelta
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from activities.renewals import tls_secrets
from activities.renewals.tls_secrets import TLSPair
from shared.json_object import Json
from tests.product.unit.activities.calls import DONE, call
from tests.product.unit.openshift.api_fake import FakeApi

NAME = "renew_default_ingress_certificate"
SIGNER, DEFAULT = ("router-ca", "openshift-ingress-operator"), ("router-certs-default", "openshift-ingress")
CONTROLLER: Json = {
    "kind": "IngressController",
    "metadata": {"name": "default", "namespace": "openshift-ingress-operator"},
    "spec": {"replicas": 2},
}
RENEWED = "The router has another certificate, which ends on "


def named(name: str) -> x509.Name:
    """Return a subject."""
    return x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])


def made(api: FakeApi, signer_days: float, server_days: float) -> tuple[TLSPair, TLSPair]:
    """Let the cluster have what its ingress operator has made, with some days left; return authority and server."""
    keys = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
    # A part of the last day is not a whole one.
    authority = tls_secrets.sign(None, named("ingress-operator@1"), keys[0], timedelta(days=signer_days, minutes=5))
    signer = TLSPair(authority, keys[0])
    server = tls_secrets.sign(signer, named("*.apps.c1"), keys[1], timedelta(days=server_days, minutes=5), "*.apps.c1")
    api.add(CONTROLLER, secret(SIGNER, signer), secret(DEFAULT, TLSPair(server, keys[1])))
    return signer, TLSPair(server, keys[1])


def secret(name: tuple[str, str], pair: TLSPair) -> Json:
    """Return the Secret of a pair."""
    key = pair.key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": name[0], "namespace": name[1], "ownerReferences": [{"name": "router-default"}]},
        "type": "kubernetes.io/tls",
        "data": tls_secrets.data_of(tls_secrets.pem(pair.certificate), key),
    }


def held(api: FakeApi, name: tuple[str, str]) -> TLSPair:
    """Return the pair that a Secret holds."""
    found = tls_secrets.pair(api.at("Secret", *name))
    assert found is not None
    return found


def mark(api: FakeApi) -> str:
    """Return the certificate that the operator is told to publish."""
    controller = api.at("IngressController", "default", "openshift-ingress-operator")
    return str((controller["metadata"].get("annotations") or {}).get("aro.openshift.io/renewed-certificate", ""))


def test_nothing_is_written_while_both_have_more_than_sixty_days(api: FakeApi) -> None:
    """The text says until when."""
    made(api, 61, 61)
    outcome = call(NAME)
    assert outcome["outcome"] == "done"
    assert outcome["message"].endswith("It is renewed when it has 60 days left.")
    assert api.changes == []


@pytest.mark.parametrize("days", [60, 1, 0], ids=["60 days", "a day", "minutes"])
def test_both_are_renewed_for_two_years_with_the_same_authority(api: FakeApi, days: int) -> None:
    """Its key and name stay, so whoever trusts its former certificate trusts the new server's. Once."""
    old_signer, old_server = made(api, days, days)
    outcome = call(NAME)
    assert outcome["message"].startswith(RENEWED)
    signer, server = held(api, SIGNER), held(api, DEFAULT)
    assert signer.certificate.serial_number != old_signer.certificate.serial_number
    assert server.certificate.serial_number != old_server.certificate.serial_number
    assert [tls_secrets.days_left(one.certificate) for one in (signer, server)] == [729, 729]
    for authority in (signer, old_signer):
        server.certificate.verify_directly_issued_by(authority.certificate)
    names = server.certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert names.get_values_for_type(x509.DNSName) == ["*.apps.c1.eastus.aroapp.io"]
    assert mark(api) == f"{server.certificate.serial_number:x}"
    assert api.at("Secret", *DEFAULT)["metadata"]["ownerReferences"] == [{"name": "router-default"}]
    before = len(api.changes)
    assert call(NAME)["outcome"] == "done"
    assert len(api.changes) == before


def test_the_domain_is_the_controllers_own(api: FakeApi) -> None:
    """As the operator would take it."""
    made(api, 10, 10)
    api.add({**CONTROLLER, "status": {"domain": "apps.other.example"}})
    call(NAME)
    names = held(api, DEFAULT).certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert names.get_values_for_type(x509.DNSName) == ["*.apps.other.example"]


def crash_at(api: FakeApi, number: int) -> None:
    """Let the process die before the nth change."""
    count = iter(range(1, 100))

    def first(method: str, _path: str) -> Any:
        if method != "GET" and next(count) == number:
            raise KeyboardInterrupt

    api.first = first


@pytest.mark.parametrize("number", [1, 2, 3], ids=["the authority", "the server", "the operator"])
def test_a_run_that_dies_anywhere_is_finished_by_the_next(api: FakeApi, number: int) -> None:
    """What was renewed is not renewed again."""
    made(api, 10, 10)
    crash_at(api, number)
    with pytest.raises(KeyboardInterrupt):
        call(NAME)
    api.first = lambda _method, _path: None
    between = [held(api, name).certificate.serial_number for name in (SIGNER, DEFAULT)]
    assert call(NAME)["outcome"] == "done"
    after = [held(api, name).certificate.serial_number for name in (SIGNER, DEFAULT)]
    kept = [one == other for one, other in zip(between, after, strict=True)]
    assert kept == {1: [False, False], 2: [True, False], 3: [True, True]}[number]
    held(api, DEFAULT).certificate.verify_directly_issued_by(held(api, SIGNER).certificate)
    assert mark(api) == f"{after[1]:x}"


@pytest.mark.parametrize("broken", [SIGNER, DEFAULT], ids=["the authority", "the server"])
def test_what_cannot_be_read_is_made_again(api: FakeApi, broken: tuple[str, str]) -> None:
    """With another key, because the former one is lost; the server's certificate is always the authority's."""
    made(api, 400, 400)
    found = api.at("Secret", *broken)
    api.add({**found, "data": {"tls.crt": "bm9uZQ=="}})
    assert call(NAME)["message"].startswith(RENEWED)
    held(api, DEFAULT).certificate.verify_directly_issued_by(held(api, SIGNER).certificate)


def test_a_router_that_was_given_a_certificate_has_none_of_its_own(api: FakeApi) -> None:
    """By the service or by administrators: the operator has deleted its own by then."""
    api.add({**CONTROLLER, "spec": {"defaultCertificate": {"name": "theirs"}}})
    want = "The router was given the certificate 'theirs', so its own is not used."
    assert call(NAME) == DONE | {"message": want}
    assert api.changes == []


def test_a_secret_that_does_not_exist_is_waited_for(api: FakeApi) -> None:
    """The operator makes it."""
    api.add(CONTROLLER)
    assert call(NAME)["message"] == "Secret 'openshift-ingress-operator/router-ca' does not exist yet"
