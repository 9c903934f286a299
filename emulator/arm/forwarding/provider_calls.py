"""Calls that ARM itself makes to the resource provider for templates (preflight, PUT, wait, GET, actions) and groups."""

import asyncio
import json
from collections.abc import Sequence
from http import HTTPStatus
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

import httpx

from emulator.arm import exceptions
from emulator.arm.forwarding.front_door import Errand, Forwards
from emulator.arm.ids import parse, parse_resource
from emulator.arm.operations import ResourceOperation
from emulator.core.exceptions import repeated
from emulator.core.service_error import ServiceError
from emulator.entra.models import Principal
from emulator.json_object import Json

# The base URL of calls that ARM itself makes.
BASE_URL = "https://management.azure.com"
POLL_HEADER = "Azure-AsyncOperation"
SUCCEEDED, DELETING, GONE = "Succeeded", "Deleting", "gone"
ENDED = frozenset({SUCCEEDED, "Failed", "Canceled"})
# Seconds between two polls of an operation if the provider sends no Retry-After.
LOOK_SECONDS = 1.0
# Seconds of Azure's time between two looks at a resource that somebody else deletes.
LONG_LOOK_SECONDS = 15


async def preflight(
    arm: Forwards, caller: Principal, path: str, resources: Sequence[Json], *, correlation_id: str
) -> ServiceError | None:
    """Return why the provider would refuse resources of a template, or None.

    Raises:
        ServiceError: the provider does not answer, or not as a preflight.
    """
    # Each resource names its own version; ARM needs one for the call.
    target = f"{path}?api-version={max(resource['apiVersion'] for resource in resources)}"
    errand = _errand(caller, "POST", target, {"resources": resources}, correlation_id)
    reply = await arm.front_door.exchange(errand)
    if not reply.is_success:
        raise repeated(reply.status_code, _told(reply))
    if _member(reply, "status") == SUCCEEDED:
        return None
    return repeated(HTTPStatus.BAD_REQUEST, _told(reply))


async def put(
    arm: Forwards, caller: Principal, resource_id: str, api_version: str, body: Json, *, correlation_id: str
) -> ResourceOperation:
    """Begin to create or change a resource. The id of the operation is the path and query to poll.

    Raises:
        ServiceError: the provider refuses the call or does not answer.
    """
    target = f"{resource_id}?api-version={api_version}"
    reply = await _ask(arm, caller, "PUT", target, body, correlation_id=correlation_id)
    address = urlsplit(reply.headers.get(POLL_HEADER, ""))
    poll = f"{address.path}?{address.query}" if address.path else ""
    return ResourceOperation(resource_id, api_version, reply.status_code, reply.json(), poll)


async def wait(arm: Forwards, caller: Principal, operation: ResourceOperation, correlation_id: str) -> None:
    """Wait until an operation that `put` began has ended, and poll again if the provider is briefly unavailable.

    Raises:
        ServiceError: the operation failed.
    """
    while operation.operation_id:
        try:
            reply = await _ask(arm, caller, "GET", operation.operation_id, None, correlation_id=correlation_id)
        except ServiceError as error:
            if error.status_code < HTTPStatus.INTERNAL_SERVER_ERROR:
                raise
            await asyncio.sleep(LOOK_SECONDS)
            continue
        status = reply.json()
        if status.get("status") in ENDED:
            if status["status"] != SUCCEEDED:
                raise repeated(HTTPStatus.CONFLICT, status.get("error") or {})
            return
        await asyncio.sleep(float(reply.headers.get("Retry-After", LOOK_SECONDS)))


async def delete(arm: Forwards, caller: Principal, resource: Json, correlation_id: str) -> None:
    """Delete a resource with its group: no rights are needed but those on the group. Wait until it is gone.

    Raises:
        ServiceError: the provider refuses the deletion, does not answer, or has not deleted the resource in the end.
    """
    version = arm.registration.types()[resource["type"].partition("/")[2]][-1]
    target = f"{resource['id']}?api-version={version}"
    while (state := await _state(arm, caller, target, correlation_id)) == DELETING:
        await arm.clock.sleep(LONG_LOOK_SECONDS)
    if state != GONE:
        await _delete(arm, caller, target, correlation_id)
        if await _state(arm, caller, target, correlation_id) != GONE:
            raise exceptions.STILL_THERE(resource["id"])
    arm.front_door.forget(resource["id"])


async def _delete(arm: Forwards, caller: Principal, target: str, correlation_id: str) -> None:
    """Send the DELETE of a resource, and poll until it has ended."""
    reply = await arm.front_door.exchange(_errand(caller, "DELETE", target, None, correlation_id))
    address = urlsplit(reply.headers.get(POLL_HEADER, ""))
    poll = f"{address.path}?{address.query}" if address.path else ""
    if not reply.is_success and reply.status_code != HTTPStatus.NOT_FOUND:
        raise repeated(reply.status_code, _told(reply))
    while poll:
        try:
            reply = await arm.front_door.exchange(_errand(caller, "GET", poll, None, correlation_id))
        except ServiceError:
            await asyncio.sleep(LOOK_SECONDS)
            continue
        if _member(reply, "status") in ENDED - {SUCCEEDED}:
            raise repeated(HTTPStatus.CONFLICT, _told(reply))
        if _member(reply, "status") == SUCCEEDED or reply.status_code == HTTPStatus.NOT_FOUND:
            break
        await asyncio.sleep(float(reply.headers.get("Retry-After", LOOK_SECONDS)))


