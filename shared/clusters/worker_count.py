"""The number of workers that a customer wants, from the request that changes it until an update has succeeded.

`scaling` is in the cluster document for that time; otherwise the cluster's own machine sets say how many workers there
are, and nothing compares them with the document. Pure.
"""

from shared.documents import Cluster, ClusterDocument

# The name of the profile that stands for all workers.
WORKER = "worker"


def wanted(cluster: Cluster) -> int:
    """Return the number of workers that a cluster asks for, 0 if it does not say."""
    return sum(profile.get("count") or 0 for profile in (cluster.get("properties") or {}).get("workerProfiles") or [])


def set_wanted(cluster: Cluster, count: int) -> None:
    """Let a stored cluster ask for a number of workers."""
    cluster["properties"]["workerProfiles"][0]["count"] = count


def is_to_be_scaled(document: ClusterDocument) -> bool:
    """Tell whether a request has changed the number of workers, and no update has succeeded since."""
    return "scaling" in document


def start_from_settled(document: ClusterDocument, sent: Cluster) -> None:
    """Let a request begin with the number from before a failed update, unless it repeats the failed one.

    If the update was refused before it changed a machine set, only the request that sent the number wanted it; the next
    request, which may only change tags, must not fail because of it. If a machine set was changed, the number stays and
    the next update continues.

    Args:
        document: the cluster document, changed in place.
        sent: the decoded body of the request.
    """
    scaling, cluster = document.get("scaling"), document["openShiftCluster"]
    profiles = (sent.get("properties") or {}).get("workerProfiles") or []
    # A body may have machine sets instead, whose numbers are what there is now.
    named = [profile.get("count") for profile in profiles if profile.get("name") == WORKER]
    if not scaling or scaling["begun"] or named == [wanted(cluster)]:
        return
    set_wanted(cluster, scaling["before"])
    del document["scaling"]


def note_wanted(document: ClusterDocument, before: int) -> None:
    """Record that a request has changed the number of workers.

    Args:
        document: the cluster document as the request wants it, changed in place.
        before: the number before the request.
    """
    if not is_to_be_scaled(document) and wanted(document["openShiftCluster"]) != before:
        document["scaling"] = {"before": before, "begun": False}


def note_begun(document: ClusterDocument) -> bool:
    """Record that machine sets are about to be changed; return whether that was new."""
    scaling = document.get("scaling")
    if not scaling or scaling["begun"]:
        return False
    document["scaling"] = {"before": scaling["before"], "begun": True}
    return True


def note_scaled(document: ClusterDocument) -> None:
    """Record that the cluster has as many workers as its customer wants."""
    document.pop("scaling", None)
