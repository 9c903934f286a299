"""The second deployment of a cluster: load balancers, addresses, network interfaces, private DNS zone, private link."""

from azure.core.exceptions import ResourceNotFoundError
from azure.mgmt.network import NetworkManagementClient
from azure.mgmt.network.models import NetworkInterface

from activities.azure import deployments, machine_names, outbound, resource_group
from activities.runtime.step import Step
from shared import settings
from shared.arm import resource_id
from shared.arm.errors import CloudError, ErrorCode
from shared.azure.templates import Parameters

DEPLOYMENT = "network"


def internal_address(step: Step) -> str:
    """Return the address of the API server inside the customer's network.

    Raises:
        CloudError: if the internal load balancer has none.
    """
    name = f"{step.properties['infraId']}-internal-lb"
    balancer = step.customer(NetworkManagementClient).load_balancers.get(step.resource_group, name)
    frontends = balancer.frontend_ip_configurations or []
    return _known(f"load balancer '{name}'", frontends[0].private_ip_address if frontends else None)


def public_address(step: Step) -> str:
    """Return the public address of the masters' load balancer.

    Raises:
        CloudError: if it has none.
    """
    name = f"{step.properties['infraId']}-pip-v4"
    address = step.customer(NetworkManagementClient).public_ip_addresses.get(step.resource_group, name)
    return _known(f"public address '{name}'", address.ip_address)


def master_address(step: Step, number: int) -> str:
    """Return the address of a master, 0 to 2.

    Raises:
        CloudError: if its network interface has none.
    """
    name = machine_names.master_interfaces(step.properties["infraId"])[number]
    interface = step.customer(NetworkManagementClient).network_interfaces.get(step.resource_group, name)
    return _known(f"network interface '{name}'", _address(interface))


def _master_addresses(step: Step) -> list[str]:
    """Return the addresses of the masters' interfaces; none if one of them is missing, or has none yet."""
    client = step.customer(NetworkManagementClient).network_interfaces
    names = machine_names.master_interfaces(step.properties["infraId"])
    try:
        found = [_address(client.get(step.resource_group, name)) for name in names]
    except ResourceNotFoundError:
        return []
    addresses = [address for address in found if address]
    return addresses if len(addresses) == len(names) else []


def _address(interface: NetworkInterface) -> str | None:
    configurations = interface.ip_configurations or []
    return configurations[0].private_ip_address if configurations else None


def _known(what: str, address: str | None) -> str:
    if not address:
        raise CloudError(500, ErrorCode.DEPLOYMENT_FAILED, f"Azure has given no address to the {what}.")
    return address


def _parameters(step: Step) -> Parameters:
    return _parameters_with(step, _master_addresses(step))


def _rendered_parameters(step: Step) -> Parameters:
    """Return the parameters for a dry run. It reads nothing in a group that does not exist.

    The first-party application's rights begin with the group, so Azure would refuse the read.
    """
    return _parameters_with(step, _master_addresses(step) if resource_group.find_ours(step) is not None else [])


def _parameters_with(step: Step, master_addresses: list[str]) -> Parameters:
    masters = resource_id.parse(step.properties["masterProfile"]["subnetId"])
    return {
        "infraId": step.properties["infraId"],
        "location": step.cluster["location"],
        "domain": step.domain,
        "virtualNetworkId": str(masters.parent),
        "masterSubnetId": str(masters),
        "masterAddresses": master_addresses,
        "apiServerVisibility": step.properties["apiserverProfile"]["visibility"],
        "outboundWays": outbound.ways(step.properties),
        "resourceProviderSubscriptionId": settings.load().subscription_id,
    }


def _validate(step: Step) -> list[str]:
    return [] if step.properties.get("infraId") else ["properties.infraId is not decided yet"]


# Source: ARO-RP `pkg/cluster/deployresources.go`, of June 2020. Here it is separate from the machines, so that rows
# which need only the network continue while the machines boot.
deploy_network_template = deployments.executor(
    DEPLOYMENT, _parameters, _validate, outbound.store_effective, _rendered_parameters
)
