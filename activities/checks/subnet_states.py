"""The states of a subnet in which Azure puts no machines there, each with the command that mends it."""

from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus

from azure.core.exceptions import HttpResponseError
from azure.mgmt.network.models import Subnet
from azure.mgmt.resource.resources import ResourceManagementClient

from activities.runtime.step import Step
from shared.azure.sdk_values import text

_LOCKS_VERSION = "2020-05-01"
_UPDATE, _SHOW = "az network vnet subnet update --ids '{id}'", "az network vnet subnet show --ids '{id}'"


@dataclass(frozen=True)
class _State:
    """One state.

    Args:
        find: returns what is there, for people; nothing if the subnet is not in this state.
        problem: what that means, and what to do.
    """

    find: Callable[[Subnet], list[str]]
    problem: str


_STATES = (
    _State(
        lambda subnet: [str(each.service_name) for each in subnet.delegations or []],
        "is delegated to {found}, so Azure lets nothing else into it. Use another subnet, or end the delegation with: "
        f"{_UPDATE} --remove delegations",
    ),
    _State(
        lambda subnet: [str(each.linked_resource_type) for each in subnet.service_association_links or []],
        "is in use by {found}, so Azure lets nothing else into it. Use another subnet, or delete the resources "
        f"that this command lists: {_SHOW} --query serviceAssociationLinks",
    ),
    _State(
        lambda subnet: [str(each.linked_resource_type) for each in subnet.resource_navigation_links or []],
        "is in use by {found}, so Azure lets nothing else into it. Use another subnet, or delete the resources "
        f"that this command lists: {_SHOW} --query resourceNavigationLinks",
    ),
    _State(
        lambda subnet: [str(each.id) for each in subnet.application_gateway_ip_configurations or []],
        "has the application gateway {found}, so Azure lets nothing else into it. Use another subnet, or delete the "
        f"gateway that this command lists: {_SHOW} --query applicationGatewayIPConfigurations",
    ),
    _State(
        lambda subnet: [state] if (state := text(subnet.provisioning_state)) not in ("Succeeded", "Updating") else [],
        f"is in state {{found}}, not 'Succeeded'. Let Azure try again, with: {_UPDATE}",
    ),
)


def problems(subnet: Subnet) -> list[str]:
    """Return why Azure puts no machines into a subnet, and what to do, a text for each reason."""
    return [
        f"The subnet '{subnet.id}' {state.problem.format(id=subnet.id, found=_quoted(found))}"
        for state in _STATES
        if (found := state.find(subnet))
    ]


def lock_problems(step: Step, subnet: Subnet) -> list[str]:
    """Return a text for each lock that keeps the subnet from being prepared, now or when the cluster is deleted.

    A service that may not read locks learns of them when it writes the subnet.
    """
    # The SDK puts the first slash before it, and has no client for locks in this package.
    path = f"{str(subnet.id).removeprefix('/')}/providers/Microsoft.Authorization/locks"
    try:
        found = step.customer(ResourceManagementClient).resources.get_by_id(
            path, api_version=_LOCKS_VERSION, params={"$filter": "atScope()"}
        )
    except HttpResponseError as error:
        if error.status_code != HTTPStatus.FORBIDDEN:
            raise
        return []
    return [
        f"The subnet '{subnet.id}' is read-only because of the lock '{lock['id']}'. The cluster attaches its network "
        f"security group to it: remove the lock with: az lock delete --ids '{lock['id']}'"
        for lock in found.get("value", [])
        if lock["properties"]["level"].lower() == "readonly"
    ]


def _quoted(found: list[str]) -> str:
    return " and ".join(f"'{each}'" for each in dict.fromkeys(found))
