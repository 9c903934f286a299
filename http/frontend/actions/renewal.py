"""POST of renew on a cluster: what ends in it is renewed now, and not only when the timer does it."""

from frontend.actions import openshift_cluster_action
from frontend.messages import Call, Reply
from shared.cluster_conditions import renewal_dates
from shared.clusters.states import Event
from shared.documents import ClusterDocument


def renew(call: Call) -> Reply:
    """Answer POST of renew: begin a renewal. What is not due is left alone, as by the timer.

    Raises:
        CloudError: 400 `RequestNotAllowed`: the cluster is not running; and as for every action, see
            `openshift_cluster_action.py`.
    """
    return openshift_cluster_action.begin(call, Event.RENEW, _prepare)


def _prepare(call: Call, document: ClusterDocument) -> None:
    renewal_dates.note_begun(document, call.services.now())
