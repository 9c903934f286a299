"""The state machine of a cluster as a table, and the errors for transitions that it does not have.

`docs/design.md` shows it. It differs from ARO-RP in three ways: a running create can be deleted, a failed one can be
resumed, and a renewal gives way to a delete.
"""

from dataclasses import dataclass
from enum import StrEnum

from shared.arm.errors import CloudError, request_not_allowed
from shared.documents import Cluster


class ProvisioningState(StrEnum):
    """`properties.provisioningState`. `Canceled` is the end of an operation, never the state of a cluster."""

    CREATING = "Creating"
    UPDATING = "Updating"
    ADMIN_UPDATING = "AdminUpdating"
    DELETING = "Deleting"
    SUCCEEDED = "Succeeded"
    FAILED = "Failed"
    CANCELED = "Canceled"


class Event(StrEnum):
    """An event that concerns a cluster."""

    PUT = "PUT"
    PATCH = "PATCH"
    DELETE = "DELETE"
    STOP = "stop"
    START = "start"
    REVOKE_CREDENTIALS = "revokeCredentials"
    RENEW = "renew"
    DONE = "done"
    FAILURE = "failure"


# Events that bring nothing of what the customer wants into the cluster: they say nothing about an update before them.
ACTIONS = frozenset({Event.STOP, Event.START, Event.REVOKE_CREDENTIALS, Event.RENEW})
TERMINAL = frozenset({ProvisioningState.SUCCEEDED, ProvisioningState.FAILED})
_S = ProvisioningState
_UPDATABLE = frozenset({"", _S.UPDATING, _S.ADMIN_UPDATING})


@dataclass(frozen=True)
class Edge:
    """One row of the state machine.

    Args:
        state: the state before, or None if there is no document.
        event: the event.
        next: the state after, or None if there is no document.
        plan: the plan that the event starts, or "".
        failed: the possible values of `failedProvisioningState`; None if it does not matter.
        resume: whether the event is allowed only with a body equal to the stored one.
        returns: whether the cluster gets back the state that it had before the operation, however that ends.
    """

    state: ProvisioningState | None
    event: Event
    next: ProvisioningState | None
    plan: str = ""
    failed: frozenset[str] | None = None
    resume: bool = False
    returns: bool = False


EDGES = (
    Edge(None, Event.PUT, _S.CREATING, "create"),
    Edge(_S.CREATING, Event.DONE, _S.SUCCEEDED),
    Edge(_S.CREATING, Event.FAILURE, _S.FAILED),
    Edge(_S.CREATING, Event.DELETE, _S.DELETING, "delete"),
    Edge(_S.FAILED, Event.PUT, _S.CREATING, "create", frozenset({_S.CREATING}), resume=True),
    Edge(_S.SUCCEEDED, Event.PUT, _S.UPDATING, "update"),
    Edge(_S.SUCCEEDED, Event.PATCH, _S.UPDATING, "update"),
    Edge(_S.SUCCEEDED, Event.DELETE, _S.DELETING, "delete"),
    Edge(_S.FAILED, Event.PUT, _S.UPDATING, "update", _UPDATABLE),
    Edge(_S.FAILED, Event.PATCH, _S.UPDATING, "update", _UPDATABLE),
    Edge(_S.FAILED, Event.DELETE, _S.DELETING, "delete"),
    Edge(_S.SUCCEEDED, Event.STOP, _S.UPDATING, "stop"),
    Edge(_S.FAILED, Event.STOP, _S.UPDATING, "stop", _UPDATABLE),
    Edge(_S.SUCCEEDED, Event.START, _S.UPDATING, "start"),
    Edge(_S.FAILED, Event.START, _S.UPDATING, "start", _UPDATABLE),
    Edge(_S.SUCCEEDED, Event.REVOKE_CREDENTIALS, _S.UPDATING, "revoke_credentials"),
    Edge(_S.FAILED, Event.REVOKE_CREDENTIALS, _S.UPDATING, "revoke_credentials", _UPDATABLE),
    Edge(_S.UPDATING, Event.DONE, _S.SUCCEEDED),
    Edge(_S.UPDATING, Event.FAILURE, _S.FAILED),
    # The service's own work: the owner has not asked for it, so its end says nothing about what the owner did last.
    Edge(_S.SUCCEEDED, Event.RENEW, _S.ADMIN_UPDATING, "renew"),
    Edge(_S.FAILED, Event.RENEW, _S.ADMIN_UPDATING, "renew", _UPDATABLE),
    Edge(_S.ADMIN_UPDATING, Event.DONE, _S.SUCCEEDED, returns=True),
    Edge(_S.ADMIN_UPDATING, Event.FAILURE, _S.SUCCEEDED, returns=True),
    Edge(_S.ADMIN_UPDATING, Event.DELETE, _S.DELETING, "delete"),
    Edge(_S.DELETING, Event.DONE, None),
    Edge(_S.DELETING, Event.FAILURE, _S.FAILED),
)


_KNOWN = [str(state) for state in ProvisioningState if state is not _S.CANCELED]
# No event leads out of a state that this build does not know: another build or a person has written it.
_UNKNOWN_STATE = Edge(None, Event.DELETE, _S.DELETING, "delete")


