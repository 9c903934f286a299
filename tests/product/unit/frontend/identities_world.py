"""Clusters with workload identity: their bodies, what ARM says of their identities, and a service that offers them."""

from typing import Any

from tests.product.unit.clusters.identities.role_sets import seeded
from tests.product.unit.frontend.world import GROUP, NEW, World, body

IDENTITIES = f"{GROUP}/providers/Microsoft.ManagedIdentity/userAssignedIdentities"
CLUSTER_IDENTITY = f"{IDENTITIES}/aro-Cluster"
OPERATORS = tuple(sorted(role["operatorName"] for role in seeded()["4.17"]["platformWorkloadIdentityRoles"]))
WORKLOADS, MAP = "properties.platformWorkloadIdentityProfile", "platformWorkloadIdentities"
TENANT = "eeeeeeee-0000-0000-0000-000000000001"
IDENTITY_URL = "https://identities.eastus.example.com/clusters/1?token=canary-of-the-url"
# What ARM adds to the PUT of a resource with identities.
FROM_ARM = {"x-ms-identity-url": IDENTITY_URL, "x-ms-home-tenant-id": TENANT}


def identities_body(api_version: str = NEW, *operators: str, **cluster: Any) -> dict[str, Any]:
    """Return a valid body of a create.

    Args:
        api_version: the version of the request.
        operators: names of the operators; by default those that each version needs.
        cluster: as for `body`.
    """
    content = body(api_version, **cluster)
    del content["properties"]["servicePrincipalProfile"]
    content["identity"] = {"type": "UserAssigned", "userAssignedIdentities": {CLUSTER_IDENTITY: {}}}
    content["properties"]["platformWorkloadIdentityProfile"] = {MAP: identities(*(operators or OPERATORS))}
    return content


def identities(*operators: str, of: str = "") -> dict[str, Any]:
    """Return the map of the identities of some operators, whose names end as given."""
    return {name: {"resourceId": f"{IDENTITIES}/{name}{of}"} for name in operators}


def replaced(*operators: str) -> dict[str, Any]:
    """Return the body of a PATCH that gives some operators other identities."""
    return {"properties": {"platformWorkloadIdentityProfile": {MAP: identities(*operators, of="-2")}}}


def offer(world: World) -> None:
    """Let a service offer workload identity, with the role sets of a new deployment."""
    for entry in seeded().values():
        world.cosmos["PlatformWorkloadIdentityRoleSets"].upsert_item({**entry})


def look_up(world: World) -> None:
    """Store what the operation looks up: the ids of each identity, and the issuer."""
    cluster = world.document["openShiftCluster"]
    for identity, ids in cluster["identity"]["userAssignedIdentities"].items():
        ids |= {"clientId": f"client of {identity}", "principalId": f"object of {identity}"}
    for entry in cluster["properties"]["platformWorkloadIdentityProfile"][MAP].values():
        entry |= {"clientId": f"client of {entry['resourceId']}", "objectId": f"object of {entry['resourceId']}"}
    cluster["properties"]["clusterProfile"]["oidcIssuer"] = f"https://issuer.example.com/{world.document['id']}"
