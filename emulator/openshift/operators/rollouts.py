"""The roll-outs of changed configuration, which interpret `timeline.ROLLOUTS`.

A change shows in the very call that makes it: a client that reads the operator right after the change finds it
progressing. The record says what is wanted and when it comes into force, so a killed process loses nothing.
"""

import hashlib
import json
import logging
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime, timedelta

from emulator.core.clock import rfc3339
from emulator.json_object import Json
from emulator.openshift.boot import key_pairs
from emulator.openshift.boot.timeline import OPERATOR, ROLLOUTS, Rollout
from emulator.openshift.cluster import api_server_certificates
from emulator.openshift.cluster.cluster import Cluster
from emulator.openshift.kubernetes import Certificate
from emulator.openshift.kubernetes.secrets import decoded
from emulator.openshift.operators import cluster_operators
from emulator.openshift.release import manifests

logger = logging.getLogger(__name__)
Key = tuple[str, str, str]
FAULTS = "machines"
CERTIFICATE, PRIVATE_KEY = "tls.crt", "tls.key"


class _SecretError(ValueError):
    """A Secret that cannot be used for serving; the message says which, and why."""


def changed(cluster: Cluster, key: Key) -> None:
    """Start the roll-outs that a change of an object asks for, or stop those that are no longer wanted."""
    for row in ROLLOUTS:
        if key == row.resource or (row.secrets and key[:2] == ("Secret", row.secrets)):
            _look(cluster, row)


def advance(cluster: Cluster) -> datetime | None:
    """Put the roll-outs that are due into force; return when the next one is due, None if there is none."""
    waits = []
    for row in ROLLOUTS:
        state = cluster.record.rollouts.get(row.key, {})
        # An operator that is not available yet continues the roll-out when it is.
        if not state.get("due") or not cluster.reached(f"{OPERATOR}{row.operator}"):
            continue
        due = datetime.fromisoformat(state["due"])
        if due > cluster.platform.clock.now():
            waits.append(due)
            continue
        _enforce(cluster, row, state)
    return min(waits, default=None)


def begun(cluster: Cluster, operator: str) -> None:
    """Let an operator that has just become available apply the configuration that it finds."""
    for row in ROLLOUTS:
        if row.operator == operator:
            _look(cluster, row)
            state = cluster.record.rollouts.get(row.key, {})
            if not state.get("due") and not state.get("problem"):
                _EFFECTS.get(row.key, _nothing)(cluster, row)


def _look(cluster: Cluster, row: Rollout) -> None:
    found = _resource(cluster, row)
    if found is None:
        return
    spec: Json = found.get("spec") or found.get("data") or {}
    rollouts = cluster.record.rollouts
    # The operator starts with the spec that it finds; certificates always need a roll-out.
    state = rollouts.get(row.key) or {"rolled": _digest(spec, ()), "due": "", "problem": ""}
    before = dict(state)
    try:
        wanted, problem = _digest(spec, _certificates(cluster, row, spec)), ""
    except _SecretError as error:
        wanted, problem = "", str(error)
    if wanted == state.get("wanted") and (wanted or problem == state["problem"]):
        return
    begins = wanted and wanted != state["rolled"]
    state = state | {"wanted": wanted, "problem": problem, "due": ""}
    if begins:
        due, state["problem"] = _due(cluster, row)
        state["due"] = "" if state["problem"] else rfc3339(due)
    rollouts[row.key] = state
    cluster.save()
    if state["due"] or state["problem"] or before["due"] or before["problem"]:
        logger.info("cluster %s: %s: %s", cluster.record.id, row.key, state["problem"] or row.says)
        cluster_operators.show(cluster, row.operator)


def _due(cluster: Cluster, row: Rollout) -> tuple[datetime, str]:
    """Return when a roll-out that begins now is over, and why it fails, "" if it does not."""
    clock = cluster.platform.clock
    fault = cluster.platform.faults.take(FAULTS, f"rollout {row.operator}")
    # The injected delay is not scaled.
    later = timedelta(seconds=fault.delay_seconds) if fault is not None and fault.kind == "delay" else timedelta()
    failure = fault.message if fault is not None and fault.kind != "delay" else ""
    return clock.after(row.seconds) + later, failure


def _enforce(cluster: Cluster, row: Rollout, state: Json) -> None:
    cluster.record.rollouts[row.key] = state | {"rolled": state["wanted"], "due": ""}
    _EFFECTS.get(row.key, _nothing)(cluster, row)
    cluster.save()
    cluster_operators.show(cluster, row.operator)


def _resource(cluster: Cluster, row: Rollout) -> Json | None:
    kind, namespace, name = row.resource
    # The kind does not exist before its definition is created.
    return cluster.objects.get(kind, name, namespace) if cluster.objects.kinds.named(kind) else None