def find_edge(cluster: Cluster | None, event: Event) -> Edge:
    """Return the row for an event on a cluster, or on None if there is no document.

    Raises:
        CloudError: 400 `RequestNotAllowed`, naming the state and the way out.
    """
    properties = cluster["properties"] if cluster is not None else {}
    state, failed = properties.get("provisioningState"), properties.get("failedProvisioningState", "")
    for edge in EDGES:
        if edge.state == state and edge.event == event and (edge.failed is None or failed in edge.failed):
            return edge
    if cluster is not None and event is Event.DELETE and state not in _KNOWN:
        return _UNKNOWN_STATE
    raise refusal(str(state), failed, event)


def foresee_edge(cluster: Cluster | None, event: Event) -> Edge:
    """Return the row for an event on a cluster after the operation that runs, if any, has succeeded.

    Raises:
        CloudError: 400 `RequestNotAllowed` if a failed operation is in the way, naming the state and the way out.
    """
    if cluster is None or is_terminal(cluster["properties"]["provisioningState"]):
        return find_edge(cluster, event)
    state = cluster["properties"]["provisioningState"]
    ended = next((edge for edge in EDGES if edge.state == state and edge.event is Event.DONE), None)
    after = ProvisioningState.SUCCEEDED if ended is None else ended.next
    return find_edge(None if after is None else {"properties": {"provisioningState": after}}, event)


def apply_edge(cluster: Cluster, edge: Edge) -> None:
    """Set the three states of a cluster to those of an edge. An edge that removes the document sets none."""
    if edge.next is None:
        return
    properties = cluster["properties"]
    before = properties.get("provisioningState", "")
    properties["provisioningState"] = str(edge.next)
    if edge.returns:
        properties["provisioningState"] = properties.get("lastProvisioningState") or str(edge.next)
        properties["lastProvisioningState"] = ""
        return
    match edge.event:
        case Event.DONE:
            properties["lastProvisioningState"] = ""
            properties["failedProvisioningState"] = ""
        case Event.FAILURE:
            properties["lastProvisioningState"] = ""
            properties["failedProvisioningState"] = before
        case _:
            properties["lastProvisioningState"] = before


# In these states, or failed in them, nobody can use the cluster: it is not up yet, or is being removed.
_UNUSABLE: dict[tuple[str, str], str] = {
    (_S.CREATING, ""): "is being created. Wait until that has ended",
    (_S.DELETING, ""): "is being deleted",
    (_S.FAILED, _S.CREATING): "was not created to the end. Resume its creation with a PUT of the body it was created "
    "with, or delete it",
    (_S.FAILED, _S.DELETING): "was not deleted to the end. Repeat the DELETE",
}


def require_credentials(cluster: Cluster) -> None:
    """Refuse to hand out the credentials of a cluster that never came up, or that is being removed.

    Raises:
        CloudError: 400 `RequestNotAllowed`, naming the state and the way out.
    """
    state, failed = _state_and_failed(cluster)
    if why := _UNUSABLE.get((state, failed)):
        raise request_not_allowed(f"The cluster has no credentials in state '{state}': it {why}.")


def require_long_lived_credentials(cluster: Cluster) -> None:
    """Refuse to hand out the kubeconfig that ends after a year if the cluster's owner has switched that off.

    Raises:
        CloudError: 400 `RequestNotAllowed`, naming the action that gives a certificate for some hours.
    """
    if cluster["properties"].get("longLivedCredentials") == "Disabled":
        raise request_not_allowed(
            "The cluster gives no kubeconfig that lasts: 'properties.longLivedCredentials' is 'Disabled'. Ask for a "
            "certificate for some hours with a POST of 'requestAdminCredential'."
        )


def is_usable(cluster: Cluster) -> bool:
    """Tell whether a cluster is up: its creation has come to the end, and its deletion has not begun."""
    return _state_and_failed(cluster) not in _UNUSABLE


def _state_and_failed(cluster: Cluster) -> tuple[str, str]:
    properties = cluster["properties"]
    state = properties.get("provisioningState", "")
    return state, properties.get("failedProvisioningState", "") if state == _S.FAILED else ""


def is_terminal(state: str) -> bool:
    """Tell whether no operation runs in this state."""
    return state in [str(each) for each in TERMINAL]


def other_body(cluster: Cluster, differing: list[str]) -> CloudError:
    """Explain that a PUT does not resume a create because some members differ from it, and name them."""
    properties = cluster["properties"]
    refused = refusal(properties["provisioningState"], properties["failedProvisioningState"], Event.PUT)
    return request_not_allowed(
        f"{refused.message} This one differs from it in: {', '.join(differing)}. What a GET answers may be sent back "
        "as it is: secrets that it leaves out stay."
    )


def refusal(state: str, failed: str, event: Event) -> CloudError:
    """Explain why an event is refused, and what to do.

    Args:
        state: the cluster's state.
        failed: its `failedProvisioningState`.
        event: the refused event.
    """
    if not is_terminal(state):
        way_out = "Wait until the operation that runs has ended, then try again"
        way_out += ", or cancel the creation with a DELETE." if state == _S.CREATING else "."
        return request_not_allowed(f"{event} is not allowed while the cluster is in state '{state}'. {way_out}")
    way_out = "delete the cluster"
    if failed == _S.CREATING:
        way_out += ", or resume its creation with a PUT of the body it was created with"
    return request_not_allowed(
        f"{event} is not allowed on a cluster in state '{state}' whose last operation failed in state '{failed}'. "
        f"To go on, {way_out}."
    )
