"""PUT, PATCH, GET, HEAD, DELETE, lists and actions of every resource type that has a row."""

from starlette.requests import Request
from starlette.responses import Response

from emulator.arm import exceptions
from emulator.arm.call import Call, answer, page
from emulator.arm.forwarding.front_door import Errand
from emulator.arm.ids import ResourceId, collapse, parse
from emulator.arm.models import ArmModel, Conditions, ResourceOperation
from emulator.json_object import Json

LONGEST_POLL_SECONDS = 10
# Headers that belong to one hop or to the caller alone, or that only ARM may set.
_NOT_FORWARDED = frozenset(
    {
        *("accept-encoding", "authorization", "connection", "content-length", "expect", "host", "keep-alive"),
        *("proxy-authorization", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade", "referer"),
        *("x-ms-client-tenant-id", "x-ms-home-tenant-id", "x-ms-client-object-id", "x-ms-client-app-id"),
        *("x-ms-client-principal-id", "x-ms-client-principal-name", "x-ms-arm-resource-system-data"),
        *("x-ms-arm-network-source", "x-ms-arm-request-tracking-id", "x-ms-correlation-request-id"),
        *("x-ms-identity-url", "x-ms-identity-principal-id"),
    }
)
_NOT_RETURNED = frozenset(
    {"connection", "content-encoding", "content-length", "date", "keep-alive", "server", "transfer-encoding"}
)


def name(arm: ArmModel, request: Request) -> str:
    """Name an operation by its type, in the casing of the row, and its action."""
    identifier = parse(collapse(request.url.path))
    if identifier is None:
        return "unknown"
    row = arm.resource_type(identifier.type)
    parent = identifier.parent
    if row is None and parent is not None and (parent_row := arm.resource_type(parent.type)) is not None:
        return f"{parent_row.name}/{identifier.types[-1]}"
    known = row or arm.provider_actions.get(identifier.type.lower())
    return identifier.type if known is None else known.name


async def serve(call: Call) -> Response:
    """Answer a request for a resource, a list or an action.

    Raises:
        ServiceError: 400 for a namespace that is not emulated.
    """
    identifier = parse(call.path)
    if identifier is None or not identifier.types:
        raise exceptions.absent_path(call.request)
    if call.arm.front_door.serves(identifier):
        return await _forward(call, identifier)
    call.arm.subscriptions.canonical(identifier.namespace)
    is_resource = len(identifier.types) == len(identifier.names)
    if is_resource and call.request.method in _RESOURCE_VERBS:
        return await _RESOURCE_VERBS[call.request.method](call, identifier)
    if not is_resource and call.request.method == "GET":
        return _list(call, identifier)
    if not is_resource and call.request.method == "POST":
        if identifier.parent is None:
            return await _provider_action(call, identifier)
        return await _action(call, identifier.parent, identifier.types[-1])
    raise exceptions.METHOD_NOT_ALLOWED(method=call.request.method, path=call.path)


async def _forward(call: Call, identifier: ResourceId) -> Response:
    """Check a client's call, forward it to the resource provider, and return the provider's answer."""
    path = collapse(call.request.scope["raw_path"].decode())
    query = f"?{call.request.url.query}" if call.request.url.query else ""
    errand = Errand(
        caller=call.caller,
        method=call.request.method,
        identifier=identifier,
        target=f"{path}{query}",
        base_url=call.base_url,
        correlation_id=call.correlation_id,
        request_id=call.request.state.arm_headers["x-ms-request-id"],
        headers=[pair for pair in call.request.headers.items() if pair[0].lower() not in _NOT_FORWARDED],
        content=await call.request.body(),
    )
    reply = await call.arm.front_door.ask(errand)
    returned = {name: value for name, value in reply.headers.items() if name.lower() not in _NOT_RETURNED}
    return Response(reply.content, status_code=reply.status_code, headers=returned)


async def _get(call: Call, identifier: ResourceId) -> Response:
    row = call.arm.row(identifier, call.api_version)
    _require_options(call, row.name)
    _enter(call, identifier, f"{row.name}/read", str(identifier))
    found = call.arm.load(identifier)
    if found is None:
        raise call.arm.absent(identifier)
    headers = {"ETag": row.write_etag(found["etag"])} if row.etag != "none" else {}
    shown = call.arm.render(found)
    for path in call.request.query_params.get("$expand", "").split(","):
        expand(call.arm, shown, path)
    return answer(shown, 200, headers)


def expand(arm: ArmModel, shown: Json, path: str) -> None:
    """Replace references in a resource by the resources to which they refer.

    Args:
        arm: the model.
        shown: a resource as GET answers it; changed in place.
        path: members of `properties` that refer to other resources, outermost first, joined by slashes.
    """
    member, _, rest = path.partition("/")
    known = {name.lower(): name for name in shown.get("properties", {})}
    name = known.get(member.strip().lower())
    if name is None:
        return
    value = shown["properties"][name]
    for item in value if isinstance(value, list) else [value]:
        if isinstance(item, dict) and isinstance(item.get("id"), str):
            item.update(arm.get_resource(item["id"], "") or {})
            expand(arm, item, rest)


async def _head(call: Call, identifier: ResourceId) -> Response:
    row = call.arm.row(identifier, call.api_version)
    _enter(call, identifier, f"{row.name}/read", str(identifier))
    return answer(None, 404 if call.arm.load(identifier) is None else 204)


async def _put(call: Call, identifier: ResourceId) -> Response:
    body = await call.object()
    return _reply(
        call, await call.arm.put_resource(call.caller, str(identifier), call.api_version, body, _conditions(call))
    )


async def _patch(call: Call, identifier: ResourceId) -> Response:
    """Answer a PATCH: PUT the stored resource with the members of the body merged into it."""
    stored = call.arm.load(identifier)
    if stored is None:
        row = call.arm.row(identifier, call.api_version)
        _enter(call, identifier, f"{row.name}/write", str(identifier))
        raise call.arm.absent(identifier)
    merged = merge(call.arm.render(stored), await call.object())
    operation = await call.arm.put_resource(call.caller, str(identifier), call.api_version, merged, _conditions(call))
    return _reply(call, operation)


async def _delete(call: Call, identifier: ResourceId) -> Response:
    return _reply(
        call, await call.arm.delete_resource(call.caller, str(identifier), call.api_version, _conditions(call))
    )


async def _action(call: Call, identifier: ResourceId, action: str) -> Response:
    body = await call.object()
    return _reply(call, await call.arm.begin_action(call.caller, str(identifier), call.api_version, action, body))


async def _provider_action(call: Call, identifier: ResourceId) -> Response:
    """POST /subscriptions/{id}/providers/{namespace}/{action}."""
    row = call.arm.provider_actions.get(identifier.type.lower())
    if row is None or identifier.resource_group or not identifier.subscription_id:
        raise exceptions.NOT_EMULATED(f"the action '{identifier.type}'")
    if call.api_version not in row.api_versions:
        raise exceptions.INVALID_API_VERSION(version=call.api_version, supported=row.api_versions)
    _enter(call, identifier, row.permission, f"/subscriptions/{identifier.subscription_id}")
    call.arm.subscriptions.require_registered(identifier.subscription_id, identifier.namespace)
    return answer(row.run(call.arm, await call.object()))


_ABSENT_OPTIONS = ("$apply", "$count", "$filter", "$orderby", "$search", "$select", "$skip")
_RESOURCE_VERBS = {"GET": _get, "HEAD": _head, "PUT": _put, "PATCH": _patch, "DELETE": _delete}


def _list(call: Call, identifier: ResourceId) -> Response:
    parent = identifier.parent
    row = call.arm.resource_type(identifier.type)
    types: tuple[str, ...] = ()
    if row is None and parent is not None and (parent_row := call.arm.resource_type(parent.type)) is not None:
        types = next(
            (kinds for known, kinds in parent_row.collections.items() if known.lower() == identifier.types[-1].lower()),
            (),
        )
    if row is None and not types:
        raise exceptions.NOT_EMULATED(f"the resource type '{identifier.type}'")
    if row is not None:
        call.arm.row(identifier, call.api_version)
        types = (row.name,)
    _require_options(call, f"lists of {types[0]}")
    scope = str(parent) if parent is not None else identifier.scope
    _enter(call, identifier, f"{types[0]}/read" if row else f"{identifier.type}/read", scope or "/")
    if parent is not None and call.arm.load(parent) is None:
        raise exceptions.PARENT_RESOURCE_NOT_FOUND(identifier=identifier, verb="read")
    wanted = {kind.lower() for kind in types}
    found = [call.arm.render(stored) for stored in call.arm.scan(f"{scope}/") if stored["type"].lower() in wanted]
    return page(call, found)


def _require_options(call: Call, of: str) -> None:
    """Check that a read has no query option that would change the answer in Azure, and does nothing here."""
    unknown = next((name for name in call.request.query_params if name.lower() in _ABSENT_OPTIONS), None)
    if unknown is not None:
        raise exceptions.NOT_EMULATED(f"the query option '{unknown}' for {of}")


def _enter(call: Call, identifier: ResourceId, action: str, scope: str) -> None:
    """Check the subscription, the access and the group of a call."""
    if identifier.subscription_id:
        call.arm.subscriptions.for_caller(identifier.subscription_id, call.caller)
    call.arm.authorize(call.caller, action, scope)
    if identifier.resource_group:
        call.arm.groups.get(identifier.subscription_id, identifier.resource_group)


def _conditions(call: Call) -> Conditions:
    headers = call.request.headers
    return Conditions(headers.get("if-match", ""), headers.get("if-none-match", ""))


def _reply(call: Call, operation: ResourceOperation) -> Response:
    identifier = parse(operation.resource_id)
    row = call.arm.resource_type(identifier.type) if identifier is not None else None
    if identifier is None or row is None:
        raise LookupError(f"{operation.resource_id} has no row")
    body: Json | None = operation.body
    if not operation.operation_id:
        etag = {"ETag": operation.body["etag"]} if operation.body.get("etag") else {}
        return answer(body or None, operation.status_code, etag)
    noted = call.arm.operations.get(operation.operation_id) or {}
    result_path = (
        f"/subscriptions/{identifier.subscription_id}/providers/{row.namespace}/locations/"
        f"{call.arm.platform.world.location}/operationResults/{operation.operation_id}"
    )
    headers = {"Retry-After": call.arm.clock.retry_after(LONGEST_POLL_SECONDS if noted["kind"] == "delete" else 3)}
    # An action has only a `Location`, which answers its result: few roles have the right to read a status.
    if row.reply in {"operation", "accepted", "ok"} and noted["kind"] != "action":
        status_path = row.status_path.format(
            id=operation.resource_id,
            subscription=identifier.subscription_id,
            namespace=row.namespace,
            location=call.arm.platform.world.location,
            operation=operation.operation_id,
        )
        headers["Azure-AsyncOperation"] = call.url(status_path)
    if operation.status_code == 202:  # noqa: PLR2004 - HTTP
        headers["Location"] = call.url(result_path)
        body = None
    return answer(body, operation.status_code, headers)


def merge(target: Json, change: Json) -> Json:
    """Merge a change into an object: null removes a member, objects are merged except `tags`, all else is replaced."""
    result = dict(target)
    for member, value in change.items():
        if value is None:
            result.pop(member, None)
        elif isinstance(value, dict) and isinstance(result.get(member), dict) and member != "tags":
            result[member] = merge(result[member], value)
        else:
            result[member] = value
    return result
