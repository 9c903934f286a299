"""The unmodified `az aro`, with each of its options, against the service on a local Azure.

The stories run at the same time, each in a terminal of its own. All they share is the local Azure.
"""

import json
import shlex
import subprocess
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import yaml
from azure.mgmt.compute import ComputeManagementClient
from azure.mgmt.network import NetworkManagementClient

from demo.customer import Customer, create_network, register_provider
from shared.json_object import Json
from tests.e2e.deployer import CLI
from tests.e2e.terminal import Terminal, open_terminal, sign_in
from tests.local_azure import LocalAzure, wait_for

# Runs in the CLI's environment.
TABLE = Path(__file__).with_name("aro_options.py")

PULL_SECRET = {"auths": {"quay.io": {"auth": "bm9ib2R5OnBhc3N3b3Jk"}}}
THIS = "--resource-group {group} --name {name}"
DISKS = "--disk-encryption-set {group_id}/providers/Microsoft.Compute/diskEncryptionSets/disks"
BY_NAME = "--vnet {name}-vnet --vnet-resource-group {group} --master-subnet master --worker-subnet worker"
BY_ID = "--master-subnet {vnet}/subnets/master --worker-subnet {vnet}/subnets/worker"
NETWORK = "--resource-group {group} --resource-name {name}-vnet --resource-type Microsoft.Network/virtualNetworks"
REMEDY = "List the locks with az lock list, remove each with az lock delete --ids ID"
IDENTITIES = "--assign-cluster-identity aro-cluster --assign-platform-workload-identity ingress ingress-identity"

pytestmark = [
    pytest.mark.slow(100),
    pytest.mark.timeout(1200),
    pytest.mark.xdist_group("az-aro"),
    pytest.mark.skipif(not CLI.exists(), reason="the Azure CLI is not installed: run `make az`"),
]


@pytest.fixture(scope="module")
def used() -> set[tuple[str, str]]:
    """Give the commands of all stories with their options."""
    return set()


@pytest.fixture(scope="module")
def stories(
    azure: LocalAzure, used: set[tuple[str, str]], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[str, Future[None]]]:
    """Run all stories at once."""
    signed_in = sign_in(azure, tmp_path_factory.mktemp("az"))

    def tell(story: Callable[[Terminal], None]) -> None:
        name = story.__name__.replace("_", "")
        customer = azure.customer(name)
        register_provider(customer, lambda: None)
        create_network(customer)
        story(open_terminal(customer, signed_in, tmp_path_factory.mktemp(name), used))

    with ThreadPoolExecutor(len(STORIES)) as pool:
        yield {story.__name__: pool.submit(tell, story) for story in STORIES}


