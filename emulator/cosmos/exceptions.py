"""Errors of Cosmos DB: status, code, substatus, and their wire format."""

import json
from typing import Any
from uuid import uuid4

from starlette.requests import Request
from starlette.responses import Response

from emulator.core.errors import ServiceError

AGENT = "Microsoft.Azure.Documents.Common/2.14.0"
MAX_DOCUMENT_BYTES = 2 * 1024 * 1024
_TOO_MANY_REQUESTS = 429
_THROTTLED_SUBSTATUS = 3200


class CosmosError(ServiceError):
    """An error with a substatus, which the header `x-ms-substatus` carries."""

    def __init__(self, status_code: int, code: str, message: str, substatus: int = 0, **extra: Any) -> None:
        super().__init__(status_code, code, message, extra=extra)
        self.substatus = substatus


def render(request: Request, error: ServiceError) -> Response:
    """Write an error: `{code, message}` with the activity id in the message, and the retry hint in milliseconds."""
    activity = request.headers.get("x-ms-activity-id") or str(uuid4())
    substatus = error.substatus if isinstance(error, CosmosError) else 0
    if error.status_code == _TOO_MANY_REQUESTS:
        substatus = _THROTTLED_SUBSTATUS
    body = {"code": error.code, "message": f"{error.message}\r\nActivityId: {activity}, {AGENT}"} | error.extra
    headers = {
        **error.headers,
        "x-ms-activity-id": activity,
        "x-ms-substatus": str(substatus),
        "x-ms-request-charge": "1",
    }
    if "Retry-After" in error.headers:
        headers["x-ms-retry-after-ms"] = str(int(error.headers["Retry-After"]) * 1000)
    return Response(json.dumps(body), error.status_code, headers, "application/json")


def bad_request(message: str, substatus: int = 0) -> CosmosError:
    """Return a 400."""
    return CosmosError(400, "BadRequest", message, substatus)


def not_offered(what: str) -> CosmosError:
    """Return the 501 for a part of Cosmos DB that the local Azure does not offer."""
    return CosmosError(501, "NotImplemented", f"The local Azure does not offer {what}.")


def item_not_found() -> CosmosError:
    """Return the 404 for a document that does not exist."""
    return CosmosError(404, "NotFound", "Entity with the specified id does not exist in the system.")


def owner_not_found(kind: str, name: str) -> CosmosError:
    """Return the 404 for a database or container that does not exist."""
    return CosmosError(404, "NotFound", f"Owner resource does not exist: the {kind} '{name}' was not found.", 1003)


def id_taken() -> CosmosError:
    """Return the 409 for an id that is taken."""
    return CosmosError(409, "Conflict", "Entity with the specified id already exists in the system.")


def unique_key_taken(paths: list[str]) -> CosmosError:
    """Return the 409 for a unique key that is taken."""
    return CosmosError(409, "Conflict", f"Unique index constraint violation: the key on {', '.join(paths)} is taken.")


def precondition_failed() -> CosmosError:
    """Return the 412 for an ETag that does not match, or a patch whose condition is not met."""
    return CosmosError(412, "PreconditionFailed", "One of the specified pre-condition is not met.")


def too_large(size: int) -> CosmosError:
    """Return the 413 for a document or request that is too large."""
    return CosmosError(
        413, "RequestEntityTooLarge", f"Request size is too large: {size} bytes of {MAX_DOCUMENT_BYTES} at most."
    )


def unauthorized(message: str) -> CosmosError:
    """Return a 401."""
    return CosmosError(401, "Unauthorized", message)


def not_by_token(account: str, method: str, path: str) -> CosmosError:
    """Return the 403 for an operation on databases or containers that no Entra ID token allows in the data plane.

    Args:
        account: name of the account.
        method: HTTP method.
        path: path of the URL.
    """
    return CosmosError(
        403,
        "Forbidden",
        f"Request blocked by Auth {account} : The given request [{method} {path}] cannot be authorized by AAD token in "
        "data plane. Learn more: https://aka.ms/cosmos-native-rbac.",
        5300,
    )


def permission_missing(account: str, principal: str, action: str) -> CosmosError:
    """Return the 403 for a principal without a role that allows an action.

    Args:
        account: name of the account.
        principal: object id.
        action: the action that it lacks, such as `READ_METADATA`.
    """
    return CosmosError(
        403,
        "Forbidden",
        f"Request blocked by Auth {account} : Request is blocked because principal [{principal}] does not have required "
        f"RBAC permissions to perform action [{action}] on resource [/]. Learn more: https://aka.ms/cosmos-native-rbac.",
        5301,
    )


def query_error(code: str, message: str, start: int, end: int) -> CosmosError:
    """Return the 400 for an invalid query, with the place in its text.

    Args:
        code: Cosmos DB's code, such as `SC1001`.
        message: what is wrong.
        start: offset of the first wrong character.
        end: offset after the last one.
    """
    error = {"severity": "Error", "location": {"start": start, "end": end}, "code": code, "message": message}
    return bad_request("Message: " + json.dumps({"errors": [error]}))
