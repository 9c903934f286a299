"""Creates what must exist before the first call: the tables of `tables.py`, and a customer with a subscription.

A repeated seed changes nothing, so every `up` seeds.
"""

import base64
import secrets
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509 import load_pem_x509_certificate

from emulator.arm.models import ArmModel
from emulator.arm.seeding import ensure_group, ensure_role
from emulator.core.certificates import private_key_pem
from emulator.core.platform import Platform
from emulator.core.world import World
from emulator.cosmos import CosmosModel
from emulator.entra import EntraModel, Principal
from emulator.keyvault import IssuerModel, KeyVaultModel
from emulator.managed_identity import ManagedIdentityModel
from emulator.run.tables import (
    CLUSTER_LOGGING_SECRET,
    CONTAINERS,
    DATABASE,
    FIRST_PARTY_SECRET,
    GRANTS,
    ISSUER,
    PAGING_KEY_SECRET,
    RESOURCES,
    RP_GROUP,
    VAULTS,
    VERSIONS,
    VERSIONS_CONTAINER,
)

# The principal that deployed the resource provider, Owner of its subscription. It has no secret.
DEPLOYER = "cccccccc-0000-4000-8000-000000000004"


@dataclass(frozen=True)
class Application:
    """An application with a client secret, and its service principal in the customer's tenant."""

    client_id: str
    object_id: str
    secret: str


@dataclass(frozen=True)
class Seed:
    """The ids and secrets of seeded objects that other modules need.

    Args:
        owner: the Owner of the customer's subscription.
        cluster: the principal for new clusters.
        extra: principals without any role.
        first_party_object_id: object id of the resource provider in the customer's tenant.
        identity_object_id: object id of the function app's managed identity.
        identity_header: the secret of the app's identity endpoint.
        registry_id: resource id of the registry.
    """

    owner: Application
    cluster: Application
    extra: tuple[Application, ...]
    first_party_object_id: str
    identity_object_id: str
    identity_header: str
    registry_id: str


class Values:
    """Random values, created at the first `up` and kept from then on."""

    def __init__(self, platform: Platform) -> None:
        self._table = platform.store.table("seed")

    def keep(self, name: str, make: Callable[[], str]) -> str:
        """Return the value with this name, and create it if it is missing."""
        kept = self._table.get(name)
        if kept is None:
            kept = {"value": make()}
            self._table.put(name, kept)
        return str(kept["value"])


async def seed(platform: Platform) -> Seed:
    """Create what is missing; return its ids and secrets.

    Args:
        platform: a platform without latencies, because the seed stands for resources that were deployed long ago.
    """
    values, world, entra = Values(platform), platform.world, platform.model(EntraModel)
    # RSA, because a certificate credential signs its assertions with RS256 or PS256.
    certificate = values.keep(
        "first-party-certificate", lambda: _certificate(platform, FIRST_PARTY_SECRET, rsa_key=True)
    )
    logging = values.keep("cluster-logging-certificate", lambda: _certificate(platform, CLUSTER_LOGGING_SECRET))
    owner, cluster, *extra = _directory(platform, values, certificate)
    identity = platform.model(ManagedIdentityModel)
    first_party = entra.ensure_service_principal(world.rp_tenant_id, world.first_party_client_id)
    _vaults(
        platform,
        identity.object_id,
        certificates={FIRST_PARTY_SECRET: certificate, CLUSTER_LOGGING_SECRET: logging},
        paging_key=values.keep("paging-key", _random_key),
    )
    _database(platform, identity.object_id)
    deployer = entra.ensure_service_principal(world.rp_tenant_id, DEPLOYER)
    _subscriptions(platform)
    _grants(
        platform,
        {
            "owner": owner.object_id,
            "deployer": deployer,
            "first-party": first_party,
        },
    )
    await _resources(platform, deployer)
    return Seed(
        owner=owner,
        cluster=cluster,
        extra=tuple(extra),
        first_party_object_id=entra.ensure_service_principal(world.tenant_id, world.first_party_client_id),
        identity_object_id=identity.object_id,
        identity_header=identity.header(),
        registry_id=fill(f"{RP_GROUP}/providers/Microsoft.ContainerRegistry/registries/{{registry}}", world),
    )


def fill(value: Any, world: World) -> Any:
    """Return a value of the tables with its placeholders replaced by the names of the world."""
    if isinstance(value, str):
        return value.format_map(asdict(world) | {"domain": world.domain})
    if isinstance(value, dict):
        return {name: fill(member, world) for name, member in value.items()}
    if isinstance(value, list | tuple):
        return [fill(member, world) for member in value]
    return value


