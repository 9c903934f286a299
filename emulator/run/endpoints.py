"""The addresses of everything: `endpoints.json`, and the lines that `up` prints."""

import textwrap
from typing import Any

from emulator.core.platform import Platform
from emulator.host.keys import load_keys
from emulator.managed_identity import ManagedIdentityModel
from emulator.run.addresses import bundle_of, identity_endpoint, proxy_of
from emulator.run.caller_certificates import write_client_certificates
from emulator.run.exports import lines, plain_environment, secret_environment, terminal_environment
from emulator.run.provider.caller_kinds import KINDS
from emulator.run.provider.callers import Callers
from emulator.run.provider.deployment_record import Deployed
from emulator.run.seed import Application, Seed
from emulator.run.state import StateFolder

# The optional features that this build has, out of `managed-identity` and `system-data`.
FEATURES = ("system-data",)


def endpoints(platform: Platform, seed: Seed, deployed: Deployed) -> dict[str, Any]:
    """Return the contents of `endpoints.json`."""
    ports, world, bundle = platform.ports, platform.world, bundle_of(platform)
    kind = KINDS[Callers(deployed.callers)]
    home = kind.home(world, seed)
    return {
        "callers": deployed.callers,
        "arm": f"https://localhost:{ports['arm']}",
        "functions": f"http://localhost:{ports['functions']}",
        "proxy": proxy_of(platform),
        "control": f"http://localhost:{ports['control']}",
        "ca_bundle": bundle,
        "token_url": f"https://localhost:{ports['token']}/{home.tenant_id}/oauth2/v2.0/token",
        "tenant_id": home.tenant_id,
        "subscription_id": home.subscription_id,
        "location": world.location,
        "client_id": home.owner.client_id,
        "client_secret": home.owner.secret,
        "deployer": _application(seed.deployer)
        | {"tenant_id": world.rp_tenant_id, "subscription_id": world.spare_subscription_id},
        "user": {"name": seed.user.name, "password": seed.user.password, "object_id": seed.user.object_id},
        "extra_principals": [_application(application) for application in seed.extra],
        "service": f"https://{deployed.host}",
        # The service has a page where people call it with tokens.
        "portal": f"https://{deployed.host}/portal" if deployed.callers == Callers.ENTRA else "",
        "api_client_id": deployed.settings["API_CLIENT_ID"],
        "rp": f"https://localhost:{ports['front_end']}",
        "rp_ca_bundle": bundle,
        **write_client_certificates(platform),
        "identity_endpoint": identity_endpoint(platform),
        "identity_client_id": deployed.settings["AZURE_CLIENT_ID"],
        "identity_header": platform.model(ManagedIdentityModel).header_of(deployed.site, deployed.identities),
        "rp_object_id": kind.principal(platform, home.tenant_id, deployed.outputs),
        "cluster_client_id": seed.cluster.client_id,
        "cluster_client_secret": seed.cluster.secret,
        "cluster_object_id": seed.cluster.object_id,
        "parent_domain": world.parent_domain,
        "durable_key": load_keys(platform.root / "functions").durable,
        "features": list(FEATURES),
        "time_scale": platform.clock.time_scale,
    }


def _application(application: Application) -> dict[str, str]:
    return {
        "client_id": application.client_id,
        "client_secret": application.secret,
        "object_id": application.object_id,
    }


# These lines contain no secret, because a detached `up` writes them to a log.
HEAD = """
Resource Manager   {arm}
Resource provider  {reached_at}
Proxy              {proxy} (public names of Azure)
Page               {control} (in a browser of its own: {python} -m emulator browse{option})

Paste these into a terminal, and its programs reach the local Azure under Azure's own names:

{exports}

The same with the secrets, {secrets}:

  {environment}

Then, for example:
"""
REACHED_AT = {
    Callers.ARM: "{rp} (client certificate required)",
    Callers.ENTRA: "{service} (tokens for api://{api_client_id})",
}
EXAMPLES = {
    Callers.ARM: """
  TOKEN=$(curl -s {token_url} \\
    -d grant_type=client_credentials -d client_id=$LOCAL_AZURE_CLIENT_ID -d client_secret=$LOCAL_AZURE_CLIENT_SECRET \\
    -d scope=https://management.azure.com/.default | {python} -c 'import json, sys; print(json.load(sys.stdin)["access_token"])')

  curl -s -H "Authorization: Bearer $TOKEN" \\
    "https://management.azure.com/subscriptions/{subscription_id}/resourcegroups?api-version=2024-11-01"

  curl -s -H "Authorization: Bearer $TOKEN" -X POST -d "" \\
    "https://management.azure.com/subscriptions/{subscription_id}/providers/Microsoft.RedHatOpenShift/register?api-version=2024-11-01"

  curl -s -H "Authorization: Bearer $TOKEN" \\
    "https://management.azure.com/subscriptions/{subscription_id}/providers/Microsoft.RedHatOpenShift/openShiftClusters?api-version=2025-07-25"

  curl -s --cert {rp_client_cert} --key {rp_client_key} {rp}/healthz/ready
""",
    Callers.ENTRA: """
  TOKEN=$(curl -s {token_url} \\
    -d grant_type=client_credentials -d client_id=$LOCAL_AZURE_CLIENT_ID -d client_secret=$LOCAL_AZURE_CLIENT_SECRET \\
    -d scope=api://{api_client_id}/.default | {python} -c 'import json, sys; print(json.load(sys.stdin)["access_token"])')

  curl -s -H "Authorization: Bearer $TOKEN" \\
    "{service}/subscriptions/{subscription_id}/providers/Microsoft.RedHatOpenShift/openShiftClusters?api-version=2025-07-25"

  curl -s -H "Authorization: Bearer $TOKEN" {service}/sre/healthz/ready

  az login --username $LOCAL_AZURE_USER_NAME --password $LOCAL_AZURE_USER_PASSWORD
  az rest --resource api://{api_client_id} \\
    --url "{service}/subscriptions/{subscription_id}/providers/Microsoft.RedHatOpenShift/openShiftClusters?api-version=2025-07-25"
""",
}
TAIL = """
Everything else that a program needs is in {file}.
"""


def render(document: dict[str, Any], folder: StateFolder, python: str) -> str:
    """Return the lines that `up` prints."""
    callers = Callers(document["callers"])
    known = document | {
        "secrets": ", ".join(secret_environment(document)),
        "exports": textwrap.indent(lines(plain_environment(document) | terminal_environment(folder.root)), "  "),
        "environment": f'eval "$({python} -m emulator env{folder.option()})"',
        "file": folder.endpoints,
        "python": python,
        "option": folder.option(),
        "reached_at": REACHED_AT[callers].format(**document),
    }
    return (HEAD + EXAMPLES[callers] + TAIL).format(**known)
