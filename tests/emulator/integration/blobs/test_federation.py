"""From a cluster's token to one of an identity: the issuer's documents, the federated credential, and Entra ID's answer."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import jwt
import pytest
from azure.core.exceptions import ClientAuthenticationError
from azure.identity import ClientAssertionCredential
from cryptography.hazmat.primitives.asymmetric import rsa
from jwt.algorithms import RSAAlgorithm

from emulator import blobs, entra, managed_identity
from emulator.arm.access.roles import OWNER
from emulator.arm.call import AUDIENCES
from emulator.arm.models import ArmModel
from emulator.arm.seeding import ensure_role
from emulator.blobs import websites
from emulator.core.faults import Fault
from emulator.core.platform import Platform, Service
from emulator.run import arm
from emulator.storage.models import StorageModel
from tests.emulator.integration.blobs.conftest import Azurite, running
from tests.emulator.integration.blobs.test_with_arm import (
    BLOB_DATA_CONTRIBUTOR,
    Account,
    LocalStorage,
    make_account,
)
from tests.emulator.unit.providers import caller

SUBJECT = "system:serviceaccount:openshift-ingress-operator:ingress-operator"
KEY, OTHER_KEY = (rsa.generate_private_key(public_exponent=65537, key_size=2048) for _ in range(2))
VERSION = "2024-11-30"
DISCOVERY, KEYS = ".well-known/openid-configuration", "openid/v1/jwks"


@dataclass(frozen=True)
class Cluster:
    """What Azure knows of a cluster: the documents of its issuer, and the identity of an operator."""

    storage: LocalStorage
    account: Account
    identity: str
    properties: dict[str, Any]

    @property
    def issuer(self) -> str:
        """URL of the issuer."""
        return f"https://{self.account.name}.z1.web.core.windows.net/tenant/doc"

    def publish(self, key: rsa.RSAPrivateKey = KEY) -> None:
        """Write the issuer's documents."""
        storage, writer = self.storage, self.storage.principal("writer")
        ensure_role(storage.platform.model(ArmModel), self.account.id, storage.object_id(writer), BLOB_DATA_CONTRIBUTOR)
        client = storage.client(self.account.name, storage.credential(writer))
        published = json.loads(RSAAlgorithm.to_jwk(key.public_key())) | {"kid": "one", "use": "sig", "alg": "RS256"}
        documents = {
            DISCOVERY: {"issuer": self.issuer, "jwks_uri": f"{self.issuer}/{KEYS}"},
            KEYS: {"keys": [published]},
        }
        for name, content in documents.items():
            blob = client.get_blob_client("$web", f"tenant/doc/{name}")
            blob.upload_blob(json.dumps(content).encode(), overwrite=True)

    def exchange(self, **changes: Any) -> str:
        """Exchange a token of the operator's service account for one for ARM; return the caller's object id."""
        at = int(datetime.now(UTC).timestamp())
        claims = {"iss": self.issuer, "sub": SUBJECT, "aud": ["openshift"], "iat": at, "nbf": at, "exp": at + 3600}
        token = jwt.encode(claims | changes, KEY, algorithm="RS256", headers={"kid": "one"})
        tenant_id, client_id = self.properties["tenantId"], self.properties["clientId"]
        options = self.storage.options | {"disable_instance_discovery": True}
        with ClientAssertionCredential(tenant_id, client_id, lambda: token, **options) as credential:
            got = credential.get_token(f"{AUDIENCES[1]}/.default").token
        directory = self.storage.platform.model(entra.EntraModel)
        return directory.authenticate(f"Bearer {got}", AUDIENCES).object_id

    def trust(self, issuer: str) -> None:
        """Write the identity's federated credential."""
        body = {"properties": {"issuer": issuer, "subject": SUBJECT, "audiences": ["openshift"]}}
        _put(self.storage, f"{self.identity}/federatedIdentityCredentials/ingress", body)


def _put(storage: LocalStorage, resource_id: str, body: dict[str, Any]) -> dict[str, Any]:
    owner = caller(storage.object_id(storage.principal("owner of identities")))
    model = storage.platform.model(ArmModel)
    ensure_role(model, f"/subscriptions/{storage.platform.world.subscription_id}", owner.object_id, OWNER)
    return storage.listening.run(model.put_resource(owner, resource_id, VERSION, body)).body


def _services(platform: Platform) -> list[Service]:
    platform.ports |= {"arm": 1, "token": 2, "front_end": 3, "identity": 4}
    services = [entra.create(platform), managed_identity.create(platform), arm.create(platform)]
    model, world = platform.model(ArmModel), platform.world
    services += [
        blobs.create(platform, platform.model(StorageModel), model.authorization),
        websites.create(platform),
    ]
    platform.model(entra.EntraModel).ensure_tenant(world.tenant_id, "Customer", "customer.onmicrosoft.com")
    model.subscriptions.ensure(world.subscription_id, world.tenant_id, "Customer")
    return services


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """Run the services, with an account for issuers and an identity."""
    azurite = Azurite(tmp_path_factory.mktemp("azurite"))
    with running(tmp_path_factory.mktemp("local-azure"), azurite, _services) as local:
        local.platform.ports["proxy"] = int(local.proxy.rpartition(":")[2])
        storage = LocalStorage(local)
        account = make_account(storage, {})
        website = {"properties": {"staticWebsite": {"enabled": True}}}
        account.management.blob_services.set_service_properties(account.group, account.name, parameters=website)
        group = account.id.partition("/providers/")[0]
        name = f"{group}/providers/Microsoft.ManagedIdentity/userAssignedIdentities/ingress"
        storage.platform.model(ArmModel).subscriptions.register(group.split("/")[2], "Microsoft.ManagedIdentity")
        yield Cluster(storage, account, name, _put(storage, name, {"location": "eastus"})["properties"])


def test_an_operator_signs_in_without_a_secret(cluster: Cluster) -> None:
    """Each of the three has to be there: the credential, the documents, and the key that signed the token."""
    with pytest.raises(ClientAuthenticationError, match="AADSTS70021:"):
        cluster.exchange()
    cluster.trust(cluster.issuer)
    with pytest.raises(ClientAuthenticationError, match="AADSTS50166:"):
        cluster.exchange()
    cluster.publish()
    assert cluster.exchange() == cluster.properties["principalId"]
    for changes, code in (({"aud": ["api://AzureADTokenExchange"]}, 700212), ({"sub": "somebody"}, 700213)):
        with pytest.raises(ClientAuthenticationError, match=f"AADSTS{code}:"):
            cluster.exchange(**changes)
    cluster.publish(OTHER_KEY)
    with pytest.raises(ClientAuthenticationError, match="AADSTS50013:"):
        cluster.exchange()
    cluster.publish()
    faults = cluster.storage.platform.faults
    faults.add(Fault("websites", "GET website", status_code=503))
    with pytest.raises(ClientAuthenticationError, match="AADSTS50166:"):
        cluster.exchange()
    assert faults.list() == []
    cluster.trust(f"{cluster.issuer}/")
    with pytest.raises(ClientAuthenticationError, match="AADSTS700211:"):
        cluster.exchange()
