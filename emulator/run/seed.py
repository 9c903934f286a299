"""Creates what Azure, or the administrators of its tenants, provide before anything is deployed.

That is: tenants, the first-party application, subscriptions with their Owners. A repeated seed changes nothing, so every
`up` seeds.
"""

import secrets
from collections.abc import Callable
from dataclasses import dataclass

from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509 import load_pem_x509_certificate

from emulator.arm.access.roles import OWNER
from emulator.arm.models import ArmModel
from emulator.arm.seeding import ensure_role
from emulator.core.certificate_authority import private_key_pem
from emulator.core.platform import Platform
from emulator.entra import APPLICATION_ADMINISTRATOR, USER_ADMINISTRATOR, EntraModel

# The common name of the first-party application's certificate.
FIRST_PARTY = "rp-firstparty"
PROVIDER_DOMAIN = "arorp.onmicrosoft.com"
USER = f"developer@{PROVIDER_DOMAIN}"


@dataclass(frozen=True)
class Application:
    """An application with a client secret, and its service principal in its home tenant."""

    client_id: str
    object_id: str
    secret: str


@dataclass(frozen=True)
class User:
    """A person, who signs in with a name and a password."""

    name: str
    object_id: str
    password: str


@dataclass(frozen=True)
class Seed:
    """The ids and secrets of seeded objects that other modules need.

    Args:
        owner: the Owner of the customer's subscription.
        deployer: the Owner of the provider's subscription and of an empty one; it may change all applications, users
            and groups of its tenant.
        user: a person in the provider's tenant, Owner of the same subscriptions.
        cluster: the principal for new clusters.
        extra: principals without any role.
    """

    owner: Application
    deployer: Application
    user: User
    cluster: Application
    extra: tuple[Application, ...]


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


def seed(platform: Platform) -> Seed:
    """Create what is missing; return its ids and secrets.

    Args:
        platform: a platform without latencies, because the seed was there long ago.
    """
    world = platform.world
    values = Values(platform)
    owner, deployer, cluster, *extra = _directory(platform, values)
    user = _user(platform, values)
    _subscriptions(platform)
    grants = (
        (owner, world.subscription_id),
        *(
            (each, scope)
            for each in (deployer, user)
            for scope in (world.rp_subscription_id, world.spare_subscription_id)
        ),
    )
    for principal, subscription_id in grants:
        # Written directly, because no Owner exists yet who could do it through ARM.
        ensure_role(platform.model(ArmModel), f"/subscriptions/{subscription_id}", principal.object_id, OWNER)
    return Seed(owner=owner, deployer=deployer, user=user, cluster=cluster, extra=tuple(extra))


def certificate_of(platform: Platform, name: str) -> str:
    """Return a client certificate with its key, as PEM. It is issued at the first call, and kept."""
    return Values(platform).keep(f"certificate-{name}", lambda: _certificate(platform, name))


def _directory(platform: Platform, values: Values) -> list[Application]:
    """Create both tenants, the first-party application, the deployer, and the customer's applications."""
    world, entra = platform.world, platform.model(EntraModel)
    entra.ensure_tenant(world.tenant_id, "Contoso", "contoso.onmicrosoft.com")
    entra.ensure_tenant(world.rp_tenant_id, "Red Hat OpenShift RP", PROVIDER_DOMAIN)
    certificate = load_pem_x509_certificate(certificate_of(platform, FIRST_PARTY).encode())
    entra.ensure_application(
        world.first_party_client_id,
        "Azure Red Hat OpenShift RP",
        tenant_id=world.rp_tenant_id,
        certificates=[certificate.public_bytes(Encoding.DER)],
    )
    names = {world.owner_client_id: "owner", world.deployer_client_id: "deployer", world.cluster_client_id: "cluster"}
    names |= {client_id: f"extra-{number}" for number, client_id in enumerate(world.extra_client_ids, 1)}
    homes = {world.deployer_client_id: world.rp_tenant_id}
    applications = [
        _application(entra, homes.get(client_id, world.tenant_id), client_id, name, values)
        for client_id, name in names.items()
    ]
    for role in (APPLICATION_ADMINISTRATOR, USER_ADMINISTRATOR):
        entra.assign_directory_role(world.rp_tenant_id, world.deployer_client_id, role)
    return applications


def _application(entra: EntraModel, tenant_id: str, client_id: str, name: str, values: Values) -> Application:
    secret = values.keep(f"secret-{name}", _secret)
    entra.ensure_application(client_id, name, tenant_id=tenant_id, secrets=[secret])
    return Application(client_id, entra.ensure_service_principal(tenant_id, client_id), secret)


def _user(platform: Platform, values: Values) -> User:
    people, tenant_id = platform.model(EntraModel).people, platform.world.rp_tenant_id
    password = values.keep("secret-user", _secret)
    found = people.user_named(tenant_id, USER) or people.add_user(tenant_id, USER, password)
    return User(USER, found["objectId"], password)


def _secret() -> str:
    # Hexadecimal, because a command line would take a pasted secret that begins with a dash for an option.
    return secrets.token_hex(20)


def _certificate(platform: Platform, name: str) -> str:
    # RSA, because a certificate credential signs its assertions with RS256 or PS256.
    certificate, key = platform.authority.issue(name, client=True, rsa_key=True)
    return certificate.public_bytes(Encoding.PEM).decode() + private_key_pem(key).decode()


def _subscriptions(platform: Platform) -> None:
    world, arm = platform.world, platform.model(ArmModel)
    arm.subscriptions.ensure(world.subscription_id, world.tenant_id, "Contoso")
    arm.subscriptions.ensure(world.rp_subscription_id, world.rp_tenant_id, "Red Hat OpenShift RP")
    arm.subscriptions.ensure(world.spare_subscription_id, world.rp_tenant_id, "Empty", providers=())
