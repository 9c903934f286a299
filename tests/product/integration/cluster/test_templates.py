"""A cluster's templates on the local Azure, with the real SDKs: the resources they make, and what Azure refuses."""

import base64
import json
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from azure.core.exceptions import HttpResponseError
from azure.mgmt.compute import ComputeManagementClient
from azure.mgmt.network import NetworkManagementClient
from azure.mgmt.privatedns import PrivateDnsManagementClient
from azure.mgmt.resource.deployments.models import Deployment, DeploymentParameter, DeploymentProperties

from shared.azure import templates
from shared.json_object import Json
from tests.emulator.integration.compute.stage import Stage, image
from tests.emulator.integration.compute.test_own_images import BOUGHT, PLAN, agreement, lay_image

INFRA_ID, SUFFIX, DOMAIN = "c1-abcde", "vwxyz", "c1.eastus.aroapp.io"
POINTER = '{"ignition":{"version":"3.2.0"}}'
SAS = {
    "signedStart": "2026-03-01T09:00:00Z",
    "signedExpiry": "2026-03-02T09:00:00Z",
    "signedProtocol": "https",
}
BLOB = {
    "canonicalizedResource": f"/blob/cluster{SUFFIX}/ignition/bootstrap.ign",
    "signedResource": "b",
    "signedPermission": "r",
}
ALL_BLOBS = {"signedServices": "b", "signedResourceTypes": "o", "signedPermission": "rl"}
LATER = {"signedStart": "2026-03-01T09:00:01Z"}


class Cluster:
    """One cluster's deployments, in a separate resource group."""

    def __init__(self, stage: Stage, suffix: str = SUFFIX) -> None:
        stage.guests.outcomes.clear()
        stage.guests.booted.clear()
        # Without this feature Azure refuses encryption at host, whatever a template says.
        subscriptions = stage.arm.subscriptions
        subscriptions.set_feature(stage.subscription_id, "Microsoft.Compute", "EncryptionAtHost", "Registered")
        self.stage, self.group, self.suffix = stage, stage.group(), suffix
        network = self._network()
        self.subnet = f"{network}/subnets/masters"
        self.network_parameters = {
            "infraId": INFRA_ID,
            "location": "eastus",
            "domain": DOMAIN,
            "virtualNetworkId": network,
            "masterSubnetId": self.subnet,
            "masterAddresses": [],
            "apiServerVisibility": "Public",
            "outboundWays": [{"frontend": "outbound", "publicIpAddress": f"{INFRA_ID}-outbound-pip-v4"}],
            "resourceProviderSubscriptionId": stage.platform.world.rp_subscription_id,
        }
        self.machine_parameters: Json = {
            "infraId": INFRA_ID,
            "location": "eastus",
            "storageSuffix": suffix,
            "ignitionSas": "",
            "masterVmSize": "Standard_D8s_v5",
            "encryptionAtHost": True,
            "diskEncryptionSetId": "",
            "zones": ["1", "2", "3"],
            "image": image(),
            "purchasePlan": {},
            "securityType": "",
            "ignitionVersion": "3.2.0",
            "sas": SAS | BLOB | {"canonicalizedResource": f"/blob/cluster{suffix}/ignition/bootstrap.ign"},
            "masterIgnition": POINTER,
        }

    def _network(self) -> str:
        subnet = {"addressPrefix": "10.1.0.0/24", "privateLinkServiceNetworkPolicies": "Disabled"}
        body = {
            "location": "eastus",
            "properties": {
                "addressSpace": {"addressPrefixes": ["10.1.0.0/16"]},
                "subnets": [{"name": "masters", "properties": subnet}],
            },
        }
        with self.client(NetworkManagementClient) as client:
            return str(client.virtual_networks.begin_create_or_update(self.group, "customers", body).result().id)

    def deploy(self, name: str, parameters: Json) -> Any:
        """Deploy a template as the product does, and wait for the end."""
        wanted = Deployment(
            properties=DeploymentProperties(
                mode="Incremental",
                template=templates.load(name),
                parameters={key: DeploymentParameter(value=value) for key, value in parameters.items()},
            )
        )
        with self.stage.deployments() as client:
            return client.deployments.begin_create_or_update(self.group, name, wanted).result()

    def account(self) -> None:
        """Make the storage account, which a cluster's first deployment makes."""
        body = {"location": "eastus", "sku": {"name": "Standard_LRS"}, "kind": "StorageV2", "properties": {}}
        path = f"Microsoft.Storage/storageAccounts/cluster{self.suffix}"
        self.stage.put(self.group, path, body, "2021-09-01")

    def addresses(self) -> dict[str, tuple[str, str]]:
        """Return the private address and the machine's id of each network interface, by its name."""
        with self.client(NetworkManagementClient) as network:
            return {
                each.name: (
                    each.ip_configurations[0].private_ip_address,
                    each.virtual_machine.id if each.virtual_machine else "",
                )
                for each in network.network_interfaces.list(self.group)
            }

    def client(self, kind: Any) -> Any:
        """Return a management client of the subscription's owner."""
        return kind(self.stage.credential, self.stage.subscription_id, retry_total=0, polling_interval=0.1)


