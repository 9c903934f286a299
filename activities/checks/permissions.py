"""The permissions that the two principals need on the customer's resources, as data, and which of them are missing."""

import fnmatch
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from http import HTTPStatus
from typing import Protocol

from azure.core.exceptions import HttpResponseError, ResourceNotFoundError
from azure.mgmt.authorization import AuthorizationManagementClient

from activities.azure.cluster_principal import Connect, read_as_either
from activities.checks import linked_resources
from activities.checks.linked_resources import (
    ENCRYPTION_SET,
    NAT_GATEWAY,
    NETWORK,
    ROUTE_TABLE,
    SECURITY_GROUP,
    Kind,
    Linked,
)
from activities.runtime.executor import TryAgain
from activities.runtime.step import Step
from shared.arm.errors import CloudError, ErrorCode, Owner, summarize
from shared.steps import RetryClass

_VNET = "Microsoft.Network/virtualNetworks"
_READ_NETWORK = f"{_VNET}/read"
_SUBNETS = (f"{_VNET}/subnets/join/action", f"{_VNET}/subnets/read", f"{_VNET}/subnets/write")
_ROUTES = "Microsoft.Network/routeTables"
_NAT = "Microsoft.Network/natGateways"
_JOIN_GROUP = "Microsoft.Network/networkSecurityGroups/join/action"
_READ_SET = "Microsoft.Compute/diskEncryptionSets/read"

# The built-in role that has all of them, for the command that grants it.
_ROLES = {
    NETWORK: "Network Contributor",
    ROUTE_TABLE: "Network Contributor",
    NAT_GATEWAY: "Network Contributor",
    SECURITY_GROUP: "Network Contributor",
    ENCRYPTION_SET: "Reader",
}


@dataclass(frozen=True)
class Principal:
    """A principal that needs permissions.

    Attributes:
        label: its name for people.
        object_id: object id of the service principal in the customer's tenant.
        code: error code if it lacks a permission.
        actions: the actions that it needs, by kind of resource.
    """

    label: str
    object_id: str
    code: ErrorCode
    actions: dict[Kind, tuple[str, ...]]


# The cluster's own work: machines, load balancers and routes.
CLUSTER_ACTIONS = {
    NETWORK: (f"{_VNET}/join/action", _READ_NETWORK, f"{_VNET}/write", *_SUBNETS),
    ROUTE_TABLE: (f"{_ROUTES}/join/action", f"{_ROUTES}/read", f"{_ROUTES}/write"),
    NAT_GATEWAY: (f"{_NAT}/join/action", f"{_NAT}/read", f"{_NAT}/write"),
    SECURITY_GROUP: (_JOIN_GROUP,),
    ENCRYPTION_SET: (_READ_SET,),
}
# The service's work: it links its private DNS zone to the network, writes the subnets with everything attached to them,
# lets them into the storage account, and makes the first machines.
PROVIDER_ACTIONS = {
    NETWORK: (f"{_VNET}/join/action", _READ_NETWORK, *_SUBNETS, f"{_VNET}/subnets/joinViaServiceEndpoint/action"),
    ROUTE_TABLE: (f"{_ROUTES}/join/action", f"{_ROUTES}/read"),
    NAT_GATEWAY: (f"{_NAT}/join/action",),
    SECURITY_GROUP: (_JOIN_GROUP,),
    ENCRYPTION_SET: (_READ_SET,),
}


class Permission(Protocol):
    """One entry of a principal's permissions: the actions that it allows, minus the excepted ones."""

    actions: list[str] | None
    not_actions: list[str] | None


