"""`endpoints.json`, and the lines that `up` prints: how to reach everything."""

from typing import Any

from emulator.core.platform import Platform
from emulator.host.keys import load_keys
from emulator.run.certificates import write_client_certificates
from emulator.run.seed import Application, Seed

# Optional abilities of this build, of `managed-identity` and `system-data`.
FEATURES = ("system-data",)


def endpoints(platform: Platform, seed: Seed) -> dict[str, Any]:
    """Return what `endpoints.json` says."""
    ports, world, bundle = platform.ports, platform.world, str(platform.authority.certificate_path)
    return {
        "arm": f"https://localhost:{ports['arm']}",
        "functions": f"http://localhost:{ports['functions']}",
        "proxy": f"http://127.0.0.1:{ports['proxy']}",
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
        "rp_object_id": seed.first_party_object_id,
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


CURL_LINES = """
Resource Manager   {arm}
Resource provider  {rp} (client certificate required)
Proxy              {proxy} (public names of Azure)

Paste these into a terminal:

  TOKEN=$(curl -s --cacert {ca_bundle} {token_url} \\
    -d grant_type=client_credentials -d client_id={client_id} -d client_secret={client_secret} \\
    -d scope=https://management.azure.com/.default | {python} -c 'import json, sys; print(json.load(sys.stdin)["access_token"])')

  curl -s --cacert {ca_bundle} -H "Authorization: Bearer $TOKEN" \\
    "{arm}/subscriptions/{subscription_id}/resourcegroups?api-version=2024-11-01"

  curl -s --cacert {ca_bundle} -H "Authorization: Bearer $TOKEN" -X POST -d "" \\
    "{arm}/subscriptions/{subscription_id}/providers/Microsoft.RedHatOpenShift/register?api-version=2024-11-01"

  curl -s --cacert {ca_bundle} -H "Authorization: Bearer $TOKEN" \\
    "{arm}/subscriptions/{subscription_id}/providers/Microsoft.RedHatOpenShift/openShiftClusters?api-version=2025-07-25"

  curl -s --cacert {rp_ca_bundle} --cert {rp_client_cert} --key {rp_client_key} {rp}/healthz/ready

Everything else that a program needs is in {file}.
"""


def render(document: dict[str, Any], file: str, python: str) -> str:
    """Return the lines that people read after `up`."""
    return CURL_LINES.format(**document, file=file, python=python)
