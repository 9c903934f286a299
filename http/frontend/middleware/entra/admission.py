"""What ARM checks of a change before a provider sees it. Here the service does, before anything is written.

The resources that a body names are asked for in the caller's name, because the service acts on them with rights of its
own. This holds for every PUT and PATCH, also for one that repeats or resumes another.
"""

import logging
from collections.abc import Callable
from functools import partial

from frontend.at_once import at_once
from frontend.bodies import Body
from frontend.callers.rights import WRITE, Right
from frontend.messages import Call, Handler, Reply
from frontend.middleware.entra import linked_access
from frontend.middleware.subscription import require_allowed_state
from shared import tracing
from shared.arm.errors import (
    CloudError,
    ErrorCode,
    linked_authorization_failed,
    resource_group_being_deleted,
    resource_group_not_found,
    scope_locked,
)
from shared.arm.resource_id import ResourceId
from shared.azure import dependencies, scopes
from shared.azure.arm_reads import ArmRefused
from shared.clusters.decode import decode_cluster

_log = logging.getLogger(__name__)

# A body with a cluster is checked like that of the verb which writes it: a dry run, too, acts on what the body names.
_AS = {Body.CLUSTER: "PUT", Body.CLUSTER_UPDATE: "PATCH"}
_BEING_DELETED = ("deleting", "deprovisioning")
# Verb: what the error calls it, and the levels of locks that forbid it. A POST may return secrets.
_LOCKED: dict[str, tuple[str, frozenset[str]]] = {
    "PUT": ("write", frozenset({scopes.READ_ONLY})),
    "PATCH": ("write", frozenset({scopes.READ_ONLY})),
    "POST": ("write", frozenset({scopes.READ_ONLY})),
    "DELETE": ("delete", frozenset({scopes.READ_ONLY, scopes.CAN_NOT_DELETE})),
}


def admit(call: Call, handle: Handler) -> Reply:
    """Refuse a change that ARM would not pass on. All checks ask at the same time; the first that fails is the answer.

    Raises:
        CloudError: 403 `LinkedAuthorizationFailed`; 404 `ResourceGroupNotFound`; 409 `ScopeLocked` or
            `ResourceGroupBeingDeleted`; 400 `InvalidSubscriptionState`, `ClusterResourceGroupAlreadyExists` or
            `LinkedInvalidPropertyId`; 503 if ARM is away.
    """
    verb = call.route.verbs.get(call.request.method)
    if verb is None or not isinstance(verb.needs, Right):
        return handle(call)
    method = _AS.get(verb.takes, call.request.method)
    checks = [check for methods, check in _CHECKS if method in methods]
    try:
        at_once([partial(check, call) for check in checks])
    except ArmRefused as error:
        # What ARM does not show to the app may forbid the change. That is the operator's to mend.
        _log.error("ARM does not show what a change depends on: %s", error.message, extra=tracing.current.get().extra())
        raise dependencies.away(dependencies.ARM) from error
    return handle(call)


def _require_linked(call: Call) -> None:
    """Refuse a body that names resources which the caller may not use."""
    principal = call.principal
    asks = linked_access.asks(decode_cluster(call.content, call.version))
    answers = call.services.rights.may_each(principal.object_id, asks)
    missing = [(ask.action, ask.scope) for ask, may in zip(asks, answers, strict=True) if not may]
    if missing:
        raise linked_authorization_failed(principal.name, principal.object_id, WRITE.action, call.resource_id, missing)


def _require_group(call: Call) -> None:
    """Refuse a cluster in a resource group that does not exist, or is being deleted."""
    name = call.request.parameters["resourceGroupName"]
    group = scopes.find_group(call.services.arm, call.subscription_id, name)
    if group is None:
        raise resource_group_not_found(name)
    if str(group.get("properties", {}).get("provisioningState")).lower() in _BEING_DELETED:
        raise resource_group_being_deleted(name)


def _require_no_lock(call: Call) -> None:
    """Refuse a change that a lock on the resource group, or above it, forbids."""
    given, (operation, levels) = call.request.parameters, _LOCKED[call.request.method]
    group = ResourceId(given["subscriptionId"], given["resourceGroupName"])
    held = [lock.scope for lock in scopes.locks(call.services.arm, str(group)) if lock.level in levels]
    if held:
        raise scope_locked(call.resource_id, operation, list(dict.fromkeys(held)))


def _require_own_group(call: Call) -> None:
    """Refuse a body whose cluster resource group exists, unless it is this cluster's.

    A group of another subscription is not asked for: validation refuses it.
    """
    target, group = linked_access.cluster_group(decode_cluster(call.content, call.version))
    if group is None or group.subscription_id.lower() != call.subscription_id:
        return
    resource_group = scopes.find_group(call.services.arm, call.subscription_id, group.resource_group)
    if resource_group is not None and str(resource_group.get("managedBy") or "").lower() != call.key:
        raise CloudError(
            400,
            ErrorCode.CLUSTER_RESOURCE_GROUP_ALREADY_EXISTS,
            f"The resource group '{group.resource_group}' exists already, and this cluster does not manage it. Choose "
            "another name: the service creates the group.",
            target,
        )


_CHECKS: tuple[tuple[tuple[str, ...], Callable[[Call], None]], ...] = (
    (("PUT", "PATCH"), _require_linked),
    (("PUT",), _require_group),
    (("PUT", "PATCH", "POST", "DELETE"), _require_no_lock),
    (("PUT", "PATCH", "POST"), require_allowed_state),
    (("PUT", "PATCH"), _require_own_group),
)
