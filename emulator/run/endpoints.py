"""The addresses of everything: `endpoints.json`, and the lines that `up` prints."""

import textwrap
from typing import Any

from emulator.core.platform import Platform
from emulator.host.keys import load_keys
from emulator.run.certificates import write_client_certificates
from emulator.run.exports import lines, plain_environment
from emulator.run.seed import Application, Seed
from emulator.run.state import StateFolder

# The optional features that this build has, out of `managed-identity` and `system-data`.
FEATURES = ("system-data",)


def endpoints(platform: Platform, seed: Seed) -> dict[str, Any]:
    """Return the contents of `endpoints.json`."""
    ports, world, bundle = platform.ports, platform.world, bundle_of(platform)
    return {
        "arm": f"https://localhost:{ports['arm']}",
        "functions": f"http://localhost:{ports['functions']}",
        "proxy": proxy_of(platform),
        "control": f"http://localhost:{ports['control']}",
        "ca_bundle": bundle,
        "token_url": f"https://localhost:{ports['token']}/{world.tenant_id}/oauth2/v2.0/token",
        "tenant_id": world.tenant_id,
        "subscription_id": world.subscription_id,
        "location": world.location,
        "client_id": seed.owner.client_id,
        "client_secret": seed.owner.secret,
        "extra_principals": [_application(application) for application in seed.extra],
        "rp": f"https://localhost:{ports['front_end']}",
        "rp_ca_bundle": bundle,
        **write_client_certificates(platform),
        "identity_endpoint": identity_endpoint(platform),
        "identity_header": seed.identity_header,
        "rp_object_id": seed.first_party_object_id,
        "cluster_client_id": seed.cluster.client_id,
        "cluster_client_secret": seed.cluster.secret,
        "cluster_object_id": seed.cluster.object_id,
        "parent_domain": world.parent_domain,
        "durable_key": load_keys(platform.root / "functions").durable,
        "features": list(FEATURES),
        "time_scale": platform.clock.time_scale,
    }


def proxy_of(platform: Platform) -> str:
    """Return the address of the proxy for Azure's public names."""
    return f"http://127.0.0.1:{platform.ports['proxy']}"


def bundle_of(platform: Platform) -> str:
    """Return the path of the local CA's certificate."""
    return str(platform.authority.certificate_path)


def identity_endpoint(platform: Platform) -> str:
    """Return the URL at which the app's managed identity gets tokens, as App Service gives it to an app."""
    return f"http://localhost:{platform.ports['identity']}/msi/token"


def _application(application: Application) -> dict[str, str]:
    return {
        "client_id": application.client_id,
        "client_secret": application.secret,
        "object_id": application.object_id,
    }


# These lines contain no secret, because a detached `up` writes them to a log.
LINES = """
Resource Manager   {arm}
Resource provider  {rp} (client certificate required)
Proxy              {proxy} (public names of Azure)

Paste these into a terminal, and its programs reach the local Azure under Azure's own names:

{exports}

The same with the secrets, IDENTITY_HEADER and LOCAL_AZURE_CLIENT_SECRET:

  {environment}

Then, for example:

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

Everything else that a program needs is in {file}.
"""


def render(document: dict[str, Any], folder: StateFolder, python: str) -> str:
    """Return the lines that `up` prints.

    Args:
        document: contents of `endpoints.json`.
        folder: the state folder.
        python: path of the Python interpreter.
    """
    exports = textwrap.indent(lines(plain_environment(document)), "  ")
    environment = f'eval "$({python} -m emulator env{folder.option()})"'
    return LINES.format(**document, exports=exports, environment=environment, file=folder.endpoints, python=python)
