"""The service in one's own subscription: its registration in Entra, which is what callers' tokens are for.

The calls are those of `az ad app create`, `az ad app update` and `az ad sp create`, with which the page deploys.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from emulator.core.platform import Platform
from emulator.entra.models import EntraModel
from emulator.json_object import Json
from emulator.run.provider.calls import GRAPH, Operator
from emulator.run.provider.deployment_record import Deployed

DIRECTORY = f"{GRAPH}/v1.0"
AZURE_CLI = "04b07795-8ddb-461a-bbee-02f9e1bf7b46"
REGISTRATION = Path(__file__).resolve().parents[3] / "infra" / "registration.json"


async def prepare(operator: Operator, platform: Platform) -> Json:
    """Register the application, give whoever deploys both of its roles; return its client id as a parameter."""
    world = platform.world
    application = await _ensure_application(operator, world.service)
    service = await _ensure_service_principal(operator, application["appId"])
    deployer = await operator.call("GET", f"{DIRECTORY}/servicePrincipals(appId='{world.deployer_client_id}')")
    await _ensure_roles(operator, service, deployer["id"])
    return {"apiClientId": application["appId"]}


def principal(_platform: Platform, _tenant_id: str, outputs: Mapping[str, Any]) -> str:
    """Return the app's identity, which acts in the only tenant that there is."""
    return str(outputs["identity"])


def publish(platform: Platform, deployed: Deployed) -> None:
    """Register where users of the service's page come back from their sign-in. The address is known only now."""
    entra, client_id = platform.model(EntraModel), deployed.settings["API_CLIENT_ID"]
    members = entra.application(client_id).get("members", {})
    page = {"spa": {"redirectUris": [f"https://{deployed.host}/portal/signed-in.html"]}}
    entra.update_application(client_id, {"members": members | page})


async def _ensure_application(operator: Operator, name: str) -> Json:
    """Return the application of a name; register it, or complete its registration."""
    listed = (await operator.call("GET", f"{DIRECTORY}/applications?$filter=displayName eq '{name}'"))["value"]
    application = listed[0] if listed else await operator.call("POST", f"{DIRECTORY}/applications", body=_new(name))
    client_id, scope_id = application["appId"], application["api"]["oauth2PermissionScopes"][0]["id"]
    changes = {
        "identifierUris": [f"api://{client_id}"],
        "api": {"preAuthorizedApplications": [{"appId": AZURE_CLI, "delegatedPermissionIds": [scope_id]}]},
    }
    await operator.call("PATCH", f"{DIRECTORY}/applications/{application['id']}", body=changes)
    return application


def _new(name: str) -> Json:
    """Return the body that registers the application."""
    registration: Json = json.loads(REGISTRATION.read_text(encoding="utf-8"))
    return {"displayName": name, "signInAudience": "AzureADMyOrg", **registration}


async def _ensure_service_principal(operator: Operator, client_id: str) -> Json:
    """Return the application's service principal, which must exist before anyone gets a token for it."""
    found = f"{DIRECTORY}/servicePrincipals?$filter=appId eq '{client_id}'"
    listed = (await operator.call("GET", found))["value"]
    if listed:
        return dict(listed[0])
    return await operator.call("POST", f"{DIRECTORY}/servicePrincipals", body={"appId": client_id})


async def _ensure_roles(operator: Operator, service: Json, principal_id: str) -> None:
    """Give a principal every role of the service that it lacks."""
    assigned = f"{DIRECTORY}/servicePrincipals/{service['id']}/appRoleAssignedTo"
    known = {
        each["appRoleId"]
        for each in (await operator.call("GET", assigned))["value"]
        if each["principalId"] == principal_id
    }
    for role in service["appRoles"]:
        if role["id"] not in known:
            body = {"principalId": principal_id, "resourceId": service["id"], "appRoleId": role["id"]}
            await operator.call("POST", assigned, body=body)
