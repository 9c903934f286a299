"""The product on an in-memory Azure: its own stores and SDK clients on top of fakes."""

import base64
import itertools
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cache
from types import SimpleNamespace
from typing import Any

import pytest
import requests.adapters
from azure.core.exceptions import ResourceNotFoundError
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from shared import cloud, settings
from shared import store as store_module
from shared import vault as vault_module
from shared.azure import arm_reads, clients, credentials, rights
from shared.http_session import network
from shared.store import Store, get_store
from shared.vault import vault_certificates
from tests.product.unit import cosmos_fake
from tests.product.unit.azure_fake import FakeAzure, send

ENVIRONMENT = {
    "CALLERS": "arm",
    "AZURE_TENANT_ID": "aaaaaaaa-0000-0000-0000-000000000001",
    "AZURE_SUBSCRIPTION_ID": "bbbbbbbb-0000-0000-0000-000000000001",
    "LOCATION": "eastus",
    "RESOURCEGROUP": "rp",
    "COSMOSDB_ACCOUNT": "rp-eastus",
    "COSMOSDB_DATABASE": "ARO",
    "TASK_HUB": "OpenShiftClusters",
    "DOMAIN": "eastus.aroapp.io",
    "KEYVAULT_NAME": "rp-svc",
    "CLUSTER_KEYVAULT_NAME": "rp-cls",
    "PAGING_KEY_SECRET": "fe-encryption-key",
    "BUNDLES_URL": "https://rpeastus.blob.core.windows.net/bundles",
    "APP_SUBNET_ID": "/subscriptions/bbbbbbbb-0000-0000-0000-000000000001/resourceGroups/rp"
    "/providers/Microsoft.Network/virtualNetworks/rp/subnets/app",
    "PRIVATE_ENDPOINT_SUBNET_ID": "/subscriptions/bbbbbbbb-0000-0000-0000-000000000001/resourceGroups/rp"
    "/providers/Microsoft.Network/virtualNetworks/rp/subnets/endpoints",
    "RP_OBJECT_ID": "cccccccc-0000-0000-0000-000000000002",
    "ACR_RESOURCE_ID": "/subscriptions/bbbbbbbb-0000-0000-0000-000000000001/resourceGroups/global"
    "/providers/Microsoft.ContainerRegistry/registries/arosvc",
    "ADMIN_API_CA": "-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----",
    "ADMIN_API_CLIENT_COMMON_NAME": "sre",
    "FP_CLIENT_ID": "f1dd0a37-89c6-4e07-bcd1-ffd3d43d8875",
    "FP_CERTIFICATE_SECRET": "rp-firstparty",
    "ISSUER_ACCOUNT_URL": "https://rpeastusoidc.blob.core.windows.net",
    "ISSUER_URL": "https://eastus.oic.example.com",
    "CERTIFICATE_ISSUER": "OneCertV2-PublicCA",
    "CLUSTER_LOGGING_CERTIFICATE_SECRET": "cluster-mdsd",
    "CLUSTER_LOGGING_ENVIRONMENT": "DiagnosticsProd",
    "CLUSTER_LOGGING_CONFIG_VERSION": "2.2",
    "TIME_SCALE": "40",
}
# One's own subscription: without anything that only a hosted service has.
OWN = {name: "" for name, setting in settings.table().items() if setting.only is settings.Callers.ARM} | {
    "CALLERS": "entra",
    "API_CLIENT_ID": "11111111-2222-3333-4444-555555555555",
    "PUBLIC_URL": "https://clusters.example.com",
}
CUSTOMER = "dddddddd-0000-0000-0000-000000000001"
CUSTOMER_TENANT = "eeeeeeee-0000-0000-0000-000000000001"
CLUSTER_ID = (
    f"/subscriptions/{CUSTOMER}/resourceGroups/customer/providers/Microsoft.RedHatOpenShift/openShiftClusters/C1"
)
CLUSTER_GROUP = f"/subscriptions/{CUSTOMER}/resourceGroups/aro-c1"
NETWORK = f"/subscriptions/{CUSTOMER}/resourceGroups/customer/providers/Microsoft.Network/virtualNetworks/vnet"
CACHES: tuple[Any, ...] = (
    settings.load,
    cloud.cloud_profile,
    cloud.managed_identity,
    network,
    store_module.get_store,
    vault_module.get_vault,
    vault_certificates.get_certificates,
    credentials.first_party,
    clients._as_provider,
    arm_reads.arm_reads,
    arm_reads.provider_reads,
    rights.rights,
    rights.provider_rights,
)


