"""Customers whose clusters have workload identity: the example's template makes all that comes before the cluster."""

import json
import time
from pathlib import Path
from typing import Any

from azure.mgmt.redhatopenshift import models as aro
from azure.mgmt.resource.deployments import DeploymentsMgmtClient
from azure.mgmt.resource.resources import ResourceManagementClient

from demo import customer
from demo.customer import Customer

_TEMPLATE = Path(__file__).resolve().parents[1] / "examples" / "2025-07-25" / "template-workload-identity.json"
_PROVIDER = "Microsoft.ManagedIdentity"


def prepare(person: Customer) -> aro.OpenShiftCluster:
    """Make network, identities and roles; return the cluster, which has no principal.

    Args:
        person: the customer, whose group does not exist yet.
    """
    resources = person.client(ResourceManagementClient)
    resources.providers.register(_PROVIDER)
    while resources.providers.get(_PROVIDER).registration_state != "Registered":
        time.sleep(0.1)
    resources.resource_groups.create_or_update(person.group, {"location": person.endpoints["location"]})
    template = json.loads(_TEMPLATE.read_text(encoding="utf-8"))
    *before, cluster = template["resources"]
    values = {"cluster": person.cluster, "service": person.endpoints["rp_object_id"]}
    deployment: Any = {
        "properties": {
            "mode": "Incremental",
            "template": {**template, "resources": before, "outputs": {}},
            "parameters": {name: {"value": value} for name, value in values.items()},
        }
    }
    person.client(DeploymentsMgmtClient).deployments.begin_create_or_update(person.group, "ready", deployment).result()
    operators = cluster["properties"]["platformWorkloadIdentityProfile"]["platformWorkloadIdentities"]
    body: Any = customer.cluster_body(person)
    body.identity = aro.ManagedServiceIdentity(
        type="UserAssigned",
        user_assigned_identities={
            _identity(person, template["variables"]["clusterIdentity"]): aro.UserAssignedIdentity()
        },
    )
    body.properties.service_principal_profile = None
    body.properties.platform_workload_identity_profile = aro.PlatformWorkloadIdentityProfile(
        platform_workload_identities={
            name: aro.PlatformWorkloadIdentity(resource_id=_identity(person, name)) for name in operators
        }
    )
    found: aro.OpenShiftCluster = body
    return found


def _identity(person: Customer, name: str) -> str:
    return f"{person.group_id}/providers/{_PROVIDER}/userAssignedIdentities/{name}"
