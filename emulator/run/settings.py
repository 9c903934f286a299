"""The settings of the function app, as an operator of this deployment would set them."""

from emulator.core.platform import Platform
from emulator.run.certificates import ADMIN_COMMON_NAME, admin_authority
from emulator.run.endpoints import bundle_of, identity_endpoint, proxy_of
from emulator.run.exports import network_environment
from emulator.run.seed import Seed

# A group without members: operators authenticate with their certificate.
OPERATORS_GROUP = "dddddddd-0000-4000-8000-000000000001"
# The task hub has the instances, history and timers of the function app; `host.json` refers to the setting.
TASK_HUB = "OpenShiftClusters"
# Enough for the activities of a few clusters never to wait for each other, and few enough for two cores.
WORKER_THREADS = 16


def app_settings(platform: Platform, seed: Seed) -> dict[str, str]:
    """Return the app's environment: its settings, its identity, and the proxy and CA of the local Azure."""
    world = platform.world
    return {
        "FUNCTIONS_WORKER_RUNTIME": "python",
        "PYTHON_THREADPOOL_THREAD_COUNT": str(WORKER_THREADS),
        "AZURE_TENANT_ID": world.rp_tenant_id,
        "AZURE_SUBSCRIPTION_ID": world.rp_subscription_id,
        "LOCATION": world.location,
        "RESOURCEGROUP": world.rp_resource_group,
        "COSMOSDB_ACCOUNT": world.cosmos_account,
        "TASK_HUB": TASK_HUB,
        "DOMAIN": world.domain,
        "KEYVAULT_NAME": world.service_vault,
        "CLUSTER_KEYVAULT_NAME": world.cluster_vault,
        "ADMIN_OBJECT_ID": OPERATORS_GROUP,
        "RP_OBJECT_ID": seed.identity_object_id,
        "ACR_RESOURCE_ID": seed.registry_id,
        "ADMIN_API_CA": admin_authority(platform).pem().decode(),
        "ADMIN_API_CLIENT_COMMON_NAME": ADMIN_COMMON_NAME,
        "TIME_SCALE": f"{platform.clock.time_scale:g}",
        "WATCHDOG_SCHEDULE": "*/5 * * * * *" if platform.clock.time_scale > 1 else "0 * * * * *",
        "PURGE_SCHEDULE": "0 0 * * * *",
        "BUILD": "local",
        "IDENTITY_ENDPOINT": identity_endpoint(platform),
        "IDENTITY_HEADER": seed.identity_header,
        **network_environment(proxy_of(platform), bundle_of(platform)),
    }
