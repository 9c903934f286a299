"""What a template can ask about its surroundings: group, subscription, deployment, cloud."""

from datetime import datetime
from typing import Any
from uuid import uuid4

from emulator.arm.models import ArmModel
from emulator.core.store import Document
from emulator.deployments.exceptions import resource_group_not_found
from emulator.deployments.language.scope import Environment

# What environment() returns in the public cloud. Source: the documentation of the template function `environment`.
CLOUD: dict[str, Any] = {
    "name": "AzureCloud",
    "gallery": "https://gallery.azure.com/",
    "graph": "https://graph.windows.net/",
    "portal": "https://portal.azure.com",
    "graphAudience": "https://graph.windows.net/",
    "activeDirectoryDataLake": "https://datalake.azure.net/",
    "batch": "https://batch.core.windows.net/",
    "media": "https://rest.media.azure.net",
    "sqlManagement": "https://management.core.windows.net:8443/",
    "vmImageAliasDoc": "https://raw.githubusercontent.com/Azure/azure-rest-api-specs/master/arm-compute/quickstart-templates/aliases.json",
    "resourceManager": "https://management.azure.com/",
    "authentication": {
        "loginEndpoint": "https://login.microsoftonline.com/",
        "audiences": ["https://management.core.windows.net/", "https://management.azure.com/"],
        "tenant": "common",
        "identityProvider": "AAD",
    },
    "suffixes": {
        "acrLoginServer": ".azurecr.io",
        "azureDatalakeAnalyticsCatalogAndJob": "azuredatalakeanalytics.net",
        "azureDatalakeStoreFileSystem": "azuredatalakestore.net",
        "keyvaultDns": ".vault.azure.net",
        "sqlServerHostname": ".database.windows.net",
        "storage": "core.windows.net",
    },
}


def environment_of(arm: ArmModel, record: Document, utc_now: datetime) -> Environment:
    """Return what the template of a deployment can ask about its surroundings.

    Args:
        arm: knows subscriptions and groups.
        record: document of the deployment.
        utc_now: when the deployment was accepted.

    Raises:
        ServiceError: 404 if the subscription or group does not exist.
    """
    subscription_id = record["subscriptionId"]
    subscription = arm.subscriptions.get(subscription_id)
    group = arm.resource_group(subscription_id, record["resourceGroup"])
    if group is None:
        raise resource_group_not_found(record["resourceGroup"])
    return Environment(
        subscription={
            "id": f"/subscriptions/{subscription_id}",
            "subscriptionId": subscription_id,
            "tenantId": subscription["tenantId"],
            "displayName": subscription["displayName"],
        },
        resource_group=group,
        deployment={
            "name": record["name"],
            "properties": {
                "template": record["template"],
                "templateHash": record["templateHash"],
                # Without secure values.
                "parameters": record["parameters"],
                "mode": "Incremental",
                "provisioningState": "Accepted",
            },
        },
        tenant_id=subscription["tenantId"],
        cloud=CLOUD,
        utc_now=utc_now,
        new_guid=lambda: str(uuid4()),
    )
