"""The frontend on in-memory stores: requests go in as the host passes them, replies come out."""

import base64
import copy
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cache
from http import HTTPStatus
from random import Random
from typing import Any, cast
from urllib.parse import urlsplit

from azure.storage.blob import ContainerClient
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from frontend.messages import Reply, Request, Route
from frontend.middleware.chain import respond
from frontend.routes import ROUTES
from frontend.services import Services
from shared import settings
from shared.azure.arm_certificates import ClientCertificate
from shared.bundles.storage import Bundles
from shared.clusters.identities import known_identities
from shared.clusters.states import ProvisioningState
from shared.store import STRONG, Levels, Store
from shared.vault import Vault
from tests.api_versions import members
from tests.product.unit import cosmos_fake
from tests.product.unit.frontend.clusters.live_fake import LiveFake
from tests.product.unit.product_world import ENVIRONMENT, FakeSecrets

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
SUBSCRIPTION = "dddddddd-0000-0000-0000-000000000001"
GROUP = f"/subscriptions/{SUBSCRIPTION}/resourceGroups/Customer"
CLUSTERS = f"{GROUP}/providers/Microsoft.RedHatOpenShift/openShiftClusters"
CLUSTER = f"{CLUSTERS}/C1"
VNET = f"{GROUP}/providers/Microsoft.Network/virtualNetworks/vnet"
LOCATION = f"/subscriptions/{SUBSCRIPTION}/providers/Microsoft.RedHatOpenShift/locations/eastus"
CLIENT_ID = "11111111-0000-0000-0000-000000000001"
NEW, OLD = "2025-07-25", "2020-04-30"
# What the catalogue must contain of a version before it is offered.
INSTALLABLE = {
    "openShiftPullspec": "quay.io/openshift-release-dev/ocp-release:x",
    "installerDigest": f"sha256:{'5' * 64}",
    "rhcosImage": {"publisher": "azureopenshift", "offer": "aro4", "sku": "aro", "version": "1.2.3"},
}
CLIENT_SECRET, PULL_SECRET = "canary-client-secret", '{"auths": {"quay.io": {"auth": "Y2FuOmFyeQ=="}}}'


def body(api_version: str = NEW, name: str = "c1", client_id: str = CLIENT_ID) -> dict[str, Any]:
    """Return a valid body of a create."""
    has = members(api_version)
    newer = {"encryptionAtHost": "Disabled"} if "properties.masterProfile.encryptionAtHost" in has else {}
    network = {"podCidr": "10.128.0.0/14", "serviceCidr": "172.30.0.0/16"}
    if "properties.networkProfile.softwareDefinedNetwork" in has:
        network["softwareDefinedNetwork"] = "OVNKubernetes"
    profile: dict[str, Any] = {
        "pullSecret": PULL_SECRET,
        "domain": name,
        "resourceGroupId": f"/subscriptions/{SUBSCRIPTION}/resourceGroups/aro-{name}",
    }
    if "properties.clusterProfile.fipsValidatedModules" in has:
        profile["fipsValidatedModules"] = "Disabled"
    return {
        "location": "eastus",
        "tags": {"team": "one"},
        "properties": {
            "clusterProfile": profile,
            "servicePrincipalProfile": {"clientId": client_id, "clientSecret": CLIENT_SECRET},
            "networkProfile": network,
            "masterProfile": {"vmSize": "Standard_D8s_v3", "subnetId": f"{VNET}/subnets/master", **newer},
            "workerProfiles": [
                {
                    "name": "worker",
                    "vmSize": "Standard_D4s_v3",
                    "diskSizeGB": 128,
                    "subnetId": f"{VNET}/subnets/worker",
                    "count": 3,
                    **newer,
                }
            ],
            "apiserverProfile": {"visibility": "Public"},
            "ingressProfiles": [{"name": "default", "visibility": "Public"}],
        },
    }


