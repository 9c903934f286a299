"""One authenticated request to ARM, and the routes that lead to its handlers."""

import json
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote
from uuid import uuid4

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Match, Route
from starlette.types import Scope

from emulator.arm.activity import VERBS, Deed
from emulator.arm.exceptions import (
    CONTENT_TOO_LARGE,
    INVALID_API_VERSION,
    INVALID_PAGE,
    INVALID_REQUEST_CONTENT,
    MISSING_API_VERSION,
)
from emulator.arm.ids import collapse
from emulator.arm.models import ArmModel
from emulator.core.service_error import ServiceError
from emulator.entra.models import EntraModel, Principal
from emulator.json_object import Json

AUDIENCES = ("https://management.core.windows.net", "https://management.azure.com")
CORRELATION_HEADER = "x-ms-correlation-request-id"
_COUNT, _TOP = re.compile(r"[0-9]{1,9}"), re.compile(r"[1-9][0-9]{0,8}")
MAX_BODY_BYTES = 4 * 1024 * 1024
# Deeper than any resource or template, and well within the limits of Python's stack.
MAX_DEPTH = 100


@dataclass(frozen=True)
class Call:
    """A request from an authenticated caller.

    Args:
        request: the HTTP request.
        arm: the model.
        caller: the principal that sent it.
        path: path without doubled slashes, in the caller's casing.
        api_version: from the query, in lower case.
        base_url: scheme and host that the caller used; poll addresses get the same.
        params: the path parameters of the route.
        correlation_id: the caller's, or a new one.
    """

    request: Request
    arm: ArmModel
    caller: Principal
    path: str
    api_version: str
    base_url: str
    params: Mapping[str, str]
    correlation_id: str

    async def content(self) -> bytes:
        """Return the body.

        Raises:
            ServiceError: 413 `RequestContentTooLarge`.
        """
        content = await self.request.body()
        if len(content) > MAX_BODY_BYTES:
            raise CONTENT_TOO_LARGE(MAX_BODY_BYTES // 1024**2)
        return content

    async def json(self) -> Any:
        """Return the parsed body, or {} if the body is empty.

        Raises:
            ServiceError: 400 `InvalidRequestContent`; 413 `RequestContentTooLarge`.
        """
        content = await self.content()
        try:
            body = json.loads(content) if content.strip() else {}
            check_body(body)
        except (ValueError, RecursionError) as error:
            raise INVALID_REQUEST_CONTENT(f"{error}") from error
        return body

    async def object(self) -> Json:
        """Return the parsed body, which must be an object.

        Raises:
            ServiceError: 400 `InvalidRequestContent`.
        """
        body = await self.json()
        if not isinstance(body, dict):
            raise INVALID_REQUEST_CONTENT("the body is not a JSON object")
        return body

    def note(self, kind: str, status: int, headers: Mapping[str, str], error: ServiceError | None) -> None:
        """Record the call in the activity log, if it is more than a read."""
        if self.request.method not in VERBS:
            return
        client_id = self.request.headers.get("x-ms-client-request-id", "")
        self.arm.activity.add(
            Deed(
                self.caller,
                self.request.method,
                kind,
                self.path,
                self.correlation_id,
                status,
                headers,
                error,
                client_id,
            )
        )

    def url(self, path: str, **query: str) -> str:
        """Return an absolute URL on the host that the caller used."""
        pairs = {"api-version": self.api_version} | query
        return f"{self.base_url}{path}?{'&'.join(f'{name}={quote(value)}' for name, value in pairs.items())}"


Handler = Callable[[Call], Awaitable[Response]]
OpenHandler = Callable[[ArmModel, Request], Awaitable[Response]]
Operation = Callable[[ArmModel, Request], str]


@dataclass(frozen=True)
class Row:
    """A row of the routing table.

    Args:
        methods: HTTP methods.
        pattern: path; `{name}` matches one segment, `{name:path}` any number. Case does not matter.
        handler: answers the request.
        name: name of the operation in the journal and in faults, where it follows the method.
        versions: supported api-versions; () if the handler checks the version itself.
        operation: returns the name of the operation, for rows where it depends on the path.
        public: whether a call needs no token; the handler then gets the plain request.
    """

    methods: str
    pattern: str
    handler: Handler | OpenHandler
    name: str
    versions: Sequence[str] = ()
    operation: Operation | None = None
    public: bool = False


class ArmRoute(Route):
    """A route that matches paths as ARM does: it ignores case and treats repeated slashes as one."""

    def __init__(self, arm: ArmModel, row: Row) -> None:
        super().__init__("/", _endpoint(arm, row), name=row.name)
        # Starlette adds HEAD to every GET; here, HEAD has separate rows.
        self.methods = set(row.methods.split())
        self._arm, self.row = arm, row
        expression = re.sub(r"\\{(\w+):path\\}", r"(?P<\1>.*)", re.escape(row.pattern))
        self._pattern = re.compile(re.sub(r"\\{(\w+)\\}", r"(?P<\1>[^/]+)", expression), re.IGNORECASE)

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """Match the path and the method."""
        found = self._pattern.fullmatch(collapse(scope["path"]))
        if found is None or scope["method"] not in (self.methods or ()):
            return Match.NONE, {}
        return Match.FULL, {"path_params": found.groupdict()}

    def operation(self, request: Request) -> str:
        """Name the operation."""
        name = self.row.operation(self._arm, request) if self.row.operation else self.row.name
        return f"{request.method} {name}"


def build(arm: ArmModel, rows: Sequence[Row]) -> list[Route]:
    """Return the routes for the rows of a table."""
    return [ArmRoute(arm, row) for row in rows]


def operation_name(request: Request, route: Route) -> str:
    """Name the operation of a request; the service uses it as its `operation`."""
    return route.operation(request) if isinstance(route, ArmRoute) else route.name


def _endpoint(arm: ArmModel, row: Row) -> Callable[[Request], Awaitable[Response]]:
    async def public(request: Request) -> Response:
        _stamp(arm, request)
        response: Response = await row.handler(arm, request)  # type: ignore[call-arg,arg-type]
        return response

    async def authenticated(request: Request) -> Response:
        correlation_id = _stamp(arm, request)
        entra = arm.platform.model(EntraModel)
        caller = entra.authenticate(request.headers.get("authorization"), AUDIENCES)
        request.state.caller = caller.name
        call = Call(
            request=request,
            arm=arm,
            caller=caller,
            path=collapse(request.url.path),
            api_version=_api_version(request, row.versions),
            base_url=f"{request.url.scheme}://{request.headers['host']}",
            params=request.path_params,
            correlation_id=correlation_id,
        )
        try:
            response = await row.handler(call)  # type: ignore[call-arg,arg-type]
        except ServiceError as error:
            call.note(_kind(arm, row, request), error.status_code, {}, error)
            raise
        response.headers.update(request.state.arm_headers)
        call.note(_kind(arm, row, request), response.status_code, response.headers, None)
        return response

    return public if row.public else authenticated


def _kind(arm: ArmModel, row: Row, request: Request) -> str:
    return row.operation(arm, request) if row.operation else row.name


def _api_version(request: Request, versions: Sequence[str]) -> str:
    version = request.query_params.get("api-version", "")
    if not version:
        raise MISSING_API_VERSION()
    if versions and version.lower() not in versions:
        raise INVALID_API_VERSION(version=version, supported=versions)
    return version.lower()


def _stamp(arm: ArmModel, request: Request) -> str:
    """Set the headers that every answer has, errors included, and return the correlation id."""
    correlation_id = request.headers.get(CORRELATION_HEADER) or str(uuid4())
    request_id = str(uuid4())
    moment = arm.clock.now().strftime("%Y%m%dT%H%M%SZ")
    headers = {
        "x-ms-request-id": request_id,
        CORRELATION_HEADER: correlation_id,
        "x-ms-routing-request-id": f"{arm.platform.world.location.upper()}:{moment}:{request_id}",
        "Strict-Transport-Security": "max-age=31536000; includeSubDomains",
    }
    client_id = request.headers.get("x-ms-client-request-id")
    if client_id and request.headers.get("x-ms-return-client-request-id", "").lower() == "true":
        headers["x-ms-client-request-id"] = client_id
    request.state.arm_headers = headers
    return correlation_id


def answer(body: Any, status_code: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """Return a JSON answer."""
    known = {"Cache-Control": "no-cache"} | dict(headers or {})
    if body is None:
        return Response(status_code=status_code, headers=known)
    return JSONResponse(body, status_code=status_code, headers=known)


def page(call: Call, items: Sequence[Json], size: int = 1000) -> Response:
    """Answer one page of a list, with a `nextLink` if there are more items.

    Args:
        call: the request; `$skiptoken` is the index of the first item, `$top` the number of items.
        items: the whole list.
        size: number of items on a page if the request has no `$top`.

    Raises:
        ServiceError: 400 `InvalidSkipToken` if `$top` or `$skiptoken` is not a number, or `$top` is 0, which has no next page.
    """
    query = call.request.query_params
    top = query.get("$top", "")
    token = query.get("$skiptoken", query.get("$skipToken", "0"))
    if not _COUNT.fullmatch(token) or (top and not _TOP.fullmatch(top)):
        raise INVALID_PAGE(token=token, top=top)
    start, count = int(token), int(top or size)
    body: Json = {"value": list(items[start : start + count])}
    if start + count < len(items):
        kept = {name: value for name, value in query.items() if name.lower() not in ("api-version", "$skiptoken")}
        body["nextLink"] = call.url(call.path, **kept, **{"$skiptoken": str(start + count)})
    return answer(body)


def check_body(body: object) -> None:
    """Check that a parsed body can be stored and sent back.

    Raises:
        ValueError: it is nested too deeply, or it cannot be written as JSON again (NaN, half a surrogate pair), so it
            could neither be stored nor quoted in an answer.
    """
    level, depth = [body], 0
    while level:
        depth += 1
        inside = [value for value in level if isinstance(value, dict | list)]
        level = [item for value in inside for item in (value.values() if isinstance(value, dict) else value)]
    if depth > MAX_DEPTH:
        raise ValueError(f"The reader's MaxDepth of {MAX_DEPTH} has been exceeded.")
    try:
        json.dumps(body, allow_nan=False, ensure_ascii=False).encode()
    except ValueError as error:
        raise ValueError(f"The body holds what JSON cannot: {error}") from error
