"""ARM and the directory behind the real server and proxy, with machines whose guests behave as a test says."""

import base64
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import uuid4

from azure.identity import ClientSecretCredential
from azure.mgmt.compute import ComputeManagementClient
from azure.mgmt.resource.deployments import DeploymentsMgmtClient

from emulator import control, entra
from emulator.arm.access.roles import OWNER
from emulator.arm.models import ArmModel
from emulator.arm.seeding import ensure_role
from emulator.blobs.models import BlobsModel
from emulator.blobs.operations import Target
from emulator.core.clock import Clock
from emulator.core.platform import Platform
from emulator.core.service_error import ServiceError
from emulator.core.world import World
from emulator.entra.models import EntraModel, Principal
from emulator.json_object import Json
from emulator.openshift.guests import Guests
from emulator.run import arm
from tests.emulator.groups import ensure_group
from tests.platform_server import Listening, free_port, listening, variables

TIME_SCALE = 200
NETWORK_VERSION = "2024-05-01"


class Scripted(Guests):
    """Guests that boot when a test says so, and that record what they are told."""

    def __init__(self) -> None:
        self.told: list[tuple[str, str]] = []
        self.booted: dict[str, Json] = {}
        self.outcomes: dict[str, str | ServiceError] = {}

    def powered_on(self, vm: Json) -> None:
        """Record a boot."""
        self.told.append(("on", vm["name"]))
        self.booted[vm["name"]] = vm

    def stopped(self, vm_id: str) -> None:
        """Record a loss of power."""
        self.told.append(("stopped", vm_id.rsplit("/", 1)[-1]))

    def deleted(self, vm_id: str) -> None:
        """Record a deletion."""
        self.told.append(("deleted", vm_id.rsplit("/", 1)[-1]))

    def provisioning(self, vm_id: str) -> str | ServiceError:
        """Return the outcome that the test has set for the machine's name, or `done`."""
        return self.outcomes.get(vm_id.rsplit("/", 1)[-1], "done")

    def serial_log(self, vm_id: str) -> str:
        """Return a log that names its machine."""
        return f"log of {vm_id.rsplit('/', 1)[-1]}\n"


class Blobs(BlobsModel):
    """Stand in for the blob front end: keep each blob that is written."""

    def __init__(self) -> None:
        self.written: dict[Target, bytes] = {}

    async def create_container(self, account: str, name: str) -> None:
        """Do nothing: blobs are kept without containers."""

    async def put_blob(self, target: Target, content: bytes) -> None:
        """Keep a blob."""
        self.written[target] = content


@dataclass(frozen=True)
class Stage:
    """The services, and what a test needs to reach them."""

    local: Listening
    guests: Scripted
    blobs: Blobs
    credential: ClientSecretCredential
    owner: Principal
    subnets: dict[str, str] = field(default_factory=dict)

    @property
    def platform(self) -> Platform:
        """The services."""
        return self.local.platform

    @property
    def arm(self) -> ArmModel:
        """Azure Resource Manager."""
        return self.platform.model(ArmModel)

    @property
    def subscription_id(self) -> str:
        """The id of the customer's subscription."""
        return self.platform.world.subscription_id

    def compute(self) -> ComputeManagementClient:
        """Return the owner's client for Microsoft.Compute."""
        return ComputeManagementClient(self.credential, self.subscription_id, polling_interval=1, retry_total=0)

    def deployments(self) -> DeploymentsMgmtClient:
        """Return the owner's client for deployments."""
        return DeploymentsMgmtClient(self.credential, self.subscription_id, polling_interval=1, retry_total=0)

    def group(self, location: str = "eastus") -> str:
        """Create a resource group with its own virtual network; return its name."""
        name = f"rg-{uuid4().hex[:8]}"
        ensure_group(self.arm, self.subscription_id, name, location)
        network = {
            "location": location,
            "properties": {
                "addressSpace": {"addressPrefixes": ["10.0.0.0/16"]},
                "subnets": [{"name": "machines", "properties": {"addressPrefix": "10.0.0.0/24"}}],
            },
        }
        self.subnets[name] = f"{self.put(name, 'Microsoft.Network/virtualNetworks/vnet', network)}/subnets/machines"
        return name

    def id(self, group: str, path: str) -> str:
        """Return the id of a resource in a group."""
        return f"/subscriptions/{self.subscription_id}/resourceGroups/{group}/providers/{path}"

    def put(self, group: str, path: str, body: Json, version: str = NETWORK_VERSION) -> str:
        """Begin to create a resource; return its id without waiting.

        Args:
            group: resource group.
            path: the resource's path below `providers/`.
            body: PUT body.
            version: API version.
        """
        identifier = self.id(group, path)
        self.local.run(self.arm.put_resource(self.owner, identifier, version, body))
        return identifier

    def interface(self, group: str, name: str, location: str = "eastus") -> str:
        """Create a network interface; return its id.

        Args:
            group: a resource group that `group` has made.
            name: name of the interface.
            location: region.
        """
        configuration = {"name": "ip", "properties": {"subnet": {"id": self.subnets[group]}}}
        body = {"location": location, "properties": {"ipConfigurations": [configuration]}}
        return self.put(group, f"Microsoft.Network/networkInterfaces/{name}", body)

    def machine(self, group: str, name: str = "vm", **changes: Any) -> Json:
        """Return the body of a machine, and create the interface that it uses.

        Args:
            group: resource group.
            name: name of the machine.
            changes: values by path, with `__` between the members: `hardwareProfile__vmSize="Standard_D4s_v3"`.
        """
        body: Json = {
            "location": "eastus",
            "properties": {
                "hardwareProfile": {"vmSize": "Standard_D8s_v5"},
                "storageProfile": {
                    "imageReference": image(),
                    "osDisk": {
                        "name": f"{name}_OSDisk",
                        "createOption": "FromImage",
                        "caching": "ReadOnly",
                        "diskSizeGB": 1024,
                        "managedDisk": {"storageAccountType": "Premium_LRS"},
                    },
                },
                "osProfile": {
                    "computerName": name,
                    "adminUsername": "core",
                    "adminPassword": "NotActuallyApplied!",
                    "customData": encoded("secret pointer"),
                    "linuxConfiguration": {"disablePasswordAuthentication": False},
                },
                "networkProfile": {
                    "networkInterfaces": [
                        {"id": self.id(group, f"Microsoft.Network/networkInterfaces/{name}-nic")},
                    ]
                },
            },
        }
        self.interface(group, f"{name}-nic", changes.get("location", "eastus"))
        return changed(body, **changes)


