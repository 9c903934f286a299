"""Federated identity credentials: with them Entra ID takes a token of the cluster for one of an operator's identity.

There is one for each service account with which an operator acts. Pure.

Source: ARO-RP `pkg/util/platformworkloadidentity`; https://learn.microsoft.com/entra/workload-id/
workload-identity-federation-considerations has the limits.
"""

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass

from shared.clusters.identities.cluster_credential import WorkloadIdentity
from shared.clusters.identities.required_roles import Roles

AUDIENCE = "openshift"
_LONGEST_NAME = 120
_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9_-]")
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


@dataclass(frozen=True)
class FederatedCredential:
    """One credential: an identity trusts the tokens that an issuer signs for a service account.

    Attributes:
        name: its name, unique among those of the identity.
        issuer: URL of the issuer.
        subject: `system:serviceaccount:<namespace>:<name>`.
    """

    name: str
    issuer: str
    subject: str


def name(cluster: str, identity: str, subject: str) -> str:
    """Return the name of a credential: readable, and different for each cluster, identity and service account.

    Azure refuses some characters that the names of clusters and service accounts may have; the digest tells apart what
    is the same without them.

    Args:
        cluster: name of the cluster.
        identity: name of the identity.
        subject: the service account, as in `FederatedCredential`.
    """
    account = subject.rpartition(":")[2]
    key = f"{cluster}_{account}"
    digest = _base36(hashlib.sha224(f"{key}-{account}-{identity}".encode()).digest())
    readable = _NOT_IN_NAMES.sub("-", key).lstrip("-_")
    return f"{readable[: _LONGEST_NAME - len(digest) - 1]}_{digest}"


def wanted(cluster: str, credential: WorkloadIdentity, roles: Roles) -> dict[str, list[FederatedCredential]]:
    """Return the credentials of each identity, by its resource id.

    Azure takes one write at a time for an identity, so whoever writes them does not fan out over one list.

    Args:
        cluster: name of the cluster.
        credential: the identities of the cluster, with the issuer.
        roles: the roles that its operators need.
    """
    found: dict[str, list[FederatedCredential]] = {}
    for operator, identity in credential.operators.items():
        _, _, identity_name = identity.resource_id.rpartition("/")
        found[identity.resource_id] = [
            FederatedCredential(name(cluster, identity_name, subject), credential.issuer, subject)
            for subject in _subjects(operator, roles)
        ]
    return found


def _subjects(operator: str, roles: Roles) -> list[str]:
    """Return the service accounts of an operator, each once, whatever the number of its roles."""
    of_operator = (role["serviceAccounts"] for role in roles if role["operatorName"] == operator)
    return list(dict.fromkeys(subject for subjects in of_operator for subject in subjects))


def is_ours(issuer: str, audiences: Sequence[str], our_issuer: str) -> bool:
    """Tell whether a credential is one that the service made for a cluster. All others stay untouched.

    Args:
        issuer: the credential's issuer.
        audiences: the credential's audiences.
        our_issuer: the cluster's issuer; without one there is no such credential.
    """
    return bool(our_issuer) and issuer == our_issuer and list(audiences) == [AUDIENCE]


def _base36(digest: bytes) -> str:
    number, digits = int.from_bytes(digest, "big"), list[str]()
    while number:
        number, rest = divmod(number, len(_DIGITS))
        digits.append(_DIGITS[rest])
    return "".join(reversed(digits))
