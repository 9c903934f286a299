"""Errors of Cosmos DB: status, code, substatus, and their wire format."""

import json
from typing import Any
from uuid import uuid4

from starlette.requests import Request
from starlette.responses import Response

from emulator.core.errors import ServiceError
from emulator.core.sources import MEMORY, OWN, public_output, said

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


@said(OWN)
def not_supported(what: str) -> CosmosError:
    """Return the 400 for a part of Cosmos DB that the local Azure does not have."""
    return CosmosError(400, "NotSupportedByLocalAzure", f"The local Azure does not have {what}.")


@said(OWN)
def account_not_found(account: str) -> CosmosError:
    """Return the 404 for an account that does not exist; Azure's DNS would not resolve its name."""
    return CosmosError(404, "NotFound", f"The account '{account}' does not exist.", 1008)


@said(MEMORY)
def bad_request(message: str, substatus: int = 0) -> CosmosError:
    """Return a 400."""
    return CosmosError(400, "BadRequest", message, substatus)


@said(MEMORY)
def invalid_version() -> CosmosError:
    """Return the 400 for a version of the service that does not exist."""
    return CosmosError(
        400,
        "BadRequest",
        "Invalid API version. Ensure a valid x-ms-version header value is passed. Please update to the latest version of "
        "Azure Cosmos DB SDK.",
    )


@said(MEMORY)
def no_consistency(level: str) -> CosmosError:
    """Return the 400 for a consistency level that does not exist."""
    return bad_request(f"The value '{level}' specified for the header 'x-ms-consistency-level' is invalid.")


@said(public_output("https://github.com/OrleansContrib/Orleans.CosmosDB/issues/15"))
def too_consistent(level: str, own: str) -> CosmosError:
    """Return the 400 for a request with a stronger consistency level than that of the account.

    Args:
        level: what the request asks for.
        own: the account's level.
    """
    return bad_request(
        f"ConsistencyLevel {level} specified in the request is invalid when service is configured with consistency level "
        f"{own}. Ensure the request consistency level is not stronger than the service consistency level."
    )


@said(MEMORY)
def no_partition_key() -> CosmosError:
    """Return the 400 for an operation on a document without the header of the partition key."""
    return CosmosError(400, "BadRequest", "PartitionKey value must be supplied for this operation.")


@said(public_output("https://github.com/Azure/azure-sdk-for-js/issues/15161"))
def other_partition_key() -> CosmosError:
    """Return the 400 for a document whose partition key is not that of the header."""
    return CosmosError(
        400,
        "BadRequest",
        'Message: {"Errors":["PartitionKey extracted from document doesn\'t match the one specified in the header"]}',
        1001,
    )


@said(MEMORY)
def id_missing() -> CosmosError:
    """Return the 400 for a document without an id."""
    return CosmosError(
        400, "BadRequest", "The input content is invalid because the required properties - 'id; ' - are missing"
    )


@said(MEMORY)
def item_not_found() -> CosmosError:
    """Return the 404 for a document that does not exist."""
    return CosmosError(404, "NotFound", "Entity with the specified id does not exist in the system.")


@said(MEMORY)
def nothing_there() -> CosmosError:
    """Return the 400 for a path that names no resource of Cosmos DB."""
    return CosmosError(400, "BadRequest", "The request path is invalid. Ensure to provide a valid path of a resource.")


@said(MEMORY)
def owner_not_found(kind: str, name: str) -> CosmosError:
    """Return the 404 for a database or container that does not exist."""
    return CosmosError(404, "NotFound", f"Owner resource does not exist: the {kind} '{name}' was not found.", 1003)


@said(MEMORY)
def id_taken() -> CosmosError:
    """Return the 409 for an id that is taken."""
    return CosmosError(409, "Conflict", "Entity with the specified id already exists in the system.")


@said(public_output("https://github.com/MicrosoftDocs/azure-docs-sdk-dotnet/issues/612"))
def unique_key_taken() -> CosmosError:
    """Return the 409 for a unique key that is taken."""
    return CosmosError(409, "Conflict", 'Message: {"Errors":["Unique index constraint violation."]}')


