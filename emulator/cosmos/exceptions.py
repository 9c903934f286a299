"""Errors of Cosmos DB: status, code, substatus, and their wire format."""

import json
from uuid import uuid4

from starlette.requests import Request
from starlette.responses import Response

from emulator.core.errors import ServiceError
from emulator.core.refusals import Refusal
from emulator.core.sources import MEMORY, OWN, public_output, said

AGENT = "Microsoft.Azure.Documents.Common/2.14.0"
MAX_DOCUMENT_BYTES = 2 * 1024 * 1024
_TOO_MANY_REQUESTS = 429
_THROTTLED_SUBSTATUS = "3200"
# The header that tells errors of one status apart.
SUBSTATUS = "x-ms-substatus"


def render(request: Request, error: ServiceError) -> Response:
    """Write an error: `{code, message}` with the activity id in the message, and the retry hint in milliseconds."""
    activity = request.headers.get("x-ms-activity-id") or str(uuid4())
    body = {"code": error.code, "message": f"{error.message}\r\nActivityId: {activity}, {AGENT}"} | error.extra
    substatus = _THROTTLED_SUBSTATUS if error.status_code == _TOO_MANY_REQUESTS else "0"
    headers = {SUBSTATUS: substatus, "x-ms-activity-id": activity, "x-ms-request-charge": "1"} | error.headers
    if "Retry-After" in error.headers:
        headers["x-ms-retry-after-ms"] = str(int(error.headers["Retry-After"]) * 1000)
    return Response(json.dumps(body), error.status_code, headers, "application/json")


# fmt: off
NOT_SUPPORTED = Refusal(400, "NotSupportedByLocalAzure", OWN, "The local Azure does not have {what}.")
ACCOUNT_NOT_FOUND = Refusal(404, "NotFound", OWN,
    "The account '{account}' does not exist.", headers={SUBSTATUS: "1008"})
INVALID_VERSION = Refusal(400, "BadRequest", MEMORY,
    "Invalid API version. Ensure a valid x-ms-version header value is passed. Please update to the latest version of "
    "Azure Cosmos DB SDK.")
NO_CONSISTENCY = Refusal(400, "BadRequest", MEMORY,
    "The value '{level}' specified for the header 'x-ms-consistency-level' is invalid.")
TOO_CONSISTENT = Refusal(400, "BadRequest",
    public_output("https://github.com/OrleansContrib/Orleans.CosmosDB/issues/15"),
    "ConsistencyLevel {level} specified in the request is invalid when service is configured with consistency level {own}. "
    "Ensure the request consistency level is not stronger than the service consistency level.")
NO_PARTITION_KEY = Refusal(400, "BadRequest", MEMORY, "PartitionKey value must be supplied for this operation.")
OTHER_PARTITION_KEY = Refusal(400, "BadRequest",
    public_output("https://github.com/Azure/azure-sdk-for-js/issues/15161"),
    "Message: {{\"Errors\":[\"PartitionKey extracted from document doesn't match the one specified in the header\"]}}",
    headers={SUBSTATUS: "1001"})
ID_MISSING = Refusal(400, "BadRequest", MEMORY,
    "The input content is invalid because the required properties - 'id; ' - are missing")
ITEM_NOT_FOUND = Refusal(404, "NotFound", MEMORY, "Entity with the specified id does not exist in the system.")
NOTHING_THERE = Refusal(400, "BadRequest", MEMORY,
    "The request path is invalid. Ensure to provide a valid path of a resource.")
OWNER_NOT_FOUND = Refusal(404, "NotFound", MEMORY,
    "Owner resource does not exist: the {kind} '{name}' was not found.", headers={SUBSTATUS: "1003"})
ID_TAKEN = Refusal(409, "Conflict", MEMORY, "Entity with the specified id already exists in the system.")
UNIQUE_KEY_TAKEN = Refusal(409, "Conflict",
    public_output("https://github.com/MicrosoftDocs/azure-docs-sdk-dotnet/issues/612"),
    'Message: {{"Errors":["Unique index constraint violation."]}}')
UNIQUE_KEYS_FIXED = Refusal(403, "Forbidden", MEMORY,
    'Message: {{"Errors":["The unique index cannot be modified. To change the unique index, remove the collection and '
    're-create a new one."]}}')
