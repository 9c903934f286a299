"""PUT and PATCH through the operators' view of a cluster. All of them are refused, each by what it asks for.

In this view a write runs a maintenance task, or sets up the operator in the cluster or its gateway. The service has
none of these.
"""

from typing import NoReturn

from frontend.messages import Call
from shared.arm.errors import CloudError, invalid_parameter, request_not_allowed
from shared.clusters import convert
from shared.clusters.states import Event
from shared.clusters.validation import validate_operators
from shared.documents import Cluster

_TASK = "properties.maintenanceTask"


def no_cluster(call: Call) -> CloudError:
    """Build the refusal of a request for a cluster that does not exist."""
    return request_not_allowed(
        f"The cluster '{call.resource_id}' does not exist, and the api-version '{call.version.name}' creates none. "
        "Use a public api-version."
    )


def refuse(call: Call, stored: Cluster, event: Event, sent: Cluster) -> NoReturn:
    """Refuse a request that the cluster's state would allow.

    Args:
        call: the request.
        stored: the internal cluster.
        event: PUT or PATCH.
        sent: the decoded body.

    Raises:
        CloudError: 400 `PropertyChangeNotAllowed` or `InvalidParameter` for each member that would change, or for the
            maintenance task if none would.
    """
    validate_operators(stored, convert.overlay(stored, sent, call.version, patch=True), call.version)
    raise invalid_parameter(
        _TASK,
        f"A {event} with the api-version '{call.version.name}' runs the task in '{_TASK}', or all tasks if it names "
        "none, and this service has no maintenance tasks.",
    )
