"""One look at one cluster: asks it, derives its conditions, and returns what to store.

Certificates and credentials are read once an hour. A principal that Entra ID refuses, or that is new, is tried each
time.
"""

import logging
from dataclasses import dataclass, replace
from datetime import datetime

from shared import durations
from shared.azure.arm_reads import provider_reads
from shared.cluster_conditions import calendar, cluster_reads, expirations, network, principal_secrets, record
from shared.cluster_conditions.cluster_reads import ReadAll
from shared.cluster_conditions.derivations import Observation
from shared.cluster_conditions.expirations import Sources
from shared.clusters import subscriptions
from shared.clusters.identities import cluster_credential
from shared.clusters.identities.cluster_credential import ServicePrincipal
from shared.documents import ClusterConditionsDocument, ClusterDocument, NetworkProblem, PrincipalCheck
from shared.openshift.client import NotDone
from shared.settings import Callers, Settings
from shared.store import Store
from shared.vault import Vault

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Services:
    """What a look needs: settings, documents, secrets, and reads from clusters as `reads.read_all` makes them."""

    settings: Settings
    store: Store
    vault: Vault
    read_all: ReadAll


def check_cluster(
    document: ClusterDocument, before: ClusterConditionsDocument | None, now: datetime, services: Services
) -> ClusterConditionsDocument | None:
    """Look at one cluster; return what to store, or None if that need not be written.

    Args:
        document: the cluster document.
        before: what is stored of its conditions.
        now: the time.
        services: what this needs.
    """
    former: ClusterConditionsDocument = before or {}
    seen = cluster_reads.observe(document, now, services.vault.get_secret, services.read_all)
    read_at = former.get("expirationsReadAt")
    is_due = read_at is None or now - datetime.fromisoformat(read_at) >= services.settings.scaled(
        durations.EXPIRATIONS_KEPT
    )
    known, wrong = record.expirations(former), former.get("network")
    if is_due:
        wrong = _network(document, services, wrong)
        known, read_at = expirations.read(document, _sources(document, seen, services), known), now.isoformat()
    principal = _principal(document, former, services, is_due=is_due)
    seen = replace(
        seen,
        expirations=known,
        expirations_read_at=str(read_at),
        principal=principal["login"] if principal else "",
        refused_principal=principal["refused"] if principal else "",
        network=wrong or [],
        unread=seen.unread if wrong is not None else {**seen.unread, "network": "Azure does not show it"},
        remedies=_remedies(document, services.settings),
    )
    return record.next_record(document, former, seen, services.settings)


def _sources(document: ClusterDocument, seen: Observation, services: Services) -> Sources:
    try:
        can_be_asked = seen.stop is None and "readiness" not in seen.unread
        endpoint = cluster_reads.endpoint(document, services.vault.get_secret) if can_be_asked else None
    except NotDone:
        endpoint = None
    own_tenant, read_secret = services.settings.tenant_id, services.vault.get_service_secret
    return Sources(
        services.settings,
        services.vault,
        services.read_all,
        endpoint,
        lambda: _tenant(document, services),
        lambda: provider_reads(own_tenant, read_secret),
    )


def _network(
    document: ClusterDocument, services: Services, known: list[NetworkProblem] | None
) -> list[NetworkProblem] | None:
    """Return what is wrong with the network of a cluster; what is known, if Azure does not show it now."""
    try:
        arm = provider_reads(_tenant(document, services), services.vault.get_service_secret)
        return network.problems(document, arm)
    except Exception as error:  # noqa: BLE001 - the rest is looked at all the same
        _log.warning("cluster %s: its network is not read: %s", document["key"], type(error).__name__)
        return known


def _tenant(document: ClusterDocument, services: Services) -> str:
    if services.settings.callers is Callers.ENTRA:
        return services.settings.tenant_id
    subscription_id = document["partitionKey"]
    return subscriptions.tenant_of(services.store.subscriptions.get(subscription_id), subscription_id)


def _principal(
    document: ClusterDocument, former: ClusterConditionsDocument, services: Services, *, is_due: bool
) -> PrincipalCheck | None:
    """Try the secret of a cluster's principal, if that is due; None for a cluster without one."""
    credential = cluster_credential.parse(document)
    if not isinstance(credential, ServicePrincipal):
        return None
    login = f"{credential.client_id.lower()} {credential.secret_id}"
    known = former.get("principal")
    if known is not None and known["login"] != login:
        known = None
    if known is not None and not known["refused"] and not is_due:
        return known
    try:
        secret = services.vault.get_secret(credential.secret_id)["clientSecret"]
        refused = principal_secrets.refusal(_tenant(document, services), credential.client_id, secret)
    except Exception as error:  # noqa: BLE001 - what is known still holds, and the next run tries again
        # The type alone, because the text may quote the secret.
        _log.warning("cluster %s: its principal is not tried: %s", document["key"], type(error).__name__)
        return known
    return {"login": login, "refused": refused}


def _remedies(document: ClusterDocument, service_settings: Settings) -> dict[str, str]:
    """Return the commands that give a cluster another secret, with its own names in them."""
    credential = cluster_credential.parse(document)
    if not isinstance(credential, ServicePrincipal):
        return {}
    parts = document["openShiftCluster"]["id"].split("/")
    group, name = parts[4], parts[-1]
    make = f"az ad app credential reset --id {credential.client_id} --append --query password --output tsv"
    if service_settings.callers is Callers.ENTRA:
        give = f"aroctl update {name} --resource-group {group} --new-secret"
    else:
        give = (
            f"az aro update --name {name} --resource-group {group} --client-id {credential.client_id} "
            "--client-secret <the new secret>"
        )
    return {calendar.SERVICE_PRINCIPAL: f"Make another secret with '{make}', and give it to the cluster with '{give}'"}
