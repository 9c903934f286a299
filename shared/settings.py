"""Typed settings of the product, read from the environment once.

The fields of `Settings` are the one table of names, meanings and defaults. Tests compare it with
`local.settings.example.json` and docs/settings.md. Only this module divides the product's waits by the time scale.
"""

import dataclasses
import os
import re
import uuid
from collections.abc import Callable, Mapping
from datetime import timedelta
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

# Scaling stops here: real work on two cores takes real seconds.
SHORTEST_DEADLINE = timedelta(seconds=15)
# A poll costs some 20 ms of CPU, and the service that it polls runs on the same machine.
SHORTEST_POLL = timedelta(milliseconds=250)
# `make package` writes the commit there; a working tree has no such file.
BUILD_FILE = Path(__file__).parents[1] / "build.txt"

# Settings that the host reads, not our code. They are in local.settings.json together with the ones below.
HOST_SETTINGS: Mapping[str, str] = {
    "AzureWebJobsStorage": "Storage account of the Functions host and of Durable Functions; in Azure, `infra/` sets "
    "`AzureWebJobsStorage__…`, with which the host uses the app's identity.",
    "FUNCTIONS_WORKER_RUNTIME": "Always `python`.",
    "PYTHON_THREADPOOL_THREAD_COUNT": "Threads for synchronous functions: each runs at most one Azure call at a time.",
    "FUNCTIONS_REQUEST_BODY_SIZE_LIMIT": "Bytes of the largest body that any path takes. Longer ones get 413.",
    "WATCHDOG_SCHEDULE": "NCRONTAB of the timer that restarts stranded operations; at least every five minutes.",
    "PURGE_SCHEDULE": (
        "NCRONTAB of the timers that remove ended orchestrations and what rejected requests left behind, and that "
        "report clusters whose resource group is gone."
    ),
}


class Pace:
    """How fast time passes: Azure's own pace, unless a subclass has another time scale."""

    # What every wait that the service chooses is divided by.
    time_scale: float = 1

    def scaled(self, duration: timedelta, *, floor: timedelta = timedelta(0)) -> timedelta:
        """Divide a duration by the time scale, never below the floor."""
        return max(duration / self.time_scale, floor)

    def deadline_seconds(self, duration: timedelta, shortest: timedelta = SHORTEST_DEADLINE) -> float:
        """Return a deadline in scaled seconds, at least 15, or more if the caller passes a higher floor."""
        return self.scaled(duration, floor=max(shortest, SHORTEST_DEADLINE)).total_seconds()

    def poll_seconds(self, duration: timedelta, shortest: timedelta = SHORTEST_POLL) -> float:
        """Return a poll interval in scaled seconds, at least 0.25, or less if the caller passes a lower floor."""
        return self.scaled(duration, floor=shortest).total_seconds()

    def retry_after_seconds(self, duration: timedelta) -> int:
        """Return a Retry-After in scaled whole seconds, at least 1."""
        return max(1, round(self.scaled(duration).total_seconds()))

    def look_back(self, duration: timedelta) -> timedelta:
        """Return how long the watchdog leaves a young operation alone, at least 15 seconds."""
        return self.scaled(duration, floor=SHORTEST_DEADLINE)


AZURES_PACE = Pace()


class SettingsError(Exception):
    """The environment does not describe a working resource provider. The message lists every problem."""

    def __init__(self, problems: list[str]) -> None:
        """Keep the problems, one sentence each."""
        super().__init__("The settings have problems:\n" + "\n".join(f"* {problem}" for problem in problems))
        self.problems = problems


def _text(value: str) -> str:
    return value


def _guid(value: str) -> str:
    try:
        return str(uuid.UUID(value))
    except ValueError:
        raise ValueError("is not a GUID") from None


def _https(value: str) -> str:
    if urlsplit(value).scheme != "https" or not urlsplit(value).netloc:
        raise ValueError("is not an https URL")
    return value.rstrip("/")


def _https_or_nothing(value: str) -> str:
    return _https(value) if value else ""


def _address(value: str) -> str:
    parts = urlsplit(value)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.path.strip("/") or parts.query:
        raise ValueError("is not an http or https address without a path")
    return value.rstrip("/")


def _acr(value: str) -> str:
    if "/providers/microsoft.containerregistry/registries/" not in value.lower():
        raise ValueError("is not the resource id of a container registry")
    return value


def _storage_account(value: str) -> str:
    if "/providers/microsoft.storage/storageaccounts/" not in value.lower():
        raise ValueError("is not the resource id of a storage account")
    return value


def _subnet(value: str) -> str:
    if not re.search(r"/providers/microsoft\.network/virtualnetworks/[^/]+/subnets/[^/]+$", value, re.IGNORECASE):
        raise ValueError("is not the resource id of a subnet")
    return value


