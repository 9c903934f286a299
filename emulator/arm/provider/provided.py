"""Calls that ARM itself makes to the resource provider for templates: preflight, PUT, wait, GET and actions."""

import asyncio
import json
from collections.abc import Sequence
from http import HTTPStatus
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

import httpx

from emulator.arm.ids import parse
from emulator.arm.models import ArmModel
from emulator.arm.operations import ResourceOperation
from emulator.arm.provider.front_door import Errand
from emulator.core.errors import ServiceError
from emulator.entra.models import Principal

Json = dict[str, Any]

# The base URL of calls that ARM itself makes.
BASE_URL = "https://management.azure.com"
POLL_HEADER = "Azure-AsyncOperation"
SUCCEEDED = "Succeeded"
ENDED = frozenset({SUCCEEDED, "Failed", "Canceled"})
# Seconds between two polls of an operation if the provider sends no Retry-After.
LOOK_SECONDS = 1.0


async def preflight(
    arm: ArmModel, caller: Principal, path: str, resources: Sequence[Json], *, correlation_id: str
) -> ServiceError | None:
    """Return why the provider would refuse resources of a template, or None.

    Args:
        arm: the model.
        caller: who deploys.
        path: path of the call, `<resource group>/providers/<namespace>/deployments/<name>/preflight`.
        resources: the resources, each with its name, type and api-version.
        correlation_id: correlation id of the deployment.

    Raises:
        ServiceError: the provider does not answer, or not as a preflight.
    """
    # Each resource names its own version; ARM needs one for the call.
    target = f"{path}?api-version={max(resource['apiVersion'] for resource in resources)}"
    errand = _errand(caller, "POST", target, {"resources": resources}, correlation_id)
    reply = await arm.front_door.exchange(errand)
    if not reply.is_success:
        raise _error(reply.status_code, _told(reply))
    if _member(reply, "status") == SUCCEEDED:
        return None
    return _error(HTTPStatus.BAD_REQUEST, _told(reply))


async def put(
    arm: ArmModel, caller: Principal, resource_id: str, api_version: str, body: Json, *, correlation_id: str
) -> ResourceOperation:
    """Begin to create or change a resource. The id of the operation is the path and query to poll.

    Args:
        arm: the model.
        caller: the principal on whose behalf the call is made.
        resource_id: id of the resource.
        api_version: api-version of the PUT.
        body: body of the PUT.
        correlation_id: correlation id of the deployment.

    Raises:
        ServiceError: the provider refuses the call or does not answer.
    """
    target = f"{resource_id}?api-version={api_version}"
    reply = await _ask(arm, caller, "PUT", target, body, correlation_id=correlation_id)
    address = urlsplit(reply.headers.get(POLL_HEADER, ""))
    poll = f"{address.path}?{address.query}" if address.path else ""
    return ResourceOperation(resource_id, api_version, reply.status_code, reply.json(), poll)


async def wait(arm: ArmModel, caller: Principal, operation: ResourceOperation, correlation_id: str) -> None:
    """Wait until an operation that `put` began has ended, and poll again if the provider is briefly unavailable.

    Args:
        arm: the model.
        caller: the principal on whose behalf the calls are made.
        operation: the operation that `put` returned.
        correlation_id: correlation id of the deployment.

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
                raise _error(HTTPStatus.CONFLICT, status.get("error") or {})
            return
        await asyncio.sleep(float(reply.headers.get("Retry-After", LOOK_SECONDS)))


async def get(arm: ArmModel, caller: Principal, resource_id: str, api_version: str) -> Json:
    """Return a resource.

    Args:
        arm: the model.
        caller: the principal on whose behalf the call is made.
        resource_id: id of the resource.
        api_version: api-version of the GET.

    Raises:
        ServiceError: the resource does not exist, or the caller may not read it.
    """
    reply = await _ask(
        arm, caller, "GET", f"{resource_id}?api-version={api_version}", None, correlation_id=str(uuid4())
    )
    return dict(reply.json())


async def action(arm: ArmModel, caller: Principal, resource_id: str, api_version: str, name: str) -> Json:
    """Return the answer of an action such as `listCredentials`.

    Args:
        arm: the model.
        caller: the principal on whose behalf the call is made.
        resource_id: id of the resource.
        api_version: api-version of the POST.
        name: name of the action.

    Raises:
        ServiceError: the provider refuses the call, or the caller lacks access.
    """
    reply = await _ask(
        arm, caller, "POST", f"{resource_id}/{name}?api-version={api_version}", None, correlation_id=str(uuid4())
    )
    return dict(reply.json())


async def _ask(
    arm: ArmModel, caller: Principal, method: str, target: str, body: Json | None, *, correlation_id: str
) -> httpx.Response:
    reply = await arm.front_door.ask(_errand(caller, method, target, body, correlation_id))
    if not reply.is_success:
        raise _error(reply.status_code, _told(reply))
    return reply


def _errand(caller: Principal, method: str, target: str, body: Json | None, correlation_id: str) -> Errand:
    path = target.partition("?")[0]
    identifier = parse(path)
    if identifier is None:
        raise ValueError(f"{path} is no path of a resource provider")
    content = b"" if body is None else json.dumps(body).encode()
    headers = [("Content-Type", "application/json")] if content else []
    return Errand(caller, method, identifier, target, BASE_URL, correlation_id, str(uuid4()), headers, content)


def _told(reply: httpx.Response) -> Json:
    """Return the error of a reply; an empty one if its body is not that of an ARM error."""
    error = _member(reply, "error")
    return error if isinstance(error, dict) else {}


def _member(reply: httpx.Response, name: str) -> Any:
    """Return a member of a reply's body, or None if the body is no JSON object."""
    try:
        body = reply.json()
    except ValueError:
        return None
    return body.get(name) if isinstance(body, dict) else None


def _error(status_code: int, error: Json) -> ServiceError:
    return ServiceError(
        status_code,
        error.get("code", "Unknown"),
        error.get("message", "The resource provider did not say why."),
        target=error.get("target"),
        details=error.get("details") or (),
    )