def everything(terminal: Terminal) -> None:
    """A cluster is validated, created, read, updated and deleted, with all that one can choose."""
    az, customer = terminal.az, terminal.customer
    _make_disk_encryption_set(customer)
    (terminal.home / "pull-secret.txt").write_text(json.dumps(PULL_SECRET) + "\n")
    az("feature register --namespace Microsoft.Compute --name EncryptionAtHost")
    network = "--pod-cidr 10.128.0.0/15 --service-cidr 172.30.0.0/17"
    principal = "--client-id {client_id} --client-secret {client_secret}"
    where = "--location {location} --cluster-resource-group aro-{name} --version 4.18.26"
    said = terminal.told("aro validate", THIS, BY_NAME, where, network, principal, DISKS)
    assert said.count("is missing role") == 4
    overlap = terminal.refused("aro validate", THIS, BY_NAME, "--pod-cidr 10.0.0.0/18")
    assert "10.0.0.0/18 is not valid as it overlaps with 10.0.0.0/23" in overlap
    assert "4.18.26" in az("aro get-versions --location {location}")
    create = ("aro create", THIS, BY_NAME, where, network, principal, DISKS, "--pull-secret {home}/pull-secret.txt")
    assert "openshift-install-fips" in terminal.refused(*create, "--fips")
    az(
        *create,
        "--domain {name} --tags team=red 'note=two words' --no-wait",
        "--outbound-type Loadbalancer --load-balancer-managed-outbound-ip-count 1 --enable-preconfigured-nsg false",
        "--master-vm-size Standard_D16s_v5 --master-encryption-at-host --worker-encryption-at-host",
        "--worker-vm-size Standard_D8s_v5 --worker-vm-disk-size-gb 256 --worker-count 4",
        "--apiserver-visibility Public --ingress-visibility Private --enable-managed-identity false",
    )
    az("aro wait", THIS, "--exists")
    az("aro wait", THIS, "--created --interval 1 --timeout 900")
    _everything_is_shown(terminal, az("aro show", THIS))
    assert customer.cluster in terminal.told("aro list --resource-group {group} --output table")
    assert customer.cluster_id in [each["id"] for each in az("aro list")]
    assert az("aro list-credentials", THIS)["kubeadminUsername"] == "kubeadmin"
    az("aro get-admin-kubeconfig", THIS, "--file {home}/kubeconfig")
    (cluster,) = yaml.safe_load((terminal.home / "kubeconfig").read_text(encoding="utf-8"))["clusters"]
    assert cluster["cluster"]["server"].startswith(f"https://api.{customer.cluster}.")

    other = az("ad sp create-for-rbac --display-name other-{name}")
    secret = shlex.quote(other["password"])
    az("aro update", THIS, f"--client-id {other['appId']} --client-secret {secret} --no-wait")
    az("aro wait", THIS, "--updated --interval 1")
    az("aro wait", THIS, f"--custom \"servicePrincipalProfile.clientId=='{other['appId']}'\" --interval 1")
    az("aro delete", THIS, "--yes --no-wait")
    az("aro wait", THIS, "--deleted --interval 1")
    assert "ResourceNotFound" in terminal.refused("aro show", THIS)


def _make_disk_encryption_set(customer: Customer) -> None:
    vault = f"{customer.group_id}/providers/Microsoft.KeyVault/vaults/{customer.cluster}"
    key = {"sourceVault": {"id": vault}, "keyUrl": f"https://{customer.cluster}.vault.azure.net/keys/disks/1"}
    properties = {"activeKey": key, "encryptionType": "EncryptionAtRestWithCustomerKey"}
    body: Any = {
        "location": customer.endpoints["location"],
        "identity": {"type": "SystemAssigned"},
        "properties": properties,
    }
    sets = customer.client(ComputeManagementClient).disk_encryption_sets
    sets.begin_create_or_update(customer.group, "disks", body).result()


def _everything_is_shown(terminal: Terminal, shown: Json) -> None:
    """The cluster has what each option of its create asked for."""
    customer = terminal.customer
    disks = f"{customer.group_id}/providers/Microsoft.Compute/diskEncryptionSets/disks"
    cluster, network, master = shown["clusterProfile"], shown["networkProfile"], shown["masterProfile"]
    (worker,), (ingress,) = shown["workerProfiles"], shown["ingressProfiles"]
    assert (shown["provisioningState"], shown["location"]) == ("Succeeded", customer.endpoints["location"])
    assert shown["tags"] == {"team": "red", "note": "two words"}
    assert (cluster["domain"], cluster["version"]) == (customer.cluster, "4.18.26")
    assert cluster["resourceGroupId"].endswith(f"/aro-{customer.cluster}")
    assert (cluster["fipsValidatedModules"], cluster["pullSecret"]) == ("Disabled", None)
    assert shown["servicePrincipalProfile"] == {"clientId": customer.principal["client_id"], "clientSecret": None}
    assert (network["podCidr"], network["serviceCidr"]) == ("10.128.0.0/15", "172.30.0.0/17")
    assert (network["outboundType"], network["preconfiguredNsg"]) == ("Loadbalancer", "Disabled")
    assert network["loadBalancerProfile"]["managedOutboundIps"] == {"count": 1}
    for machines, subnet, size in ((master, "master", "Standard_D16s_v5"), (worker, "worker", "Standard_D8s_v5")):
        assert machines["subnetId"] == f"{customer.vnet_id}/subnets/{subnet}"
        assert (machines["vmSize"], machines["encryptionAtHost"]) == (size, "Enabled")
        assert machines["diskEncryptionSetId"] == disks
    assert (worker["count"], worker["diskSizeGb"]) == (4, 256)
    assert (shown["apiserverProfile"]["visibility"], ingress["visibility"]) == ("Public", "Private")