def _pem(value: str) -> str:
    """Return PEM text, or the content of the file that a path names: app settings hold the text, laptops the path."""
    if "-----BEGIN" in value:
        return value
    try:
        return Path(value).read_text(encoding="ascii")
    except (OSError, UnicodeDecodeError) as error:
        raise ValueError(f"is neither PEM text nor a readable file ({type(error).__name__})") from None


def _scale(value: str) -> float:
    try:
        scale = float(value)
    except ValueError:
        raise ValueError("is not a number") from None
    if not 0 < scale <= 1000:  # noqa: PLR2004 - beyond this every wait has reached its floor
        raise ValueError("is not above 0 and at most 1000")
    return scale


def _switch(value: str) -> bool:
    if value not in ("true", "false"):
        raise ValueError("is neither true nor false")
    return value == "true"


def _server(value: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9.-]+(:\d+)?", value):
        raise ValueError("is not a host name with an optional port")
    return value


def _task_hub(value: str) -> str:
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9]{2,44}", value):
        raise ValueError("must have 3 to 45 letters or digits and begin with a letter")
    return value


def _days(value: str) -> int:
    if not value.isdigit() or int(value) < 1:
        raise ValueError("is not a whole number of days above 0")
    return int(value)


def packaged_build(path: Path) -> str:
    """Return the commit that a package was made of, or `unknown` if there is no such file."""
    return path.read_text(encoding="ascii").strip() if path.is_file() else "unknown"


# Settings of one thing: a service has all of them, or does without it.
_TOGETHER = (
    ("FP_CLIENT_ID", "FP_CERTIFICATE_SECRET"),
    (
        "CLUSTER_LOGGING_CERTIFICATE_SECRET",
        "CLUSTER_LOGGING_ENVIRONMENT",
        "CLUSTER_LOGGING_CONFIG_VERSION",
    ),
)
# The same in every deployment; the others are required where ARM calls.
_ALWAYS_TOGETHER = (("ISSUER_ACCOUNT_URL", "ISSUER_URL"),)


class Callers(StrEnum):
    """Who calls the service."""

    ARM = "arm"
    ENTRA = "entra"


def _callers(value: str) -> Callers:
    try:
        return Callers(value)
    except ValueError:
        raise ValueError(f"is not one of {', '.join(Callers)}") from None


@dataclasses.dataclass(frozen=True)
class Setting:
    """What the table of settings says about one of them.

    Args:
        name: its name in the environment.
        meaning: what it is, in a sentence.
        parse: returns the value for a text that is not empty.
        default: the text that an absent or empty setting has; None if there is none.
        only: the callers whose deployments require it, if not all do. In the others, empty means absent.
    """

    name: str
    meaning: str
    parse: Callable[[str], Any]
    default: str | None
    only: Callers | None


def _setting(
    name: str,
    meaning: str,
    *,
    parse: Callable[[str], Any] = _text,
    default: str | None = None,
    only: Callers | None = None,
) -> Any:
    return dataclasses.field(metadata={"setting": Setting(name, meaning, parse, default, only)})


