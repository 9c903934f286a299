"""The certificates that a cluster renews by itself, and what they are worth to those who show them."""

import datetime as dt

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from emulator.json_object import Json
from emulator.openshift.boot import key_pairs
from emulator.openshift.cluster import api_server_certificates, certificate_requests, renewals
from emulator.openshift.kubernetes.access.authentication import Authenticator
from emulator.openshift.kubernetes.secrets import decoded
from tests.emulator.unit.openshift.conftest import Stage

DAY = 86400
ROWS = [(row, name) for row in renewals.RENEWALS for name in row.names]


def _secret(stage: Stage, row: renewals.Renewal, name: str) -> Json:
    found = stage.cluster.objects.get("Secret", name, row.namespace)
    assert found is not None
    return found


def _moment(secret: Json, note: str) -> dt.datetime:
    return dt.datetime.fromisoformat(secret["metadata"]["annotations"][note])


def test_nothing_ends_while_the_cluster_runs(stage: Stage) -> None:
    """In two years each certificate is renewed at its age, neither before nor after."""
    stage.after(0)
    begun = stage.moment[0]
    for day in range(0, 760, 5):
        for row, name in ROWS:
            secret = _secret(stage, row, name)
            age = stage.moment[0] - _moment(secret, renewals.NOT_BEFORE)
            assert _moment(secret, renewals.NOT_AFTER) > stage.moment[0], (day, name)
            assert age <= dt.timedelta(days=row.renewed_after), (day, name)
        stage.after(5 * DAY)
    first = {name: _moment(_secret(stage, row, name), renewals.NOT_BEFORE) == begun for row, name in ROWS}
    assert {name for name, kept in first.items() if kept} == {
        *("localhost-recovery-serving-certkey", "machine-config-server-ca", "etcd-signer", "etcd-metric-signer")
    }


def test_what_somebody_deletes_comes_back(stage: Stage) -> None:
    """At once."""
    stage.after(0)
    row, name = ROWS[0]
    stage.cluster.objects.delete("Secret", name, row.namespace)

    stage.after(0)

    assert _secret(stage, row, name)


@pytest.mark.parametrize("days", [14, 29, 31])
def test_what_a_former_signer_of_kubelets_signed_is_accepted_until_its_end(stage: Stage, days: int) -> None:
    """The API server trusts the signer until it ends itself, and each certificate ends with its signer at the latest."""
    stage.after(0)
    issuer, key = certificate_requests.authority(stage.cluster)
    now = stage.moment[0]
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "system:node:n")])
    leaf = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer.subject)
        .public_key(ec.generate_private_key(ec.SECP256R1()).public_key())
        .serial_number(1)
        .not_valid_before(now)
        .not_valid_after(now + dt.timedelta(days=60))
        .sign(key, hashes.SHA256())
    )
    for _ in range(days):
        stage.after(DAY)

    bundle = api_server_certificates.serving(stage.cluster).client_ca_pem

    assert (issuer in key_pairs.read(bundle)) is (days < 30)
    if days < 30:
        assert Authenticator(bundle, stage.platform.clock).user(leaf, {}).name == "system:node:n"


def test_a_certificate_counts_that_was_signed_after_others_have_called(stage: Stage) -> None:
    """Each is verified at the time of its own first call."""
    stage.after(0)
    issuer, key = certificate_requests.authority(stage.cluster)
    authenticator = Authenticator(renewals.pem(issuer), stage.platform.clock)
    for name in ("first", "second"):
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        now, own = stage.moment[0], ec.generate_private_key(ec.SECP256R1())
        builder = x509.CertificateBuilder(
            issuer.subject, subject, own.public_key(), 1, now, now + dt.timedelta(hours=1)
        )
        assert authenticator.user(builder.sign(key, hashes.SHA256()), {}).name == name
        stage.after(DAY / 48)


def test_the_api_server_shows_renewed_certificates(stage: Stage) -> None:
    """With the Secrets of its own certificates."""
    stage.after(0)
    before = list(api_server_certificates.serving(stage.cluster).certificates)

    stage.after(15 * DAY)

    after = api_server_certificates.serving(stage.cluster).certificates
    assert before
    assert not set(before) & set(after)
    secret = _secret(stage, *ROWS[0])
    assert key_pairs.problem(decoded(secret["data"]["tls.crt"]), decoded(secret["data"]["tls.key"])) == ""