PRECONDITION_FAILED = Refusal(412, "PreconditionFailed", MEMORY, "One of the specified pre-condition is not met.")
TOO_LARGE = Refusal(413, "RequestEntityTooLarge", MEMORY, "Request size is too large")
RANGE_GONE = Refusal(410, "Gone", MEMORY,
    "There is no partition key range '{only_range}'.", headers={SUBSTATUS: "1002"})
CROSSES_PARTITIONS = Refusal(400, "BadRequest",
    public_output("https://github.com/Azure/azure-cosmos-python/issues/170"),
    "Cross partition query is required but disabled. Please set x-ms-documentdb-query-enablecrosspartition to true, "
    "specify x-ms-documentdb-partitionkey, or revise your query to avoid this exception.")
UNAUTHORIZED = Refusal(401, "Unauthorized", MEMORY, "{message}")
KEYS_DISABLED = Refusal(401, "Unauthorized", public_output("https://github.com/Azure/cosmos-explorer/issues/924"),
    "Local Authorization is disabled. Use an AAD token to authorize all requests.")
NOT_BY_TOKEN = Refusal(403, "Forbidden", public_output("https://github.com/dotnet/efcore/issues/32197"),
    "Request blocked by Auth {account} : The given request [{method} {path}] cannot be authorized by AAD token in "
    "data plane. Learn more: https://aka.ms/cosmos-native-rbac.", headers={SUBSTATUS: "5300"})
PERMISSION_MISSING = Refusal(403, "Forbidden",
    public_output("https://github.com/Azure/azure-cosmos-dotnet-v3/issues/2891"),
    "Request blocked by Auth {account} : Request is blocked because principal [{principal}] does not have required "
    "RBAC permissions to perform action [{action}] on resource [/]. Learn more: https://aka.ms/cosmos-native-rbac.",
    headers={SUBSTATUS: "5301"})

# Queries
INVALID_TOKEN = Refusal(400, "BadRequest", MEMORY, "Invalid Continuation Token")
# fmt: on


@said(MEMORY)
def bad_request(message: str, substatus: int = 0) -> ServiceError:
    """Return a 400."""
    return ServiceError(400, "BadRequest", message, headers={SUBSTATUS: str(substatus)})


@said(MEMORY)
def name_twice(name: str) -> ServiceError:
    """Return the 400 for a result with two members of one name."""
    return _in_query("SC2101", f"The result has two members called '{name}'; name one of them with AS.", 0, 0)


@said(MEMORY)
def syntax_error(found: str, start: int) -> ServiceError:
    """Return the 400 for a query that breaks off or continues with what cannot stand there.

    Args:
        found: what stands there; "" at the end.
        start: offset of its first character.
    """
    near = f"'{found}'" if found else "the end"
    return _in_query("SC1001", f"Syntax error, incorrect syntax near {near}.", start, start + len(found))


@said(MEMORY)
def no_name(name: str, start: int, end: int) -> ServiceError:
    """Return the 400 for a name in a query that means nothing."""
    return _in_query("SC2001", f"Identifier '{name}' could not be resolved.", start, end)


@said(MEMORY)
def no_function(name: str, start: int, end: int) -> ServiceError:
    """Return the 400 for a function that Azure does not know."""
    return _in_query("SC2005", f"'{name}' is not a recognized built-in function name.", start, end)


@said(MEMORY)
def no_parameter(name: str, start: int, end: int) -> ServiceError:
    """Return the 400 for a parameter without a value."""
    return _in_query("SC2010", f"The parameter '{name}' has no value.", start, end)


@said(MEMORY)
def wrong_arguments(name: str, start: int, end: int) -> ServiceError:
    """Return the 400 for a function with too few or too many arguments."""
    return _in_query("SC2062", f"The {name} function requires other arguments.", start, end)


@said(MEMORY)
def _in_query(code: str, message: str, start: int, end: int) -> ServiceError:
    """Return the 400 for an invalid query, with the place in its text.

    Args:
        code: Cosmos DB's code, such as `SC1001`.
        message: what is wrong.
        start: offset of the first wrong character.
        end: offset after the last one.
    """
    error = {"severity": "Error", "location": {"start": start, "end": end}, "code": code, "message": message}
    return ServiceError(400, "BadRequest", "Message: " + json.dumps({"errors": [error]}))
