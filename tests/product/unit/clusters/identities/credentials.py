"""Documents of clusters with either credential."""

from typing import Any

from shared.documents import ClusterDocument

GROUP = "/subscriptions/00000000-0000-0000-0000-000000000001/resourceGroups/ids"
IDENTITIES = f"{GROUP}/providers/Microsoft.ManagedIdentity/userAssignedIdentities"
CLUSTER_IDENTITY = f"{IDENTITIES}/aro-Cluster"


def with_principal(client_id: str = "Client-1", bundle: int = 1, **members: str) -> ClusterDocument:
    """Make the document of a cluster with a service principal, whose secret is in a version of its bundle."""
    principal: Any = {"clientId": client_id, **members}
    return {
        "clientIdKey": client_id.lower(),
        "secrets": {"request": f"secret/{bundle}"},
        "openShiftCluster": {"properties": {"servicePrincipalProfile": principal}},
    }


def with_identities(*operators: str, ids: bool = True, issuer: str = "", upgradeable_to: str = "") -> ClusterDocument:
    """Make the document of a cluster with workload identity.

    Args:
        operators: names of operators.
        ids: whether the identities' ids have been looked up.
        issuer: URL of the cluster's issuer.
        upgradeable_to: the next version.
    """
    workloads: dict[str, Any] = {"platformWorkloadIdentities": {name: operator(name, ids=ids) for name in operators}}
    if upgradeable_to:
        workloads["upgradeableTo"] = upgradeable_to
    assigned = {"clientId": "client-cluster", "principalId": "object-cluster"} if ids else {}
    return {
        "clientIdKey": CLUSTER_IDENTITY.lower(),
        "secrets": {"request": "secret/1"},
        "openShiftCluster": {
            "identity": {"type": "UserAssigned", "userAssignedIdentities": {CLUSTER_IDENTITY: assigned}},
            "properties": {
                "clusterProfile": {"oidcIssuer": issuer} if issuer else {},
                "platformWorkloadIdentityProfile": workloads,
            },
        },
    }


def operator(name: str, *, ids: bool = True) -> dict[str, str]:
    """Make the stored identity of an operator."""
    found = {"clientId": f"client-{name}", "objectId": f"object-{name}"} if ids else {}
    return {"resourceId": f"{IDENTITIES}/{name}", **found}


def become_identities(document: Any, *operators: str, **more: Any) -> None:
    """Give the document of a cluster workload identity instead of its service principal.

    Args:
        document: the document, changed in place.
        operators: names of operators.
        more: as for `with_identities`.
    """
    made: Any = with_identities(*operators, **more)["openShiftCluster"]
    cluster = document["openShiftCluster"]
    cluster["properties"].pop("servicePrincipalProfile", None)
    cluster["identity"] = made["identity"]
    member = "platformWorkloadIdentityProfile"
    cluster["properties"][member] = made["properties"][member]
    cluster["properties"]["clusterProfile"] |= made["properties"]["clusterProfile"]
