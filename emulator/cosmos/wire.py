"""Headers and bodies that all answers of Cosmos DB share."""

import json
import re
from collections.abc import Iterable, Mapping
from email.utils import format_datetime
from typing import Any
from uuid import uuid4

from starlette.requests import Request
from starlette.responses import Response

from emulator.core.clock import Clock
from emulator.core.store import Document
from emulator.cosmos import exceptions, partition_keys

# Request units for a document of 1 KB, as documented; larger ones cost in proportion.
CHARGES = {
    "read": 1.0,
    "create": 5.5,
    "upsert": 5.5,
    "replace": 10.0,
    "delete": 5.5,
    "query": 2.8,
}
_READS = ("read", "query")
_KILOBYTE = 1024
# Every container has one partition key range, which never splits.
ONLY_RANGE = "0"
# The weakest first. https://learn.microsoft.com/azure/cosmos-db/consistency-levels
CONSISTENCY_LEVELS = ("Eventual", "ConsistentPrefix", "Session", "BoundedStaleness", "Strong")
# A read at these levels asks two replicas, so it costs twice, and in the region of all writes it sees each of them.
FRESH_LEVELS = ("BoundedStaleness", "Strong")
_OF_SESSION = re.compile(rf"(?:^|,){ONLY_RANGE}:-?\d+#(\d+)")


def charge(operation: str, size: int = 0, level: str = "") -> str:
    """Return what a request costs, in request units."""
    replicas = 2 if level in FRESH_LEVELS and operation in _READS else 1
    return f"{CHARGES.get(operation, 1.0) * max(1.0, size / _KILOBYTE) * replicas:.2f}"


def seen_by_session(request: Request) -> int:
    """Return the last write that an answer has to see: that of the request's session token, 0 without one."""
    found = _OF_SESSION.search(request.headers.get("x-ms-session-token", ""))
    return int(found[1]) if found else 0


def session_token(sequence_number: int) -> str:
    """Write a session token of the container's only partition key range."""
    return f"{ONLY_RANGE}:-1#{sequence_number}"


def dumps(body: Any) -> bytes:
    """Write JSON as the service does, without spaces."""
    return json.dumps(body, separators=(",", ":")).encode()


def reply(
    request: Request,
    clock: Clock,
    body: bytes = b"",
    *,
    status: int = 200,
    operation: str = "read",
    headers: Mapping[str, str | None] | None = None,
) -> Response:
    """Answer with the headers that all answers have, and some more."""
    common = {
        "x-ms-activity-id": request.headers.get("x-ms-activity-id") or str(uuid4()),
        "x-ms-request-charge": charge(operation, len(body), getattr(request.state, "level", "")),
        "x-ms-gatewayversion": "2.0.0",
        "x-ms-serviceversion": "version=2.14.0.0",
        "x-ms-schemaversion": "1.19",
        "x-ms-last-state-change-utc": format_datetime(clock.now(), usegmt=True),
        "strict-transport-security": "max-age=31536000",
    }
    given = {name: value for name, value in (headers or {}).items() if value is not None}
    return Response(body, status, common | given, "application/json" if body else None)


def document_headers(document: Document, sequence_number: int, path: str) -> dict[str, str | None]:
    """Return the headers of an answer about documents."""
    return {
        "etag": document.get("_etag"),
        "lsn": str(sequence_number),
        "x-ms-session-token": session_token(sequence_number),
        "x-ms-alt-content-path": path,
        "x-ms-content-path": document.get("_rid"),
        # Without it, the SDK considers its cached ranges outdated and reads them again with its next call.
        "x-ms-documentdb-partitionkeyrangeid": ONLY_RANGE,
    }


def feed(rid: str, member: str, items: Iterable[str], count: int) -> bytes:
    """Write a feed."""
    return f'{{"_rid":"{rid}","{member}":[{",".join(items)}],"_count":{count}}}'.encode()


async def json_body(request: Request) -> Any:
    """Return the request's body.

    Raises:
        ServiceError: 413 if it is too large; 400 if it is not JSON.
    """
    length = int(request.headers.get("content-length") or 0)
    # A request may be a little larger than the document in it; nothing larger is read at all.
    if length > exceptions.MAX_DOCUMENT_BYTES + 64 * _KILOBYTE:
        raise exceptions.TOO_LARGE()
    raw = await request.body()
    try:
        return json.loads(raw, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise exceptions.BAD_REQUEST("The input content is invalid: it is not JSON.") from error


def _no_constant(text: str) -> None:
    raise ValueError(f"{text} is not JSON")


def is_true(request: Request, header: str) -> bool:
    """Tell whether a header is `true`."""
    return request.headers.get(header, "").lower() == "true"


def partition_of(request: Request) -> Any:
    """Return the partition key that a request names.

    Raises:
        ServiceError: 400 if it names none.
    """
    header = request.headers.get("x-ms-documentdb-partitionkey")
    if header is None:
        raise exceptions.NO_PARTITION_KEY()
    return partition_keys.from_header(header)


def consistency(request: Request, own: str) -> str:
    """Return the consistency level of a request, which may not be stronger than that of its account.

    Raises:
        ServiceError: 400.
    """
    level = request.headers.get("x-ms-consistency-level", own)
    if level not in CONSISTENCY_LEVELS:
        raise exceptions.NO_CONSISTENCY(level)
    if CONSISTENCY_LEVELS.index(level) > CONSISTENCY_LEVELS.index(own):
        raise exceptions.TOO_CONSISTENT(level=level, own=own)
    return level


def page_size(request: Request) -> int:
    """Return the largest number of results in a page: 100 by default; -1 for as many as fit.

    Raises:
        ServiceError: 400 if the header is malformed.
    """
    text = request.headers.get("x-ms-max-item-count") or "100"
    if not re.fullmatch(r"-1|[1-9][0-9]{0,8}", text):
        raise exceptions.BAD_REQUEST(f"The value '{text}' of x-ms-max-item-count is invalid: -1 or a number from 1.")
    return int(text)
