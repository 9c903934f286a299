"""App settings: which names and values a site may have, by the tier of its plan.

Source: https://learn.microsoft.com/azure/azure-functions/flex-consumption-plan for time zones and certificates on
Flex Consumption; the other names that it refuses are from memory.
"""

import re
from collections.abc import Mapping
from typing import Any

from emulator.web import exceptions
from emulator.web.names import FLEX

# Flex Consumption has site properties instead of these, or does not support what they do.
REFUSED_ON_FLEX = frozenset(
    {
        "ENABLE_ORYX_BUILD",
        "FUNCTIONS_EXTENSION_VERSION",
        "FUNCTIONS_MAX_HTTP_CONCURRENCY",
        "FUNCTIONS_WORKER_DYNAMIC_CONCURRENCY_ENABLED",
        "FUNCTIONS_WORKER_PROCESS_COUNT",
        "FUNCTIONS_WORKER_RUNTIME",
        "FUNCTIONS_WORKER_RUNTIME_VERSION",
        "SCM_DO_BUILD_DURING_DEPLOYMENT",
        "TZ",
        "WEBSITE_CONTENTAZUREFILECONNECTIONSTRING",
        "WEBSITE_CONTENTOVERVNET",
        "WEBSITE_CONTENTSHARE",
        "WEBSITE_DNS_SERVER",
        "WEBSITE_LOAD_CERTIFICATES",
        "WEBSITE_MAX_DYNAMIC_APPLICATION_SCALE_OUT",
        "WEBSITE_NODE_DEFAULT_VERSION",
        "WEBSITE_RUN_FROM_PACKAGE",
        "WEBSITE_SKIP_CONTENTSHARE_VALIDATION",
        "WEBSITE_TIME_ZONE",
        "WEBSITE_VNET_ROUTE_ALL",
    }
)
# Linux has no other names, because settings are environment variables.
NAME = re.compile(r"[A-Za-z0-9_.-]+")
KEY_VAULT_REFERENCE = "@microsoft.keyvault("


def check(settings: Mapping[str, Any], tier: str) -> dict[str, str]:
    """Return the app settings of a request.

    Raises:
        ServiceError: 400 with every name that is refused.
    """
    refused = [name for name in settings if tier == FLEX and name.upper() in REFUSED_ON_FLEX]
    if refused:
        raise exceptions.invalid_on_flex("app setting", [f"Site.SiteConfig.AppSettings.{name}" for name in refused])
    references = [name for name, value in settings.items() if str(value).lower().startswith(KEY_VAULT_REFERENCE)]
    if references:
        raise exceptions.NOT_SUPPORTED(f"Key Vault references in app settings ({', '.join(references)})")
    return {str(name): str(value) for name, value in settings.items()}


def pairs(settings: list[Mapping[str, Any]]) -> dict[str, Any]:
    """Return settings by name from `siteConfig.appSettings`, a list of names and values."""
    return {str(pair["name"]): pair.get("value") for pair in settings}
