"""POST on a resource: `listKeys`, `listAccountSas`, `generateCredentials`."""

from inspect import isawaitable
from typing import Any

from emulator.arm import exceptions
from emulator.arm.ids import parse_resource
from emulator.arm.operations import ResourceOperation
from emulator.arm.resources import ActionCall, Writes
from emulator.core.service_error import ServiceError
from emulator.entra.models import Principal


async def begin(  # noqa: PLR0917 - the parts of a POST, in the order of its path
    arm: Writes, caller: Principal, resource_id: str, api_version: str, action: str, body: dict[str, Any]
) -> ResourceOperation:
    """Begin an action; an action without a duration has ended when this returns.

    Raises:
        ServiceError: the caller lacks access, the resource or the action does not exist, or the action refuses.
    """
    identifier = parse_resource(resource_id)
    if identifier.subscription_id:
        arm.subscriptions.for_caller(identifier.subscription_id, caller)
    row = arm.row(identifier, api_version)
    name = next((known for known in row.actions if known.lower() == action.lower()), None)
    arm.authorize(caller, f"{row.name}/{name or action}/action", str(identifier))
    stored = arm.load(identifier)
    if stored is None:
        raise exceptions.resource_not_found(identifier)
    if name is None:
        raise exceptions.UNKNOWN_ACTION(action=action, resource_type=row.name)
    found, result, error = row.actions[name], None, None
    try:
        ran = found.run(ActionCall(arm, caller, identifier, api_version, stored, body))
        result = await ran if isawaitable(ran) else ran
    except ServiceError as failure:
        if not found.fails_late:
            raise
        error = failure
    seconds = found.seconds
    if not seconds:
        return ResourceOperation(stored["id"], api_version, 204 if result is None else 200, result or {})
    operation = arm.operations.begin(
        "action", stored["id"], seconds, api_version=api_version, result=result, error=error
    )
    return ResourceOperation(stored["id"], api_version, 202, {}, operation["id"])
