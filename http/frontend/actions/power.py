"""POST of stop and start on a cluster: all of its machines are switched off, or on again."""

from frontend.actions import openshift_cluster_action
from frontend.messages import Call, Reply
from shared.clusters.power import power_states
from shared.clusters.states import Event
from shared.documents import ClusterDocument


def stop(call: Call) -> Reply:
    """Answer POST of stop: begin to stop the cluster.

    Raises:
        CloudError: 400 `RequestNotAllowed`: the cluster is stopped already, or in its first 24 hours; and as for every
            action, see `openshift_cluster_action.py`.
    """
    return _begin(call, Event.STOP)


def start(call: Call) -> Reply:
    """Answer POST of start: begin to start the cluster.

    Raises:
        CloudError: 400 `RequestNotAllowed`: the cluster is not stopped; and as for every action.
    """
    return _begin(call, Event.START)


def _begin(call: Call, event: Event) -> Reply:
    def prepare(call: Call, document: ClusterDocument) -> None:
        power_states.prepare(document, event, call.services.now())

    return openshift_cluster_action.begin(call, event, prepare)
