"""The credential with which a cluster acts in Azure: a service principal, or workload identity.

Only this module reads the members of a stored cluster that hold it. Everybody else gets the union, and names both cases
in a `match` that ends with `assert_never`, so that the type checker finds a place that forgets one.

The types hold no secret. That of a service principal is the member `clientSecret` of the bundle which `secret_id` names
in the vault. Workload identity has none: the cluster's operators exchange tokens that the cluster itself signs. Pure.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias, assert_never

from shared.clusters.secrets import Purpose
from shared.documents import Cluster, ClusterDocument

_PRINCIPAL = "properties.servicePrincipalProfile"
_OPERATORS = "properties.platformWorkloadIdentityProfile.platformWorkloadIdentities"


@dataclass(frozen=True)
class ServicePrincipal:
    """A service principal with a client secret.

    Attributes:
        client_id: its application id, as the customer wrote it.
        object_id: its object id in the customer's tenant; empty until the operation has looked it up.
        secret_id: the versioned id of the bundle with its secret; empty until the request has stored one.
    """

    client_id: str
    object_id: str = ""
    secret_id: str = ""


@dataclass(frozen=True)
class Identity:
    """A user-assigned managed identity of the customer.

    Attributes:
        resource_id: its id, as the customer wrote it.
        client_id: its application id; empty until the operation has looked it up.
        object_id: its object id in the customer's tenant; likewise.
    """

    resource_id: str
    client_id: str = ""
    object_id: str = ""


@dataclass(frozen=True)
class WorkloadIdentity:
    """One identity for the service's own work on the others, and one for each operator of OpenShift.

    Attributes:
        cluster: the cluster identity: with it the service writes the operators' federated credentials.
        operators: the operators' identities by the operator's name, sorted.
        upgradeable_to: the version whose operators have identities too, x.y.z; may be empty.
        issuer: URL of the issuer of the cluster's tokens; empty until the operation has published its documents.
        data_plane: where certificates of the cluster identity are issued, as ARM has told; empty without a first party.
    """

    cluster: Identity
    operators: Mapping[str, Identity] = field(hash=False)
    upgradeable_to: str = ""
    issuer: str = ""
    data_plane: str = ""


Credential: TypeAlias = ServicePrincipal | WorkloadIdentity


def with_secret(sent: Cluster) -> Cluster:
    """Return a decoded body whose principal has a secret: a PUT must send one, and no row of a dry run gets it."""
    principal: Any = (sent.get("properties") or {}).get("servicePrincipalProfile")
    if principal:
        principal.setdefault("clientSecret", "left out of a dry run")
    return sent


def parse(document: ClusterDocument) -> Credential:
    """Return the credential that the customer wants for a cluster.

    Raises:
        ValueError: if the document has none, or more than one cluster identity; no request stores such a document.
    """
    cluster = document["openShiftCluster"]
    properties = cluster["properties"]
    if principal := properties.get("servicePrincipalProfile"):
        secret_id = (document.get("secrets") or {}).get(Purpose.REQUEST, "")
        return ServicePrincipal(principal["clientId"], principal.get("objectId") or "", secret_id)
    identity, workloads = cluster.get("identity") or {}, properties.get("platformWorkloadIdentityProfile") or {}
    assigned = identity.get("userAssignedIdentities") or {}
    operators = workloads.get("platformWorkloadIdentities") or {}
    if len(assigned) != 1 or not operators:
        raise ValueError(
            f"The cluster has no '{_PRINCIPAL}', {len(assigned)} cluster identities and {len(operators)} identities of "
            "operators: it needs the first, or one cluster identity and the operators'."
        )
    ((resource_id, ids),) = assigned.items()
    return WorkloadIdentity(
        cluster=Identity(resource_id, ids.get("clientId") or "", ids.get("principalId") or ""),
        operators={
            name: Identity(one["resourceId"], one.get("clientId") or "", one.get("objectId") or "")
            for name, one in sorted(operators.items())
        },
        upgradeable_to=workloads.get("upgradeableTo") or "",
        issuer=(properties.get("clusterProfile") or {}).get("oidcIssuer") or "",
        data_plane=identity.get("identityURL") or "",
    )


def store(document: ClusterDocument, credential: Credential) -> None:
    """Write a credential into a cluster's document. Members that this build does not know stay."""
    cluster = document["openShiftCluster"]
    match credential:
        case ServicePrincipal(client_id, object_id, secret_id):
            stored: Any = cluster["properties"].get("servicePrincipalProfile")
            principal: Any = _merged(stored, clientId=client_id, objectId=object_id)
            cluster["properties"]["servicePrincipalProfile"] = principal
            if secret_id:
                document["secrets"][str(Purpose.REQUEST)] = secret_id
        case WorkloadIdentity():
            _store_identities(cluster, credential)
        case _:
            assert_never(credential)


