"""The whole local Azure in this process, and a customer's cluster in it: networks, balancers, records and machines."""

import base64
import datetime as dt
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from uuid import uuid4

import pytest
from azure.storage.blob import AccountSasPermissions, BlobServiceClient, ResourceTypes, generate_account_sas

from emulator.arm.access.roles import CONTRIBUTOR, OWNER
from emulator.arm.models import ArmModel
from emulator.arm.seeding import ensure_role
from emulator.core.platform import Platform
from emulator.core.world import World
from emulator.entra.models import EntraModel, Principal
from emulator.json_object import Json
from emulator.openshift.boot import machines
from emulator.openshift.guests import Guests
from emulator.run.azure import LISTENERS, Azure, make_platform
from emulator.storage.models import StorageModel
from tests import bootstrap_ignition
from tests.emulator.groups import ensure_group
from tests.emulator.integration.blobs.conftest import Azurite
from tests.platform_server import Listening, event_loop, free_port, run

# Half an hour of emulated time passes in two seconds.
TIME_SCALE = 900
NETWORK, COMPUTE, PRIVATE_DNS = "2019-07-01", "2020-06-01", "2018-09-01"
LOCATION = "eastus"
# Azure waits that long for machines: none is given up because this computer is busy.
PATIENCE = dt.timedelta(hours=1)


@contextmanager
def running(folder: Path, azurite: Azurite, time_scale: float = TIME_SCALE) -> Iterator[Listening]:
    """Run every service, on a new or an existing state.

    Args:
        folder: folder of the state.
        azurite: Azurite whose port the platform uses; the caller starts it.
        time_scale: how much faster than Azure the clock goes.
    """
    ports = {name: free_port() for name in (*LISTENERS, "proxy", "front_end")} | {"azurite": azurite.port}
    platform = make_platform(folder, ports, time_scale=time_scale, world=World())
    world = platform.world
    platform.model(EntraModel).ensure_tenant(world.tenant_id, "Customer", "customer.onmicrosoft.com")
    platform.model(ArmModel).subscriptions.ensure(world.subscription_id, world.tenant_id, "Customer")
    azure = Azure(platform)
    with pytest.MonkeyPatch.context() as patch, event_loop() as loop:
        patch.setattr(machines, "LEAST_PROVISIONING", PATIENCE)
        try:
            run(loop, azure.start())
            yield Listening(platform, f"http://127.0.0.1:{platform.ports['proxy']}", loop)
        finally:
            run(loop, azure.stop())


