"""Deploys the resource provider at `up`, from `infra/` and with the calls that the pages of deployment make.

Whoever operates the provider makes them: the deployer, with its own token, through ARM and the vaults' data plane. A
repeated deployment changes nothing, so every `up` deploys what the working tree's `infra/` says.
"""

import base64
import json
import secrets
from collections.abc import Callable, Mapping
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from emulator.core.platform import Platform
from emulator.core.world import World
from emulator.entra.models import EntraModel
from emulator.json_object import Json
from emulator.run.provider.caller_kinds import KINDS
from emulator.run.provider.callers import Callers
from emulator.run.provider.calls import Operator
from emulator.run.provider.deployment_record import Deployed
from emulator.run.seed import FIRST_PARTY, certificate_of
from emulator.run.tools import REPOSITORY
from emulator.web.models import SitesModel

INFRA = REPOSITORY / "infra"
GROUPS_VERSION, SITES_VERSION, VAULTS_VERSION = "2024-11-01", "2024-04-01", "7.6"
ASSIGNMENTS_VERSION = "2022-04-01"
KEY_VAULT_ADMINISTRATOR = "00482a5a-887f-4fb3-b363-3b7fe8e74483"
# The namespaces of the types in `infra/service.json`.
NAMESPACES = (
    "Microsoft.App",
    "Microsoft.ContainerRegistry",
    "Microsoft.DocumentDB",
    "Microsoft.Insights",
    "Microsoft.KeyVault",
    "Microsoft.ManagedIdentity",
    "Microsoft.Network",
    "Microsoft.OperationalInsights",
    "Microsoft.Storage",
    "Microsoft.Web",
)


def _paging_key(_platform: Platform) -> Json:
    return {"value": base64.b64encode(secrets.token_bytes(32)).decode()}


def _certificate(name: str) -> Callable[[Platform], Json]:
    return lambda platform: {"value": certificate_of(platform, name), "contentType": "application/x-pem-file"}


# The setting that names a secret of the service's vault, and the body of the call that writes the secret.
SECRETS: Mapping[str, Callable[[Platform], Json]] = {
    "PAGING_KEY_SECRET": _paging_key,
    "FP_CERTIFICATE_SECRET": _certificate(FIRST_PARTY),
    "CLUSTER_LOGGING_CERTIFICATE_SECRET": _certificate("cluster-mdsd"),
}


async def deploy(platform: Platform, callers: Callers, settings: Mapping[str, str]) -> Deployed:
    """Deploy the resource provider, as far as it is missing or has changed.

    Args:
        platform: a local Azure that listens, without latencies, because the provider was deployed long ago.
        callers: who will call it.
        settings: the app settings that an operator of this local Azure chooses.

    Raises:
        RunError: the local Azure refuses something that `infra/` asks for.
    """
    world, kind = platform.world, KINDS[callers]
    subscription = f"/subscriptions/{world.rp_subscription_id}"
    group = f"{subscription}/resourceGroups/{world.rp_resource_group}"
    async with Operator(platform, world.rp_tenant_id, world.deployer_client_id) as operator:
        for namespace in NAMESPACES:
            await operator.call("POST", f"{subscription}/providers/{namespace}/register", GROUPS_VERSION)
        await operator.call("PUT", group, GROUPS_VERSION, {"location": world.location})
        chosen = parameters(kind.parameters) | _local(world) | await kind.prepare(operator, platform)
        outputs = await operator.deploy(group, "service", read("service.json"), chosen | {"settings": settings})
        rights = {
            "callers": chosen["callers"],
            "principalId": kind.principal(platform, world.rp_tenant_id, outputs),
            "installerId": outputs["installer"],
            "serviceGroup": world.rp_resource_group,
            "registryId": chosen["registryId"],
        }
        roles = await operator.deploy(
            subscription, "aro-rp-roles", read("subscription.json"), rights, location=world.location
        )
        site = f"{group}/providers/Microsoft.Web/sites/{outputs['app']}"
        app = (await operator.call("POST", f"{site}/config/appsettings/list", SITES_VERSION))["properties"]
        await _ensure_right(operator, platform, group)
        await _ensure_secrets(operator, platform, outputs, app)
        found = await operator.call("GET", site, SITES_VERSION)
    identities = sorted(found["identity"]["userAssignedIdentities"])
    deployed = Deployed(site, outputs, identities, roles, app)
    platform.model(SitesModel).mount(site, REPOSITORY)
    kind.publish(platform, deployed)
    deployed.save(platform.store)
    return deployed


def read(name: str) -> Any:
    """Return a JSON file of `infra/`."""
    return json.loads((INFRA / name).read_text(encoding="utf-8"))


def parameters(kind: str) -> dict[str, Any]:
    """Return the values in the parameter file of a kind of deployment."""
    return {name: given["value"] for name, given in read(f"{kind}.parameters.json")["parameters"].items()}


def _local(world: World) -> dict[str, Any]:
    """Return the parameters that an operator of this local Azure chooses, whoever the callers are."""
    return {
        "name": world.service,
        # Private endpoints get loopback addresses, because the product connects to them. Customers' networks may not.
        "addressPrefix": "127.128.0.0/16",
        "appSubnetPrefix": "127.128.0.0/24",
        "endpointSubnetPrefix": "127.128.4.0/22",
        # A reset removes everything, so nothing has to be protected from it.
        "purgeProtection": False,
    }


async def _ensure_right(operator: Operator, platform: Platform, group: str) -> None:
    """Give the deployer the right to write secrets: an Owner may read no vault."""
    world = platform.world
    principal = platform.model(EntraModel).ensure_service_principal(world.rp_tenant_id, world.deployer_client_id)
    definitions = f"/subscriptions/{world.rp_subscription_id}/providers/Microsoft.Authorization/roleDefinitions"
    properties = {
        "roleDefinitionId": f"{definitions}/{KEY_VAULT_ADMINISTRATOR}",
        "principalId": principal,
        "principalType": "ServicePrincipal",
    }
    name = uuid5(NAMESPACE_URL, f"{group}|{principal}|{KEY_VAULT_ADMINISTRATOR}")
    assignment = f"{group}/providers/Microsoft.Authorization/roleAssignments/{name}"
    await operator.call("PUT", assignment, ASSIGNMENTS_VERSION, {"properties": properties})


async def _ensure_secrets(operator: Operator, platform: Platform, outputs: Json, app: Mapping[str, str]) -> None:
    """Write each secret that is missing, and name the issuer of managed domains' certificates, as far as there are any."""
    service = f"https://{outputs['serviceVault']}.vault.azure.net/secrets"
    listed = (await operator.call("GET", service, VAULTS_VERSION))["value"]
    known = {secret["id"].rsplit("/", 1)[-1] for secret in listed}
    for setting, make in SECRETS.items():
        if app[setting] and app[setting] not in known:
            await operator.call("PUT", f"{service}/{app[setting]}", VAULTS_VERSION, make(platform))
    issuers = f"https://{outputs['clusterVault']}.vault.azure.net/certificates/issuers"
    if issuer := app["CERTIFICATE_ISSUER"]:
        await operator.call("PUT", f"{issuers}/{issuer}", VAULTS_VERSION, {"provider": issuer})