def note(document: ClusterDocument, credential: Credential) -> bool:
    """Write a credential into a cluster's document unless it has that already; return whether that was new."""
    if parse(document) == credential:
        return False
    store(document, credential)
    return True


def _store_identities(cluster: Cluster, credential: WorkloadIdentity) -> None:
    properties, one = cluster["properties"], credential.cluster
    identity: Any = cluster.get("identity") or {}
    assigned = identity.get("userAssignedIdentities") or {}
    ids = _merged(assigned.get(one.resource_id), clientId=one.client_id, principalId=one.object_id)
    cluster["identity"] = identity | {"userAssignedIdentities": {one.resource_id: ids}}
    workloads: Any = properties.get("platformWorkloadIdentityProfile") or {}
    known = workloads.get("platformWorkloadIdentities") or {}
    operators = {
        name: _merged(known.get(name), resourceId=each.resource_id, clientId=each.client_id, objectId=each.object_id)
        for name, each in credential.operators.items()
    }
    properties["platformWorkloadIdentityProfile"] = _merged(workloads, upgradeableTo=credential.upgradeable_to) | {
        "platformWorkloadIdentities": operators
    }
    profile: Any = properties.get("clusterProfile")
    issued: Any = _merged(profile, oidcIssuer=credential.issuer)
    properties["clusterProfile"] = issued


def _merged(stored: Mapping[str, Any] | None, **members: str) -> dict[str, Any]:
    """Return an object with these members; those without a value are left out, and others stay."""
    kept = {name: value for name, value in (stored or {}).items() if name not in members}
    return kept | {name: value for name, value in members.items() if value}


def store_home(cluster: Cluster, **home: str) -> None:
    """Write where the identities of a cluster are at home.

    Args:
        cluster: a cluster with workload identity, changed in place.
        home: `tenantId`, and `identityURL` of the service that has the certificates of its cluster identity. No API
            version shows the latter.
    """
    cluster["identity"] = {**cluster["identity"], **home}


def unique_key(credential: Credential) -> str:
    """Return what no two clusters of a subscription may share, in lower case; documents have it as `clientIdKey`."""
    match credential:
        case ServicePrincipal(client_id):
            return client_id.lower()
        case WorkloadIdentity(cluster):
            return cluster.resource_id.lower()
        case _:
            assert_never(credential)


def label(credential: Credential) -> str:
    """Return what the unique key is, for people."""
    match credential:
        case ServicePrincipal():
            return "service principal with client id"
        case WorkloadIdentity():
            return "cluster identity"
        case _:
            assert_never(credential)


def accept(document: ClusterDocument, before: Credential) -> None:
    """Write the unique key of an update's credential into the document, and drop ids that belong to another credential.

    The operation looks up what is missing then.

    Args:
        document: the document with the cluster that the request asks for, and the key of the last request.
        before: the credential that the request began with.
    """
    wanted = parse(document)
    match wanted:
        case ServicePrincipal():
            is_known = unique_key(wanted) == document["clientIdKey"]
            accepted: Credential = wanted if is_known else replace(wanted, object_id="")
        case WorkloadIdentity():
            known = _identities(before)
            accepted = replace(
                wanted,
                cluster=_with_ids(wanted.cluster, known),
                operators={name: _with_ids(each, known) for name, each in wanted.operators.items()},
            )
        case _:
            assert_never(wanted)
    store(document, accepted)
    document["clientIdKey"] = unique_key(accepted)


def _identities(credential: Credential) -> dict[str, Identity]:
    """Return the identities of a credential by their id in lower case."""
    match credential:
        case ServicePrincipal():
            return {}
        case WorkloadIdentity(cluster, operators):
            return {each.resource_id.lower(): each for each in (cluster, *operators.values())}
        case _:
            assert_never(credential)


def _with_ids(wanted: Identity, known: Mapping[str, Identity]) -> Identity:
    """Return an identity with the ids that are known for it. Azure's ids are the same in any case."""
    return replace(known.get(wanted.resource_id.lower(), Identity("")), resource_id=wanted.resource_id)


def unknown_ids(credential: Credential) -> list[str]:
    """Return a sentence for each object id, or client id of an operator, that has not been looked up yet."""
    match credential:
        case ServicePrincipal(_, object_id):
            missing = [] if object_id else [f"{_PRINCIPAL}.objectId"]
        case WorkloadIdentity(_, operators):
            missing = [
                f"{operator_path(name)}.{member}"
                for name, each in operators.items()
                for member, value in (("clientId", each.client_id), ("objectId", each.object_id))
                if not value
            ]
        case _:
            assert_never(credential)
    return [f"{path} is not known yet" for path in missing]


def operator_path(name: str) -> str:
    """Return the JSON path of an operator's identity."""
    return f'{_OPERATORS}["{name}"]'


def named_client_id(sent: Cluster) -> str:
    """Return the client id of the service principal that the body of a request names, or ""."""
    profile = (sent.get("properties") or {}).get("servicePrincipalProfile") or {}
    return str(profile.get("clientId") or "")