@dataclass
class Site:
    """A customer's cluster.

    Args:
        local: the platform.
        domain: DNS domain of the cluster.
        changes: arguments of `bootstrap_ignition.Cluster` that replace the default ones.
    """

    local: Listening
    domain: str
    changes: Json = field(default_factory=dict)

    def __post_init__(self) -> None:
        world, name = self.platform.world, self.domain.partition(".")[0]
        self.group, self.customer_group = f"aro-{name}", f"customer-{name}"
        self.scope = f"/subscriptions/{world.subscription_id}"
        for group in (self.group, self.customer_group):
            ensure_group(self.arm, world.subscription_id, group, LOCATION)
        self.owner, _ = self._principal("owner", OWNER)
        self.operator, secret = self._principal("cluster", CONTRIBUTOR)
        members: Json = {
            "infra_id": f"{name}-abcde",
            "subscription_id": world.subscription_id,
            "resource_group": self.group,
            "network_group": self.customer_group,
            "credentials": (world.tenant_id, self.operator.client_id, secret),
        }
        self.cluster = bootstrap_ignition.Cluster(self.domain, **(members | self.changes))

    @property
    def platform(self) -> Platform:
        """All services."""
        return self.local.platform

    @property
    def arm(self) -> ArmModel:
        """Azure Resource Manager."""
        return self.platform.model(ArmModel)

    @property
    def guests(self) -> Guests:
        """The machines."""
        return self.platform.model(Guests)

    @property
    def infra_id(self) -> str:
        """The prefix of its resources' names."""
        return self.cluster.infra_id

    def _principal(self, name: str, role: str) -> tuple[Principal, str]:
        world, client_id, secret = self.platform.world, str(uuid4()), f"secret-{uuid4()}"
        entra = self.platform.model(EntraModel)
        entra.ensure_application(client_id, name, tenant_id=world.tenant_id, secrets=[secret])
        object_id = entra.ensure_service_principal(world.tenant_id, client_id)
        ensure_role(self.arm, self.scope, object_id, role)
        return Principal(object_id, client_id, world.tenant_id, name, "https://management.azure.com", {}), secret

    # Azure

    def id(self, path: str, group: str = "") -> str:
        """Return the id of a resource, in the cluster's group unless another is named."""
        return f"{self.scope}/resourceGroups/{group or self.group}/providers/{path}"

    def put(self, path: str, body: Json, version: str = NETWORK, group: str = "", *, wait: bool = True) -> Json:
        """Create a resource; return it.

        Args:
            path: the resource's path below `providers/`.
            body: PUT body.
            version: API version.
            group: resource group; empty for the cluster's.
            wait: return the resource once the operation has ended; otherwise as the PUT answered.
        """

        async def make() -> Json:
            operation = await self.arm.put_resource(self.owner, self.id(path, group), version, body)
            return await self.arm.wait(operation) if wait else operation.body

        return self.local.run(make(), 60)

    def delete(self, path: str, version: str = COMPUTE) -> None:
        """Delete a resource and wait for the end."""

        async def remove() -> None:
            await self.arm.wait(await self.arm.delete_resource(self.owner, self.id(path), version))

        self.local.run(remove(), 60)

    def get(self, path: str, group: str = "") -> Json | None:
        """Return a resource, or None."""
        return self.arm.get_resource(self.id(path, group), "")

    def deploy_network(self) -> None:
        """Create everything that must exist before the machines."""
        rule = {
            "access": "Allow",
            "direction": "Inbound",
            "protocol": "Tcp",
            "priority": 101,
            "sourceAddressPrefix": "*",
            "sourcePortRange": "*",
            "destinationAddressPrefix": "*",
            "destinationPortRange": "6443",
        }
        for name, rules in (("controlplane", [{"name": "apiserver_in", "properties": rule}]), ("node", [])):
            path = f"Microsoft.Network/networkSecurityGroups/{self.infra_id}-{name}-nsg"
            self.put(path, {"location": LOCATION, "properties": {"securityRules": rules}})
        subnets = [
            {
                "name": role,
                "properties": {
                    "addressPrefix": prefix,
                    "privateLinkServiceNetworkPolicies": "Disabled",
                    "networkSecurityGroup": {
                        "id": self.id(f"Microsoft.Network/networkSecurityGroups/{self.infra_id}-{group}-nsg")
                    },
                },
            }
            for role, prefix, group in (("master", "10.0.0.0/27", "controlplane"), ("worker", "10.0.2.0/24", "node"))
        ]
        network = {"addressSpace": {"addressPrefixes": ["10.0.0.0/16"]}, "subnets": subnets}
        self.put(
            "Microsoft.Network/virtualNetworks/vnet",
            {"location": LOCATION, "properties": network},
            group=self.customer_group,
        )
        for name in ("pip-v4", "outbound-pip-v4"):
            body = {
                "location": LOCATION,
                "sku": {"name": "Standard"},
                "properties": {"publicIPAllocationMethod": "Static"},
            }
            self.put(f"Microsoft.Network/publicIPAddresses/{self.infra_id}-{name}", body)
        self.deploy_balancers()
        self.deploy_records()

    def subnet(self, role: str) -> str:
        """Return the id of a subnet."""
        return self.id(f"Microsoft.Network/virtualNetworks/vnet/subnets/{role}", self.customer_group)

    def balancer(self, name: str, frontend: Json, rules: dict[int, str]) -> Json:
        """Return a load balancer with these rules.

        Args:
            name: name of the load balancer and of its pool.
            frontend: properties of its frontend IP configuration.
            rules: the path of the probe by port.
        """
        own = self.id(f"Microsoft.Network/loadBalancers/{name}")
        probes = [
            {
                "name": f"probe-{port}",
                "properties": {
                    "protocol": "Https",
                    "port": port,
                    "requestPath": path,
                    "intervalInSeconds": 10,
                    "numberOfProbes": 3,
                },
            }
            for port, path in rules.items()
        ]
        balanced = [
            {
                "name": f"rule-{port}",
                "properties": {
                    "frontendIPConfiguration": {"id": f"{own}/frontendIPConfigurations/front"},
                    "backendAddressPool": {"id": f"{own}/backendAddressPools/{name}"},
                    "probe": {"id": f"{own}/probes/probe-{port}"},
                    "protocol": "Tcp",
                    "frontendPort": port,
                    "backendPort": port,
                    "disableOutboundSnat": True,
                },
            }
            for port in rules
        ]
        properties = {
            "frontendIPConfigurations": [{"name": "front", "properties": frontend}],
            "backendAddressPools": [{"name": name}],
            "probes": probes,
            "loadBalancingRules": balanced,
        }
        if "publicIPAddress" in frontend:
            out = {
                "frontendIPConfigurations": [{"id": f"{own}/frontendIPConfigurations/front"}],
                "backendAddressPool": {"id": f"{own}/backendAddressPools/{name}"},
                "protocol": "All",
            }
            properties["outboundRules"] = [{"name": "out", "properties": out}]
        return {"location": LOCATION, "sku": {"name": "Standard"}, "properties": properties}

    def deploy_balancers(self) -> None:
        """Create the load balancers."""

        def public(name: str) -> Json:
            return {"publicIPAddress": {"id": self.id(f"Microsoft.Network/publicIPAddresses/{self.infra_id}-{name}")}}

        inside = {"subnet": {"id": self.subnet("master")}, "privateIPAllocationMethod": "Dynamic"}
        for name, frontend, rules in (
            (f"{self.infra_id}-public-lb", public("pip-v4"), {6443: "/readyz"}),
            (f"{self.infra_id}-internal-lb", inside, {6443: "/readyz", 22623: "/healthz"}),
            (self.infra_id, public("outbound-pip-v4"), {}),
        ):
            self.put(f"Microsoft.Network/loadBalancers/{name}", self.balancer(name, frontend, rules))

    @property
    def internal_address(self) -> str:
        """The address of the internal load balancer."""
        found = self.get(f"Microsoft.Network/loadBalancers/{self.infra_id}-internal-lb") or {}
        address: str = found["properties"]["frontendIPConfigurations"][0]["properties"]["privateIPAddress"]
        return address

    @property
    def public_address(self) -> str:
        """The public address of the API."""
        found = self.get(f"Microsoft.Network/publicIPAddresses/{self.infra_id}-pip-v4") or {}
        address: str = found["properties"]["ipAddress"]
        return address

    def deploy_records(self) -> None:
        """Create the private zone with its records, linked to the network."""
        zone = f"Microsoft.Network/privateDnsZones/{self.domain}"
        self.put(zone, {"location": "global", "properties": {}}, PRIVATE_DNS)
        for name in ("api", "api-int"):
            self.put_record(name, self.internal_address)
        network = {"id": self.id("Microsoft.Network/virtualNetworks/vnet", self.customer_group)}
        self.put(
            f"{zone}/virtualNetworkLinks/link",
            {"location": "global", "properties": {"virtualNetwork": network, "registrationEnabled": False}},
            PRIVATE_DNS,
        )

    def put_record(self, name: str, address: str) -> None:
        """Create an A record of the private zone."""
        body = {"properties": {"ttl": 300, "aRecords": [{"ipv4Address": address}]}}
        self.put(f"Microsoft.Network/privateDnsZones/{self.domain}/A/{name}", body, PRIVATE_DNS)

    def machine(self, name: str, custom_data: str, *, pools: bool = True, zone: str = "") -> None:
        """Begin to create a virtual machine, with its interface.

        Args:
            name: name of the machine.
            custom_data: unencoded customData; for Red Hat CoreOS an Ignition config.
            pools: put the interface into the pools of the API's load balancers.
            zone: availability zone; empty for none.
        """
        names = [f"{self.infra_id}-public-lb", f"{self.infra_id}-internal-lb"] if pools else []
        configuration: Json = {
            "subnet": {"id": self.subnet("master")},
            "loadBalancerBackendAddressPools": [
                {"id": self.id(f"Microsoft.Network/loadBalancers/{name}/backendAddressPools/{name}")} for name in names
            ],
        }
        nic = f"Microsoft.Network/networkInterfaces/{name}-nic"
        configurations = [{"name": "ip", "properties": configuration}]
        self.put(nic, {"location": LOCATION, "properties": {"ipConfigurations": configurations}})
        properties = {
            "hardwareProfile": {"vmSize": "Standard_D8s_v5"},
            "osProfile": {
                "computerName": name,
                "adminUsername": "core",
                "adminPassword": "NotUsed123!",
                "customData": base64.b64encode(custom_data.encode()).decode(),
            },
            "storageProfile": {
                "imageReference": dict(self.cluster.image),
                "osDisk": {
                    "name": f"{name}_OSDisk",
                    "createOption": "FromImage",
                    "diskSizeGB": 128,
                    "managedDisk": {"storageAccountType": "Premium_LRS"},
                },
            },
            "networkProfile": {"networkInterfaces": [{"id": self.id(nic)}]},
        }
        body: Json = {"location": LOCATION, "properties": properties} | ({"zones": [zone]} if zone else {})
        self.put(self.vm(name), body, COMPUTE, wait=False)

    @staticmethod
    def vm(name: str) -> str:
        """Return the path of a virtual machine."""
        return f"Microsoft.Compute/virtualMachines/{name}"

    def log(self, name: str) -> str:
        """Return the serial log of a virtual machine."""
        return self.guests.serial_log(self.id(self.vm(name)))

    @property
    def bootstrap_name(self) -> str:
        """The name of the bootstrap machine."""
        return f"{self.infra_id}-bootstrap"

    def upload(self, ignition: str = "", lifetime: dt.timedelta = dt.timedelta(hours=1)) -> str:
        """Upload the bootstrap machine's ignition; return a pointer to it whose signature is valid for `lifetime`."""
        account = f"cluster{uuid4().hex[:8]}"
        body = {"location": LOCATION, "sku": {"name": "Standard_LRS"}, "kind": "StorageV2", "properties": {}}
        self.put(f"Microsoft.Storage/storageAccounts/{account}", body, "2019-04-01")
        key = base64.b64encode(self.platform.model(StorageModel).keys(account)[0]).decode()
        with BlobServiceClient(
            f"https://{account}.blob.core.windows.net",
            {"account_name": account, "account_key": key},
            proxies={"https": self.local.proxy},
            connection_verify=str(self.platform.authority.certificate_path),
        ) as client:
            client.create_container("ignition")
            client.get_blob_client("ignition", "bootstrap.ign").upload_blob(ignition or self.cluster.bootstrap())
        now = dt.datetime.now(dt.UTC)
        token = generate_account_sas(
            account,
            key,
            ResourceTypes(object=True),
            AccountSasPermissions(read=True),
            now + lifetime,
            start=now - dt.timedelta(hours=2),
            protocol="https",
        )
        source = f"https://{account}.blob.core.windows.net/ignition/bootstrap.ign?{token}"
        version = self.cluster.version
        return f'{{"ignition":{{"version":"{version}","config":{{"replace":{{"source":"{source}"}}}}}}}}'

    def boot(self, pointer: str = "", *, masters: int = 3) -> None:
        """Begin to create the bootstrap machine and the masters."""
        self.machine(self.bootstrap_name, pointer or self.upload())
        for number in range(masters):
            self.machine(f"{self.infra_id}-master-{number}", self.cluster.pointer("master"), zone=str(number + 1))