@pytest.fixture(scope="module")
def deployed(stage: Stage) -> Cluster:
    """Deploy the network and the machines of one public cluster."""
    cluster = Cluster(stage)
    cluster.account()
    cluster.deploy("network", cluster.network_parameters)
    cluster.deploy("machines", cluster.machine_parameters)
    return cluster


def test_the_bootstrap_machine_is_pointed_at_its_ignition_by_a_signature_of_a_day(deployed: Cluster) -> None:
    """The pointer is the account's own address, signed for reading a blob, and has the release's ignition version."""
    machine = deployed.stage.guests.booted[f"{INFRA_ID}-bootstrap"]
    pointer = json.loads(base64.b64decode(machine["private"]["customData"]))
    assert pointer["ignition"]["version"] == "3.2.0"
    url = urlsplit(pointer["ignition"]["config"]["replace"]["source"])
    assert f"{url.scheme}://{url.netloc}{url.path}" == (
        f"https://cluster{SUFFIX}.blob.core.windows.net/ignition/bootstrap.ign"
    )
    query = {name: values[0] for name, values in parse_qs(url.query).items()}
    want = {"st": SAS["signedStart"], "se": SAS["signedExpiry"], "sp": "r", "sr": "b", "spr": "https"}
    assert query.items() >= want.items()
    assert query["sig"]


def test_masters_stand_in_three_zones_with_their_ignition(deployed: Cluster) -> None:
    """Each master has its own interface and is encrypted at host; the bootstrap machine is in no zone."""
    booted = deployed.stage.guests.booted
    with deployed.client(ComputeManagementClient) as compute:
        machines = {each.name: each for each in compute.virtual_machines.list(deployed.group)}
    assert set(machines) == {f"{INFRA_ID}-bootstrap", *(f"{INFRA_ID}-master-{n}" for n in range(3))}
    for number in range(3):
        machine = machines[f"{INFRA_ID}-master-{number}"]
        assert machine.zones == [str(number + 1)]
        assert machine.security_profile.encryption_at_host
        assert machine.network_profile.network_interfaces[0].id.endswith(f"/{INFRA_ID}-master{number}-nic")
        assert base64.b64decode(booted[machine.name]["private"]["customData"]).decode() == POINTER
    assert not machines[f"{INFRA_ID}-bootstrap"].zones


def test_the_history_of_deployments_holds_no_signature_and_no_ignition(deployed: Cluster) -> None:
    """Neither the deployment nor its operations show them."""
    with deployed.stage.deployments() as client:
        shown = json.dumps(client.deployments.get(deployed.group, "machines").as_dict())
        shown += json.dumps([each.as_dict() for each in client.deployment_operations.list(deployed.group, "machines")])
    assert "sig=" not in shown
    assert '\\"ignition\\"' not in shown.replace(json.dumps(templates.load("machines")), "")
    assert base64.b64encode(POINTER.encode()).decode() not in shown


