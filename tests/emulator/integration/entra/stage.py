"""The directory, Graph, the identity endpoint and Key Vault, behind the real server and proxy, for this process."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from emulator import entra, graph, keyvault, managed_identity
from emulator.core.clock import Clock
from emulator.core.platform import Platform
from emulator.core.world import World
from emulator.entra.models import EntraModel, Principal
from emulator.keyvault.models import KeyVaultModel
from emulator.managed_identity.models import Identity, ManagedIdentityModel
from tests.platform_server import free_port, listening, variables

_GROUP = "/subscriptions/bbbbbbbb-0000-4000-8000-000000000002/resourceGroups/app/providers"
IDENTITY = f"{_GROUP}/Microsoft.ManagedIdentity/userAssignedIdentities/app"
APP = f"{_GROUP}/Microsoft.Web/sites/app"


@dataclass(frozen=True)
class Stage:
    """The models, to set up state, and the environment for client processes."""

    platform: Platform
    environment: dict[str, str]
    # The data actions on vaults that no role allows, below `Microsoft.KeyVault/vaults/`; a test may add some.
    withheld: set[str] = field(default_factory=set)

    @property
    def entra(self) -> EntraModel:
        """The directory."""
        return self.platform.model(EntraModel)

    @property
    def vaults(self) -> KeyVaultModel:
        """The vaults."""
        return self.platform.model(KeyVaultModel)

    def ensure_vault(self, name: str) -> None:
        """Make a vault of the resource provider's tenant, in which callers may do all that is not withheld."""
        self.vaults.ensure_vault(name, self.platform.world.rp_tenant_id)
        self.vaults.configure(name, {"resourceId": f"{_GROUP}/Microsoft.KeyVault/vaults/{name}"})

    @property
    def identity(self) -> Identity:
        """The managed identity of the app whose environment this process has."""
        return self.platform.model(ManagedIdentityModel).ensure(IDENTITY, self.platform.world.rp_tenant_id)


@contextmanager
def running(folder: Path) -> Iterator[Stage]:
    """Run the services on free ports and let this process reach them."""
    platform = Platform(folder, clock=Clock(40), world=World())
    platform.ports |= {"token": free_port(), "identity": free_port()}
    platform.services += [service.create(platform) for service in (entra, graph, managed_identity)]
    withheld: set[str] = set()

    def allowed(_caller: Principal, action: str, _scope: str) -> bool:
        return action.removeprefix("Microsoft.KeyVault/vaults/") not in withheld

    platform.services.append(keyvault.create(platform, allowed))
    world, directory = platform.world, platform.model(EntraModel)
    directory.ensure_tenant(world.tenant_id, "Customer", "customer.onmicrosoft.com")
    directory.ensure_tenant(world.rp_tenant_id, "Resource provider", "rp.onmicrosoft.com")
    ports = platform.ports
    with listening(platform, {ports["token"]: True, ports["identity"]: False}) as local:
        environment = local.environment | {
            "IDENTITY_ENDPOINT": f"http://localhost:{ports['identity']}/msi/token",
            "IDENTITY_HEADER": platform.model(ManagedIdentityModel).header_of(APP, [IDENTITY]),
        }
        with variables(environment):
            stage = Stage(platform, environment, withheld)
            # The first use creates it.
            assert stage.identity.resource_id == IDENTITY
            yield stage
