"""A create checks everything in Azure before it makes anything, and reports all problems in one error."""

import os
import random
from collections.abc import Iterator

import pytest
from azure.mgmt.resource.resources import ResourceManagementClient

from demo.customer import assign_roles
from shared.json_object import Json
from tests.conftest import SEED
from tests.local_azure import LocalAzure, unique
from tests.product.integration.service.customer_resources import NETWORK_CONTRIBUTOR, READER, Resources
from tests.product.integration.service.inventory import taken
from tests.product.integration.service.stage import Cluster, prepare

pytestmark = pytest.mark.slow

CHECKS = {
    "validate_service_principal",
    "validate_service_principal_permissions",
    "validate_resource_provider_permissions",
    "validate_network",
    "validate_disk_encryption_sets",
    "validate_providers",
    "validate_quota",
    "validate_vm_sizes",
    "validate_installer",
}
MASTER, WORKER = "properties.masterProfile", 'properties.workerProfiles["worker"]'
DELEGATED = {"name": "apps", "properties": {"serviceName": "Microsoft.Web/serverFarms"}}
# No other test makes machines of this size.
FAMILY, SIZE = "standardEIDSv5Family", "Standard_E104ids_v5"


def _all_details(error: Json) -> Iterator[Json]:
    """Yield the details of an error at any depth: steps that fail together are nested in the details of the first."""
    for each in error.get("details", []):
        yield each
        yield from _all_details(each)


def _all_wrong(cluster: Cluster) -> Json:
    """Make a network with every problem; return the body of a cluster that uses it and has further problems."""
    azure, customer = cluster.azure, cluster.customer
    limit = {"subscription": customer.subscription_id, "location": "eastus", "family": FAMILY, "limit": 400}
    assert "error" not in azure.control("PUT", "/quotas", limit)
    resources = Resources(cluster)
    resources.lay("westeurope", {"other": {"addressPrefix": "10.0.9.0/24"}}, ["127.0.0.1"])
    routes, group = resources.route_table("westeurope"), resources.security_group("westeurope")
    subnets: dict[str, Json] = {
        "master": {"addressPrefix": "10.0.0.0/24", "networkSecurityGroup": {"id": group}},
        "worker": {"addressPrefix": "10.0.1.0/28", "routeTable": {"id": routes}, "delegations": [DELEGATED]},
    }
    for name, properties in subnets.items():
        wish = {"properties": properties}
        resources.network.subnets.begin_create_or_update(customer.group, resources.vnet, name, wish).result()
    assign_roles(customer, [azure.endpoints["rp_object_id"]])
    # With read access on a scope, the checks see what does not exist there.
    resources.grant(READER, customer.group_id)
    body = cluster.body
    body["properties"]["networkProfile"]["podCidr"] = "10.0.0.0/14"
    body["properties"]["masterProfile"] |= {"vmSize": SIZE, "encryptionAtHost": "Enabled"}
    body["properties"]["workerProfiles"][0]["vmSize"] = "Standard_NC24rs_v3"
    missing = f"{customer.group_id}/providers/Microsoft.Compute/diskEncryptionSets/none"
    body["properties"]["masterProfile"]["diskEncryptionSetId"] = missing
    body["properties"]["workerProfiles"][0]["diskEncryptionSetId"] = missing
    return body


# Session scope, because with several workers the tests of this module and others alternate.
@pytest.fixture(scope="session")
def doomed(azure: LocalAzure, worker_id: str) -> tuple[Cluster, str]:
    """Give a cluster with every problem, and its create, which waits for roles while other tests run."""
    numbers = random.Random(f"{os.environ[SEED]}/{__name__}/{worker_id}")  # noqa: S311 - for repeatable tests
    cluster = Cluster(azure, azure.customer(unique(numbers, "v")))
    return cluster, cluster.create(_all_wrong(cluster))


@pytest.mark.xdist_group("doomed")
@pytest.mark.usefixtures("doomed")
def test_what_customers_attach_passes_with_the_roles_that_the_checks_ask_for(
    azure: LocalAzure, rng: random.Random
) -> None:
    """Route table, NAT gateway, encryption set and DNS servers are accepted; the step says what DNS servers must do."""
    (cluster,) = prepare(azure, unique(rng, "v"))
    resources = Resources(cluster)
    routes, gateway = resources.route_table("eastus"), resources.nat_gateway("eastus")
    encryption_set = resources.encryption_set("eastus")
    network = resources.network.virtual_networks.get(cluster.customer.group, resources.vnet)
    network.dhcp_options = {"dnsServers": ["192.168.7.4"]}
    for subnet in network.subnets:
        subnet.route_table, subnet.nat_gateway = {"id": routes}, {"id": gateway}
    resources.network.virtual_networks.begin_create_or_update(cluster.customer.group, resources.vnet, network).result()
    for role, scope in (
        (NETWORK_CONTRIBUTOR, routes),
        (NETWORK_CONTRIBUTOR, gateway),
        (READER, encryption_set),
    ):
        resources.grant(role, scope)
    body = cluster.body
    body["properties"]["masterProfile"]["diskEncryptionSetId"] = encryption_set
    body["properties"]["workerProfiles"][0]["diskEncryptionSetId"] = encryption_set
    operation_id = cluster.create(body)
    for step in sorted(CHECKS):
        cluster.wait_for_step(operation_id, step, "Succeeded")
    with taken(azure.state) as inventory:
        steps = inventory.steps(operation_id)
    assert "192.168.7.4" in steps["validate_network"]["message"]
    assert "168.63.129.16" in steps["validate_network"]["message"]
    cluster.succeed(cluster.delete())