def _digest(spec: Json, shown: Iterable[Certificate]) -> str:
    parts = [spec, *([*one.names, one.chain_pem, one.key_pem] for one in shown)]
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


# Certificates


def _api_secrets(spec: Json) -> list[tuple[str, list[str]]]:
    named = (spec.get("servingCerts") or {}).get("namedCertificates") or ()
    return [((one.get("servingCertificate") or {}).get("name", ""), one.get("names") or []) for one in named]


def _router_secrets(spec: Json) -> list[tuple[str, list[str]]]:
    name = (spec.get("defaultCertificate") or {}).get("name")
    return [(name, [])] if name else []


# Functions that return the Secrets that a spec names, each with its server names; [] means those of the certificate.
_SECRETS: Mapping[str, Callable[[Json], list[tuple[str, list[str]]]]] = {
    "kube-apiserver": _api_secrets,
    "ingress": _router_secrets,
}


def _certificates(cluster: Cluster, row: Rollout, spec: Json) -> list[Certificate]:
    """Return the certificates that a spec asks for.

    Raises:
        _SecretError: if one is missing or cannot be used.
    """
    if row.key not in _SECRETS:
        return []
    return [_certificate(cluster, row, name, names) for name, names in _SECRETS[row.key](spec)]


def _certificate(cluster: Cluster, row: Rollout, name: str, names: list[str]) -> Certificate:
    secret = cluster.objects.get("Secret", name, row.secrets)
    if secret is None:
        raise _SecretError(f'secret "{row.secrets}/{name}" not found')
    data = secret.get("data") or {}
    missing = [key for key in (CERTIFICATE, PRIVATE_KEY) if not data.get(key)]
    if missing:
        raise _SecretError(f'secret "{row.secrets}/{name}" has no {" and no ".join(missing)}')
    chain, key = decoded(data[CERTIFICATE]), decoded(data[PRIVATE_KEY])
    problem = key_pairs.problem(chain, key)
    if problem:
        raise _SecretError(f'secret "{row.secrets}/{name}" is of no use: {problem}')
    return Certificate(tuple(names) or key_pairs.names(chain), chain, key)


# The effects of a finished roll-out


def _serve(cluster: Cluster, row: Rollout) -> None:
    found = _resource(cluster, row) or {}
    api_server_certificates.give(cluster, _certificates(cluster, row, found.get("spec") or {}))


def _trust(cluster: Cluster, row: Rollout) -> None:
    data = (_resource(cluster, row) or {}).get("data") or {}
    api_server_certificates.trust(cluster, data.get("ca-bundle.crt", ""))


def _stock(cluster: Cluster, row: Rollout) -> None:
    found = _resource(cluster, row) or {}
    kind, namespace, name = row.resource
    cluster.objects.set_status(kind, name, {"sources": manifests.catalogues(found.get("spec") or {})}, namespace)


def _route(cluster: Cluster, row: Rollout) -> None:
    spec = (_resource(cluster, row) or {}).get("spec") or {}
    cluster.record.rollouts[row.key]["shown"] = (spec.get("defaultCertificate") or {}).get("name", "")


def _revise(cluster: Cluster, row: Rollout) -> None:
    """Let every master run the static pods of a new revision, and store the reason of the revision."""
    found = _resource(cluster, row) or {}
    kind, namespace, name = row.resource
    status = found.get("status") or {}
    revision = int(status.get("latestAvailableRevision") or 0) + 1
    reason = str((found.get("spec") or {}).get("forceRedeploymentReason") or "")
    cluster.objects.put(
        {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {"name": f"{row.operator}-pod-{revision}", "namespace": row.pods},
            "data": {"forceRedeploymentReason": reason, "version": cluster.installation.version},
        }
    )
    nodes = cluster.objects.list("Node", labels={"node-role.kubernetes.io/master": ""})
    told = [{"nodeName": node["metadata"]["name"], "currentRevision": revision} for node in nodes]
    changed = {"latestAvailableRevision": revision, "nodeStatuses": told}
    cluster.objects.set_status(kind, name, status | changed, namespace)


def _leave(cluster: Cluster, row: Rollout) -> None:
    found = _resource(cluster, row) or {}
    kind, namespace, name = row.resource
    state = (found.get("spec") or {}).get("managementState") or "Managed"
    cluster.objects.set_status(kind, name, (found.get("status") or {}) | {"managementState": state}, namespace)


def _nothing(_cluster: Cluster, _row: Rollout) -> None:
    """Have no visible effect."""


_EFFECTS: Mapping[str, Callable[[Cluster, Rollout], None]] = {
    "ingress": _route,
    "kube-apiserver": _serve,
    "kube-apiserver-client-ca": _trust,
    "kube-apiserver-revision": _revise,
    "kube-controller-manager": _revise,
    "marketplace": _stock,
    "openshift-samples": _leave,
}