def first_party_certificate() -> str:
    """Make a certificate with its key, as Key Vault hands it out."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "first-party")])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now)
        .not_valid_after(now + timedelta(days=1))
        .sign(key, hashes.SHA256())
    )
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    return (private + certificate.public_bytes(serialization.Encoding.PEM)).decode()


FIRST_PARTY_CERTIFICATE = first_party_certificate()
# Each test has credentials of its own, with the same key. Loading it checks its primes, which took a third of all time.
_load = cache(serialization.load_pem_private_key)


class FakeSecrets:
    """A vault's secrets with their versions."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.versions: dict[str, list[str]] = {}
        self.tags: dict[str, dict[str, str]] = {}
        self.times: dict[str, tuple[datetime | None, datetime | None]] = {}
        self.written: dict[str, datetime] = {}
        self.disabled: list[str] = []
        self._numbers = itertools.count(1)

    def set_secret(
        self,
        name: str,
        value: str,
        *,
        content_type: str,
        tags: dict[str, str],
        not_before: datetime | None = None,
        expires_on: datetime | None = None,
    ) -> Any:
        assert content_type == "application/json"
        assert tags["cluster"]
        self.times[name] = not_before, expires_on
        self.versions.setdefault(name, []).append(value)
        self.tags[name], self.written[name] = tags, datetime.now(UTC)
        return self.get_secret(name)

    def list_properties_of_secrets(self) -> Iterator[Any]:
        for name in sorted(self.versions):
            tags, written = self.tags.get(name), self.written.get(name)
            yield SimpleNamespace(name=name, tags=tags, updated_on=written, created_on=None)

    def get_secret(self, name: str, version: str | None = None) -> Any:
        if name not in self.versions:
            raise ResourceNotFoundError(message=f"no secret {name}")
        number = int(version) if version else len(self.versions[name])
        return SimpleNamespace(value=self.versions[name][number - 1], id=f"{self.url}/secrets/{name}/{number}")

    def update_secret_properties(self, name: str, version: str, *, enabled: bool) -> None:
        assert not enabled
        self.disabled.append(f"{name}/{version}")

    def list_properties_of_secret_versions(self, name: str) -> Iterator[Any]:
        for number in range(1, len(self.versions[name]) + 1):
            enabled = f"{name}/{number}" not in self.disabled
            yield SimpleNamespace(id=f"{self.url}/secrets/{name}/{number}", enabled=enabled)

    def begin_delete_secret(self, name: str) -> None:
        if name not in self.versions:
            raise ResourceNotFoundError(message=f"no secret {name}")
        del self.versions[name]


@dataclass
class World:
    """Everything below the product."""

    azure: FakeAzure = field(default_factory=FakeAzure)
    cosmos: dict[str, cosmos_fake.Container] = field(default_factory=cosmos_fake.containers)
    vaults: dict[str, FakeSecrets] = field(default_factory=dict)

    @property
    def store(self) -> Store:
        """The product's store."""
        return get_store()

    @property
    def cluster(self) -> Any:
        """The one cluster document."""
        (document,) = self.cosmos["OpenShiftClusters"].documents.values()
        return document

    @property
    def operation(self) -> Any:
        """The operation `op`."""
        return self.cosmos["AsyncOperations"].documents["op", "op"]

    @property
    def properties(self) -> dict[str, Any]:
        """The cluster's properties."""
        properties: dict[str, Any] = self.cluster["openShiftCluster"]["properties"]
        return properties

    def vault(self, name: str) -> FakeSecrets:
        """Return the secrets of a vault."""
        return self.vaults.setdefault(name, FakeSecrets(f"https://{name}.vault.azure.net"))


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    """Run the product on fakes: settings, Cosmos DB, Key Vault, and everything that uses HTTP."""
    for name in settings.table():
        monkeypatch.delenv(name, raising=False)
    for name, value in ENVIRONMENT.items():
        monkeypatch.setenv(name, value)
    made = World()
    monkeypatch.setattr(
        requests.adapters.HTTPAdapter, "send", lambda _adapter, prepared, **_more: send(made.azure, prepared)
    )
    database = SimpleNamespace(get_container_client=made.cosmos.__getitem__)
    account = SimpleNamespace(get_database_client=lambda _name: database)
    monkeypatch.setattr(store_module, "CosmosClient", lambda *_args, **_kwargs: account)
    monkeypatch.setattr(
        vault_module, "SecretClient", lambda url, *_args, **_kwargs: made.vault(url.split("//")[1].split(".")[0])
    )
    monkeypatch.setattr(serialization, "load_pem_private_key", _load)
    monkeypatch.setattr("jwt.algorithms.load_pem_private_key", _load)
    made.vault("rp-svc").versions["rp-firstparty"] = [FIRST_PARTY_CERTIFICATE]
    made.vault("rp-svc").versions["cluster-mdsd"] = [FIRST_PARTY_CERTIFICATE]
    for cached in CACHES:
        cached.cache_clear()
    yield made
    for cached in CACHES:
        cached.cache_clear()