def defaults(terminal: Terminal) -> None:
    """A cluster is made of no more than a network: the CLI makes principal, roles and names."""
    az, refused = terminal.az, terminal.refused
    shown = az("aro create", THIS, BY_ID)
    assert shown["provisioningState"] == "Succeeded"
    assert shown["location"] == terminal.customer.endpoints["location"]
    assert shown["workerProfiles"][0]["count"] == 3
    refreshed = az("aro update", THIS, "--refresh-credentials")
    assert refreshed["provisioningState"] == "Succeeded"
    assert refreshed["servicePrincipalProfile"] == shown["servicePrincipalProfile"]
    for count in (3, 1):
        profile = az("aro update", THIS, f"--load-balancer-managed-outbound-ip-count {count}")["networkProfile"]
        assert profile["loadBalancerProfile"]["managedOutboundIps"] == {"count": count}
        assert len(profile["loadBalancerProfile"]["effectiveOutboundIps"]) == count

    assert "cluster with service principal" in refused("aro update", THIS, IDENTITIES)
    assert "non-managed identity cluster" in refused("aro delete", THIS, "--delete-identities --yes")
    # The CLI sends nothing of it for a cluster with a service principal.
    assert az("aro update", THIS, "--upgradeable-to 4.19.24")["platformWorkloadIdentityProfile"] is None
    managed = shown["clusterProfile"]["resourceGroupId"].rpartition("/")[2]
    assert "(DenyAssignmentAuthorizationFailed)" in refused(f"group delete --name {managed} --yes")
    az("lock create --name keep --lock-type CanNotDelete", NETWORK)
    assert "(ScopeLocked)" in refused("group delete --name {group} --yes")
    az("lock delete --name keep", NETWORK)
    az("group delete --name {group} --yes")
    for group in (managed, "{group}"):
        assert az(f"group exists --name {group}") is False


def locked_network(terminal: Terminal) -> None:
    """A lock on the network fails the deletion, which says what to do; without the lock, the deletion succeeds."""
    az, customer = terminal.az, terminal.customer
    made = az("ad sp create-for-rbac --name robot-{name}")
    secret = shlex.quote(made["password"])
    az("aro create", THIS, BY_ID, f"--client-id {made['appId']} --client-secret {secret}")
    az("lock create --name keep --lock-type ReadOnly", NETWORK)
    said = terminal.refused("aro delete", THIS, "--yes")
    assert "ScopeLocked" in said
    assert f"following scope(s) are locked: '{customer.vnet_id}'".lower() in said.lower()
    assert REMEDY in said
    assert az("aro show", THIS)["provisioningState"] == "Failed"
    az("lock delete --name keep", NETWORK)
    az("aro delete", THIS, "--yes")
    assert az("aro list --resource-group {group}") == []


def own_ways_out(terminal: Terminal) -> None:
    """A private cluster uses its owner's route to the outside, and its owner's security groups, and leaves both."""
    az, customer = terminal.az, terminal.customer
    _bring_routes_and_groups(customer)
    shown = az(
        *("aro create", THIS, BY_ID, "--outbound-type UserDefinedRouting --enable-preconfigured-nsg"),
        "--apiserver-visibility Private --ingress-visibility Private",
    )
    network = shown["networkProfile"]
    assert shown["provisioningState"] == "Succeeded"
    assert (network["outboundType"], network["preconfiguredNsg"]) == ("UserDefinedRouting", "Enabled")
    assert network["loadBalancerProfile"] is None
    az("aro delete", THIS, "--yes")
    subnets = customer.client(NetworkManagementClient).subnets
    for subnet in subnets.list(customer.group, customer.vnet_id.rpartition("/")[2]):
        properties: Any = subnet.properties
        assert properties.network_security_group.id.endswith("/networkSecurityGroups/mine")
        assert properties.route_table.id.endswith("/routeTables/mine")