async def _state(arm: Forwards, caller: Principal, target: str, correlation_id: str) -> str:
    """Return the `provisioningState` of a resource, "" if it shows none, or `GONE`.

    Raises:
        ServiceError: the provider does not say.
    """
    reply = await arm.front_door.exchange(_errand(caller, "GET", target, None, correlation_id))
    if reply.status_code == HTTPStatus.NOT_FOUND:
        return GONE
    if not reply.is_success:
        raise repeated(reply.status_code, _told(reply))
    properties = _member(reply, "properties")
    return str(properties.get("provisioningState", "")) if isinstance(properties, dict) else ""


async def ended(arm: Forwards, caller: Principal, poll: str, correlation_id: str) -> tuple[bool, Json | None]:
    """Return whether an operation of the provider has ended, and the error with which it failed."""
    try:
        reply = await arm.front_door.exchange(_errand(caller, "GET", poll, None, correlation_id))
    except ServiceError:
        return False, None
    if reply.status_code == HTTPStatus.NOT_FOUND:
        return True, None
    status = _member(reply, "status")
    return status in ENDED, (_told(reply) or {"code": str(status)}) if status in ENDED - {SUCCEEDED} else None


async def get(arm: Forwards, caller: Principal, resource_id: str, api_version: str) -> Json:
    """Return a resource.

    Raises:
        ServiceError: the resource does not exist, or the caller may not read it.
    """
    reply = await _ask(
        arm, caller, "GET", f"{resource_id}?api-version={api_version}", None, correlation_id=str(uuid4())
    )
    return dict(reply.json())


async def read(arm: Forwards, caller: Principal, resource_id: str, correlation_id: str) -> Json:
    """Return a resource for a call of ARM itself, which needs no right to read the resource.

    Raises:
        ServiceError: the resource does not exist, or the provider does not answer.
    """
    return await _own(arm, caller, "GET", resource_id, None, correlation_id)


async def patch(arm: Forwards, caller: Principal, resource_id: str, body: Json, correlation_id: str) -> Json:
    """Change a resource for a call of ARM itself, which needs no right to write the resource.

    Raises:
        ServiceError: the provider refuses the change, or does not answer.
    """
    return await _own(arm, caller, "PATCH", resource_id, body, correlation_id)


async def action(arm: Forwards, caller: Principal, resource_id: str, api_version: str, name: str) -> Json:
    """Return the answer of an action such as `listCredentials`.

    Raises:
        ServiceError: the provider refuses the call, or the caller lacks access.
    """
    reply = await _ask(
        arm, caller, "POST", f"{resource_id}/{name}?api-version={api_version}", None, correlation_id=str(uuid4())
    )
    return dict(reply.json())


async def _own(  # noqa: PLR0917 - the parts of a call
    arm: Forwards, caller: Principal, method: str, resource_id: str, body: Json | None, correlation_id: str
) -> Json:
    identifier = parse_resource(resource_id)
    version = arm.registration.types()["/".join(arm.registration.canonical(identifier.types))][-1]
    errand = _errand(caller, method, f"{resource_id}?api-version={version}", body, correlation_id)
    reply = await arm.front_door.exchange(errand)
    if not reply.is_success:
        raise repeated(reply.status_code, _told(reply))
    arm.front_door.remember(errand, reply)
    return dict(reply.json())


async def _ask(
    arm: Forwards, caller: Principal, method: str, target: str, body: Json | None, *, correlation_id: str
) -> httpx.Response:
    reply = await arm.front_door.ask(_errand(caller, method, target, body, correlation_id))
    if not reply.is_success:
        raise repeated(reply.status_code, _told(reply))
    return reply


def _errand(caller: Principal, method: str, target: str, body: Json | None, correlation_id: str) -> Errand:
    path = target.partition("?")[0]
    identifier = parse(path)
    if identifier is None:
        raise ValueError(f"{path} is not a path of a resource provider")
    content = b"" if body is None else json.dumps(body).encode()
    headers = [("Content-Type", "application/json")] if content else []
    return Errand(caller, method, identifier, target, BASE_URL, correlation_id, str(uuid4()), headers, content)


def _told(reply: httpx.Response) -> Json:
    """Return the error of a reply; an empty one if its body is not that of an ARM error."""
    error = _member(reply, "error")
    return error if isinstance(error, dict) else {}


def _member(reply: httpx.Response, name: str) -> Any:
    """Return a member of a reply's body, or None if the body is not a JSON object."""
    try:
        body = reply.json()
    except ValueError:
        return None
    return body.get(name) if isinstance(body, dict) else None
