"""What operators find missing, in the words of OpenShift's own controllers."""

import json

from emulator.core.refusals import Refusal
from emulator.core.service_error import ServiceError
from emulator.core.sources import MEMORY, OWN, said
from emulator.openshift.boot.download import Reply

# An object of the cluster, or a key of one, that an operator needs; the security group of the nodes.
NOT_FOUND = Refusal(404, "NotFound", MEMORY, "{what} not found")
SECURITY_GROUP_NOT_FOUND = Refusal(404, "ResourceNotFound", MEMORY, "security group {name} not found")
# The directory cannot be reached.
UNREACHABLE = Refusal(503, "ServiceUnavailable", MEMORY, "{why}")


@said(OWN)
def no_token(reply: Reply) -> ServiceError:
    """Return why the directory gives no token, in its own words without those that differ each time."""
    try:
        text = str(json.loads(reply.content)["error_description"]).partition(" Trace ID:")[0]
    except (LookupError, TypeError, ValueError):
        text = f"HTTP {reply.status}"
    return ServiceError(reply.status, text.partition(":")[0], text)
