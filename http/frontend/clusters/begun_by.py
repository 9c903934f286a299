"""Who begins an operation, as its document keeps it."""

from frontend.callers.caller import Caller
from frontend.callers.tokens import Kind
from frontend.messages import Call
from frontend.middleware.authentication import required_caller
from shared.arm.resource_id import is_uuid
from shared.documents import BegunBy

# ARM's headers. It sends the second only for users.
OBJECT_ID, PRINCIPAL_ID = "x-ms-client-object-id", "x-ms-client-principal-id"


def begun_by(call: Call) -> BegunBy:
    """Return the caller of a request by object id; nothing if that is not known.

    Only ARM writes these headers: an operator's own would say nothing, and requests with tokens arrive without them.

    Source: https://github.com/cloud-and-ai-microsoft/resource-provider-contract, common API details
    """
    at = call.services.now().isoformat()
    if call.signed_in is not None:
        return {"objectId": call.signed_in.object_id, "kind": str(call.signed_in.kind), "at": at}
    headers = call.request.headers
    object_id = headers.get(OBJECT_ID, "").lower()
    if required_caller(call) is not Caller.ARM or not is_uuid(object_id):
        return {}
    kind = Kind.USER if headers.get(PRINCIPAL_ID) else Kind.APPLICATION
    return {"objectId": object_id, "kind": call.system_data.get("lastModifiedByType", str(kind)), "at": at}
