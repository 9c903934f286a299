"""PUT and PATCH through the operators' view of a cluster. All of them are refused, each by what it asks for.

In this view a write runs a maintenance task, or sets up the operator in the cluster or its gateway. The service has none
of these.
"""

from typing import NoReturn

from frontend.messages import Call
from shared.arm.errors import invalid_parameter, request_not_allowed
from shared.clusters import convert, states
from shared.clusters.checks.validation import validate_operators
from shared.clusters.states import Event
from shared.documents import Cluster, ClusterDocument

_TASK = "properties.maintenanceTask"


def refuse(call: Call, document: ClusterDocument | None, event: Event, sent: Cluster) -> NoReturn:
    """Refuse a request.

    Args:
        call: the request.
        document: the cluster document, if there is one.
        event: PUT or PATCH.
        sent: the decoded body.

    Raises:
        CloudError: 400 `RequestNotAllowed` without a cluster, or if its state does not allow the event; otherwise
            `PropertyChangeNotAllowed` or `InvalidParameter` for each member that would change, or for the maintenance
            task if none would.
    """
    if document is None:
        raise request_not_allowed(
            f"The cluster '{call.resource_id}' does not exist, and the api-version '{call.version.name}' creates none. "
            "Use a public api-version."
        )
    stored = document["openShiftCluster"]
    states.find_edge(stored, event)
    validate_operators(stored, convert.overlay(stored, sent, call.version, patch=True), call.version)
    raise invalid_parameter(
        _TASK,
        f"A {event} with the api-version '{call.version.name}' runs the task in '{_TASK}', or all tasks if it names none, "
        "and this service has no maintenance tasks.",
    )
