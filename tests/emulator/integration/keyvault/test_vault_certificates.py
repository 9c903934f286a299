"""Key Vault's certificates, tested with azure-keyvault-certificates and with the product's own client."""

import ssl
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from azure.core.exceptions import HttpResponseError, ResourceExistsError, ResourceNotFoundError
from azure.identity import ManagedIdentityCredential
from azure.keyvault.certificates import (
    CertificateClient,
    CertificateContentType,
    CertificatePolicy,
    CertificatePolicyAction,
    KeyType,
    KeyUsageType,
    KeyVaultCertificate,
    LifetimeAction,
)
from azure.keyvault.secrets import SecretClient

from emulator.core.certificate_authority import write_private
from emulator.core.faults import Fault
from emulator.keyvault import IssuerModel, orders
from shared import fence
from shared.vault import Vault, pem
from shared.vault.vault_certificates import Certificates
from tests.emulator.integration.entra.stage import Stage

ISSUER = "Public"
NAME = "api.c1.eastus.aroapp.io"
RENEWED = LifetimeAction(action=CertificatePolicyAction.auto_renew, days_before_expiry=45)
SUBJECT = f"CN={NAME}"


def _policy(**changes: Any) -> CertificatePolicy:
    wanted: dict[str, Any] = {
        "issuer_name": ISSUER,
        "subject": SUBJECT,
        "san_dns_names": [NAME],
        "key_type": KeyType.ec,
        "exportable": True,
        "content_type": CertificateContentType.pem,
        "enhanced_key_usage": ["1.3.6.1.5.5.7.3.1"],
        "key_usage": [KeyUsageType.digital_signature, KeyUsageType.key_encipherment],
        "validity_in_months": 3,
        "certificate_transparency": True,
        "lifetime_actions": [LifetimeAction(action=CertificatePolicyAction.auto_renew, days_before_expiry=30)],
    }
    return CertificatePolicy(**wanted | changes)


class Scene:
    """A new vault that knows one issuer, and clients for it."""

    def __init__(self, stage: Stage, opened: ExitStack) -> None:
        self.stage = stage
        self.vault = f"v{uuid4().hex[:12]}"
        stage.ensure_vault(self.vault)
        stage.platform.model(IssuerModel).ensure(self.vault, ISSUER, "Test")
        credential = opened.enter_context(ManagedIdentityCredential())
        url = f"https://{self.vault}.vault.azure.net"
        self.certificates = opened.enter_context(CertificateClient(url, credential, retry_total=1))
        self.secrets = opened.enter_context(SecretClient(url, credential, retry_total=1))

    def order(self, name: str = "c", policy: CertificatePolicy | None = None) -> None:
        """Order a certificate; the poller asks once and then stays idle."""
        self.certificates.begin_create_certificate(name, policy or _policy(), _polling_interval=3600)

    def pass_by(self, name: str = "c") -> None:
        """Let the issuer's time be up."""
        orders = self.stage.platform.store.table("keyvault_orders")
        key = f"{self.vault}/{name}"
        assert orders.get(key) is not None
        orders.put(key, {"ready": datetime.now(UTC).isoformat()})

    def issue(self, name: str = "c", policy: CertificatePolicy | None = None) -> KeyVaultCertificate:
        """Order a certificate and have it issued."""
        self.order(name, policy)
        self.pass_by(name)
        return self.certificates.get_certificate(name)


@pytest.fixture
def scene(stage: Stage) -> Iterator[Scene]:
    """Create a vault."""
    with ExitStack() as opened:
        yield Scene(stage, opened)


