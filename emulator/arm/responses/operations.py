"""The paths at which clients poll long-running operations."""

from typing import Any

from starlette.responses import Response

from emulator.arm.call import Call, answer
from emulator.arm.exceptions import OPERATION_NOT_FOUND, absent_path
from emulator.arm.ids import parse
from emulator.arm.operations import raise_failure

POLL_SECONDS = 5


async def operation_status(call: Call) -> Response:
    """GET an `Azure-AsyncOperation` URL: 200 with the status."""
    operation = _find(call)
    headers = {} if call.arm.operations.is_over(operation) else {"Retry-After": _retry_after(call)}
    return answer(call.arm.operations.status(operation), 200, headers)


async def resource_operation_status(call: Call) -> Response:
    """GET {resource}/operationStatuses/{id}: the status, for callers with read access to it on that resource."""
    identifier = parse(call.params["resource"])
    row = None if identifier is None else call.arm.resource_type(identifier.type)
    if identifier is None or row is None:
        raise absent_path(call.request)
    call.arm.subscriptions.for_caller(identifier.subscription_id, call.caller)
    call.arm.authorize(call.caller, f"{row.name}/operationStatuses/read", str(identifier))
    return await operation_status(call)


async def operation_result(call: Call) -> Response:
    """GET a `Location` URL: 202 while the operation runs, then its final answer."""
    operation = _find(call)
    if not call.arm.operations.is_over(operation):
        location = call.url(call.path)
        return answer(None, 202, {"Location": location, "Retry-After": _retry_after(call)})
    raise_failure(operation)
    if operation["kind"] == "action":
        return answer(operation["result"])
    if operation["kind"] == "put":
        return answer(call.arm.get_resource(operation["resourceId"], operation["apiVersion"]))
    return answer(None, 200 if "/providers/" not in operation["resourceId"] else 204)


def _find(call: Call) -> dict[str, Any]:
    operation = call.arm.operations.get(call.params["operation_id"])
    if "subscription_id" in call.params:
        call.arm.subscriptions.for_caller(call.params["subscription_id"], call.caller)
    if operation is None:
        raise OPERATION_NOT_FOUND(call.params["operation_id"])
    return operation


def _retry_after(call: Call) -> str:
    return call.arm.clock.retry_after(POLL_SECONDS)
