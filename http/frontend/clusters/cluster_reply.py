"""Clusters in replies: as the version of the request shows them, with their ETag."""

from typing import Any

from frontend.messages import Call
from shared.arm.preconditions import tag_of_reply
from shared.clusters.convert import to_external
from shared.documents import Cluster, ClusterDocument


def body(call: Call, cluster: Cluster, etag: str) -> Any:
    """Return a cluster with an ETag as the version of the request shows it.

    Args:
        call: the request.
        cluster: the internal cluster.
        etag: the ETag.
    """
    return to_external({**cluster, "etag": etag}, call.version)


def live_tag(document: ClusterDocument, cluster: Cluster) -> str:
    """Return the ETag of a cluster whose live values are shown, too.

    Args:
        document: the document.
        cluster: its internal cluster with the live values.
    """
    return tag_of_reply(document["_etag"], cluster)
