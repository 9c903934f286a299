"""Errors of Cosmos DB: status, code, substatus, and their wire format."""

import json
from uuid import uuid4

from starlette.requests import Request
from starlette.responses import Response

from emulator.core.refusals import Refusal
from emulator.core.service_error import ServiceError
from emulator.core.sources import MEMORY, OWN, public_output

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
BAD_REQUEST = Refusal(400, "BadRequest", MEMORY, "{message}", headers={SUBSTATUS: "0"})
# A client that has cached the `_rid` of a container reads it again on this substatus.
RECREATED = Refusal(400, "BadRequest", MEMORY,
    "The container '{name}' was created again: its _rid is not {intended}.", headers={SUBSTATUS: "1024"})
# fmt: on