def cluster_document(**more: Any) -> Any:
    """Make the document of a cluster whose create has just been accepted."""
    return {
        "id": "doc-1",
        "key": CLUSTER_ID.lower(),
        "partitionKey": CUSTOMER,
        "clusterResourceGroupIdKey": CLUSTER_GROUP.lower(),
        "clientIdKey": "client-1",
        "asyncOperationId": "op",
        "attempt": 1,
        "correlationData": {"correlationId": "corr-1"},
        "secrets": {},
        "writtenByANewerBuild": {"deep": True},
        "openShiftCluster": {
            "id": CLUSTER_ID,
            "name": "C1",
            "location": "eastus",
            "tags": {"team": "a"},
            "properties": {
                "provisioningState": "Creating",
                "clusterProfile": {"domain": "c1", "resourceGroupId": CLUSTER_GROUP},
                "servicePrincipalProfile": {"clientId": "client-1"},
                "masterProfile": {"subnetId": f"{NETWORK}/subnets/master"},
                "workerProfiles": [{"name": "worker", "subnetId": f"{NETWORK}/subnets/worker"}],
            },
        },
    } | more


@pytest.fixture
def accepted(world: World) -> World:
    """Give the world a cluster in `Creating`, its operation, its subscription and the secrets of its request."""
    secret = world.vault("rp-cls").set_secret(
        "doc-1-request",
        '{"clientSecret": "s3cret", "pullSecret": "{}"}',
        content_type="application/json",
        tags={"cluster": "doc-1"},
    )
    world.cosmos["OpenShiftClusters"].create_item(cluster_document(secrets={"request": secret.id}))
    world.cosmos["AsyncOperations"].create_item(
        {
            "id": "op",
            "openShiftClusterKey": CLUSTER_ID.lower(),
            "clusterDocumentId": "doc-1",
            "taskHub": ENVIRONMENT["TASK_HUB"],
            "correlationData": {"correlationId": "corr-1"},
            "asyncOperation": {
                "id": "/x/op",
                "name": "op",
                "initialStatus": "Creating",
                "status": "Creating",
                "startTime": "2026-03-01T09:00:00+00:00",
            },
            "plan": {"name": "create", "timeScale": 40, "rows": [], "skipped": [], "retryPolicies": {}},
        }
    )
    world.cosmos["Subscriptions"].create_item(
        {"id": CUSTOMER, "subscription": {"state": "Registered", "properties": {"tenantId": CUSTOMER_TENANT}}}
    )
    return world


@pytest.fixture
def own(accepted: World, monkeypatch: pytest.MonkeyPatch) -> World:
    """Let the service of the accepted cluster run in one's own subscription."""
    move_to_own_subscription(accepted, monkeypatch)
    return accepted


def move_to_own_subscription(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the service run in one's own subscription, with its managed identity, and the cluster have its own domain."""
    for name, value in OWN.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("IDENTITY_ENDPOINT", "http://identity.local/token")
    monkeypatch.setenv("IDENTITY_HEADER", "header")
    settings.load.cache_clear()
    world.cosmos["Subscriptions"].documents.clear()
    world.properties["clusterProfile"]["domain"] = "c1.example.com"
    claims = base64.urlsafe_b64encode(json.dumps({"oid": ENVIRONMENT["RP_OBJECT_ID"]}).encode()).decode().rstrip("=")
    token = {"access_token": f"e30.{claims}.c2ln", "expires_on": "4102444800", "resource": "", "token_type": "Bearer"}
    world.azure.on("GET", "^/token$", lambda _request: (200, token, {}))
