"""Keeps the masters' private addresses over a stop.

etcd's members, its certificates and the cluster's DNS records carry these addresses, and nobody promises that an
address which Azure has chosen stays with a machine that is deallocated. So the interfaces ask for those that they have.
"""

from azure.mgmt.compute import ComputeManagementClient
from azure.mgmt.network import NetworkManagementClient
from azure.mgmt.network.models import IPAllocationMethod, NetworkInterface

from activities.azure import machine_names
from activities.runtime.executor import Executor, Outcome, wait
from activities.runtime.step import Step
from shared.arm import resource_id
from shared.azure.sdk_values import text

_STATIC = IPAllocationMethod.STATIC


def _pin(step: Step) -> Outcome | None:
    """Make the addresses of the masters' interfaces static; a second run finds them so, or waits for Azure."""
    network, moving = step.customer(NetworkManagementClient), []
    for interface_id in _interfaces(step):
        group, name = interface_id.resource_group, interface_id.name
        interface = network.network_interfaces.get(group, name)
        state = text(interface.provisioning_state)
        if state not in ("Succeeded", "Failed"):
            moving.append(f"'{name}' is {state}")
        elif _make_static(interface):
            network.network_interfaces.begin_create_or_update(group, name, interface, polling=False)
            moving.append(f"'{name}' gets a static address")
    return wait(f"network interfaces: {', '.join(moving)}") if moving else None


def _interfaces(step: Step) -> list[resource_id.ResourceId]:
    machines = step.customer(ComputeManagementClient).virtual_machines.list(step.resource_group)
    masters = [each for each in machines if machine_names.is_master(step.properties["infraId"], str(each.name))]
    profiles = [each.network_profile for each in masters]
    found = [nic.id for profile in profiles if profile for nic in profile.network_interfaces or []]
    return [resource_id.parse(str(each)) for each in found]


def _make_static(interface: NetworkInterface) -> bool:
    """Let an interface ask for the addresses that it has; return whether it did not."""
    dynamic = [
        each
        for each in interface.ip_configurations or []
        if each.private_ip_address and each.private_ip_allocation_method != _STATIC
    ]
    for each in dynamic:
        each.private_ip_allocation_method = _STATIC
    return bool(dynamic)


pin_master_addresses = Executor(run=_pin, status=_pin)
