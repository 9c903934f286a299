"""What the identities of a cluster may do, by what ARM lists of their roles, before anything is made.

Nobody gets tokens of the operators' identities outside of the cluster, so nobody can ask as them.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from http import HTTPStatus
from typing import TypeVar

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
from activities.identities.cluster_identity import actor_of
from activities.runtime.executor import Executor, TryAgain
from activities.runtime.step import Step
from shared.arm.errors import CloudError, ErrorCode, Owner, summarize
from shared.azure.rights import Ask, Rights, provider_rights
from shared.azure.rights.assignments import Permission
from shared.clusters.identities import cluster_credential
from shared.clusters.identities.cluster_credential import Identity, operator_path
from shared.documents import PlatformWorkloadIdentityRole
from shared.steps import RetryClass
from shared.vault import get_vault

Answer = TypeVar("Answer")

_IDENTITY = "Microsoft.ManagedIdentity/userAssignedIdentities"
_FEDERATED = f"{_IDENTITY}/federatedIdentityCredentials"
_ACTOR_ACTIONS = (f"{_IDENTITY}/read", f"{_FEDERATED}/read", f"{_FEDERATED}/write", f"{_FEDERATED}/delete")
SUBNET = Kind("subnet", ErrorCode.INVALID_LINKED_VNET)
_VNET, _SUBNETS = "Microsoft.Network/virtualNetworks", "Microsoft.Network/virtualNetworks/subnets"
_ROUTES, _NAT = "Microsoft.Network/routeTables", "Microsoft.Network/natGateways"
# What is asked about each kind of resource. An operator needs those of them that its roles have.
_ACTIONS: dict[Kind, tuple[str, ...]] = {
    NETWORK: (f"{_VNET}/read", f"{_VNET}/join/action", f"{_VNET}/write"),
    SUBNET: (f"{_SUBNETS}/read", f"{_SUBNETS}/join/action", f"{_SUBNETS}/write"),
    ROUTE_TABLE: (f"{_ROUTES}/read", f"{_ROUTES}/join/action", f"{_ROUTES}/write"),
    NAT_GATEWAY: (f"{_NAT}/read", f"{_NAT}/join/action", f"{_NAT}/write"),
    SECURITY_GROUP: ("Microsoft.Network/networkSecurityGroups/join/action",),
    ENCRYPTION_SET: ("Microsoft.Compute/diskEncryptionSets/read",),
}


@dataclass(frozen=True)
class _Operator:
    """An operator, and what its roles have, by the id of each."""

    name: str
    identity: Identity
    roles: dict[str, tuple[Permission, ...]]

    def roles_for(self, *actions: str) -> list[str]:
        """Return the names of its roles that have one of these actions at least."""
        return [
            role.rpartition("/")[2]
            for role, permissions in self.roles.items()
            if any(permission.covers(action) for permission in permissions for action in actions)
        ]


def _validate_actor(step: Step) -> None:
    """Check that whoever acts on the operators' identities may read them and write their federated credentials.

    Source: ARO-RP `pkg/validate/dynamic/platformworkloadidentityprofile.go`, `validateClusterMSI`.

    Raises:
        TryAgain: `InvalidClusterMSIPermissions`, with one entry for each identity: roles take a while to spread.
    """
    actor, identities = actor_of(step), [each.resource_id for each in step.identities.operators.values()]
    asks = [Ask(action, identity) for identity in identities for action in _ACTOR_ACTIONS]
    missing = _missing(step, actor.object_id, asks)
    _report(
        CloudError(
            400,
            ErrorCode.INVALID_CLUSTER_MSI_PERMISSIONS,
            f"The {actor.label} (object id {actor.object_id}) lacks these permissions on the identity '{identity}': "
            f"{', '.join(actions)}. {actor.grant(identity)}",
            owner=Owner.CUSTOMER,
        )
        for identity, actions in missing.items()
    )


def _validate_operators(step: Step) -> None:
    """Check that each operator's identity has, on the network and what is linked to it, what its roles are for.

    Source: ARO-RP `pkg/validate/dynamic/dynamic.go`, as workload identity.

    Raises:
        CloudError: for the service's operators: Azure has no such role.
        TryAgain: `InvalidWorkloadIdentityPermissions`, with one entry for each operator and resource.
    """
    linked, found = {str(each.id): each for each in _linked(step)}, list[CloudError]()
    for operator in _operators(step):
        asks = [
            Ask(action, scope)
            for scope, each in linked.items()
            for action in _ACTIONS[each.kind]
            if operator.roles_for(action)
        ]
        missing = _missing(step, operator.identity.object_id, asks)
        found += [_lack(operator, linked[scope], actions) for scope, actions in missing.items()]
    _report(found)


def _operators(step: Step) -> Iterator[_Operator]:
    credential = step.identities
    needed = step.operator_roles(credential)
    for name, identity in credential.operators.items():
        of_operator = [role for role in needed if role["operatorName"] == name]
        roles = {role["roleDefinitionId"]: _definition(step, role) for role in of_operator}
        yield _Operator(name, identity, roles)


def _definition(step: Step, role: PlatformWorkloadIdentityRole) -> tuple[Permission, ...]:
    role_id = f"/subscriptions/{step.subscription_id}{role['roleDefinitionId']}"
    definition = _answer(step, lambda held: held.definition(role_id))
    if not definition:
        raise CloudError(
            500,
            ErrorCode.INTERNAL_SERVER_ERROR,
            f"Azure does not show the role '{role['roleDefinitionName']}' ({role['roleDefinitionId']}) of operator "
            f"'{role['operatorName']}', which the role set names.",
            owner=Owner.PLATFORM,
        )
    return definition


def _linked(step: Step) -> list[Linked]:
    network = linked_resources.network(step)
    subnets = [Linked(SUBNET, each, target) for target, each in linked_resources.subnet_ids(step).items()]
    attached = linked_resources.attached_resources(step, linked_resources.read_network(step))
    return [network, *subnets, *attached, *linked_resources.encryption_sets(step)]


def _lack(operator: _Operator, linked: Linked, actions: list[str]) -> CloudError:
    """Say what an operator lacks, where, and with which commands to grant it."""
    object_id = operator.identity.object_id
    commands = [
        f"az role assignment create --assignee-object-id {object_id} --assignee-principal-type ServicePrincipal "
        f"--role {role} --scope '{linked.id}'"
        for role in operator.roles_for(*actions)
    ]
    return CloudError(
        400,
        ErrorCode.INVALID_WORKLOAD_IDENTITY_PERMISSIONS,
        f"The identity '{operator.identity.resource_id}' of operator '{operator.name}' (object id {object_id}) lacks "
        f"these permissions on the {linked.kind.label} '{linked.id}': {', '.join(actions)}. "
        f"Grant them with: {'; '.join(commands)}",
        operator_path(operator.name),
        owner=Owner.CUSTOMER,
    )


def _missing(step: Step, object_id: str, asks: list[Ask]) -> dict[str, list[str]]:
    """Return the actions that a principal may not perform, by their scope."""
    answers = _answer(step, lambda held: held.may_each(object_id, asks, fresh=True))
    missing: dict[str, list[str]] = {}
    for ask, is_allowed in zip(asks, answers, strict=True):
        if not is_allowed:
            missing.setdefault(ask.scope, []).append(ask.action)
    return missing


def _answer(step: Step, ask: Callable[[Rights], Answer]) -> Answer:
    """Ask what ARM lists of rights, as the service.

    Raises:
        TryAgain: ARM is away, or takes long.
    """
    try:
        return ask(provider_rights(step.tenant_id, get_vault().get_service_secret))
    except CloudError as error:
        if error.status_code != HTTPStatus.SERVICE_UNAVAILABLE:
            raise
        error.owner = Owner.AZURE
        raise TryAgain(error, RetryClass.TRANSIENT) from error


def _report(found: Iterable[CloudError]) -> None:
    if problems := list(found):
        raise TryAgain(summarize(problems), RetryClass.AUTHORIZATION)


def _known(step: Step) -> list[str]:
    return cluster_credential.unknown_ids(step.credential)


validate_cluster_identity_permissions = Executor(run=_validate_actor, validate=_known)
validate_operator_permissions = Executor(run=_validate_operators, validate=_known)
