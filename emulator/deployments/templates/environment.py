"""What a template can ask about its surroundings: group, subscription, deployment, cloud."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from uuid import uuid4

from emulator.arm.groups import group_key
from emulator.arm.models import ArmModel
from emulator.core.store import Document
from emulator.deployments.exceptions import RESOURCE_GROUP_NOT_FOUND
from emulator.deployments.language.scope import Environment

# What templates ask of environment() in the public cloud. Source: the documentation of the template function `environment`.
CLOUD: dict[str, Any] = {
    "name": "AzureCloud",
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


def environment_of(
    arm: ArmModel, record: Document, utc_now: datetime, planned: Mapping[str, Mapping[str, Any]] | None = None
) -> Environment:
    """Return what the template of a deployment can ask about its surroundings.

    Raises:
        ServiceError: 404 if the subscription or group does not exist.
    """
    subscription_id, group = record["subscriptionId"], record["resourceGroup"]
    subscription = arm.subscriptions.get(subscription_id)
    deployment = {
        "name": record["name"],
        "properties": {
            "template": record["template"],
            "templateHash": record["templateHash"],
            # Without secure values.
            "parameters": record["parameters"],
            "mode": "Incremental",
            "provisioningState": "Accepted",
        },
    }
    return Environment(
        subscription={
            "id": f"/subscriptions/{subscription_id}",
            "subscriptionId": subscription_id,
            "tenantId": subscription["tenantId"],
            "displayName": subscription["displayName"],
        },
        resource_group=_group(arm, subscription_id, group, planned or {}) if group else None,
        deployment=deployment if group else deployment | {"location": record["location"]},
        tenant_id=subscription["tenantId"],
        cloud=CLOUD,
        utc_now=utc_now,
        new_guid=lambda: str(uuid4()),
    )


def _group(
    arm: ArmModel, subscription_id: str, name: str, planned: Mapping[str, Mapping[str, Any]]
) -> Mapping[str, Any]:
    found = arm.resource_group(subscription_id, name) or planned.get(group_key(subscription_id, name))
    if found is None:
        raise RESOURCE_GROUP_NOT_FOUND(name)
    return found
