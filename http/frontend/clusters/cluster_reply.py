"""Clusters in replies: as the version of the request shows them, with their ETag."""

from collections.abc import Sequence
from typing import Any

from frontend.messages import Call
from shared.arm.preconditions import tag_of_reply
from shared.clusters.api_versions import has_member
from shared.clusters.convert import to_external
from shared.clusters.power.power_states import with_power_state
from shared.documents import Cluster, ClusterConditionsDocument, ClusterDocument


def body(call: Call, cluster: Cluster, etag: str) -> Any:
    """Return a cluster with an ETag as the version of the request shows it.

    Args:
        call: the request.
        cluster: the internal cluster.
        etag: the ETag.
    """
    return to_external({**with_power_state(cluster), "etag": etag}, call.version)


def with_conditions(call: Call, documents: Sequence[ClusterDocument], clusters: Sequence[Cluster]) -> list[Cluster]:
    """Return clusters with their conditions, in versions that have these: one more read of the store, or one query.

    Args:
        call: the request.
        documents: the documents.
        clusters: their internal clusters, in the same order.
    """
    if not has_member(call.version, "properties.conditions[]"):
        return list(clusters)
    stored = call.services.store.conditions
    if len(documents) == 1:
        only = stored.of(documents[0])
        found = {} if only is None else {only["id"]: only}
    else:
        found = stored.of_each(documents)
    return [_with(cluster, found.get(each["id"])) for each, cluster in zip(documents, clusters, strict=True)]


def _with(cluster: Cluster, found: ClusterConditionsDocument | None) -> Cluster:
    if found is None:
        return cluster
    return {**cluster, "properties": {**cluster["properties"], "conditions": found["conditions"]}}


def live_tag(document: ClusterDocument, cluster: Cluster) -> str:
    """Return the ETag of a cluster whose live values are shown, too.

    Args:
        document: the document.
        cluster: its internal cluster with the live values.
    """
    return tag_of_reply(document["_etag"], cluster)
