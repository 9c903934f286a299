"""The managed domain of a new cluster. A PUT reserves it before it writes the cluster, or refuses a taken one."""

from contextlib import ExitStack
from datetime import datetime
from functools import partial

from frontend.clusters.undo import attempt
from frontend.messages import Call
from orchestrators.plans.operation_start import LOOK_BACK
from shared.arm.errors import CloudError, ErrorCode
from shared.clusters import cluster_names
from shared.documents import ClusterDocument, DomainDocument
from shared.store import PreconditionFailed, Taken, unreadable_documents


def reserve(call: Call, document: ClusterDocument, undo: ExitStack) -> None:
    """Reserve the domain of a cluster that is about to be written. A domain of the customer's own needs no reservation.

    Args:
        call: the request.
        document: the cluster document.
        undo: receives the function that frees the domain.

    Raises:
        CloudError: 400 `DuplicateDomain`.
        PreconditionFailed: if another request has just created the same cluster.
    """
    services, domain = call.services, document["openShiftCluster"]["properties"]["clusterProfile"]["domain"]
    name = cluster_names.managed_name(domain, services.settings.domain)
    if name is None:
        return
    claim: DomainDocument = {
        "id": name,
        "openShiftClusterKey": document["key"],
        "clusterDocumentId": document["id"],
        "reservedAt": services.now().isoformat(),
    }
    # Pushed first: the reservation must be undone even if its answer, and the answer to reading it back, are lost.
    before: DomainDocument | None = None
    undo.callback(attempt, "free the domain", lambda: services.store.domains.undo(claim, before))
    try:
        before = services.store.domains.reserve(claim, partial(_is_abandoned, call))
    except Taken:
        raise _taken(domain) from None


def _is_abandoned(call: Call, domain: DomainDocument) -> bool:
    """Tell whether a reservation belongs to no cluster.

    A reservation of the same cluster is taken over at once: the request that made it failed, or races with this one,
    and then the cluster document decides. Other reservations may stay as long as a request may take.

    Raises:
        PreconditionFailed: if the same cluster exists by now.
    """
    settings, clusters = call.services.settings, call.services.store.clusters
    same = domain["openShiftClusterKey"] == call.key
    age = call.services.now() - datetime.fromisoformat(domain["reservedAt"])
    if not same and age < settings.look_back(LOOK_BACK):
        return False
    cluster = clusters.get(domain["openShiftClusterKey"])
    if cluster is None:
        return True
    if same:
        raise PreconditionFailed(cluster["id"])
    try:
        return bool(_name_of(cluster, settings.domain) != domain["id"])
    except unreadable_documents.ERRORS as error:
        unreadable_documents.note(clusters.name, cluster["id"], error)
        return False


def _name_of(cluster: ClusterDocument, zone: str) -> str | None:
    return cluster_names.managed_name(cluster["openShiftCluster"]["properties"]["clusterProfile"]["domain"], zone)


def _taken(domain: str) -> CloudError:
    return CloudError(
        400,
        ErrorCode.DUPLICATE_DOMAIN,
        f"The domain '{domain}' is used by another cluster. Choose another one.",
        "properties.clusterProfile.domain",
    )
