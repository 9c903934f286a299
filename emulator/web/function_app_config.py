"""`functionAppConfig`: what a Flex Consumption site has instead of settings of the plan.

Source: https://learn.microsoft.com/azure/azure-functions/flex-consumption-plan and flex-consumption-site-updates beside
it, and the models of azure-mgmt-web 11.0.0. The wording of the errors is ours.
"""

from urllib.parse import urlsplit

from emulator.arm.schema import Choice, Required, Since
from emulator.json_object import Json
from emulator.web import exceptions
from emulator.web.names import FLEX_SINCE
from emulator.web.stacks import RUNTIMES

SYSTEM_ASSIGNED, USER_ASSIGNED = "SystemAssignedIdentity", "UserAssignedIdentity"
CONNECTION_STRING = "StorageAccountConnectionString"
AUTHENTICATION = (SYSTEM_ASSIGNED, USER_ASSIGNED, CONNECTION_STRING)
# The first is the default.
UPDATE_STRATEGIES = ("Recreate", "RollingUpdate")
BLOB_SUFFIX = ".blob.core.windows.net"

FUNCTION_APP_CONFIG = Since(
    FLEX_SINCE,
    {
        "deployment": Required(
            {
                "storage": Required(
                    {
                        "type": Required(Choice(("blobContainer",))),
                        "value": Required(str),
                        "authentication": Required(
                            {
                                "type": Required(Choice(AUTHENTICATION)),
                                "userAssignedIdentityResourceId": str,
                                "storageAccountConnectionStringName": str,
                            }
                        ),
                    }
                )
            }
        ),
        "runtime": Required({"name": Required(Choice(RUNTIMES)), "version": str}),
        "scaleAndConcurrency": Required(
            {
                "alwaysReady": [{"name": Required(str), "instanceCount": Required(int)}],
                "maximumInstanceCount": int,
                "instanceMemoryMB": int,
                "triggers": {"http": {"perInstanceConcurrency": int}},
            }
        ),
        "siteUpdateStrategy": {"type": Choice(UPDATE_STRATEGIES)},
    },
)


def check(config: Json) -> None:
    """Check the values of a `functionAppConfig`, and fill in its defaults.

    Args:
        config: the configuration; changed in place.

    Raises:
        ServiceError: 400 for the first value that is refused.
    """
    if config["deployment"]["storage"]["authentication"]["type"] == SYSTEM_ASSIGNED:
        raise exceptions.NOT_SUPPORTED("system-assigned identities; use a user-assigned identity")
    runtime = config["runtime"]
    if runtime["name"] != "python":
        raise exceptions.NOT_SUPPORTED(f"the runtime {runtime['name']}; it runs python")
    config.setdefault("siteUpdateStrategy", {}).setdefault("type", UPDATE_STRATEGIES[0])
    scale = config["scaleAndConcurrency"]
    scale.setdefault("maximumInstanceCount", 100)
    scale.setdefault("instanceMemoryMB", 2048)
    scale.setdefault("alwaysReady", [])


def container_of(url: str) -> tuple[str, str] | None:
    """Return (account, container) of the URL of a blob container, or None for another URL."""
    parts = urlsplit(url)
    host, path = (parts.hostname or ""), parts.path.strip("/")
    if parts.scheme != "https" or not host.endswith(BLOB_SUFFIX) or not path or "/" in path:
        return None
    return host.removesuffix(BLOB_SUFFIX), path
