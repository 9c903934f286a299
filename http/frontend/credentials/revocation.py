"""The action that ends all admin credentials of a cluster."""

from dataclasses import replace

from frontend.actions import openshift_cluster_action
from frontend.messages import Call, Reply
from shared.arm.errors import request_not_allowed
from shared.clusters.power import power_states
from shared.clusters.secrets import Purpose
from shared.clusters.states import Event
from shared.documents import ClusterDocument

# What a revocation leaves, because it is not signed: who wants its end has to change it in the cluster.
KEPT = ("the password of kubeadmin", "OAuth tokens of users", "tokens of service accounts")


def revoke_credentials(call: Call) -> Reply:
    """Answer POST of revokeCredentials: begin to end all admin credentials that were ever given; return 202.

    The installer's are among them, and so are the service's own, which it replaces first. The answer says what stays.

    Raises:
        CloudError: 404 `ResourceNotFound`; 400 `RequestNotAllowed` if the cluster's state does not allow it; 409 after
            five lost races; 412 `PreconditionFailed`.
    """
    reply = openshift_cluster_action.begin(call, Event.REVOKE_CREDENTIALS, _require_cluster)
    return replace(reply, body={"notRevoked": list(KEPT)}) if reply.start else reply


def _require_cluster(_call: Call, document: ClusterDocument) -> None:
    """Refuse a cluster without credentials, and one that is stopped: nobody could tell its API servers."""
    if Purpose.CREDENTIALS not in document.get("secrets", {}):
        raise request_not_allowed(
            f"The cluster '{document['openShiftCluster']['id']}' has no credentials that could be revoked: it was "
            "created by a build of this service that made clusters without machines."
        )
    power_states.require_running(document, "A revocation of credentials")
