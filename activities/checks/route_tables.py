"""Checks that the customer's route tables lead outside, if the cluster relies on them (`UserDefinedRouting`)."""

from http import HTTPStatus

from azure.core.exceptions import HttpResponseError, ResourceNotFoundError
from azure.mgmt.network import NetworkManagementClient
from azure.mgmt.network.models import RouteTable, Subnet

from activities.azure import outbound
from activities.azure.cluster_principal import Connect, read_as_either
from activities.checks.linked_resources import ROUTE_TABLE, Linked
from activities.runtime.executor import TryAgain
from activities.runtime.step import Step
from shared.arm import resource_id
from shared.arm.errors import CloudError, ErrorCode, summarize
from shared.azure.sdk_values import text
from shared.steps import RetryClass

_EVERYWHERE = "0.0.0.0/0"
# Without a public address on the way, the next hop `Internet` leads nowhere.
_LEADS_OUTSIDE = ("VirtualAppliance", "VirtualNetworkGateway")


def problems(step: Step, subnets: dict[str, Subnet | None]) -> list[CloudError]:
    """Return a problem for each subnet from which no route leads outside, although the cluster has no other way.

    Args:
        step: the step.
        subnets: the cluster's subnets by their path in the request.

    Raises:
        TryAgain: if neither the service nor the cluster's principal may read a route table yet.
    """
    if not outbound.uses_own_routes(step.properties):
        return []
    return [
        problem
        for target, subnet in subnets.items()
        if subnet is not None and (problem := _problem(step, subnet, target)) is not None
    ]


def _problem(step: Step, subnet: Subnet, target: str) -> CloudError | None:
    if subnet.route_table is None:
        return _invalid(
            f"The subnet '{subnet.id}' has no route table, and with the outboundType 'UserDefinedRouting' the cluster "
            f"has no other way outside. Attach one that has a route {_EVERYWHERE} to a virtual appliance or a virtual "
            f"network gateway, with: az network vnet subnet update --ids '{subnet.id}' --route-table <id>",
            target,
        )
    linked = Linked(ROUTE_TABLE, resource_id.parse(str(subnet.route_table.id)), target)
    table = _read(step, linked)
    if table is None:
        return linked.not_found()
    if any(
        route.address_prefix == _EVERYWHERE and text(route.next_hop_type) in _LEADS_OUTSIDE
        for route in table.routes or []
    ):
        return None
    return _invalid(
        f"The route table '{linked.id}' of the subnet '{subnet.id}' has no route {_EVERYWHERE} to a virtual appliance "
        "or a virtual network gateway, and with the outboundType 'UserDefinedRouting' the cluster has no other way "
        f"outside. Add one with: az network route-table route create --resource-group '{linked.id.resource_group}' "
        f"--route-table-name '{linked.id.name}' --name default --address-prefix {_EVERYWHERE} --next-hop-type "
        "VirtualAppliance --next-hop-ip-address <address>",
        target,
    )


def _read(step: Step, linked: Linked) -> RouteTable | None:
    def read(connect: Connect) -> RouteTable:
        found: RouteTable = connect(NetworkManagementClient).route_tables.get(linked.id.resource_group, linked.id.name)
        return found

    try:
        return read_as_either(step, read)
    except ResourceNotFoundError:
        return None
    except HttpResponseError as error:
        if error.status_code != HTTPStatus.FORBIDDEN:
            raise
        raise TryAgain(summarize([linked.unreadable(step.credential)]), RetryClass.AUTHORIZATION) from error


def _invalid(message: str, target: str) -> CloudError:
    return CloudError(400, ErrorCode.INVALID_LINKED_ROUTE_TABLE, message, target)