def test_an_order_is_in_progress_and_then_completed(scene: Scene) -> None:
    """While the order is in progress, the certificate is disabled and empty, and its secret cannot be read."""
    scene.order()
    order = scene.certificates.get_certificate_operation("c")
    assert (order.status, order.issuer_name, order.certificate_transparency) == ("inProgress", ISSUER, True)
    assert order.csr
    pending = scene.certificates.get_certificate("c")
    assert pending.properties is not None
    assert (pending.properties.enabled, pending.cer) == (False, None)
    with pytest.raises(HttpResponseError, match="disabled secret") as refused:
        scene.secrets.get_secret("c")
    assert _inner(refused.value) == "SecretDisabled"
    scene.pass_by()
    order = scene.certificates.get_certificate_operation("c")
    assert (order.status, order.target) == ("completed", f"{scene.certificates.vault_url}/certificates/c")


def test_a_certificate_is_renewed_when_its_policy_says(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its issuer makes another version; one whose end is far away stays."""
    monkeypatch.setattr(orders, "LOOK_EVERY", timedelta(0))
    first = scene.issue("c", _policy(validity_in_months=1, lifetime_actions=[RENEWED]))
    far = scene.issue("far")
    scene.pass_by("c")

    second = scene.certificates.get_certificate("c")

    assert first.properties is not None
    assert second.properties is not None
    assert second.properties.version != first.properties.version
    assert second.cer != first.cer
    assert scene.certificates.get_certificate("far").cer == far.cer


def test_an_issued_certificate_comes_with_policy_key_and_secret(scene: Scene) -> None:
    """The whole policy comes back as it was ordered."""
    found = scene.issue()
    policy, properties = found.policy, found.properties
    assert policy is not None
    assert properties is not None
    assert (policy.subject, policy.san_dns_names, policy.issuer_name) == (SUBJECT, [NAME], ISSUER)
    assert (policy.key_type, policy.key_curve_name, policy.exportable) == (KeyType.ec, "P-256", True)
    assert (policy.content_type, policy.validity_in_months) == (CertificateContentType.pem, 3)
    assert policy.enhanced_key_usage == ["1.3.6.1.5.5.7.3.1"]
    assert policy.key_usage == [KeyUsageType.digital_signature, KeyUsageType.key_encipherment]
    assert policy.lifetime_actions is not None
    assert policy.lifetime_actions[0].days_before_expiry == 30
    assert properties.expires_on is not None
    assert timedelta(days=89) < properties.expires_on - datetime.now(UTC) < timedelta(days=93)
    assert properties.x509_thumbprint is not None
    assert len(properties.x509_thumbprint) == 20
    secret = scene.secrets.get_secret("c")
    assert secret.id == found.secret_id
    assert secret.properties.key_id == found.key_id
    assert (secret.properties.content_type, secret.properties.managed) == ("application/x-pem-file", True)
    assert secret.value is not None
    assert secret.value.startswith("-----BEGIN PRIVATE KEY-----")
    assert scene.certificates.get_certificate_version("c", properties.version or "").cer == found.cer


def test_whoever_trusts_the_local_authority_trusts_what_the_issuer_issues(scene: Scene, tmp_path: Path) -> None:
    """A TLS client with the bundle accepts the secret's chain from a server, but only under the certificate's name."""
    scene.issue()
    secret = write_private(tmp_path / "server.pem", (scene.secrets.get_secret("c").value or "").encode())
    bundle = scene.stage.platform.authority.certificate_path
    assert _shake_hands(secret, bundle, NAME) == {("DNS", NAME)}
    with pytest.raises(ssl.SSLCertVerificationError, match="match"):
        _shake_hands(secret, bundle, "api.c2.eastus.aroapp.io")


def _shake_hands(server: Path, bundle: Path, name: str) -> set[tuple[str, str]]:
    """Shake hands in memory, without a socket; return the names in the certificate that the client accepted."""
    shows, trusts = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH), ssl.create_default_context(cafile=bundle)
    shows.load_cert_chain(server)
    up, down = ssl.MemoryBIO(), ssl.MemoryBIO()
    client = trusts.wrap_bio(down, up, server_hostname=name)
    peer = shows.wrap_bio(up, down, server_side=True)
    for side in (client, peer, client, peer):
        try:
            side.do_handshake()
        except ssl.SSLWantReadError:
            continue
    found: Any = client.getpeercert()
    return set(found["subjectAltName"])


def test_the_client_s_own_poller_ends_with_the_certificate(scene: Scene) -> None:
    """`az keyvault certificate create` waits with this poller; a vault's self-signed certificate takes seconds."""
    poller = scene.certificates.begin_create_certificate("c", _policy(issuer_name="Self"), _polling_interval=0.05)
    found = poller.result()
    assert isinstance(found, KeyVaultCertificate)
    assert found.cer


def test_an_order_that_fails_tells_why(scene: Scene) -> None:
    """The order shows the error, whether the vault does not know the issuer or the issuer refuses."""
    scene.order("unknown", _policy(issuer_name="Nobody"))
    scene.order("refused")
    scene.stage.platform.faults.add(Fault("keyvault", f"issue {ISSUER}", code="FailedCanRetry", message="Busy."))
    said = {}
    for name in ("unknown", "refused"):
        scene.pass_by(name)
        order = scene.certificates.get_certificate_operation(name)
        assert order.status == "failed"
        assert order.error is not None
        said[name] = (order.error.code, order.error.message)
    assert said["refused"] == ("FailedCanRetry", "Busy.")
    assert said["unknown"][0] == "Certificate issuer error"
    assert "'Nobody' does not exist" in said["unknown"][1]


def test_a_certificate_s_secret_is_changed_by_nobody_else(scene: Scene) -> None:
    """Only the certificate can change its secret, and a certificate cannot take the name of an existing secret."""
    scene.issue()
    calls: tuple[Callable[[], object], ...] = (
        lambda: scene.secrets.set_secret("c", "x"),
        lambda: scene.secrets.update_secret_properties("c", enabled=False),
        lambda: scene.secrets.begin_delete_secret("c"),
    )
    for call in calls:
        with pytest.raises(HttpResponseError, match="lifetime is managed by Key Vault") as refused:
            call()
        assert (refused.value.status_code, _inner(refused.value)) == (403, "SecretManagedByKeyVault")
    scene.secrets.set_secret("s", "x")
    with pytest.raises(ResourceExistsError):
        scene.order("s")


def test_a_deleted_certificate_takes_its_secret_along_and_brings_it_back(scene: Scene) -> None:
    """Soft delete and recovery of a certificate apply to its secret too."""
    found = scene.issue()
    deleted = scene.certificates.begin_delete_certificate("c", _polling_interval=0).result()
    assert deleted.recovery_id == f"{scene.certificates.vault_url}/deletedcertificates/c"
    for read in (scene.certificates.get_certificate, scene.secrets.get_secret):
        with pytest.raises(ResourceNotFoundError):
            read("c")
    assert scene.certificates.get_deleted_certificate("c").policy is not None
    with pytest.raises(ResourceExistsError) as conflict:
        scene.order()
    assert (_code(conflict.value), _inner(conflict.value)) == ("Conflict", "ObjectIsDeletedButRecoverable")
    scene.certificates.begin_recover_deleted_certificate("c", _polling_interval=0).wait()
    assert scene.certificates.get_certificate("c").cer == found.cer
    assert scene.secrets.get_secret("c").id == found.secret_id


def test_each_order_makes_a_version(scene: Scene) -> None:
    """The newest version is current; the older ones stay."""
    first, second = scene.issue().properties, scene.issue().properties
    assert first is not None
    assert second is not None
    assert first.version != second.version
    assert scene.certificates.get_certificate_version("c", first.version or "").cer
    assert scene.secrets.get_secret("c").properties.version == second.version


def test_issuers_are_kept_without_their_password(scene: Scene) -> None:
    """A created issuer comes back, its password never."""
    made = scene.certificates.create_issuer(
        "digicert01", "DigiCert", account_id="1", password=uuid4().hex, enabled=True
    )
    assert (made.provider, made.account_id, made.password) == ("DigiCert", "1", None)


@pytest.mark.parametrize(
    ("action", "call"),
    [
        ("certificates/create/action", lambda client: client.begin_create_certificate("c", _policy())),
        ("certificates/read", lambda client: client.get_certificate("c")),
        ("certificates/delete", lambda client: client.begin_delete_certificate("c")),
        ("certificates/recover/action", lambda client: client.begin_recover_deleted_certificate("c")),
        ("certificatecas/write", lambda client: client.create_issuer("i", "Test")),
    ],
)
def test_each_operation_needs_its_data_action(
    scene: Scene, action: str, call: Callable[[CertificateClient], object]
) -> None:
    """All others together do not replace the missing one."""
    scene.stage.withheld.add(action)
    try:
        with pytest.raises(HttpResponseError, match=f"Action: 'Microsoft.KeyVault/vaults/{action}'") as refused:
            call(scene.certificates)
    finally:
        scene.stage.withheld.clear()
    assert (refused.value.status_code, _inner(refused.value)) == (403, "ForbiddenByRbac")


def test_bad_orders_say_what_is_wrong(scene: Scene) -> None:
    """Each mistake has its error: a pending order, long subject, bad name, missing certificate or unsupported call."""
    scene.order()
    with pytest.raises(HttpResponseError, match="status is inProgress") as busy:
        scene.order()
    assert (busy.value.status_code, _code(busy.value)) == (409, "Conflict")
    with pytest.raises(HttpResponseError, match="subject has the invalid value") as long:
        scene.order("d", _policy(subject=f"CN={'a' * 65}"))
    assert (long.value.status_code, _code(long.value)) == (400, "BadParameter")
    with pytest.raises(HttpResponseError, match="invalid name"):
        scene.order("a_b")
    with pytest.raises(ResourceNotFoundError) as absent:
        scene.certificates.get_certificate("nobody")
    assert _code(absent.value) == "CertificateNotFound"
    with pytest.raises(HttpResponseError, match="does not have PATCH /certificates/d") as refused:
        scene.certificates.update_certificate_properties("d", enabled=False)
    assert (refused.value.status_code, _code(refused.value)) == (400, "NotSupportedByLocalAzure")


def test_the_product_orders_reads_deletes_and_orders_again(scene: Scene) -> None:
    """Repeated calls take effect once; the private key is in the secret, and never in the journal."""
    ours = Certificates(scene.certificates, ISSUER)
    token = fence.check.set(lambda: None)
    try:
        assert ours.order("c") is None
        assert [ours.begin("c", SUBJECT, [NAME]) for _ in range(2)] == [True, False]
        scene.pass_by()
        assert ours.is_issued("c", SUBJECT, [NAME])
        assert not ours.begin("c", SUBJECT, [NAME])
        chain, key = Vault(scene.secrets, scene.secrets, "account/ARO").get_certificate("c")
        assert pem.split(key + chain) == (chain, key)
        for _ in range(2):
            ours.delete("c")
        assert ours.begin("c", SUBJECT, [NAME])
        assert ours.is_issued("c", SUBJECT, [NAME]), "a deleted one holds the name, and is as good as new"
        assert ours.begin("c", "CN=reserved.eastus.aroapp.io", [NAME])
        order = ours.order("c")
        assert order is not None
        assert order.status == "inProgress"
    finally:
        fence.check.reset(token)
    journal = (scene.stage.platform.root / "logs" / "journal.jsonl").read_text(encoding="utf-8")
    assert f"{scene.vault}.vault.azure.net" in journal or "certificates" in journal
    assert "PRIVATE KEY" not in journal
    assert key.splitlines()[1] not in journal


def _code(error: HttpResponseError) -> str:
    assert error.error is not None
    return str(error.error.code)


def _inner(error: HttpResponseError) -> str:
    """Return the code of the error's `innererror`."""
    assert error.error is not None
    inner = error.error.innererror
    assert inner is not None
    return str(inner["code"])