@dataclasses.dataclass(frozen=True)
class Settings(Pace):
    """One value for each setting; see `table()` for names, meanings and defaults."""

    callers: Callers = _setting(  # noqa: RUF009 - a field, as below
        "CALLERS",
        "Who calls: `arm`, with its client certificate (hosted), or `entra`, anyone with a token (one's own "
        "subscription).",
        parse=_callers,
    )
    api_client_id: str = _setting(
        "API_CLIENT_ID",
        "Application id of the service's registration in Entra: callers' tokens are issued for it.",
        parse=_guid,
        only=Callers.ENTRA,
    )
    public_url: str = _setting(
        "PUBLIC_URL",
        "Address at which callers reach the service, for links in replies; empty for `https://` and the host name "
        "that the platform reports in `WEBSITE_HOSTNAME`. ARM sends its own address.",
        parse=lambda value: value and _address(value),
        default="",
    )
    tenant_id: str = _setting("AZURE_TENANT_ID", "Tenant of the resource provider itself.", parse=_guid)
    subscription_id: str = _setting("AZURE_SUBSCRIPTION_ID", "Subscription of the resource provider.", parse=_guid)
    location: str = _setting("LOCATION", "Azure region this deployment serves.")
    resource_group: str = _setting(
        "RESOURCEGROUP",
        "Resource group of the resource provider: its DNS zone lies there, and the clusters' private endpoints.",
    )
    cosmosdb_account: str = _setting("COSMOSDB_ACCOUNT", "Name of the Cosmos DB account.")
    task_hub: str = _setting(
        "TASK_HUB",
        "Task hub of this deployment; `host.json` refers to it. Deployments that share a Cosmos DB account need one "
        "each.",
        parse=_task_hub,
    )
    app_subnet_id: str = _setting(
        "APP_SUBNET_ID",
        "Subnet that the app is integrated with, by resource id, which the clusters' storage accounts let in; empty "
        "for none: the accounts are then open.",
        parse=lambda value: value and _subnet(value),
        default="",
    )
    private_endpoint_subnet_id: str = _setting(
        "PRIVATE_ENDPOINT_SUBNET_ID", "Subnet of the clusters' private endpoints, by resource id.", parse=_subnet
    )
    domain: str = _setting("DOMAIN", "DNS zone of managed cluster domains, `<location>.<parent>`.", only=Callers.ARM)
    keyvault_name: str = _setting(
        "KEYVAULT_NAME", "Service vault: paging key, and certificates of the first party and of the logging account."
    )
    cluster_keyvault_name: str = _setting("CLUSTER_KEYVAULT_NAME", "Vault of the clusters' secrets.")
    rp_object_id: str = _setting("RP_OBJECT_ID", "Object id of the app's managed identity.", parse=_guid)
    acr_resource_id: str = _setting(
        "ACR_RESOURCE_ID", "Registry that mirrors OpenShift's images.", parse=_acr, only=Callers.ARM
    )
    admin_ca_certificates: str = _setting(
        "ADMIN_API_CA",
        "PEM, or a file of it: who may sign certificates for `/sre` routes.",
        parse=_pem,
        only=Callers.ARM,
    )
    admin_client_common_name: str = _setting(
        "ADMIN_API_CLIENT_COMMON_NAME", "Common name of the client certificate for `/sre` routes.", only=Callers.ARM
    )
    admin_intermediate_certificates: str = _setting(
        "ADMIN_API_INTERMEDIATES",
        "PEM, or a file of it: intermediates, because the forwarded header holds the leaf alone.",
        parse=lambda value: value and _pem(value),
        default="",
    )
    first_party_client_id: str = _setting(
        "FP_CLIENT_ID",
        "Application id of the first-party application.",
        parse=_guid,
        only=Callers.ARM,
    )
    first_party_certificate_secret: str = _setting(
        "FP_CERTIFICATE_SECRET",
        "Secret of the service vault with the first party's certificate.",
        only=Callers.ARM,
    )
    paging_key_secret: str = _setting(
        "PAGING_KEY_SECRET", "Secret of the service vault that seals paging tokens and bundles."
    )
    bundles_url: str = _setting(
        "BUNDLES_URL",
        "Blob container of the bundles of sites, by its address; empty for none. The app's identity opens it.",
        parse=_https_or_nothing,
        default="",
    )
    issuer_account_url: str = _setting(
        "ISSUER_ACCOUNT_URL",
        "Storage account with the public documents of the clusters' token issuers, by its blob endpoint; empty for "
        "none: no cluster has workload identity then. The app's identity writes into its container `$web`.",
        parse=_https_or_nothing,
        default="",
    )
    issuer_url: str = _setting(
        "ISSUER_URL",
        "Public address of these documents: the static website of that account, or a domain in front of it. Clusters "
        "keep the one that they were created with.",
        parse=_https_or_nothing,
        default="",
    )
    identity_audience: str = _setting(
        "IDENTITY_AUDIENCE",
        "Audience of the tokens for the service that hands out the certificates of cluster identities. Hosted only.",
        parse=_https,
        default="https://serviceidentity.azure.net",
    )
    certificate_issuer: str = _setting(
        "CERTIFICATE_ISSUER",
        "Issuer in the clusters' vault of the certificates of managed domains.",
        only=Callers.ARM,
    )
    cluster_logging_certificate_secret: str = _setting(
        "CLUSTER_LOGGING_CERTIFICATE_SECRET",
        "Secret of the service vault with the certificate of the clusters' logging account.",
        only=Callers.ARM,
    )
    cluster_logging_environment: str = _setting(
        "CLUSTER_LOGGING_ENVIRONMENT",
        "Environment of the logging service that clusters send their logs to.",
        only=Callers.ARM,
    )
    cluster_logging_config_version: str = _setting(
        "CLUSTER_LOGGING_CONFIG_VERSION",
        "Version of the configuration of the clusters' logging account.",
        only=Callers.ARM,
    )
    cosmosdb_database: str = _setting("COSMOSDB_DATABASE", "Name of the Cosmos database.")
    cosmosdb_suffix: str = _setting(
        "COSMOSDB_SUFFIX", "Suffix of Cosmos accounts in this cloud.", default="documents.azure.com"
    )
    arm_endpoint: str = _setting(
        "ARM_ENDPOINT",
        "Azure Resource Manager; its metadata names the rest.",
        parse=_https,
        default="https://management.azure.com",
    )
    managed_identity_client_id: str = _setting(
        "AZURE_CLIENT_ID",
        "Client id of a user-assigned managed identity; empty for the system-assigned one.",
        default="",
    )
    installer_client_id: str = _setting(
        "INSTALLER_CLIENT_ID",
        "Client id of a second managed identity, which can only read: the program `openshift-install` asks Azure as "
        "it. Hosted, the program asks as the first-party application.",
        default="",
    )
    time_scale: float = _setting(
        "TIME_SCALE", "Divides every wait the product chooses; 1 in Azure.", parse=_scale, default="1"
    )
    draining: bool = _setting(
        "DRAINING",
        "`true` while operations must end before an update: those under way go on, no other begins.",
        parse=_switch,
        default="false",
    )
    purge_after_days: int = _setting(
        "PURGE_AFTER_DAYS", "Days that ended orchestrations are kept.", parse=_days, default="7"
    )
    billing_copy_account_id: str = _setting(
        "BILLING_COPY_ACCOUNT_ID",
        "Storage account for copies of billing records, by resource id; empty for none. The service lists its SAS.",
        parse=lambda value: value and _storage_account(value),
        default="",
    )
    billing_copy_tenant_id: str = _setting(
        "BILLING_COPY_TENANT_ID",
        "Tenant whose subscriptions get these copies, if `SaveAROTestConfig` is registered there.",
        parse=lambda value: value and _guid(value),
        default="",
    )
    openshift_install: str = _setting(
        "OPENSHIFT_INSTALL",
        "Path of the installer of versions whose `installer` is `openshift-install`; `{version}` stands for theirs, "
        "`{digest}` for that of their entry. A relative path begins at the temp folder. Where there is no such file, "
        "it is fetched by that digest.",
        default="openshift-install/{version}/{digest}/openshift-install",
    )
    openshift_install_mirror: str = _setting(
        "OPENSHIFT_INSTALL_MIRROR",
        "Where that installer is fetched from if the entry has an `installerDigest`, `<mirror>/<version>/`. Otherwise "
        "it comes out of the release image.",
        parse=_https,
        default="https://mirror.openshift.com/pub/openshift-v4/clients/ocp",
    )
    build: str = _setting(
        "BUILD",
        "Build that runs, recorded on the clusters it makes; by default the commit in the package.",
        default=packaged_build(BUILD_FILE),
    )


