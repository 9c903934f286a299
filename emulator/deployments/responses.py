"""The wire format of deployments: what each endpoint accepts and answers."""

from starlette.responses import Response

from emulator.arm.call import Call, answer, check_body, page
from emulator.core.store import Document
from emulator.deployments import exceptions
from emulator.deployments.models import DeploymentsModel
from emulator.deployments.records import render_deployment, render_operation, render_status
from emulator.deployments.requests import Request
from emulator.deployments.templates.lenient_json import decode
from emulator.deployments.whatif.models import WhatIfModel

# How often Azure asks clients to poll a deployment.
RETRY_SECONDS = 10


def _model(call: Call) -> DeploymentsModel:
    return call.arm.platform.model(DeploymentsModel)


def _place(call: Call) -> tuple[str, str, str]:
    return call.params["subscription_id"], call.params.get("group", ""), call.params.get("deployment", "")


def _record(call: Call, action: str = "read") -> Document:
    return _model(call).get(call.caller, *_place(call), action)


async def _request(call: Call) -> Request:
    content = await call.content()
    try:
        body = decode(content)
        check_body(body)
    except (ValueError, RecursionError) as error:
        raise exceptions.INVALID_CONTENT(error) from error
    return Request(call.caller, *_place(call), body=body, correlation_id=call.correlation_id)


def _retry(call: Call) -> dict[str, str]:
    return {"Retry-After": call.arm.clock.retry_after(RETRY_SECONDS)}


async def put_deployment(call: Call) -> Response:
    """PUT …/deployments/{name}: 201 for a new name, 200 for an existing one, with the URL to poll."""
    model = _model(call)
    record, created = await model.put(await _request(call))
    headers = {"Azure-AsyncOperation": call.url(f"{record['id']}/operationStatuses/{record['runId']}")} | _retry(call)
    return answer(render_deployment(record, model.now()), 201 if created else 200, headers)


async def get_deployment(call: Call) -> Response:
    """GET …/deployments/{name}."""
    return answer(render_deployment(_record(call), _model(call).now()))


async def head_deployment(call: Call) -> Response:
    """HEAD …/deployments/{name}: 204, or 404."""
    _record(call)
    return answer(None, 204)


async def list_deployments(call: Call) -> Response:
    """GET …/deployments; `$filter=provisioningState eq '…'` selects one state."""
    model = _model(call)
    subscription_id, group, _ = _place(call)
    found = [render_deployment(record, model.now()) for record in model.list(call.caller, subscription_id, group)]
    text = call.request.query_params.get("$filter", "")
    if text:
        member, _, value = text.partition(" eq ")
        if member.strip().lower() != "provisioningstate" or not value:
            raise exceptions.NOT_SUPPORTED(f"the filter '{text}' of deployments")
        wanted = value.strip().strip("'").lower()
        found = [body for body in found if body["properties"]["provisioningState"].lower() == wanted]
    return page(call, found)


async def delete_deployment(call: Call) -> Response:
    """DELETE …/deployments/{name}: 202 with the URL to poll, or 204 if it does not exist."""
    if not _model(call).delete(call.caller, *_place(call)):
        return answer(None, 204)
    headers = {"Location": call.url(f"{call.path}/operationResults/deleted")} | _retry(call)
    return answer(None, 202, headers)


async def delete_result(call: Call) -> Response:
    """GET …/operationResults/deleted: always 204, because a deletion ends at once."""
    _model(call).list(call.caller, *_place(call)[:2])
    return answer(None, 204)


async def cancel_deployment(call: Call) -> Response:
    """POST …/cancel: 204."""
    _model(call).cancel(call.caller, *_place(call))
    return answer(None, 204)


async def validate_deployment(call: Call) -> Response:
    """POST …/validate: the deployment that the request would begin."""
    model = _model(call)
    record = await model.validate(await _request(call))
    body = render_deployment(record, model.now())
    body["properties"]["validatedResources"] = record["validatedResources"]
    return answer(body)


async def what_if(call: Call) -> Response:
    """POST …/whatIf: 202 with the URL to poll."""
    token = await call.arm.platform.model(WhatIfModel).begin(await _request(call))
    path = call.path.rpartition("/")[0]
    return answer(None, 202, {"Location": call.url(f"{path}/operationResults/{token}")} | _retry(call))


async def what_if_result(call: Call) -> Response:
    """GET …/operationResults/{id}: the changes, or 202 while they are not known."""
    found = call.arm.platform.model(WhatIfModel).result(call.caller, *_place(call), call.params["operation_id"])
    if found is None:
        return answer(None, 202, {"Location": call.url(call.path)} | _retry(call))
    return answer(found)


async def deployment_status(call: Call) -> Response:
    """GET …/operationStatuses/{id}: the status of a deployment's run."""
    record = _record(call, "operationstatuses/read")
    if record["runId"] != call.params["operation_id"].lower():
        raise exceptions.OPERATION_NOT_FOUND(operation_id=call.params["operation_id"], name=record["name"])
    return answer(render_status(record), headers=_retry(call))


async def list_operations(call: Call) -> Response:
    """GET …/operations, the first `$top` of them if given."""
    model, record = _model(call), _record(call, "operations/read")
    return page(call, [render_operation(record, item, model.now()) for item in model.operations(record)])
