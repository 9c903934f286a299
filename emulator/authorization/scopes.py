"""The scope at which something is written or listed: whether it exists, and whether the caller may read there."""

from emulator.arm.call import Call
from emulator.arm.exceptions import resource_not_found
from emulator.arm.ids import parse, subscription_of
from emulator.arm.resources import Change


def enter(call: Call, action: str) -> str:
    """Check that the caller may read at the scope of the call; return the scope.

    Raises:
        ServiceError: the caller lacks access, or the subscription or the group does not exist.
    """
    scope = call.params["scope"]
    subscription_id, group = subscription_of(scope)
    if not subscription_id:
        # Every signed-in caller may read the role definitions of the tenant.
        return scope
    call.arm.subscriptions.for_caller(subscription_id, call.caller)
    call.arm.authorize(call.caller, action, scope)
    if group:
        call.arm.groups.get(subscription_id, group)
    return scope


def require_scope(change: Change) -> None:
    """Check that the resource exists at which something is written.

    Raises:
        ServiceError: 404 `ResourceNotFound`.
    """
    target = parse(change.id.scope)
    if target is not None and change.arm.resource_type(target.type) is not None and change.arm.load(target) is None:
        raise resource_not_found(target)