def changed(original: dict[str, Any], path: str, value: Any) -> dict[str, Any]:
    """Return a copy with one member set, or removed where the value is `...`; numbers index arrays."""
    result = copy.deepcopy(original)
    *parents, last = [int(part) if part.isdigit() else part for part in path.split(".")]
    holder: Any = result
    for parent in parents:
        holder = holder.setdefault(parent, {}) if isinstance(parent, str) else holder[parent]
    if value is ...:
        del holder[last]
    else:
        holder[last] = value
    return result


@dataclass
class Authority:
    """A certificate authority, and what it signs."""

    name: str
    key: ec.EllipticCurvePrivateKey = field(default_factory=lambda: ec.generate_private_key(ec.SECP256R1()))

    @property
    def subject(self) -> x509.Name:
        """Its name."""
        return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, self.name)])

    def pem(self) -> str:
        """Return its own certificate."""
        builder = _builder(self.subject, self.subject, self.key.public_key(), NOW - timedelta(days=9)).add_extension(
            x509.BasicConstraints(ca=True, path_length=None), critical=True
        )
        return builder.sign(self.key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM).decode()

    def leaf(
        self,
        common_name: str,
        usage: x509.ObjectIdentifier | None = ExtendedKeyUsageOID.CLIENT_AUTH,
        begins: datetime = NOW - timedelta(days=1),
    ) -> bytes:
        """Return a leaf in DER, valid for two days."""
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, common_name)])
        builder = _builder(subject, self.subject, ec.generate_private_key(ec.SECP256R1()).public_key(), begins)
        if usage is not None:
            builder = builder.add_extension(x509.ExtendedKeyUsage([usage]), critical=False)
        return builder.sign(self.key, hashes.SHA256()).public_bytes(serialization.Encoding.DER)


def _builder(
    subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePublicKey, begins: datetime
) -> x509.CertificateBuilder:
    days = 20 if subject == issuer else 2
    return x509.CertificateBuilder(
        issuer, subject, key, x509.random_serial_number(), begins, begins + timedelta(days=days)
    )


@cache
def authority() -> Authority:
    """Return the authority of operators."""
    return Authority("operators")


@cache
def admin_certificate() -> bytes:
    """Return an operator's certificate."""
    return authority().leaf("sre")


@cache
def arm_certificate() -> bytes:
    """Return the certificate that ARM uses."""
    return Authority("arm").leaf("arm")


def _asked() -> Any:
    raise AssertionError("ARM has checked its caller, and the service asks nobody again")