def table() -> dict[str, Setting]:
    """Return every setting of ours by name."""
    settings = [field.metadata["setting"] for field in dataclasses.fields(Settings)]
    return {setting.name: setting for setting in settings}


def parse(environment: Mapping[str, str]) -> Settings:
    """Read the settings of the service from a mapping, such as the environment.

    Raises:
        SettingsError: names everything that is missing or wrong, so that one restart fixes all of it.
    """
    values: dict[str, Any] = {}
    problems = []
    entra = environment.get("CALLERS") == Callers.ENTRA
    host_name = environment.get("WEBSITE_HOSTNAME")
    variables = {name: text for name, text in environment.items() if text}
    variables.setdefault("PUBLIC_URL", f"https://{host_name}" if host_name else "")
    for field in dataclasses.fields(Settings):
        setting: Setting = field.metadata["setting"]
        text = variables.get(setting.name) or setting.default
        if not text and setting.only not in (None, Callers.ENTRA if entra else Callers.ARM):
            values[field.name] = ""
            continue
        if text is None:
            problems.append(f"{setting.name} is missing: {setting.meaning}")
            continue
        try:
            values[field.name] = setting.parse(text)
        except ValueError as error:
            problems.append(f"{setting.name} {error}: {setting.meaning}")
    problems += _half_given(variables, _ALWAYS_TOGETHER + (_TOGETHER if entra else ()))
    if entra and not variables["PUBLIC_URL"]:
        problems.append(f"PUBLIC_URL is missing, and so is WEBSITE_HOSTNAME: {table()['PUBLIC_URL'].meaning}")
    if problems:
        raise SettingsError(problems)
    return Settings(**values)


def _half_given(variables: Mapping[str, str], together: tuple[tuple[str, ...], ...]) -> list[str]:
    """Return a problem for each setting that is missing although others of the same thing are given."""
    problems = []
    for names in together:
        there = [name for name in names if name in variables]
        problems += [f"{name} is missing, but {there[0]} is given" for name in names if there and name not in there]
    return problems


@cache
def load() -> Settings:
    """Return the settings of this process, read from the environment once."""
    return parse(os.environ)