@pytest.mark.xdist_group("doomed")
def test_everything_that_is_wrong_is_told_in_one_error_and_nothing_is_made(doomed: tuple[Cluster, str]) -> None:
    """For roles, network, ranges, DNS, quota, sizes and encryption set, the error says what, where, and what to do."""
    cluster, operation_id = doomed
    azure = cluster.azure
    error = cluster.fail(operation_id)
    told = [(each["code"], each.get("target", ""), each["message"]) for each in _all_details(error)]

    def says(code: str, target: str, *words: str) -> bool:
        return any(
            (code, target) == found[:2] and all(word.lower() in found[2].lower() for word in words) for found in told
        )

    vnet_id, group_id = cluster.customer.vnet_id, cluster.customer.group_id
    set_id = f"{group_id}/providers/Microsoft.Compute/diskEncryptionSets/none"
    routes = f"{group_id}/providers/Microsoft.Network/routeTables/routes"
    line = "az role assignment create --assignee-object-id"
    object_id, provider_id = cluster.customer.principal["object_id"], azure.endpoints["rp_object_id"]
    assert says("InvalidServicePrincipalPermissions", "", f"{line} {object_id}", f"'{vnet_id}'", "subnets/join/action")
    assert says("InvalidResourceProviderPermissions", f"{WORKER}.subnetId", f"{line} {provider_id}", f"'{routes}'")
    assert says("InvalidLinkedVNet", "", "westeurope", "eastus")
    assert says("InvalidLinkedVNet", "", "subnet 'master' (10.0.0.0/24) overlaps the pod range (10.0.0.0/14)")
    assert says("InvalidLinkedVNet", "", "subnet 'worker' (10.0.1.0/28) overlaps the pod range (10.0.0.0/14)")
    assert says("InvalidLinkedVNet", "", "127.0.0.1", "no machine can reach")
    assert says("InvalidLinkedVNet", f"{MASTER}.subnetId", "own-nsg", "detach")
    assert says("InvalidLinkedVNet", f"{WORKER}.subnetId", "10.0.1.0/28", "/27")
    assert says("InvalidLinkedVNet", f"{WORKER}.subnetId", "delegated to 'Microsoft.Web/serverFarms'")
    assert says("InvalidLinkedDiskEncryptionSet", f"{MASTER}.diskEncryptionSetId", set_id)
    assert says("ResourceQuotaExceeded", "", FAMILY, "is 16 short", "needs 416 more", "myQuotas", "az quota update")
    assert says("InvalidParameter", f"{WORKER}.vmSize", "Standard_NC24rs_v3", "closed", "az vm list-skus")
    assert says("InvalidParameter", f"{MASTER}.encryptionAtHost", "'NotRegistered'", "az feature register")
    with taken(azure.state) as inventory:
        steps = inventory.steps(operation_id)
        assert inventory.groups(cluster.customer) == []
    assert {name for name in CHECKS if steps[name]["status"] == "Succeeded"} == {
        "validate_service_principal",
        "validate_providers",
        "validate_installer",
    }
    cluster.succeed(cluster.delete())


def test_a_provider_that_is_not_registered_is_named_and_its_registration_is_waited_for(
    own_azure: LocalAzure, rng: random.Random
) -> None:
    """The error has the command that registers it; a create that starts during the registration waits and continues."""
    (cluster,) = prepare(own_azure, unique(rng, "v"))
    providers = cluster.customer.client(ResourceManagementClient).providers
    providers.unregister("Microsoft.Storage")
    try:
        error = cluster.fail(cluster.create())
    finally:
        providers.register("Microsoft.Storage")
    assert error["code"] == "ResourceProviderNotRegistered"
    assert "az provider register --namespace Microsoft.Storage" in error["message"]
    resumed = cluster.create()
    cluster.wait_for_step(resumed, "validate_providers", "Succeeded")
    assert providers.get("Microsoft.Storage").registration_state == "Registered"
    cluster.succeed(cluster.delete())