def _directory(platform: Platform, values: Values, certificate: str) -> list[Application]:
    """Create both tenants, the first-party application, the deployer, and the customer's applications."""
    world, entra = platform.world, platform.model(EntraModel)
    entra.ensure_tenant(world.tenant_id, "Contoso", "contoso.onmicrosoft.com")
    entra.ensure_tenant(world.rp_tenant_id, "Red Hat OpenShift RP", "arorp.onmicrosoft.com")
    entra.ensure_application(DEPLOYER, "deployer", tenant_id=world.rp_tenant_id)
    entra.ensure_application(
        world.first_party_client_id,
        "Azure Red Hat OpenShift RP",
        tenant_id=world.rp_tenant_id,
        certificates=[load_pem_x509_certificate(certificate.encode()).public_bytes(Encoding.DER)],
    )
    names = {world.owner_client_id: "owner", world.cluster_client_id: "cluster"}
    names |= {client_id: f"extra-{number}" for number, client_id in enumerate(world.extra_client_ids, 1)}
    return [_application(entra, world.tenant_id, client_id, name, values) for client_id, name in names.items()]


def _application(entra: EntraModel, tenant_id: str, client_id: str, name: str, values: Values) -> Application:
    secret = values.keep(f"secret-{name}", _secret)
    entra.ensure_application(client_id, name, tenant_id=tenant_id, secrets=[secret])
    return Application(client_id, entra.ensure_service_principal(tenant_id, client_id), secret)


def _secret() -> str:
    # Hexadecimal, because a command line would take a pasted secret that begins with a dash for an option.
    return secrets.token_hex(20)


def _certificate(platform: Platform, name: str, *, rsa_key: bool = False) -> str:
    certificate, key = platform.authority.issue(name, client=True, rsa_key=rsa_key)
    return certificate.public_bytes(Encoding.PEM).decode() + private_key_pem(key).decode()


def _random_key() -> str:
    return base64.b64encode(secrets.token_bytes(32)).decode()


def _vaults(platform: Platform, identity: str, certificates: Mapping[str, str], paging_key: str) -> None:
    """Make the service's vault with its secrets, and the clusters' vault with the issuer of their certificates."""
    world, vaults = platform.world, platform.model(KeyVaultModel)
    for template, permissions, for_certificates in VAULTS:
        name = fill(template, world)
        vaults.ensure_vault(name, world.rp_tenant_id)
        vaults.allow(name, identity, permissions, for_certificates)
    platform.model(IssuerModel).ensure(world.cluster_vault, *ISSUER)
    for name, certificate in certificates.items():
        vaults.put_secret(world.service_vault, name, certificate, content_type="application/x-pem-file")
    vaults.put_secret(world.service_vault, PAGING_KEY_SECRET, paging_key)


def _database(platform: Platform, identity: str) -> None:
    """Create the Cosmos DB account with its database and containers, and fill the catalogue of versions."""
    world, cosmos = platform.world, platform.model(CosmosModel)
    cosmos.ensure_account(world.cosmos_account, world.rp_tenant_id)
    cosmos.allow(world.cosmos_account, identity, "contributor")
    cosmos.ensure_database(world.cosmos_account, DATABASE)
    for row in CONTAINERS:
        cosmos.ensure_container(
            world.cosmos_account,
            DATABASE,
            row.name,
            row.partition_key,
            unique_keys=row.unique_keys,
            default_ttl=row.default_ttl,
        )
    catalogue = cosmos.items(world.cosmos_account, DATABASE, VERSIONS_CONTAINER)
    # Add only missing versions, because an operator may have disabled one since.
    known = {document["id"] for _, document in catalogue.scan()}
    for version in VERSIONS:
        if version["id"] not in known:
            catalogue.create(dict(version), version["id"])


def _subscriptions(platform: Platform) -> None:
    world, arm = platform.world, platform.model(ArmModel)
    arm.subscriptions.ensure(world.subscription_id, world.tenant_id, "Contoso")
    arm.subscriptions.ensure(world.rp_subscription_id, world.rp_tenant_id, "Red Hat OpenShift RP")
    ensure_group(arm, world.rp_subscription_id, world.rp_resource_group, world.location)


def _grants(platform: Platform, principals: Mapping[str, str]) -> None:
    """Write the role assignments directly, because no Owner exists yet who could make them through ARM."""
    arm = platform.model(ArmModel)
    for grant in GRANTS:
        ensure_role(arm, fill(grant.where, platform.world), principals[grant.who], grant.role)


async def _resources(platform: Platform, deployer: str) -> None:
    """Deploy the other resources of the group through ARM, as the deployer."""
    world, arm = platform.world, platform.model(ArmModel)
    caller = Principal(deployer, DEPLOYER, world.rp_tenant_id, "deployer", "https://management.azure.com", {})
    for path, body in RESOURCES:
        identifier = f"{fill(RP_GROUP, world)}/providers/{fill(path, world)}"
        row = arm.resource_type(path.rsplit("/", 1)[0])
        if row is None:
            raise LookupError(f"no service emulates {path}")
        if arm.load(identifier) is None:
            await arm.wait(await arm.put_resource(caller, identifier, max(row.api_versions), fill(body, world)))