def _bring_routes_and_groups(customer: Customer) -> None:
    """Attach a route table with a way out, and a security group, to both subnets."""
    network, location = customer.client(NetworkManagementClient), customer.endpoints["location"]
    appliance = {"addressPrefix": "0.0.0.0/0", "nextHopType": "VirtualAppliance", "nextHopIpAddress": "10.0.3.4"}
    routes: Any = {"location": location, "properties": {"routes": [{"name": "out", "properties": appliance}]}}
    table = network.route_tables.begin_create_or_update(customer.group, "mine", routes).result()
    rules: Any = {"location": location, "properties": {}}
    group = network.network_security_groups.begin_create_or_update(customer.group, "mine", rules).result()
    vnet = customer.vnet_id.rpartition("/")[2]
    for name in ("master", "worker"):
        subnet: Any = network.subnets.get(customer.group, vnet, name).as_dict()
        subnet["properties"] |= {"networkSecurityGroup": {"id": group.id}, "routeTable": {"id": table.id}}
        network.subnets.begin_create_or_update(customer.group, vnet, name, subnet).result()


def workload_identity(terminal: Terminal) -> None:
    """A cluster with managed identities is created without a secret, may be upgraded, and goes with its identities."""
    az, refused = terminal.az, terminal.refused
    create = ("aro create", THIS, BY_ID, "--enable-managed-identity --version 4.19.24")
    assert "userAssignedIdentities/aro-cluster' was not found" in refused(*create, IDENTITIES)
    # The CLI asks the service only for its versions here.
    az("aro validate", THIS, BY_ID, "--enable-managed-identity --version 4.19.24", IDENTITIES)
    _make_disk_encryption_set(terminal.customer)
    network = ("--resource-group {group} --location {location} --version 4.19.24", BY_NAME, DISKS)
    told = terminal.told("aro identity get-required", *network)
    made = az("aro identity create-required --yes", *network)
    for identity in made:
        assert f"az identity create -g '{terminal.customer.group}' -n '{identity['name']}'" in told
    assert len(made) == told.count("az identity create") == 9
    assert "are not those of OpenShift 4.19: aro-operator, cloud-controller-manager" in refused(*create, IDENTITIES)
    # Without names of identities, the CLI takes those that it makes itself.
    shown = az(*create)
    assert shown["provisioningState"] == "Succeeded"
    assert shown["servicePrincipalProfile"] is None
    operators = shown["platformWorkloadIdentityProfile"]["platformWorkloadIdentities"]
    assert all(identity["clientId"] and identity["objectId"] for identity in operators.values())
    az("aro update", THIS, "--upgradeable-to 4.20.0")
    assert az("aro show", THIS)["platformWorkloadIdentityProfile"]["upgradeableTo"] == "4.20.0"
    az("aro delete", THIS, "--yes --delete-identities")
    assert az("aro list --resource-group {group}") == az("identity list --resource-group {group}") == []


STORIES: tuple[Callable[[Terminal], None], ...] = (
    everything,
    defaults,
    locked_network,
    own_ways_out,
    workload_identity,
)


@pytest.mark.parametrize("story", [story.__name__ for story in STORIES])
def test_a_story_of_commands_goes_as_its_reader_expects(stories: dict[str, Future[None]], story: str) -> None:
    """Each story says in its first line what it promises."""
    stories[story].result()


def test_every_option_is_used_by_a_story(stories: dict[str, Future[None]], used: set[tuple[str, str]]) -> None:
    """A release of the CLI with another command or option fails here."""
    wait_for(lambda: all(story.done() for story in stories.values()), "the end of all stories", 1200)
    printed = subprocess.run([CLI / "python", "-I", TABLE], capture_output=True, check=True, timeout=60)
    table: dict[str, dict[str, list[str]]] = json.loads(printed.stdout)
    options = {(command, option) for command, found in table.items() for option in found}
    written = {
        (command, option)
        for command, option in options
        if any((command, spelling) in used for spelling in table[command][option])
    }
    assert options - written == set()
