"""Which identity of a cluster Azure refuses, from what the cluster's operators say of it. Pure.

An operator of the role sets acts as an identity of its own, and a ClusterOperator reports about it, sometimes about
several. A refusal that names an identity is about that one alone.

Source: https://learn.microsoft.com/entra/identity-platform/reference-error-codes for Entra ID's codes.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, assert_never

from shared.arm.errors import CloudErrorBody, ErrorCode
from shared.clusters.identities.cluster_credential import (
    Credential,
    Identity,
    ServicePrincipal,
    WorkloadIdentity,
    operator_path,
)
from shared.openshift import conditions
from shared.openshift.client import Read
from shared.openshift.conditions import NO_ROLE, OPERATORS, WORKER_MACHINES

# The operator that makes machines, as role sets and the cluster name it.
MACHINE_API = "machine-api"
# The ClusterOperators that report about an operator of the role sets, where they have other names.
_REPORTERS = {"cloud-network-config": "network", "disk-csi-driver": "storage", "file-csi-driver": "storage"}
_REASONS = (
    (NO_ROLE, "lacks a role or its role has not reached all of Azure yet"),
    (re.compile(r"\bAADSTS(700016|90002)\b"), "does not exist any more"),
    (
        re.compile(r"\bAADSTS(70021[1-3]?|7000272|700024|50166|50013)\b"),
        "gets no token, because its federated credentials, or the issuer's documents, do not fit the cluster's tokens",
    ),
)


@dataclass(frozen=True)
class Refusal:
    """What Azure refuses to an operator.

    Attributes:
        operator: the operator's name in the role sets.
        identity: the identity as which it acts.
        reason: why, as the end of a sentence about the identity.
        said: what the cluster says.
    """

    operator: str
    identity: Identity
    reason: str
    said: str

    def __str__(self) -> str:
        """Name operator and identity in a sentence."""
        who, identity = self.operator, self.identity.resource_id
        return f"the operator '{who}' acts in Azure as the identity '{identity}', which {self.reason}"


def reporter(operator: str) -> str:
    """Return the name of the ClusterOperator that reports about an operator of the role sets."""
    return _REPORTERS.get(operator, operator)


def reports(reads: Iterable[Read], found: Iterable[Any]) -> dict[str, str]:
    """Return what is wrong with ClusterOperators among what was read, by name, and with the machines of machine-api.

    Args:
        reads: what was read.
        found: for each read a list, or an object or None.
    """
    told: dict[str, list[str]] = {}
    for what, one in zip(reads, found, strict=True):
        for each in one if isinstance(one, list) else [one] if one else []:
            if what.kind == OPERATORS.kind:
                told.setdefault(each["metadata"]["name"], []).append(conditions.troubles(each))
            elif what.kind == WORKER_MACHINES.kind:
                told.setdefault(MACHINE_API, []).append(conditions.machine_missing(each))
    return {name: "; ".join(filter(None, texts)) for name, texts in told.items()}


def refusals(credential: Credential, said: Mapping[str, str]) -> list[Refusal]:
    """Return what Azure refuses to the operators of a cluster; nothing if they share a service principal.

    Args:
        credential: the cluster's.
        said: what is wrong, as `reports` returns it.
    """
    match credential:
        case ServicePrincipal():
            return []
        case WorkloadIdentity(operators=operators):
            return [
                refusal
                for name in sorted({reporter(operator) for operator in operators} & said.keys())
                for refusal in _of_reporter(name, operators, said[name])
            ]
        case _:
            assert_never(credential)


def _of_reporter(name: str, operators: Mapping[str, Identity], said: str) -> Iterator[Refusal]:
    reason = next((reason for pattern, reason in _REASONS if pattern.search(said)), "")
    if not reason:
        return
    own = {operator: each for operator, each in operators.items() if reporter(operator) == name}
    named = {operator: each for operator, each in own.items() if _names(said, each)}
    for operator, identity in (named or own).items():
        yield Refusal(operator, identity, reason, said)


def _names(said: str, identity: Identity) -> bool:
    return any(text and text in said for text in (identity.client_id, identity.object_id))


def entry(refusal: Refusal) -> CloudErrorBody:
    """Return a refusal as an entry of an error's details."""
    code, target = ErrorCode.INVALID_WORKLOAD_IDENTITY_PERMISSIONS, operator_path(refusal.operator)
    message = f"{str(refusal)[0].upper()}{str(refusal)[1:]}. The cluster says: {conditions.bounded(refusal.said)}"
    return CloudErrorBody(code=code, target=target, message=message)
