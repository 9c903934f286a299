"""The operators' access to Azure: each tries the credentials in its own Secret whenever something may have changed.

An operator becomes Degraded, with the message of the directory or of Azure, when its secret is revoked, when its
principal is deleted, or when it loses its role or its exclusion from a deny assignment. It recovers when its
credentials work again.
"""

from collections.abc import Iterator
from datetime import datetime

from emulator.core.service_error import ServiceError
from emulator.openshift.boot.timeline import OPERATOR
from emulator.openshift.cluster.cluster import Cluster, PartState
from emulator.openshift.operators import cloud, cluster_operators, credentials

# Operators that were refused try again by themselves; the others only after a change.
RETRY_SECONDS = 60
# The first call to Azure of each operator; operators that are missing here begin like machine-api.
_ACTIONS = {
    "image-registry": "Microsoft.Storage/storageAccounts/write",
    "ingress": "Microsoft.Network/privateDnsZones/A/write",
    "network": "Microsoft.Network/networkInterfaces/write",
    "storage": "Microsoft.Compute/disks/write",
}
_FIRST_ACTION = "Microsoft.Compute/virtualMachines/write"


class Access(PartState):
    """When the operators next try their credentials, in a new process at once; and what decides whether these work.

    That is client ids, object ids and scopes, in lower case.
    """

    def __init__(self, cluster: Cluster) -> None:
        super().__init__(cluster)
        self.due: datetime | None = cluster.platform.clock.now()
        self.watched: set[str] = set()


def begun(cluster: Cluster, operator: str) -> None:
    """Let an operator that has just become available try its credentials."""
    if any(operator == each for each, _, _ in _secrets(cluster)):
        cluster.part(Access).due = cluster.platform.clock.now()


def changed(cluster: Cluster, whose: str) -> bool:
    """Let the operators try their credentials again, if these depend on what has changed; tell whether they do."""
    state = cluster.part(Access)
    if whose not in state.watched:
        return False
    state.due = cluster.platform.clock.now()
    return True


def reconcile(cluster: Cluster, changed: set[tuple[str, str, str]]) -> datetime | None:
    """Try the credentials if something may have changed; return when to try again, None while they work."""
    state = cluster.part(Access)
    clock, secrets = cluster.platform.clock, {(row[2], row[1]) for row in _secrets(cluster)}
    if any(kind == "Secret" and (namespace, name) in secrets for kind, namespace, name in changed):
        state.due = clock.now()
    if state.due is None or state.due > clock.now():
        return state.due
    refused = _refused(cluster)
    before, cluster.record.refused = cluster.record.refused, refused
    if refused != before:
        cluster.save()
        for operator in sorted(refused.keys() | before.keys()):
            cluster_operators.show(cluster, operator)
    state.due = clock.after(RETRY_SECONDS) if refused else None
    return state.due


def _secrets(cluster: Cluster) -> Iterator[tuple[str, str, str]]:
    """Yield operator, name and namespace of each Secret with which an operator of the release acts in Azure."""
    yield (credentials.OPERATOR, *credentials.ROOT)
    yield from ((row.operator, row.secret, row.namespace) for row in credentials.requests(cluster))


def _refused(cluster: Cluster) -> dict[str, str]:
    """Return why operators have no access, by operator, and note which identities and scopes this depends on."""
    refused: dict[str, str] = {}
    watched: set[str] = set()
    for operator, name, namespace in _secrets(cluster):
        # An operator that is not available yet, or waits for its Secret, reports that itself.
        if not cluster.reached(f"{OPERATOR}{operator}") or cluster.objects.get("Secret", name, namespace) is None:
            continue
        try:
            account = cloud.from_secret(cluster, name, namespace)
            watched |= {account.client_id.lower(), account.group_id.lower()}
            session = cloud.Session(cluster.platform, account)
            watched.add(session.object_id.lower())
            session.require(_ACTIONS.get(operator, _FIRST_ACTION), account.group_id)
        except ServiceError as error:
            refused[operator] = credentials.refusal(error)
    cluster.part(Access).watched = watched
    return refused
