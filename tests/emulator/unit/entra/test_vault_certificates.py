"""What only a moved clock or a restart can show of certificates in vaults."""

import base64
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.serialization import pkcs12

from emulator.core.clock import Clock
from emulator.core.faults import Fault
from emulator.core.platform import Platform
from emulator.core.service_error import ServiceError
from emulator.core.world import World
from emulator.keyvault import certificate_material
from emulator.keyvault.issuers import IssuerModel
from emulator.keyvault.models import KeyVaultModel
from emulator.keyvault.orders import ISSUE_SECONDS, SELF_SECONDS, OrderModel
from emulator.keyvault.policies import complete
from emulator.keyvault.vault_certificates import CertificateModel
from emulator.keyvault.vaults import RETENTION_DAYS
from tests.emulator.unit.entra.conftest import Stopped

WORLD = World()
VAULT = "vault"
POLICY: dict[str, Any] = {
    "issuer": {"name": "Public"},
    "key_props": {"kty": "EC", "crv": "P-256"},
    "secret_props": {"contentType": "application/x-pem-file"},
    "x509_props": {"subject": "CN=api.c1", "sans": {"dns_names": ["api.c1"]}, "validity_months": 3},
}


@dataclass
class Vaults:
    """One start of the vaults."""

    platform: Platform
    time: Stopped
    secrets: KeyVaultModel
    certificates: CertificateModel
    orders: OrderModel

    def order(self, name: str = "a", **changes: Any) -> dict[str, Any]:
        """Order a certificate."""
        policy = POLICY | changes
        return self.orders.create(VAULT, name, {"policy": policy}, certificate_material.new_key(complete(policy)))

    def pass_by(self, seconds: float) -> None:
        """Let seconds of emulated time pass, and settle the orders that are due."""
        self.time.moment += self.platform.clock.scaled(seconds)
        self.orders.settle(VAULT)


@pytest.fixture
def start(tmp_path: Path, time: Stopped) -> Iterator[Callable[[], Vaults]]:
    """Return a function that starts the vaults on one state folder, as often as asked."""
    opened: list[Platform] = []

    def begin() -> Vaults:
        platform = Platform(tmp_path, clock=Clock(40, time), world=WORLD)
        opened.append(platform)
        model, issuers = KeyVaultModel(platform), IssuerModel(platform)
        model.ensure_vault(VAULT, WORLD.rp_tenant_id)
        issuers.ensure(VAULT, "Public", "Test")
        certificates = CertificateModel(platform, model)
        return Vaults(platform, time, model, certificates, OrderModel(platform, model, certificates, issuers))

    yield begin
    for platform in opened:
        with closing(platform.store), closing(platform.journal):
            pass


def test_an_order_takes_its_issuer_s_time(start: Callable[[], Vaults]) -> None:
    """Until the order ends, the secret is disabled; afterwards it holds the key and the chain."""
    vaults = start()
    vaults.order()
    vaults.pass_by(ISSUE_SECONDS - 1)
    assert vaults.orders.get(VAULT, "a")["order"]["status"] == "inProgress"
    with pytest.raises(ServiceError, match="disabled secret"):
        vaults.secrets.get_secret(VAULT, "a")
    vaults.pass_by(1)
    assert vaults.orders.get(VAULT, "a")["order"]["status"] == "completed"
    value = vaults.secrets.get_secret(VAULT, "a")["value"]
    assert value.startswith("-----BEGIN PRIVATE KEY-----")
    leaf, root = x509.load_pem_x509_certificates(value.encode())
    leaf.verify_directly_issued_by(root)
    assert root == x509.load_pem_x509_certificate(vaults.platform.authority.pem())
    days = (leaf.not_valid_after_utc - vaults.time.moment).days
    assert 89 <= days <= 92, "three months, never scaled"


def test_an_order_in_flight_outlives_a_restart(start: Callable[[], Vaults]) -> None:
    """The certificate is issued when it is due, whichever process runs then."""
    start().order()
    again = start()
    again.pass_by(ISSUE_SECONDS)
    assert again.orders.get(VAULT, "a")["order"]["status"] == "completed"
    assert start().secrets.get_secret(VAULT, "a")["attributes"]["enabled"]


def test_an_issuer_that_the_vault_does_not_know_fails_the_order(start: Callable[[], Vaults]) -> None:
    """The order is accepted, then fails with the reason, and its secret stays disabled."""
    vaults = start()
    vaults.order(issuer={"name": "Nobody"})
    vaults.pass_by(ISSUE_SECONDS)
    order = vaults.orders.get(VAULT, "a")["order"]
    assert (order["status"], order["error"]["code"]) == ("failed", "Certificate issuer error")
    assert "'Nobody' does not exist in key vault" in order["error"]["message"]
    with pytest.raises(ServiceError, match="disabled secret"):
        vaults.secrets.get_secret(VAULT, "a")


