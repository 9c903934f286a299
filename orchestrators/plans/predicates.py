"""Predicates that a row's `when` may name, each a list of conditions that must all hold.

A condition reads the cluster document as it is when the plan is resolved, and our settings. What a deployment does not
have is a condition too: its setting is empty, and the rows that need it are skipped.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import assert_never

from shared.clusters import cluster_names, principals, worker_count
from shared.clusters.identities import cluster_credential, known_identities
from shared.clusters.identities.cluster_credential import ServicePrincipal, WorkloadIdentity
from shared.clusters.power import power_states
from shared.clusters.secrets import Purpose
from shared.documents import ClusterDocument
from shared.settings import Settings


@dataclass(frozen=True)
class Condition:
    """A condition, and the reason that readers see for a row that is skipped because it does not hold."""

    holds: Callable[[ClusterDocument, Settings], bool]
    reason: str


def _uses_managed_domain(document: ClusterDocument, settings: Settings) -> bool:
    domain = document["openShiftCluster"]["properties"]["clusterProfile"]["domain"]
    return cluster_names.managed_domain(domain, settings.domain) is not None


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


def _uses_installer_program(document: ClusterDocument, _settings: Settings) -> bool:
    # Requests of older builds stored no installer, and their default was the built-in graph.
    return document["openShiftCluster"]["properties"].get("installer") == "openshift-install"


def _has_service_principal(document: ClusterDocument, _settings: Settings) -> bool:
    credential = cluster_credential.parse(document)
    match credential:
        case ServicePrincipal():
            return True
        case WorkloadIdentity():
            return False
        case _:
            assert_never(credential)


def _has_workload_identity(document: ClusterDocument, settings: Settings) -> bool:
    return not _has_service_principal(document, settings)


def _principal_is_to_be_carried_in(document: ClusterDocument, _settings: Settings) -> bool:
    return not principals.is_carried_in(document)


def _identities_are_to_be_carried_in(document: ClusterDocument, _settings: Settings) -> bool:
    return not known_identities.are_carried_in(document)


def _workers_are_to_be_scaled(document: ClusterDocument, _settings: Settings) -> bool:
    return worker_count.is_to_be_scaled(document)


def _is_to_be_drained(document: ClusterDocument, _settings: Settings) -> bool:
    return not power_states.is_drained(document)


def changes_the_cluster(document: ClusterDocument, settings: Settings) -> bool:
    """Tell whether an update changes something inside a cluster, which has to run for that."""
    changes = (_principal_is_to_be_carried_in, _identities_are_to_be_carried_in, _workers_are_to_be_scaled)
    return any(change(document, settings) for change in changes)


def _has_no_stored_signer(document: ClusterDocument, _settings: Settings) -> bool:
    return Purpose.ADMIN_SIGNER not in document.get("secrets", {})


def _uses_load_balancer(document: ClusterDocument, _settings: Settings) -> bool:
    network = document["openShiftCluster"]["properties"].get("networkProfile") or {}
    return network.get("outboundType") != "UserDefinedRouting"


_FIRST_PARTY = Condition(
    lambda _document, settings: bool(settings.first_party_client_id),
    "only a first-party application may write deny assignments, and the service has none (FP_CLIENT_ID is empty)",
)
_PRINCIPAL = Condition(_has_service_principal, "the cluster has workload identity, and no service principal")
_IDENTITIES = Condition(_has_workload_identity, "the cluster has a service principal, and no workload identity")
_DATA_PLANE = Condition(
    lambda _document, settings: bool(settings.first_party_client_id),
    "only a first-party application gets certificates of identities, and the service has none (FP_CLIENT_ID is empty)",
)
_ZONE = Condition(
    lambda _document, settings: bool(settings.domain), "the service has no zone for managed domains (DOMAIN is empty)"
)
_MANAGED = Condition(_uses_managed_domain, "the cluster's domain is managed by its owner")
_ISSUER = Condition(
    lambda _document, settings: bool(settings.certificate_issuer),
    "the cluster keeps its own certificates, because the service has no issuer (CERTIFICATE_ISSUER is empty)",
)
_REGISTRY = Condition(
    lambda _document, settings: bool(settings.acr_resource_id),
    "the service has no registry of its own (ACR_RESOURCE_ID is empty)",
)
_LOGGING = Condition(
    lambda _document, settings: bool(settings.cluster_logging_certificate_secret),
    "the service has no logging account for clusters (CLUSTER_LOGGING_CERTIFICATE_SECRET is empty)",
)
_SUBNET = Condition(
    lambda _document, settings: bool(settings.app_subnet_id),
    "the cluster's storage account stays open, because the service is in no subnet to let in (APP_SUBNET_ID is empty)",
)
_BILLING_COPIES = Condition(
    lambda _document, settings: bool(settings.billing_copy_account_id),
    "nobody wants copies of billing records (BILLING_COPY_ACCOUNT_ID is empty)",
)

# By name. The first condition that does not hold gives the reason.
PREDICATES: dict[str, tuple[Condition, ...]] = {
    "uses_managed_domain": (_ZONE, _MANAGED),
    "gets_certificates": (_ISSUER, _ZONE, _MANAGED),
    "has_registry": (_REGISTRY,),
    "sends_logs": (_LOGGING, _REGISTRY),
    "has_first_party": (_FIRST_PARTY,),
    "closes_storage": (_SUBNET,),
    "copies_billing": (_BILLING_COPIES,),
    "supersedes_an_operation": (Condition(_supersedes_an_operation, "no other operation was running"),),
    "uses_disk_encryption_sets": (Condition(_uses_disk_encryption_sets, "no disk encryption set is given"),),
    "uses_installer_program": (
        Condition(_uses_installer_program, "the service itself makes the install graph of this cluster"),
    ),
    "uses_load_balancer": (
        Condition(_uses_load_balancer, "the customer's route tables lead outside (outboundType is UserDefinedRouting)"),
    ),
    "begins_again": (Condition(_begins_again, "the bootstrap's certificates are still valid, or not made yet"),),
    "has_service_principal": (_PRINCIPAL,),
    "has_workload_identity": (_IDENTITIES,),
    "has_identity_certificate": (_IDENTITIES, _DATA_PLANE),
    "principal_is_to_be_carried_in": (
        _PRINCIPAL,
        Condition(_principal_is_to_be_carried_in, "the cluster runs with this service principal and secret"),
    ),
    "identities_are_to_be_carried_in": (
        _IDENTITIES,
        Condition(_identities_are_to_be_carried_in, "the cluster's operators run with these identities"),
    ),
    "workers_are_to_be_scaled": (
        Condition(_workers_are_to_be_scaled, "nobody has asked for another number of workers"),
    ),
    "changes_the_cluster": (Condition(changes_the_cluster, "nothing inside the cluster has to change"),),
    "is_to_be_drained": (Condition(_is_to_be_drained, "an earlier stop has done everything inside the cluster"),),
    "has_no_stored_signer": (
        Condition(_has_no_stored_signer, "the vault has the signer of the cluster's admin credentials"),
    ),
    "has_no_pull_secret": (Condition(_has_no_pull_secret, "the cluster has its owner's pull secret"),),
}


def reason_to_skip(name: str, document: ClusterDocument, settings: Settings) -> str:
    """Return why a row with this `when` is skipped, or "" if it runs.

    Args:
        name: the row's `when`; empty for a row that always runs.
        document: the cluster document.
        settings: our settings.
    """
    conditions = PREDICATES[name] if name else ()
    return next((each.reason for each in conditions if not each.holds(document, settings)), "")
