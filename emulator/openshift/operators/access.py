"""The operators' access to Azure: each tries the credentials in its own Secret whenever something may have changed.

An operator becomes Degraded, with the message of the directory or of Azure, when its secret is revoked, when its
principal is deleted, or when it loses its role or its exclusion from a deny assignment. It recovers when its
credentials work again.
"""

import asyncio
from collections.abc import Iterator
from datetime import datetime

from emulator.core.service_error import ServiceError
from emulator.openshift.boot.timeline import OPERATOR, NotYetError
from emulator.openshift.cluster.cluster import LEAST_RETRY, Cluster, PartState
from emulator.openshift.operators import cloud, cluster_operators, credentials

# Operators that were refused try again by themselves; the others only after a change.
RETRY_SECONDS = 60
# Operators that cannot bring up what they look after without a call to Azure. The others become available all the same;
# the router's address is a row of its own.
_NEEDY = ("image-registry", "storage")
# The root Secret gives access to everything.
_ROOT = credentials.Request("", *credentials.ROOT, credentials.OPERATOR, credentials.VIRTUAL_MACHINES, ("",))


class Access(PartState):
    """When the operators next try their credentials, in a new process at once; and what decides whether these work.

    That is client ids, object ids and scopes, in lower case, former ones too.
    """

    def __init__(self, cluster: Cluster) -> None:
        super().__init__(cluster)
        self.due: datetime | None = cluster.platform.clock.now()
        self.watched: set[str] = set()


def begun(cluster: Cluster, operator: str) -> None:
    """Let an operator that has just become available try its credentials."""
    if any(operator == row.operator for row in _requests(cluster)):
        cluster.part(Access).due = cluster.platform.clock.now()


def changed(cluster: Cluster, whose: str) -> bool:
    """Let the operators try their credentials again, if these depend on what has changed; tell whether they do."""
    state = cluster.part(Access)
    if whose not in state.watched:
        return False
    state.due = cluster.platform.clock.now()
    return True


async def reconcile(cluster: Cluster, changed: set[tuple[str, str, str]]) -> datetime | None:
    """Try the credentials if something may have changed; return when to try again, None while they work."""
    state, clock = cluster.part(Access), cluster.platform.clock
    secrets = {(namespace, name) for kind, namespace, name in changed if kind == "Secret"}
    if secrets and any((row.namespace, row.secret) in secrets for row in _requests(cluster)):
        state.due = clock.now()
    if state.due is None or state.due > clock.now():
        return state.due
    # What changes while the directory answers is tried again.
    state.due, before = None, cluster.record.refused
    # An operator that is not available yet reports that itself.
    rows = [row for row in _requests(cluster) if cluster.reached(f"{OPERATOR}{row.operator}")]
    attempts = [(row, account) for row in rows if _has_secret(cluster, row) for account in row.accounts]
    errors = await asyncio.gather(*(_refusal(cluster, *attempt) for attempt in attempts))
    refused: dict[str, str] = {}
    for (row, _), error in zip(attempts, errors, strict=True):
        # An operator whose call may succeed later keeps its state.
        told = before.get(row.operator, "") if error and cloud.is_passing(error) else credentials.refusal(error)
        if told:
            refused.setdefault(row.operator, told)
    cluster.record.refused = refused
    if refused != before:
        cluster.save()
        for operator in sorted(refused.keys() | before.keys()):
            cluster_operators.show(cluster, operator)
    if any(errors) and state.due is None:
        state.due = clock.now() + max(LEAST_RETRY, clock.scaled(RETRY_SECONDS))
    return state.due


async def require(cluster: Cluster, operator: str) -> None:
    """Let an operator that begins make its first call.

    Raises:
        NotYetError: if that is refused, and the operator is not available without it.
    """
    for row in credentials.requests(cluster) if operator in _NEEDY else ():
        for account in row.accounts if row.operator == operator and _has_secret(cluster, row) else ():
            if error := await _refusal(cluster, row, account):
                raise NotYetError(credentials.refusal(error))


def _requests(cluster: Cluster) -> Iterator[credentials.Request]:
    """Yield the Secrets with which operators of the release act in Azure."""
    if not cluster_operators.is_manual(cluster):
        yield _ROOT
    yield from credentials.requests(cluster)


def _has_secret(cluster: Cluster, row: credentials.Request) -> bool:
    """Tell whether an operator has its Secret, or lacks one that nobody will make."""
    return cluster_operators.is_manual(cluster) or cluster.objects.get("Secret", row.secret, row.namespace) is not None


async def _refusal(cluster: Cluster, row: credentials.Request, service_account: str) -> ServiceError | None:
    """Return why a service account has no access, None if it has; note on which identities and scopes this depends."""
    watched = cluster.part(Access).watched
    try:
        account = cloud.from_secret(cluster, row.secret, row.namespace, service_account)
        watched |= {account.client_id.lower(), account.group_id.lower()}
        session = await cloud.log_in(cluster, account)
        watched.add(session.object_id.lower())
        session.require(row.action, account.group_id)
    except ServiceError as error:
        return error
    return None
