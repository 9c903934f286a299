"""Checks requests, and forwards them to Azurite without the client's credential."""

import base64
import re
from collections.abc import AsyncIterator
from urllib.parse import quote, unquote
from xml.etree import ElementTree as ET
from xml.sax.saxutils import escape

import httpx
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from emulator.blobs import exceptions, listings, sas
from emulator.blobs.authorization import Authorization
from emulator.blobs.copies import DISK, Copies
from emulator.blobs.models import SUFFIX, BlobsModel, prefix
from emulator.blobs.operations import COPY, Operation, Target, classify, target_of
from emulator.core.exceptions import repeated

_RANGE = re.compile(r"bytes=\d+-\d*")
# Answers up to this size are read whole before they are passed on, so that a cut connection leaves nothing open.
WHOLE_BYTES = 1024 * 1024
_SERVER = "Windows-Azure-Blob/1.0 Microsoft-HTTPAPI/2.0"
_OK, _ACCEPTED, _PARTIAL = 200, 202, 206
# The phrase that Azurite takes for a code.
_BAD_PAGES = "Requested Range Not Satisfiable"
# Headers that are valid for one connection only, or that every sender sets itself.
_HOP_BY_HOP = frozenset(
    [
        "authorization",
        "connection",
        "date",
        "host",
        "keep-alive",
        "proxy-authorization",
        "server",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
    ]
)


class Responses:
    """The one endpoint of the service."""

    def __init__(self, model: BlobsModel, copies: Copies, authorization: Authorization, tenant_id: str) -> None:
        """Keep what the endpoint works with."""
        self._model = model
        self._copies = copies
        self._authorization = authorization
        self._tenant_id = tenant_id

    async def blob_service(self, request: Request) -> Response:
        """Answer any request to an account.

        Raises:
            ServiceError: the request is refused, or Azurite does not answer.
        """
        target, raw_query = _target(request), request.url.query
        query = decoded(raw_query)
        if not self._model.accounts.exists(target.account):
            raise exceptions.ACCOUNT_NOT_FOUND(target.account)
        if not self._model.accounts.admits(target.account, self._model.source(request)):
            raise exceptions.NETWORK_NOT_ADMITTED()
        headers = dict(request.headers)
        operation = classify(target, request.method, query, headers)
        granted = self._authorization.check(request, query, target, operation, self._tenant_id)
        if operation.name == "get user delegation key":
            return await self._delegation_key(request, target.account)
        if "x-ms-blob-public-access" in request.headers:
            raise exceptions.PUBLIC_ACCESS_NOT_PERMITTED()
        if operation.name in ("put blob", COPY.name) and "w" not in granted:
            await self._refuse_overwrite(target)
        if operation is COPY:
            return await self._copy(target, headers["x-ms-copy-source"])
        if operation.name == "put blob" and "if-none-match" not in headers:
            await self._refuse_other_type(target, headers.get("x-ms-blob-type"))
        return await self._forward(request, target, operation, forwarded_query(raw_query, target))

    async def _delegation_key(self, request: Request, account: str) -> Response:
        """Return a key with which the caller signs SAS in its own name."""
        tenant_id = getattr(request.state, "tenant_id", "")
        if not tenant_id:
            raise exceptions.AUTHENTICATION_FAILED("Only authentication scheme Bearer is supported.")
        try:
            info = ET.fromstring(await request.body())  # noqa: S314 - expat of today limits what entities grow to
        except ET.ParseError as error:
            raise exceptions.INVALID_XML() from error
        fields = {
            "SignedOid": request.state.caller,
            "SignedTid": tenant_id,
            "SignedStart": info.findtext("Start") or "",
            "SignedExpiry": info.findtext("Expiry") or "",
            "SignedService": "b",
            "SignedVersion": request.headers["x-ms-version"],
        }
        value = sas.delegation_key(self._model.accounts.keys(account)[0], list(fields.values()))
        shown = fields | {"Value": base64.b64encode(value).decode()}
        inner = "".join(f"<{name}>{escape(text)}</{name}>" for name, text in shown.items())
        return Response(f"<UserDelegationKey>{inner}</UserDelegationKey>", media_type="application/xml")

    async def _copy(self, target: Target, source: str) -> Response:
        """Begin a copy. Its target has its length from the beginning."""
        begun = self._copies.begin(target, source)
        await self._model.put_page_blob(target, DISK)
        written = await self._model.client().head(self._model.url(target, ""))
        kept = {name: written.headers[name] for name in ("etag", "last-modified")}
        return Response(status_code=_ACCEPTED, headers=kept | begun | {"x-ms-version": written.headers["x-ms-version"]})

    async def _refuse_overwrite(self, target: Target) -> None:
        """Refuse to replace an existing blob with a SAS that may only create."""
        if await self._model.exists(target):
            raise exceptions.PERMISSION_MISMATCH()

    async def _refuse_other_type(self, target: Target, wanted: str | None) -> None:
        """Refuse to replace an existing blob with one of another type, which Azurite does."""
        if await self._model.blob_type(target) not in {None, wanted}:
            raise exceptions.INVALID_BLOB_TYPE()

    async def _forward(self, request: Request, target: Target, operation: Operation, query: str) -> Response:
        client = self._model.client()
        headers = {name: value for name, value in request.headers.items() if name not in _HOP_BY_HOP}
        if not _RANGE.fullmatch(headers.get("range", "")):
            # Azure ignores a range that it cannot read; Azurite fails.
            headers.pop("range", None)
        body: AsyncIterator[bytes] | None = request.stream() if int(headers.get("content-length") or 0) > 0 else None
        upstream = client.build_request(
            request.method,
            self._model.url(target, query),
            headers=headers,
            content=body,
        )
        try:
            reply = await client.send(upstream, stream=True)
        except httpx.TransportError as error:
            raise exceptions.SERVER_BUSY() from error
        if reply.is_error and request.method != "HEAD" and "x-ms-error-code" not in reply.headers:
            await reply.aclose()
            raise repeated(
                reply.status_code, {"code": "InternalError", "message": f"Azurite refused {operation.name}."}
            )
        if reply.headers.get("x-ms-error-code") == _BAD_PAGES:
            await reply.aclose()
            raise exceptions.INVALID_PAGE_RANGE()
        if reply.status_code == _PARTIAL and reply.headers.get("content-length") == "0":
            # Azurite answers a range that begins right after the last byte with no bytes at all.
            await reply.aclose()
            raise exceptions.INVALID_RANGE(reply.headers.get("content-range", "").rpartition("/")[2])
        if operation.name == "delete container" and reply.is_success:
            self._model.accounts.container_deleted(target.account, target.container)
        kept = {name: value for name, value in reply.headers.items() if name not in _HOP_BY_HOP} | {"server": _SERVER}
        kept |= _overrides(request, reply) | (self._copies.follow(operation.name, target) if reply.is_success else {})
        if operation.name.startswith("list ") and reply.status_code == _OK:
            return await _listing(reply, kept, target, operation)
        length = int(reply.headers.get("content-length") or -1)
        if request.method == "HEAD" or 0 <= length <= WHOLE_BYTES:
            content = await _read(reply)
            return Response(content, reply.status_code, kept)
        return StreamingResponse(_stream(reply), reply.status_code, kept)