def changed(body: Json, **changes: Any) -> Json:
    """Change values of a machine's body by path below `properties`, with `__` between members; return the body."""
    for path, value in changes.items():
        *way, last = path.split("__")
        target = body if path in ("zones", "location", "tags") else body["properties"]
        for member in way:
            target = target.setdefault(member, {})
        if value is None:
            target.pop(last, None)
        else:
            target[last] = value
    return body


def image(sku: str = "aro_419", version: str = "419.6.20250523") -> Json:
    """Return a reference to an image of Red Hat CoreOS."""
    return {"publisher": "azureopenshift", "offer": "aro4", "sku": sku, "version": version}


def encoded(text: str) -> str:
    """Return text in Base64, as customData carries it."""
    return base64.b64encode(text.encode()).decode()


@contextmanager
def running(
    folder: Path, time_scale: float = TIME_SCALE, outcomes: dict[str, str | ServiceError] | None = None
) -> Iterator[Stage]:
    """Run the services on free ports and let this process reach them.

    Args:
        folder: folder of their state.
        time_scale: how many times faster than Azure they are.
        outcomes: the boots' outcomes from the start, because after a restart the services ask at once.
    """
    platform = Platform(folder, clock=Clock(time_scale), world=World())
    platform.ports |= {name: free_port() for name in ("arm", "token", "front_end", "control")}
    guests, blobs = Scripted(), Blobs()
    guests.outcomes |= outcomes or {}
    platform._models |= {Guests: guests, BlobsModel: blobs}
    platform.services += [service.create(platform) for service in (entra, arm, control)]
    world, directory, model = platform.world, platform.model(EntraModel), platform.model(ArmModel)
    directory.ensure_tenant(world.tenant_id, "Customer", "customer.onmicrosoft.com")
    model.subscriptions.ensure(world.subscription_id, world.tenant_id, "Customer")
    secret = f"secret-{uuid4()}"
    directory.ensure_application(world.owner_client_id, "owner", tenant_id=world.tenant_id, secrets=[secret])
    object_id = directory.ensure_service_principal(world.tenant_id, world.owner_client_id)
    ensure_role(model, f"/subscriptions/{world.subscription_id}", object_id, OWNER)
    credential = ClientSecretCredential(world.tenant_id, world.owner_client_id, secret)
    owner = Principal(object_id, world.owner_client_id, world.tenant_id, "owner", "https://management.azure.com", {})
    listeners = {0: True, platform.ports["control"]: False}
    with listening(platform, listeners) as local, variables(local.environment):
        yield Stage(local, guests, blobs, credential, owner)
