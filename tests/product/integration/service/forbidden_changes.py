"""Changes that customers are told not to make in a cluster's own group, made by its principal, which nothing denies."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeVar

from azure.mgmt.authorization import AuthorizationManagementClient
from azure.mgmt.compute import ComputeManagementClient
from azure.mgmt.network import NetworkManagementClient
from azure.mgmt.privatedns import PrivateDnsManagementClient
from azure.mgmt.storage import StorageManagementClient
from azure.storage.blob import BlobClient

from demo.customer import Customer
from tests.local_azure import wait_for
from tests.product.integration.service.inventory import WORLD, taken
from tests.product.integration.service.stage import Cluster, hold

Client = TypeVar("Client")
MACHINES = "Microsoft.Compute/virtualMachines"
IGNITION = ("ignition", "bootstrap.ign")


@dataclass(frozen=True)
class Inside:
    """The resources of one cluster, for somebody who has its principal's secret."""

    cluster: Cluster

    @property
    def customer(self) -> Customer:
        """The customer who owns the subscription."""
        return self.cluster.customer

    @property
    def group(self) -> str:
        """Name of the cluster's own group."""
        return f"aro-{self.customer.cluster}"

    @cached_property
    def infra_id(self) -> str:
        """The prefix of the names of the cluster's resources."""
        with taken(self.cluster.azure.state) as inventory:
            document = inventory.cluster(self.customer)
        assert document is not None
        return str(document["openShiftCluster"]["properties"]["infraId"])

    def client(self, kind: Callable[..., Client]) -> Client:
        """Return a management client that authenticates as the cluster's principal."""
        mine = {name: self.customer.principal[name] for name in ("client_id", "client_secret")}
        return replace(self.customer, endpoints=self.customer.endpoints | mine).client(kind)

    def wait_for_machine(self, name: str) -> None:
        """Wait until a virtual machine exists, whether it has booted or not."""
        group = f"/subscriptions/{self.customer.subscription_id}/resourcegroups/{self.group}/"
        with taken(self.cluster.azure.state) as inventory:
            wait_for(
                lambda: any(
                    each["type"] == MACHINES and each["name"].endswith(f"-{name}")
                    for each in inventory.resources(group)
                ),
                f"the machine {name}",
            )

    # Storage

    def _account(self) -> tuple[Any, str]:
        accounts = self.client(StorageManagementClient).storage_accounts
        names = [str(each.name) for each in accounts.list_by_resource_group(self.group)]
        (account,) = [name for name in names if name.startswith("cluster")]
        return accounts, account

    def regenerate_keys(self) -> None:
        """Give the cluster's storage account new keys."""
        accounts, account = self._account()
        for key in ("key1", "key2"):
            accounts.regenerate_key(self.group, account, {"keyName": key})

    def network_rules(self) -> Any:
        """Return whom the cluster's storage account lets in."""
        accounts, account = self._account()
        return accounts.get_properties(self.group, account).network_rule_set

    def ignition(self, *, in_subnet: bool = True) -> BlobClient:
        """Return a client for the blob with the bootstrap machine's ignition, authorized by the account's key.

        Args:
            in_subnet: whether the client is in the masters' subnet, which the account lets in, or on the internet.
        """
        accounts, account = self._account()
        azure = self.cluster.azure
        options = azure.options_in(f"{self.customer.vnet_id}/subnets/master") if in_subnet else azure.client_options
        return BlobClient(
            f"https://{account}.blob.core.windows.net",
            *IGNITION,
            credential=accounts.list_keys(self.group, account).keys_property[0].value,
            **options,
        )

    # Network

    def set_rules(self, change: Callable[[list[Any]], list[Any]]) -> None:
        """Change the load balancing rules of the internal load balancer."""
        balancers, name = self.client(NetworkManagementClient).load_balancers, f"{self.infra_id}-internal-lb"
        balancer = balancers.get(self.group, name)
        balancer.load_balancing_rules = change(list(balancer.load_balancing_rules or []))
        balancers.begin_create_or_update(self.group, name, balancer).result()

    def remove_service_endpoints(self) -> None:
        """Take all service endpoints from the masters' subnet, as the network's owner may."""
        subnets = self.customer.client(NetworkManagementClient).subnets
        place = self.customer.group, self.customer.vnet_id.rsplit("/", 1)[1], "master"
        subnet = subnets.get(*place)
        subnet.service_endpoints = []
        subnets.begin_create_or_update(*place, subnet).result()

    def delete_record(self, name: str) -> None:
        """Delete an A record from the cluster's private zone."""
        zone = f"{self.customer.cluster}.{WORLD.domain}"
        self.client(PrivateDnsManagementClient).record_sets.delete(self.group, zone, "A", name)

    def delete_role(self) -> None:
        """Remove the principal's role on the virtual network, as the network's owner may."""
        assignments = self.customer.client(AuthorizationManagementClient).role_assignments
        for each in list(assignments.list_for_scope(self.customer.vnet_id)):
            if each.principal_id == self.customer.principal["object_id"] and "/virtualNetworks/" in each.scope:
                assignments.delete_by_id(each.id)

    # Machines

    def masters(self, act: str, *numbers: int) -> None:
        """Delete, power off or start masters, all at the same time."""
        machines = self.client(ComputeManagementClient).virtual_machines
        begun = [getattr(machines, f"begin_{act}")(self.group, f"{self.infra_id}-master-{each}") for each in numbers]
        for poller in begun:
            poller.result()


def boot_later(cluster: Cluster, machine: str) -> AbstractContextManager[str]:
    """Let machines of a cluster boot only after the block, so that something can happen before.

    Args:
        cluster: the cluster of the machines.
        machine: a regular expression for what follows the infra id in the machines' names.
    """
    return hold(cluster.azure, service="machines", operation=rf"boot {cluster.customer.cluster}-.....-{machine}")