def validate(step: Step, principal: Principal, connect: Connect) -> None:
    """Compare the actions that a principal needs with those that it has, on every linked resource.

    Args:
        step: the step.
        principal: the principal.
        connect: makes clients that act as the principal.

    Raises:
        CloudError: if a linked resource does not exist, which no assignment can change; with one entry for each of
            them, and for each resource with missing actions.
        TryAgain: if actions are missing, with one entry for each resource: an assignment takes minutes to reach every
            part of ARM. Missing resources are reported here too while the principal cannot read the network, because
            what is attached to the subnets is not known by then.
    """
    wanted = linked_resources.network(step)
    linked = [wanted, *linked_resources.encryption_sets(step)]
    gone: list[CloudError] = []
    refused: list[CloudError] = []
    readable, attached = _look_at_network(step, connect)
    if attached is None:
        gone.append(wanted.not_found())
        linked.remove(wanted)
    for each in [*linked, *(attached or [])]:
        held = _permissions(step, each, connect)
        if held is None:
            gone.append(each.not_found())
            continue
        missing = missing_actions(principal.actions[each.kind], held)
        if not readable and each.kind is NETWORK and _READ_NETWORK not in missing:
            missing.append(_READ_NETWORK)
        if missing:
            refused.append(_refusal(principal, each, missing))
    wrong = [*gone, *refused]
    if gone and (readable or attached is None):
        raise summarize(wrong)
    if wrong:
        raise TryAgain(summarize(wrong), RetryClass.AUTHORIZATION)


def _look_at_network(step: Step, connect: Connect) -> tuple[bool, list[Linked] | None]:
    """Return whether the principal may read the network, and what is attached to its subnets; None if it is missing.

    ARM answers 403 to a caller without rights on a network, whether or not the network exists. So if this principal may
    not read it, the other one is asked; if neither may, nothing is known to be attached.
    """
    read = partial(linked_resources.get_network, step)
    readable = True
    try:
        network = read(connect)
    except HttpResponseError as refusal:
        _require_forbidden(refusal)
        readable = False
        try:
            network = read_as_either(step, read)
        except HttpResponseError as error:
            _require_forbidden(error)
            return False, []
    return readable, None if network is None else linked_resources.attached_resources(step, network)


def _permissions(step: Step, linked: Linked, connect: Connect) -> list[Permission] | None:
    """Return the principal's permissions on a resource, or None if the resource does not exist.

    A principal that may not even ask has none. The other principal, if it may, tells whether the resource exists.
    """
    scope = linked.id

    def ask(connect: Connect) -> list[Permission]:
        permissions = connect(AuthorizationManagementClient).permissions
        return list(permissions.list_for_resource(scope.resource_group, scope.provider, "", scope.type, scope.name))

    try:
        return ask(connect)
    except ResourceNotFoundError:
        return None
    except HttpResponseError as refusal:
        _require_forbidden(refusal)
    try:
        read_as_either(step, ask)
    except ResourceNotFoundError:
        return None
    except HttpResponseError as error:
        _require_forbidden(error)
    return []


def _require_forbidden(error: HttpResponseError) -> None:
    if error.status_code != HTTPStatus.FORBIDDEN:
        raise error


def missing_actions(wanted: Iterable[str], held: list[Permission]) -> list[str]:
    """Return the actions that no entry allows. Wildcards match any text, and case is ignored."""
    return [action for action in wanted if not any(_allows(permission, action) for permission in held)]


def _allows(permission: Permission, action: str) -> bool:
    return _matches(permission.actions, action) and not _matches(permission.not_actions, action)


def _matches(patterns: list[str] | None, action: str) -> bool:
    return any(fnmatch.fnmatchcase(action.lower(), pattern.lower()) for pattern in patterns or [])


def _refusal(principal: Principal, linked: Linked, missing: list[str]) -> CloudError:
    """Say what is missing, for whom, where, and with which command to grant it."""
    return CloudError(
        400,
        principal.code,
        f"The {principal.label} (object id {principal.object_id}) lacks these permissions on the {linked.kind.label} "
        f"'{linked.id}': {', '.join(missing)}. Grant them with: az role assignment create "
        f"--assignee-object-id {principal.object_id} --assignee-principal-type ServicePrincipal "
        f"--role '{_ROLES[linked.kind]}' --scope '{linked.id}'",
        linked.target,
        owner=Owner.CUSTOMER,
    )
