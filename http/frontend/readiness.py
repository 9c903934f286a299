"""What may keep the service from being ready, as codes that anybody may read, and what an operator does about each.

Codes are stable: probes and alerts name them. They name no setting, role, resource or host; the problem's message does.
"""

import threading
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from shared import durations


class Code(StrEnum):
    """Every code of `GET /healthz/ready`."""

    SETTINGS_INVALID = "SettingsInvalid"
    CERTIFICATES_UNKNOWN = "CertificatesUnknown"
    SIGNING_KEYS_UNKNOWN = "SigningKeysUnknown"
    RIGHTS_UNAVAILABLE = "RightsUnavailable"
    RIGHTS_FORBIDDEN = "RightsForbidden"
    ROLES_INCOMPLETE = "RolesIncomplete"
    IDENTITY_UNAVAILABLE = "IdentityUnavailable"
    DATABASE_UNAVAILABLE = "DatabaseUnavailable"
    DATABASE_FORBIDDEN = "DatabaseForbidden"
    DATABASE_INCOMPLETE = "DatabaseIncomplete"
    DATABASE_NOT_STRONG = "DatabaseNotStrong"
    NO_VERSION = "NoVersion"
    INSTALLER_DOES_NOT_FIT = "InstallerDoesNotFit"
    INSTALLER_IDENTITY_MISSING = "InstallerIdentityMissing"
    SERVICE_VAULT_UNAVAILABLE = "ServiceVaultUnavailable"
    SERVICE_VAULT_FORBIDDEN = "ServiceVaultForbidden"
    PAGING_KEY_MISSING = "PagingKeyMissing"
    CLUSTER_VAULT_UNAVAILABLE = "ClusterVaultUnavailable"
    CLUSTER_VAULT_FORBIDDEN = "ClusterVaultForbidden"


_WAIT = "Outages of up to ten minutes only delay operations. If it lasts, check the name in the settings, {}."
_STRONG = "az cosmosdb update --name <account> --resource-group <group> --default-consistency-level Strong"
_ROLE = "Assign the role to the app's managed identity, then wait a few minutes."
# Code: what it means, and the remedy.
MEANINGS: dict[Code, tuple[str, str]] = {
    Code.SETTINGS_INVALID: (
        "App settings are missing or wrong. No request is served, and nothing else runs.",
        "Correct every setting that the log lists, then restart the app.",
    ),
    Code.CERTIFICATES_UNKNOWN: (
        "No current client certificate of Azure Resource Manager is known, so its calls are refused.",
        "Let the app reach Azure Resource Manager, and check its address in the settings.",
    ),
    Code.SIGNING_KEYS_UNKNOWN: (
        "No key with which Microsoft Entra ID signs tokens is known, so no caller can be identified.",
        "Let the app reach Microsoft Entra ID and Azure Resource Manager, and check the tenant in the settings.",
    ),
    Code.RIGHTS_UNAVAILABLE: (
        "Azure Resource Manager does not answer, so it is not known what callers may do.",
        _WAIT.format("the address of Azure Resource Manager"),
    ),
    Code.RIGHTS_FORBIDDEN: ("The app may not read role assignments, so every caller is refused.", _ROLE),
    Code.ROLES_INCOMPLETE: (
        "The app's roles lack actions that this version needs, so operations fail at the step that needs one.",
        "Deploy `infra/subscription.json` again, then wait a few minutes.",
    ),
    Code.IDENTITY_UNAVAILABLE: (
        "The app gets no token of its managed identity.",
        "Assign the identity to the app, and check its client id in the settings.",
    ),
    Code.DATABASE_UNAVAILABLE: (
        "Cosmos DB does not answer.",
        _WAIT.format("the account's firewall and its private endpoint"),
    ),
    Code.DATABASE_FORBIDDEN: ("The app may not read Cosmos DB.", _ROLE),
    Code.DATABASE_INCOMPLETE: (
        "The database lacks containers that this version needs.",
        "Deploy `infra/service.json` again.",
    ),
    Code.DATABASE_NOT_STRONG: (
        "Reads of Cosmos DB may answer with the past, so an attempt that was superseded may still change something.",
        f"Deploy `infra/service.json` again, or run `{_STRONG}`. Then restart the app, because it asks when it starts.",
    ),
    Code.NO_VERSION: (
        "No version that can be installed is the default, so creates that name no OpenShift version fail.",
        "Put an entry with `enabled` and `default`; the list of entries says what is wrong with each.",
    ),
    Code.INSTALLER_DOES_NOT_FIT: (
        "An instance is too small for OpenShift's installer, so creates of the version that the message names fail.",
        "Deploy `infra/service.json` with `plan=ElasticPremium`; Flex Consumption has 0.8 GB of temporary disk.",
    ),
    Code.INSTALLER_IDENTITY_MISSING: (
        "OpenShift's installer has no identity to read Azure, so creates of the version that the message names fail.",
        "Deploy `infra/service.json` and `infra/subscription.json` of this release.",
    ),
    Code.SERVICE_VAULT_UNAVAILABLE: (
        "The service's vault does not answer.",
        _WAIT.format("the vault's firewall and its private endpoint"),
    ),
    Code.SERVICE_VAULT_FORBIDDEN: ("The app may not read secrets of the service's vault.", _ROLE),
    Code.PAGING_KEY_MISSING: (
        "The service's vault has no paging key, so lists of clusters fail.",
        "Store any long random text as the secret that the message names.",
    ),
    Code.CLUSTER_VAULT_UNAVAILABLE: (
        "The clusters' vault does not answer.",
        _WAIT.format("the vault's firewall and its private endpoint"),
    ),
    Code.CLUSTER_VAULT_FORBIDDEN: ("The app may not read secrets of the clusters' vault.", _ROLE),
}


@dataclass(frozen=True)
class Problem:
    """A reason why the service is not ready. The message is for operators: it names settings, roles and resources."""

    code: Code
    message: str

    def describe(self) -> dict[str, str]:
        """Return the problem as operators read it."""
        meaning, remedy = MEANINGS[self.code]
        return {"code": self.code, "meaning": meaning, "message": self.message, "remedy": remedy}


class LastCheck:
    """What the last check found, for some seconds: anybody may ask, and a check asks every dependency."""

    def __init__(self) -> None:
        """Begin with none."""
        self._lock = threading.Lock()
        self._checked_at: datetime | None = None
        self._found: list[Problem] = []

    def get(self, check: Callable[[], list[Problem]], now: Callable[[], datetime]) -> list[Problem]:
        """Return what a recent check found, or check. Those who ask meanwhile wait for it.

        Args:
            check: returns the reasons why the service is not ready.
            now: the clock.
        """
        with self._lock:
            # A clock that was set back does not keep an answer for longer.
            if self._checked_at is None or not timedelta() <= now() - self._checked_at < durations.SITE_READINESS_KEPT:
                self._found, self._checked_at = check(), now()
            return self._found
