"""`functionAppConfig`: what a Flex Consumption site has instead of settings of the plan.

Source: https://learn.microsoft.com/azure/azure-functions/flex-consumption-plan and flex-consumption-site-updates beside
it, and the models of azure-mgmt-web 11.0.0. The wording of the errors is ours.
"""

import re
from typing import Any
from urllib.parse import urlsplit

from emulator.arm.schema import Choice, Required, Since
from emulator.web import exceptions
from emulator.web.names import FLEX_SINCE
from emulator.web.stacks import PYTHON_VERSIONS, RUNTIMES

Json = dict[str, Any]

SYSTEM_ASSIGNED, USER_ASSIGNED = "SystemAssignedIdentity", "UserAssignedIdentity"
CONNECTION_STRING = "StorageAccountConnectionString"
AUTHENTICATION = (SYSTEM_ASSIGNED, USER_ASSIGNED, CONNECTION_STRING)
MEMORY_SIZES = (512, 2048, 4096)
FEWEST_INSTANCES, MOST_INSTANCES = 40, 1000
MOST_CONCURRENCY = 1000
GROUPS = ("http", "blob", "durable")
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


def check(config: Json, identities: list[str]) -> None:
    """Check the values of a `functionAppConfig`, and fill in its defaults.

    Args:
        config: the configuration; changed in place.
        identities: ids of the site's user-assigned identities.

    Raises:
        ServiceError: 400 for the first value that is refused.
    """
    _check_deployment(config["deployment"]["storage"], identities)
    runtime = config["runtime"]
    if runtime["name"] != "python":
        raise exceptions.NOT_SUPPORTED(f"the runtime {runtime['name']}; it runs python")
    if runtime.get("version") not in PYTHON_VERSIONS:
        raise exceptions.FUNCTIONS_INVALID(
            name="runtime.version", value=runtime.get("version"), wanted=f"one of {', '.join(PYTHON_VERSIONS)}"
        )
    _check_scale(config["scaleAndConcurrency"])
    config.setdefault("siteUpdateStrategy", {}).setdefault("type", UPDATE_STRATEGIES[0])


def _check_deployment(storage: Json, identities: list[str]) -> None:
    if container_of(storage["value"]) is None:
        raise exceptions.FUNCTIONS_INVALID(
            name="deployment.storage.value", value=storage["value"], wanted="the URL of a blob container"
        )
    authentication = storage["authentication"]
    place, kind = "deployment.storage.authentication", authentication["type"]
    identity = authentication.get("userAssignedIdentityResourceId", "")
    setting = authentication.get("storageAccountConnectionStringName", "")
    if kind == SYSTEM_ASSIGNED:
        raise exceptions.NOT_SUPPORTED("system-assigned identities; use a user-assigned identity")
    if kind == USER_ASSIGNED and identity.lower() not in [known.lower() for known in identities]:
        raise exceptions.FUNCTIONS_INVALID(
            name=f"{place}.userAssignedIdentityResourceId",
            value=identity,
            wanted="a user-assigned identity of the site",
        )
    if kind == CONNECTION_STRING and not setting:
        raise exceptions.FUNCTIONS_INVALID(
            name=f"{place}.storageAccountConnectionStringName", value=setting, wanted="the name of an app setting"
        )


def _check_scale(scale: Json) -> None:
    most = scale.setdefault("maximumInstanceCount", 100)
    if not FEWEST_INSTANCES <= most <= MOST_INSTANCES:
        raise exceptions.FUNCTIONS_INVALID(
            name="scaleAndConcurrency.maximumInstanceCount",
            value=most,
            wanted=f"from {FEWEST_INSTANCES} to {MOST_INSTANCES}",
        )
    memory = scale.setdefault("instanceMemoryMB", 2048)
    if memory not in MEMORY_SIZES:
        raise exceptions.FUNCTIONS_INVALID(
            name="scaleAndConcurrency.instanceMemoryMB",
            value=memory,
            wanted=f"one of {', '.join(map(str, MEMORY_SIZES))}",
        )
    for group in scale.setdefault("alwaysReady", []):
        name, count = group["name"], group["instanceCount"]
        if name not in GROUPS and not re.fullmatch(r"function:.+", name):
            raise exceptions.FUNCTIONS_INVALID(
                name="scaleAndConcurrency.alwaysReady.name",
                value=name,
                wanted=f"{', '.join(GROUPS)} or function:<name>",
            )
        if not 0 <= count <= most:
            raise exceptions.FUNCTIONS_INVALID(
                name="scaleAndConcurrency.alwaysReady.instanceCount", value=count, wanted=f"from 0 to {most}"
            )
    concurrency = ((scale.get("triggers") or {}).get("http") or {}).get("perInstanceConcurrency")
    if concurrency is not None and not 1 <= concurrency <= MOST_CONCURRENCY:
        raise exceptions.FUNCTIONS_INVALID(
            name="scaleAndConcurrency.triggers.http.perInstanceConcurrency",
            value=concurrency,
            wanted=f"from 1 to {MOST_CONCURRENCY}",
        )


def container_of(url: str) -> tuple[str, str] | None:
    """Return (account, container) of the URL of a blob container, or None for another URL."""
    parts = urlsplit(url)
    host, path = (parts.hostname or ""), parts.path.strip("/")
    if parts.scheme != "https" or not host.endswith(BLOB_SUFFIX) or not path or "/" in path:
        return None
    return host.removesuffix(BLOB_SUFFIX), path