def _target(request: Request) -> Target:
    host = request.headers["host"].partition(":")[0]
    return target_of(host, request.scope["raw_path"].decode("ascii", "replace").partition("?")[0])


def decoded(raw_query: str) -> dict[str, str]:
    """Return a query's decoded parameters; as in Azure, a plus sign stays a plus sign."""
    pairs = [part.partition("=") for part in raw_query.split("&") if part]
    return {unquote(name).lower(): unquote(value) for name, _, value in pairs}


def forwarded_query(raw_query: str, target: Target) -> str:
    """Return the query without its SAS; for a list of containers, narrow it to those of the account."""
    parts = [part for part in raw_query.split("&") if part]
    kept = {
        unquote(part.partition("=")[0]).lower(): part
        for part in parts
        if unquote(part.partition("=")[0]).lower() not in sas.FIELDS | sas.OVERRIDES.keys()
    }
    if target.level == "s":
        wanted = unquote(kept.get("prefix", "").partition("=")[2])
        kept["prefix"] = f"prefix={quote(prefix(target.account) + wanted, safe='')}"
    return "&".join(kept.values())


def _overrides(request: Request, reply: httpx.Response) -> dict[str, str]:
    """Return the headers that a SAS sets on the answer to a read."""
    if request.method != "GET" or reply.is_error:
        return {}
    query = decoded(request.url.query)
    return {header: query[name] for name, header in sas.OVERRIDES.items() if name in query}


async def _listing(reply: httpx.Response, headers: dict[str, str], target: Target, operation: Operation) -> Response:
    content = listings.rename(
        await _read(reply),
        f"https://{target.account}{SUFFIX}/",
        target.account,
        of_containers=operation.name == "list containers",
    )
    headers = {name: value for name, value in headers.items() if name not in ("content-length", "content-encoding")}
    return Response(content, reply.status_code, headers)


async def _read(reply: httpx.Response) -> bytes:
    try:
        # Read raw bytes: a blob that was stored compressed is passed on as it is, with its Content-Encoding.
        return b"".join([chunk async for chunk in reply.aiter_raw()])
    finally:
        await reply.aclose()


async def _stream(reply: httpx.Response) -> AsyncIterator[bytes]:
    try:
        async for chunk in reply.aiter_raw():
            yield chunk
    finally:
        await reply.aclose()