def test_the_masters_addresses_are_their_own(deployed: Cluster) -> None:
    """Azure has chosen them, then they became static, and the records of etcd were written from them."""
    names = [f"{INFRA_ID}-master{number}-nic" for number in range(3)]
    with deployed.client(NetworkManagementClient) as network, deployed.client(PrivateDnsManagementClient) as dns:
        found = [network.network_interfaces.get(deployed.group, name).ip_configurations[0] for name in names]
        records = [dns.record_sets.get(deployed.group, DOMAIN, "A", f"etcd-{number}") for number in range(3)]
        bootstrap = network.network_interfaces.get(deployed.group, f"{INFRA_ID}-bootstrap-nic").ip_configurations[0]
    assert [each.private_ip_allocation_method for each in found] == ["Static"] * 3
    assert bootstrap.private_ip_allocation_method == "Dynamic"
    addresses = [each.private_ip_address for each in found]
    assert [record.a_records[0].ipv4_address for record in records] == addresses
    assert len(set(addresses)) == len(names)


@pytest.mark.parametrize("known", [True, False], ids=["with the addresses", "without them"])
def test_the_same_deployments_again_change_nothing(deployed: Cluster, known: bool) -> None:
    """A step that runs twice leaves each resource as it was, and no machine boots again."""
    deployed.stage.guests.told.clear()
    before = deployed.addresses()
    addresses = [before[f"{INFRA_ID}-master{number}-nic"][0] for number in range(3)] if known else []
    deployed.deploy("network", deployed.network_parameters | {"masterAddresses": addresses})
    deployed.deploy("machines", deployed.machine_parameters)
    assert deployed.addresses() == before
    assert deployed.stage.guests.told == []


@pytest.mark.parametrize(
    "changed",
    [{"sas": SAS | BLOB | LATER}, {"sas": SAS | ALL_BLOBS}, {"masterIgnition": POINTER + " "}],
    ids=["time of the signature", "a former release's signature", "a master's ignition"],
)
def test_azure_refuses_other_custom_data_for_machines_that_exist(deployed: Cluster, changed: Json) -> None:
    """This is why the times of the signature are stored, and read back in every run."""
    with pytest.raises(HttpResponseError) as refused:
        deployed.deploy("machines", deployed.machine_parameters | changed)
    assert "PropertyChangeNotAllowed" in str(refused.value)
    assert "customData" in str(refused.value)


def test_a_private_api_server_has_no_rule_on_the_public_side(stage: Stage) -> None:
    """Masters still reach the internet through the public load balancer, and the zone has the internal address."""
    cluster = Cluster(stage)
    cluster.deploy("network", cluster.network_parameters | {"apiServerVisibility": "Private"})
    with cluster.client(NetworkManagementClient) as network, cluster.client(PrivateDnsManagementClient) as dns:
        public = network.load_balancers.get(cluster.group, f"{INFRA_ID}-public-lb")
        internal = network.load_balancers.get(cluster.group, f"{INFRA_ID}-internal-lb")
        record = dns.record_sets.get(cluster.group, DOMAIN, "A", "api")
    assert (public.load_balancing_rules, public.probes) == ([], [])
    assert [each.name for each in public.outbound_rules] == ["api-internal-outboundrule"]
    assert {each.name for each in internal.load_balancing_rules} == {"api-internal-v4", "sint-v4"}
    assert record.a_records[0].ipv4_address == internal.frontend_ip_configurations[0].private_ip_address


def test_a_region_without_zones_has_machines_without_zones(stage: Stage) -> None:
    """The template leaves `zones` out, because Azure would refuse an empty list."""
    cluster = Cluster(stage, "bcdfg")
    cluster.account()
    cluster.deploy("network", cluster.network_parameters)
    cluster.deploy("machines", cluster.machine_parameters | {"zones": []})
    with cluster.client(ComputeManagementClient) as compute:
        assert [each.zones for each in compute.virtual_machines.list(cluster.group) if each.zones] == []