@said(MEMORY)
def unique_keys_fixed() -> CosmosError:
    """Return the 403 for a container with other unique keys than it was made with."""
    return CosmosError(
        403,
        "Forbidden",
        'Message: {"Errors":["The unique index cannot be modified. To change the unique index, remove the collection and '
        're-create a new one."]}',
    )


@said(MEMORY)
def precondition_failed() -> CosmosError:
    """Return the 412 for an ETag that does not match."""
    return CosmosError(412, "PreconditionFailed", "One of the specified pre-condition is not met.")


@said(MEMORY)
def too_large() -> CosmosError:
    """Return the 413 for a document or request that is too large."""
    return CosmosError(413, "RequestEntityTooLarge", "Request size is too large")


@said(MEMORY)
def range_gone(only_range: str) -> CosmosError:
    """Return the 410 for a partition key range that does not exist."""
    return CosmosError(410, "Gone", f"There is no partition key range '{only_range}'.", 1002)


@said(public_output("https://github.com/Azure/azure-cosmos-python/issues/170"))
def crosses_partitions() -> CosmosError:
    """Return the 400 for a query without a partition key whose client did not enable queries across partitions."""
    return CosmosError(
        400,
        "BadRequest",
        "Cross partition query is required but disabled. Please set x-ms-documentdb-query-enablecrosspartition to true, "
        "specify x-ms-documentdb-partitionkey, or revise your query to avoid this exception.",
    )


@said(MEMORY)
def unauthorized(message: str) -> CosmosError:
    """Return a 401."""
    return CosmosError(401, "Unauthorized", message)


@said(public_output("https://github.com/Azure/cosmos-explorer/issues/924"))
def keys_disabled() -> CosmosError:
    """Return the 401 for an account key: every account here takes tokens only."""
    return CosmosError(
        401, "Unauthorized", "Local Authorization is disabled. Use an AAD token to authorize all requests."
    )


@said(public_output("https://github.com/dotnet/efcore/issues/32197"))
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


@said(public_output("https://github.com/Azure/azure-cosmos-dotnet-v3/issues/2891"))
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


# Queries


@said(MEMORY)
def invalid_token() -> CosmosError:
    """Return the 400 for a continuation token that nobody gave out."""
    return CosmosError(400, "BadRequest", "Invalid Continuation Token")


@said(MEMORY)
def name_twice(name: str) -> CosmosError:
    """Return the 400 for a result with two members of one name."""
    return _in_query("SC2101", f"The result has two members called '{name}'; name one of them with AS.", 0, 0)


@said(MEMORY)
def syntax_error(found: str, start: int) -> CosmosError:
    """Return the 400 for a query that breaks off or goes on with what cannot stand there.

    Args:
        found: what stands there; "" at the end.
        start: offset of its first character.
    """
    near = f"'{found}'" if found else "the end"
    return _in_query("SC1001", f"Syntax error, incorrect syntax near {near}.", start, start + len(found))


@said(MEMORY)
def no_name(name: str, start: int, end: int) -> CosmosError:
    """Return the 400 for a name in a query that means nothing."""
    return _in_query("SC2001", f"Identifier '{name}' could not be resolved.", start, end)


@said(MEMORY)
def no_function(name: str, start: int, end: int) -> CosmosError:
    """Return the 400 for a function that Azure does not know."""
    return _in_query("SC2005", f"'{name}' is not a recognized built-in function name.", start, end)


@said(MEMORY)
def no_parameter(name: str, start: int, end: int) -> CosmosError:
    """Return the 400 for a parameter without a value."""
    return _in_query("SC2010", f"The parameter '{name}' has no value.", start, end)


@said(MEMORY)
def wrong_arguments(name: str, start: int, end: int) -> CosmosError:
    """Return the 400 for a function with too few or too many arguments."""
    return _in_query("SC2062", f"The {name} function requires other arguments.", start, end)


@said(MEMORY)
def _in_query(code: str, message: str, start: int, end: int) -> CosmosError:
    """Return the 400 for an invalid query, with the place in its text.

    Args:
        code: Cosmos DB's code, such as `SC1001`.
        message: what is wrong.
        start: offset of the first wrong character.
        end: offset after the last one.
    """
    error = {"severity": "Error", "location": {"start": start, "end": end}, "code": code, "message": message}
    return CosmosError(400, "BadRequest", "Message: " + json.dumps({"errors": [error]}))