@pytest.mark.parametrize(
    ("refusal", "want"),
    [
        ({"code": "Request rejected", "status_code": 403}, "Request rejected"),
        ({"status_code": 400}, "Certificate issuer error"),
        ({"status_code": 503}, "FailedCanRetry"),
        ({"status_code": 429}, "FailedCanRetry"),
    ],
    ids=["by its own code", "for good", "for now", "for being too many"],
)
def test_a_refused_order_can_be_placed_again(start: Callable[[], Vaults], refusal: dict[str, Any], want: str) -> None:
    """The next order makes the current version."""
    vaults = start()
    vaults.platform.faults.add(Fault("keyvault", "issue Public", message="Not today.", **refusal))
    vaults.order()
    vaults.pass_by(ISSUE_SECONDS)
    error = {"code": want, "message": "Not today."}
    assert vaults.orders.get(VAULT, "a")["order"]["error"] == error
    vaults.order()
    vaults.pass_by(ISSUE_SECONDS)
    assert vaults.orders.get(VAULT, "a")["order"]["status"] == "completed"
    assert vaults.secrets.get_secret(VAULT, "a")["attributes"]["enabled"]


def test_the_old_version_serves_until_the_new_one_is_issued(start: Callable[[], Vaults]) -> None:
    """A renewal that is slow, or fails, takes nothing away."""
    vaults = start()
    vaults.order(issuer={"name": "Self"})
    vaults.pass_by(SELF_SECONDS)
    first = vaults.secrets.get_secret(VAULT, "a")
    vaults.order()
    assert vaults.secrets.get_secret(VAULT, "a") == first
    vaults.pass_by(ISSUE_SECONDS)
    assert vaults.secrets.get_secret(VAULT, "a")["version"] != first["version"]
    assert vaults.secrets.get_secret(VAULT, "a", first["version"]) == first


def test_an_order_is_not_mistaken_for_its_successor(start: Callable[[], Vaults]) -> None:
    """A read by the old order's own id is told that it is gone."""
    vaults = start()
    first = vaults.order()["order"]["request_id"]
    assert vaults.orders.get(VAULT, "a", first)["order"]["request_id"] == first
    vaults.pass_by(ISSUE_SECONDS)
    vaults.order()
    with pytest.raises(ServiceError, match="PendingCertificateNotFound"):
        vaults.orders.get(VAULT, "a", first)


def test_a_deleted_certificate_is_gone_after_its_retention_with_its_secret(start: Callable[[], Vaults]) -> None:
    """Retention is 90 days, never scaled; then the certificate's name is free."""
    vaults = start()
    vaults.order()
    vaults.certificates.delete(VAULT, "a")
    vaults.time.moment += timedelta(days=RETENTION_DAYS)
    assert vaults.certificates.find(VAULT, "a") is None
    with pytest.raises(ServiceError, match="Deleted Secret not found"):
        vaults.secrets.deleted_secret(VAULT, "a")
    vaults.order()


def test_an_order_ends_with_its_certificate_and_not_with_the_next_of_that_name(start: Callable[[], Vaults]) -> None:
    """After a delete and its retention, the old order does not complete the new one, whose issuer never answers."""
    vaults = start()
    vaults.order()
    vaults.certificates.delete(VAULT, "a")
    vaults.time.moment += timedelta(days=RETENTION_DAYS)
    vaults.order(issuer={"name": "Unknown"})
    vaults.pass_by(ISSUE_SECONDS)
    assert vaults.orders.get(VAULT, "a")["order"]["status"] == "inProgress"


def test_pkcs12_holds_the_same(start: Callable[[], Vaults]) -> None:
    """Key Vault uses this content type if the policy names none."""
    vaults = start()
    vaults.order(secret_props={})
    vaults.pass_by(ISSUE_SECONDS)
    found = vaults.secrets.get_secret(VAULT, "a")
    packed = pkcs12.load_pkcs12(base64.b64decode(found["value"]), None)
    assert found["contentType"] == "application/x-pkcs12"
    assert packed.cert is not None
    assert packed.key is not None
    assert packed.key.public_key() == packed.cert.certificate.public_key()


def test_a_key_that_may_not_leave_does_not(start: Callable[[], Vaults]) -> None:
    """The secret of a key that is not exportable holds only the certificates."""
    vaults = start()
    vaults.order(key_props={"kty": "EC", "exportable": False})
    vaults.pass_by(ISSUE_SECONDS)
    assert "PRIVATE KEY" not in vaults.secrets.get_secret(VAULT, "a")["value"]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"x509_props": {"subject": f"CN={'a' * 65}"}}, "subject"),
        ({"x509_props": {"subject": "api.c1"}}, "subject"),
        ({"x509_props": {}}, "needs a subject or subject alternative names"),
    ],
)
def test_a_policy_without_a_right_subject_is_refused(changes: dict[str, Any], said: str) -> None:
    """The error is BadParameter, before a key is made."""
    with pytest.raises(ServiceError, match=said) as refused:
        certificate_material.request(
            complete(POLICY | changes), certificate_material.new_key(complete(POLICY | changes))
        )
    assert refused.value.code == "BadParameter"


def test_a_common_name_of_64_characters_is_taken() -> None:
    """X.509 allows that many and no more."""
    assert complete(POLICY | {"x509_props": {"subject": f"CN={'a' * 64}"}})["x509_props"]["subject"].endswith("a")