class World:
    """The frontend and everything below it."""

    def __init__(self) -> None:
        self.cosmos = cosmos_fake.containers()
        self.secrets = FakeSecrets("https://rp-cls.vault.azure.net")
        self.service_secrets = FakeSecrets("https://rp-svc.vault.azure.net")
        self.now = NOW
        self.live = LiveFake()
        self.customer_arm: dict[str, Any] = {}
        self.arm_certificates = [ClientCertificate(arm_certificate(), NOW - timedelta(days=1), NOW + timedelta(days=1))]
        self.levels = Levels(STRONG, STRONG)
        store = Store(lambda name: cast("Any", self.cosmos[name]), lambda: self.levels, lambda: list(self.cosmos))
        vault = Vault(cast("Any", self.secrets), cast("Any", self.service_secrets), "rp-eastus/ARO")
        self.services = Services(
            settings=settings.parse({**ENVIRONMENT, "ADMIN_API_CA": authority().pem(), "TIME_SCALE": "1"}),
            open_store=lambda: store,
            open_vault=lambda: vault,
            open_bundles=lambda: self.bundles,
            arm_certificates=lambda: self.arm_certificates,
            open_verifier=_asked,
            open_rights=_asked,
            open_arm=_asked,
            open_customer_arm=lambda tenant: self.customer_arm[tenant],
            read_clusters=self.live.read_all,
            now=lambda: self.now,
            random=Random(1),  # noqa: S311 - a test repeats itself
        )
        self.service_secrets.versions["fe-encryption-key"] = ["paging-key"]
        container = ContainerClient.from_container_url("https://rpeastus.blob.core.windows.net/bundles")
        self.bundles = Bundles(container, lambda version: vault.get_service_key("fe-encryption-key", version))
        for version, default in (("4.10.67", False), ("4.17.9", True), ("4.9.0", False)):
            entry = {"id": version, "version": version, "enabled": True, "default": default}
            self.cosmos["OpenShiftVersions"].create_item(INSTALLABLE | entry)
        self.register(SUBSCRIPTION)

    def register(self, subscription_id: str, state: str = "Registered") -> None:
        """Store a subscription as ARM reports it."""
        self.cosmos["Subscriptions"].upsert_item(
            {"id": subscription_id, "subscription": {"state": state, "properties": {"tenantId": "t"}}}
        )

    def send(
        self,
        method: str,
        path: str,
        content: Any = None,
        *,
        api_version: str = NEW,
        query: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
        certificate: bytes | None = None,
    ) -> Reply:
        """Send a request as ARM, or with another certificate (`b""` for none)."""
        der = arm_certificate() if certificate is None else certificate
        raw = content if isinstance(content, bytes) else b"" if content is None else json.dumps(content).encode()
        found = {"x-arr-clientcert": base64.b64encode(der).decode(), "host": "rp.example"}
        if raw:
            found["content-type"] = "application/json"
        asked = {"api-version": api_version} if api_version else {}
        asked |= {name.lower(): value for name, value in (query or {}).items()}
        route, parameters = match(path)
        request = Request(method, "https", {**found, **(headers or {})}, asked, parameters, raw)
        return respond(route, request, lambda: self.services)

    def sre(self, path: str) -> Reply:
        """Send a GET as an operator."""
        return self.send("GET", f"/sre{path}", api_version="", certificate=admin_certificate())

    @property
    def document(self) -> Any:
        """The one cluster document, as stored."""
        (document,) = self.cosmos["OpenShiftClusters"].documents.values()
        return document

    def operation(self, operation_id: str) -> Any:
        """Return an operation, as stored."""
        return self.cosmos["AsyncOperations"].documents[operation_id, operation_id]

    def plan(self, operation_id: str) -> Any:
        """Return the plan of an operation, as stored."""
        return cosmos_fake.plan_of(self.cosmos["AsyncOperations"], operation_id)

    def operations(self) -> list[Any]:
        """Return all operations, as stored."""
        return cosmos_fake.operations(self.cosmos["AsyncOperations"])

    def finish(self, *, failed: bool = False) -> None:
        """End the running operation like the engine, with what a row of an update notes of identities."""
        from shared.clusters import endings  # noqa: PLC0415 - only here

        document = self.document
        if not failed:
            known_identities.note_worked(document)
        operation = self.operation(document["asyncOperationId"])
        snapshot = copy.deepcopy(document["openShiftCluster"])
        endings.end_state(snapshot, failed=failed)
        endings.end_operation_document(
            operation, ProvisioningState.FAILED if failed else ProvisioningState.SUCCEEDED, None, snapshot
        )
        self.cosmos["AsyncOperations"].upsert_item(operation)
        endings.end_owner(document, failed=failed)


def match(path: str) -> tuple[Route, dict[str, str]]:
    """Find the route of a path like the host: the first that fits, in the order of function names."""
    for route in sorted(ROUTES, key=lambda route: route.name.lower()):
        pattern = re.sub(r"\{\*(\w+)\}", r"(?P<\1>.*)", route.template)
        pattern = re.sub(r"\{(\w+)\}", r"(?P<\1>[^/]+)", pattern)
        if found := re.fullmatch(f"/{pattern}/?", path, re.IGNORECASE):
            return route, found.groupdict()
    raise AssertionError(path)


def expect_address(world: World, reply: Reply) -> None:
    """Check that a refusal has the address of the operation that runs, for clients and for people."""
    address = reply.headers["Azure-AsyncOperation"]
    operation_id = world.document["asyncOperationId"]
    assert f"{LOCATION}/operationsstatus/{operation_id}?" in address
    assert reply.body["error"]["message"].endswith(f" The operation's status is at {address}")
    assert reply.headers["Retry-After"]
    assert world.send("GET", urlsplit(address).path).status == HTTPStatus.OK
