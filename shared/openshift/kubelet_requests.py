"""The certificate signing requests of kubelets after a stop: which of them a start may approve. Pure.

A kubelet whose client certificate has ended asks for another with the credential that every new machine has. The
cluster itself approves such a request only for a machine without a node, so after a long stop nobody does. Whoever
has that credential can ask for any node's name. So each part of a request is compared with what a kubelet of a node
that this start has started would send, and only few are approved for each node.

Source: openshift/hive `pkg/controller/hibernation/csr_utility.go`, openshift/cluster-machine-approver `csr_check.go`.
"""

import base64
import binascii
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from cryptography import x509
from cryptography.x509.oid import NameOID

from shared.json_object import Json
from shared.openshift.client import Read

REQUESTS = Read("CertificateSigningRequest")
CLIENT_SIGNER = "kubernetes.io/kube-apiserver-client-kubelet"
_SIGNERS = (CLIENT_SIGNER, "kubernetes.io/kubelet-serving")
_NAMESPACE = "openshift-machine-config-operator"
_USERNAME = f"system:serviceaccount:{_NAMESPACE}:node-bootstrapper"
_GROUPS = frozenset({f"system:serviceaccounts:{_NAMESPACE}", "system:authenticated"})
_MORE_GROUPS = frozenset({"system:serviceaccounts"})
_USAGES = frozenset({"digital signature", "client auth"})
_MORE_USAGES = frozenset({"key encipherment"})
_NODE = "system:node:"
_NODES = "system:nodes"
_REASON = "ClusterStart"
# A kubelet asks again if it has lost an answer, but not forever.
MOST_FOR_NODE = 3


@dataclass(frozen=True)
class Start:
    """The start of a cluster, as far as requests are judged by it.

    Args:
        operation_id: the operation.
        began: when the start began; requests from before are none of its business.
        started: the virtual machines that it has started.
        nodes: the names of the cluster's nodes.
        machines: the internal DNS names of its machines.
    """

    operation_id: str
    began: datetime
    started: frozenset[str]
    nodes: frozenset[str]
    machines: frozenset[str]


def internal_names(machines: Iterable[Json]) -> frozenset[str]:
    """Return the internal DNS names that the cluster's own machine API knows of its machines."""
    addresses = [each for machine in machines for each in (machine.get("status") or {}).get("addresses") or []]
    return frozenset(each["address"] for each in addresses if each.get("type") == "InternalDNS")


def pending(requests: Iterable[Json]) -> list[str]:
    """Return the names of kubelets' requests that nobody has approved or denied."""
    ours = (one for one in requests if one["spec"].get("signerName") in _SIGNERS and not _conditions(one))
    return sorted(f"'{one['metadata']['name']}'" for one in ours)


def approvals(requests: Iterable[Json], start: Start) -> list[Json]:
    """Return the requests that a start approves, each with the condition that says so and names the operation.

    Args:
        requests: all requests of the cluster.
        start: the start.
    """
    by_age = sorted(requests, key=lambda one: (one["metadata"]["creationTimestamp"], one["metadata"]["name"]))
    given: dict[str, int] = {}
    for one in by_age:
        if any(each.get("reason") == _REASON and start.operation_id in each["message"] for each in _conditions(one)):
            given[_claimed(one)] = given.get(_claimed(one), 0) + 1
    approved = []
    for one in by_age:
        node = _claimed(one)
        if not _conditions(one) and given.get(node, 0) < MOST_FOR_NODE and not refusal(one, start):
            given[node] = given.get(node, 0) + 1
            approved.append(_approved(one, start.operation_id))
    return approved


def refusal(request: Json, start: Start) -> str:
    """Return why a start does not approve a request, or "" if it does."""
    spec, node = request["spec"], _claimed(request)
    subject = _subject(spec)
    checks: Mapping[str, bool] = {
        "another signer": spec.get("signerName") == CLIENT_SIGNER,
        "another requester": spec.get("username") == _USERNAME,
        "other groups": _is_between(spec.get("groups"), _GROUPS, _MORE_GROUPS),
        "other usages": _is_between(spec.get("usages"), _USAGES, _MORE_USAGES),
        "another subject": bool(node) and subject == [(NameOID.ORGANIZATION_NAME, _NODES), _name_of(node)],
        "no such node": node in start.nodes,
        "no such machine": node in start.machines,
        "a machine that this start has not started": node in start.started,
        "older than the start": datetime.fromisoformat(request["metadata"]["creationTimestamp"]) >= start.began,
    }
    return next((reason for reason, holds in checks.items() if not holds), "")


def _is_between(given: Iterable[str] | None, least: frozenset[str], more: frozenset[str]) -> bool:
    return least <= set(given or ()) <= least | more


def _claimed(request: Json) -> str:
    """Return the node whose certificate is asked for, or "" if the request is for something else."""
    names = [value for kind, value in _subject(request["spec"]) if kind == NameOID.COMMON_NAME]
    return names[0].removeprefix(_NODE) if len(names) == 1 and names[0].startswith(_NODE) else ""


def _name_of(node: str) -> tuple[x509.ObjectIdentifier, str]:
    return NameOID.COMMON_NAME, f"{_NODE}{node}"


def _subject(spec: Json) -> list[tuple[x509.ObjectIdentifier, str]]:
    """Return the sorted parts of a request's subject; none if it cannot be read, or asks for other names, too."""
    try:
        request = x509.load_pem_x509_csr(base64.b64decode(spec.get("request") or "", validate=True))
        if len(request.extensions) or not request.is_signature_valid:
            return []
        parts = [(each.oid, str(each.value)) for each in request.subject]
    except (ValueError, binascii.Error, x509.UnsupportedGeneralNameType):
        return []
    return sorted(parts, key=lambda part: part[0] != NameOID.ORGANIZATION_NAME)


def _conditions(request: Json) -> list[Json]:
    return list((request.get("status") or {}).get("conditions") or [])


def _approved(request: Json, operation_id: str) -> Json:
    message = f"The operation {operation_id} starts the cluster, and has started this node's machine."
    condition = {"type": "Approved", "status": "True", "reason": _REASON, "message": message}
    return {**request, "status": {**(request.get("status") or {}), "conditions": [condition]}}