def test_machines_boot_an_image_of_ones_own_with_what_it_demands(stage: Stage) -> None:
    """Sizes with NVMe disks alone can boot it, because the image has their driver."""
    cluster = Cluster(stage, "klmnp")
    cluster.account()
    cluster.deploy("network", cluster.network_parameters)
    own = lay_image(stage, cluster.group, "V2", "SCSI, NVMe")
    wanted = {"image": {"id": own}, "securityType": "TrustedLaunch", "masterVmSize": "Standard_D8s_v6"}
    cluster.deploy("machines", cluster.machine_parameters | wanted)
    with cluster.client(ComputeManagementClient) as compute:
        machines = list(compute.virtual_machines.list(cluster.group))
    assert len(machines) == len(("bootstrap", "three", "masters", "all"))
    for machine in machines:
        profile = machine.security_profile
        assert machine.storage_profile.image_reference.id == own
        assert (profile.security_type, profile.encryption_at_host) == ("TrustedLaunch", True)
        assert (profile.uefi_settings.secure_boot_enabled, profile.uefi_settings.v_tpm_enabled) == (True, True)
        assert machine.plan is None


def test_an_image_made_of_a_releases_disk_boots_machines_of_both_generations(stage: Stage) -> None:
    """Under the names of OpenShift's installer. A second run of the deployment makes nothing new."""
    cluster = Cluster(stage, "wxyzb")
    cluster.account()
    cluster.deploy("network", cluster.network_parameters)
    parameters = {name: cluster.machine_parameters[name] for name in ("infraId", "location", "storageSuffix")}
    for _ in range(2):
        cluster.deploy("image", parameters | {"disk": "aro/rhcos.vhd"})
    gallery = f"gallery_{INFRA_ID.replace('-', '_')}"
    with cluster.client(ComputeManagementClient) as compute:
        images = {each.name: each for each in compute.gallery_images.list_by_gallery(cluster.group, gallery)}
        versions = [compute.gallery_image_versions.get(cluster.group, gallery, name, "1.0.0") for name in images]
    second = images[f"{INFRA_ID}-gen2"]
    assert {name: each.hyper_v_generation for name, each in images.items()} == {INFRA_ID: "V1", second.name: "V2"}
    assert {each.name: each.value for each in second.features} == {
        "DiskControllerTypes": "SCSI, NVMe",
        "SecurityType": "TrustedLaunchSupported",
    }
    for version in versions:
        source = version.storage_profile.os_disk_image.source
        assert source.uri == "https://clusterwxyzb.blob.core.windows.net/aro/rhcos.vhd"
        assert source.storage_account_id.endswith("/clusterwxyzb")
    wanted = {"image": {"id": f"{second.id}/versions/1.0.0"}, "masterVmSize": "Standard_D8s_v6"}
    cluster.deploy("machines", cluster.machine_parameters | wanted)
    assert len(stage.guests.booted) == len(("bootstrap", "three", "masters", "all"))


def test_machines_of_an_image_that_is_bought_name_its_plan(stage: Stage) -> None:
    """Azure refuses them otherwise, and before the subscription has accepted the terms."""
    cluster = Cluster(stage, "qrstv")
    cluster.account()
    cluster.deploy("network", cluster.network_parameters)
    bought = cluster.machine_parameters | {"image": BOUGHT}
    with pytest.raises(HttpResponseError, match="VMMarketplaceInvalidInput"):
        cluster.deploy("machines", bought)
    with cluster.client(ComputeManagementClient) as compute:
        agreement(compute, "PUT", accepted=True)
        cluster.deploy("machines", bought | {"purchasePlan": PLAN})
        names = {each.plan.name for each in compute.virtual_machines.list(cluster.group)}
        agreement(compute, "PUT", accepted=False)
    assert names == {PLAN["name"]}


def test_a_size_that_the_subscription_may_not_have_is_refused_before_any_machine_is_made(stage: Stage) -> None:
    """ARM first asks compute about the whole deployment."""
    cluster = Cluster(stage, "fghjk")
    cluster.account()
    cluster.deploy("network", cluster.network_parameters)
    with pytest.raises(HttpResponseError) as refused:
        cluster.deploy("machines", cluster.machine_parameters | {"masterVmSize": "Standard_E104is_v5"})
    assert "SkuNotAvailable" in str(refused.value)
    assert stage.guests.booted == {}
