"""Predicates that a row's `when` may name. Each reads the cluster document as it is when the plan is resolved."""

from collections.abc import Callable

from shared.clusters import naming, principals
from shared.documents import ClusterDocument
from shared.settings import Settings

Predicate = Callable[[ClusterDocument, Settings], bool]


def _uses_managed_domain(document: ClusterDocument, settings: Settings) -> bool:
    domain = document["openShiftCluster"]["properties"]["clusterProfile"]["domain"]
    return naming.managed_domain(domain, settings.domain) is not None


def _supersedes_an_operation(document: ClusterDocument, _settings: Settings) -> bool:
    return bool(document.get("supersededOperationId"))


def _begins_again(document: ClusterDocument, _settings: Settings) -> bool:
    return bool((document["openShiftCluster"]["properties"].get("install") or {}).get("beginsAgain"))


def _has_no_pull_secret(document: ClusterDocument, _settings: Settings) -> bool:
    return not document.get("hasPullSecret")


def _uses_disk_encryption_sets(document: ClusterDocument, _settings: Settings) -> bool:
    properties = document["openShiftCluster"]["properties"]
    profiles = [properties["masterProfile"], *properties.get("workerProfiles", [])]
    return any(profile.get("diskEncryptionSetId") for profile in profiles)


def _principal_is_to_be_carried_in(document: ClusterDocument, _settings: Settings) -> bool:
    return not principals.is_carried_in(document)


# By name: the predicate, and the reason that readers see for a row that it skips.
PREDICATES: dict[str, tuple[Predicate, str]] = {
    "uses_managed_domain": (_uses_managed_domain, "the cluster's domain is managed by its owner"),
    "supersedes_an_operation": (_supersedes_an_operation, "no other operation was running"),
    "uses_disk_encryption_sets": (_uses_disk_encryption_sets, "no disk encryption set is given"),
    "begins_again": (_begins_again, "the bootstrap's certificates are still valid, or not made yet"),
    "principal_is_to_be_carried_in": (
        _principal_is_to_be_carried_in,
        "the cluster runs with this service principal and secret",
    ),
    "has_no_pull_secret": (_has_no_pull_secret, "the cluster has its owner's pull secret"),
}
