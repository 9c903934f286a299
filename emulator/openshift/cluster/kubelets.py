"""The kubelets of machines that have joined: whether their nodes are Ready, and their certificates, which they renew.

A kubelet whose certificate has expired while its machine or the API was away asks for another as the bootstrapper, a
while after the start. Its node is not Ready until somebody approves that.
"""

from collections.abc import Iterable
from datetime import datetime, timedelta

from emulator.core.clock import rfc3339
from emulator.json_object import Json
from emulator.openshift.boot import timeline
from emulator.openshift.boot.machines import Machine
from emulator.openshift.cluster import certificate_requests, control_plane
from emulator.openshift.cluster.certificate_requests import KUBELET, LIFE, SERVING
from emulator.openshift.cluster.cluster import Cluster, Key, PartState

# The share of a certificate's life after which a kubelet renews it.
_RENEWS_AFTER = 0.8


class Shown(PartState):
    """Which nodes this process has last shown as Ready."""

    def __init__(self, cluster: Cluster) -> None:
        super().__init__(cluster)
        self.ready: dict[str, bool] = {}


def reconcile(cluster: Cluster, changed: Iterable[Key]) -> datetime | None:
    """Let kubelets renew what is due, and show which nodes are Ready; return when to look again."""
    known = {one.host_name: one for one in cluster.machines.of(cluster.record.id) if one.joined}
    moments = [_renew(cluster, machine) for machine in known.values() if cluster.is_up(machine)]
    ready = {name: cluster.is_up(one) and not has_expired(cluster, one) for name, one in known.items()}
    state = cluster.part(Shown)
    if ready != state.ready or any(kind == "Node" for kind, _, _ in changed):
        state.ready = ready
        control_plane.show_ready(cluster, ready)
    return min((moment for moment in moments if moment is not None), default=None)


def has_expired(cluster: Cluster, machine: Machine) -> bool:
    """Tell whether a kubelet has missed the end of its client certificate.

    As long as it runs and reaches the API it renews the certificate in time, however far the clock jumps.
    """
    until = machine.certificates.get(KUBELET, {}).get("until", "")
    return bool(until) and until <= max(machine.up_at, cluster.record.back)


def _renew(cluster: Cluster, machine: Machine) -> datetime | None:
    """Take the next step for the certificates of a kubelet; return when the one after is due."""
    now, before = cluster.platform.clock.now(), machine.certificates
    after, moments = before, []
    node = cluster.objects.get("Node", machine.host_name)
    for signer, first in ((KUBELET, now + LIFE), (SERVING, now)) if node else ():
        known = _received(cluster, machine, after.get(signer) or {"since": rfc3339(now), "until": rfc3339(first)})
        machine.certificates = after = after | {signer: known}
        expired = has_expired(cluster, machine)
        due = _due(cluster, machine, known, expired=expired)
        if known.get("request") or (expired and signer == SERVING):
            continue
        if due > now:
            moments.append(due)
        else:
            name = certificate_requests.file(cluster, signer, machine.host_name, machine.role, by_node=not expired)
            machine.certificates = after = after | {signer: _received(cluster, machine, known | {"request": name})}
    if after != before:
        cluster.machines.save(machine)
    return min(moments, default=None)


def _due(cluster: Cluster, machine: Machine, known: Json, *, expired: bool) -> datetime:
    """Return when a kubelet asks for its next certificate."""
    since, until = (datetime.fromisoformat(known[name]) for name in ("since", "until"))
    if not expired:
        return since + (until - since) * _RENEWS_AFTER
    wait = cluster.platform.clock.scaled(timeline.ASK_SECONDS - timeline.UP_SECONDS)
    # One that was refused asks again after as long.
    return datetime.fromisoformat(max(machine.up_at, cluster.record.back, known.get("refused", ""))) + wait


def _received(cluster: Cluster, machine: Machine, known: Json) -> Json:
    """Return what a kubelet knows of a certificate after a look at its request: the new one, or that it was refused.

    A kubelet that has been started again has forgotten its request.
    """
    name = known.get("request")
    if not name:
        return known
    kept = {member: value for member, value in known.items() if member != "request"}
    request = cluster.objects.get(certificate_requests.KIND, name)
    if request is None or certificate_requests.condition(request, "Denied") or _is_older(request, machine.up_at):
        return kept | {"refused": rfc3339(cluster.platform.clock.now())}
    issued = certificate_requests.certificate(request)
    if issued is None:
        return known
    return {
        "since": rfc3339(issued.not_valid_before_utc + timedelta(minutes=5)),
        "until": rfc3339(issued.not_valid_after_utc),
    }


def _is_older(request: Json, moment: str) -> bool:
    """Tell whether a request was sent before a moment. Kubernetes counts whole seconds."""
    return bool(request["metadata"]["creationTimestamp"][:19] < moment[:19])
