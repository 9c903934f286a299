"""Health, for the platform's probes. They require no particular certificate, and learn codes and nothing else."""

import logging
from collections.abc import Callable
from functools import partial
from typing import Any

from azure.core.exceptions import AzureError, ResourceNotFoundError

from frontend.at_once import at_once
from frontend.messages import Call, Reply
from frontend.readiness import Code, Problem
from frontend.retry_after import RETRY_AFTER_OUTAGE_SECONDS
from shared import deadline, durations
from shared.arm.errors import CloudError
from shared.azure import dependencies, provider_actions
from shared.azure.rights import Ask
from shared.clusters import catalogue
from shared.deadline import TimeIsUp
from shared.release import installer_program
from shared.settings import Callers, SettingsError
from shared.store import STRONG, unreadable_documents

_SECONDS = durations.HEALTH.total_seconds()

_log = logging.getLogger(__name__)


def alive(_call: Call) -> Reply:
    """Answer GET of `healthz`: report that this process answers."""
    return Reply(200, {})


def ready(call: Call) -> Reply:
    """Answer GET of `healthz/ready`: report whether settings, keys, database and vaults let requests be served.

    Uptime does not matter, because the app scales to zero. The caller learns codes; the log has the messages.
    """
    try:
        services = call.services
    except SettingsError:
        problems = _logged(call)
    else:
        problems = services.last_check.get(partial(_logged, call), services.now)
    return _reply(problems, {"codes": list(dict.fromkeys(problem.code for problem in problems))})


def ready_for_operators(call: Call) -> Reply:
    """Answer GET of an operator's `healthz/ready`: check again, and report each code with message and remedy.

    `unreadableDocuments` has the documents that this instance has skipped since it started. They make nobody else wait.
    """
    problems = _logged(call)
    report = {
        "problems": [problem.describe() for problem in problems],
        "unreadableDocuments": unreadable_documents.skipped_documents(),
    }
    return _reply(problems, report)


def _reply(problems: list[Problem], body: dict[str, Any]) -> Reply:
    if not problems:
        return Reply(200, {"status": "Ready", **body})
    return Reply(503, {"status": "NotReady", **body}, {"Retry-After": str(RETRY_AFTER_OUTAGE_SECONDS)})


def _logged(call: Call) -> list[Problem]:
    problems = _problems(call)
    for problem in problems:
        _log.error("not ready: %s: %s", problem.code, problem.message)
    return problems


def _problems(call: Call) -> list[Problem]:
    try:
        _ = call.services
    except SettingsError as error:
        return [Problem(Code.SETTINGS_INVALID, "; ".join(error.problems))]
    # All at once, because a silent one uses up all the time.
    with deadline.within(_SECONDS):
        checks = _CHECKS[call.services.settings.callers]
        problems = at_once([partial(_problem, call, row) for row in checks])
    return [problem for problem in problems if problem]


def _problem(call: Call, row: "_Row") -> Problem | None:
    check, away, refused = row
    try:
        return check(call)
    except AzureError as error:
        settings = call.services.settings
        code = refused if dependencies.is_refused(error) else away
        if dependencies.name_of(error, settings) == dependencies.IDENTITY:
            code = Code.IDENTITY_UNAVAILABLE
        return Problem(code, dependencies.explain(error, settings))
    except CloudError as error:
        return Problem(away, error.message)
    except TimeIsUp:
        return Problem(away, f"it did not answer within {_SECONDS} seconds")


def _certificates(call: Call) -> Problem | None:
    now = call.services.now()
    if any(each.not_before <= now <= each.not_after for each in call.services.arm_certificates()):
        return None
    return Problem(Code.CERTIFICATES_UNKNOWN, "no current client certificate of Azure Resource Manager is known")


def _signing_keys(call: Call) -> Problem | None:
    call.services.verifier.keys.get()
    return None


def _rights(call: Call) -> Problem | None:
    # The app's own rights are asked like any caller's. What ARM does not show counts as no.
    app, subscription = call.services.settings.rp_object_id, call.services.settings.subscription_id
    whose, scope = f"the app's managed identity (object id {app})", f"/subscriptions/{subscription}"
    if not call.services.rights.may(app, Ask("Microsoft.Authorization/roleAssignments/read", scope)):
        message = f"{whose} may not read the role assignments of subscription {subscription}"
        return Problem(Code.RIGHTS_FORBIDDEN, message)
    needed = provider_actions.own_subscription_actions()
    granted = call.services.rights.may_each(app, [Ask(action, scope) for action in needed])
    if missing := [action for action, has in zip(needed, granted, strict=True) if not has]:
        message = f"{whose} lacks these actions on subscription {subscription}: {', '.join(missing)}"
        return Problem(Code.ROLES_INCOMPLETE, message)
    return None


def _containers(call: Call) -> Problem | None:
    if missing := call.services.store.missing_containers():
        account = call.services.settings.cosmosdb_account
        return Problem(Code.DATABASE_INCOMPLETE, f"the account '{account}' has no {', '.join(missing)}")
    return None


def _levels(call: Call) -> Problem | None:
    levels, account = call.services.store.levels(), call.services.settings.cosmosdb_account
    if levels.account != STRONG:
        return Problem(
            Code.DATABASE_NOT_STRONG, f"the account '{account}' has the level {levels.account}, not {STRONG}"
        )
    if levels.client != STRONG:
        message = f"this process started while the account '{account}' had the level {levels.client}: restart the app"
        return Problem(Code.DATABASE_NOT_STRONG, message)
    return None


def _documents(call: Call) -> Problem | None:
    store = call.services.store
    # Versions are cached for a while; this check is not.
    store.operations.read("readiness")
    versions = store.versions.enabled()
    if catalogue.default_entry(versions):
        return None
    wrong = [problem for document in versions for problem in catalogue.problems(document)]
    return Problem(Code.NO_VERSION, "; ".join(["no version that can be installed is the default", *wrong]))


def _installer(call: Call) -> Problem | None:
    settings = call.services.settings
    for document in call.services.store.versions.enabled():
        if catalogue.problems(document) or (entry := catalogue.parse_entry(document)).installer != "openshift-install":
            continue
        whose = f"OpenShift's installer of version {entry.version}"
        if not settings.first_party_client_id and not settings.installer_client_id:
            return Problem(Code.INSTALLER_IDENTITY_MISSING, f"{whose} has no identity: INSTALLER_CLIENT_ID is empty")
        release = {
            "version": entry.version,
            "pullspec": entry.pullspec,
            "installerDigest": entry.installer_digest,
        }
        if lack := installer_program.lack_of_room(installer_program.path(settings.openshift_install, release)):
            return Problem(Code.INSTALLER_DOES_NOT_FIT, f"{whose} does not fit: {lack}")
    return None


def _service_vault(call: Call) -> Problem | None:
    settings = call.services.settings
    missing = f"the vault '{settings.keyvault_name}' has no secret '{settings.paging_key_secret}', or it is empty"
    try:
        key = call.services.vault.get_service_secret(settings.paging_key_secret)
    except ResourceNotFoundError:
        key = ""
    return None if key else Problem(Code.PAGING_KEY_MISSING, missing)


def _cluster_vault(call: Call) -> Problem | None:
    call.services.vault.ask_for_access()
    return None


_Row = tuple[Callable[[Call], Problem | None], Code, Code]
# Each check, its code if the service that it asks is away, and its code if that refuses.
_DEPENDENCIES: tuple[_Row, ...] = (
    (_documents, Code.DATABASE_UNAVAILABLE, Code.DATABASE_FORBIDDEN),
    (_containers, Code.DATABASE_UNAVAILABLE, Code.DATABASE_FORBIDDEN),
    (_levels, Code.DATABASE_UNAVAILABLE, Code.DATABASE_FORBIDDEN),
    (_installer, Code.DATABASE_UNAVAILABLE, Code.DATABASE_FORBIDDEN),
    (_service_vault, Code.SERVICE_VAULT_UNAVAILABLE, Code.SERVICE_VAULT_FORBIDDEN),
    (_cluster_vault, Code.CLUSTER_VAULT_UNAVAILABLE, Code.CLUSTER_VAULT_FORBIDDEN),
)
_CHECKS: dict[Callers, tuple[_Row, ...]] = {
    Callers.ARM: ((_certificates, Code.CERTIFICATES_UNKNOWN, Code.CERTIFICATES_UNKNOWN), *_DEPENDENCIES),
    Callers.ENTRA: (
        (_signing_keys, Code.SIGNING_KEYS_UNKNOWN, Code.SIGNING_KEYS_UNKNOWN),
        (_rights, Code.RIGHTS_UNAVAILABLE, Code.RIGHTS_FORBIDDEN),
        *_DEPENDENCIES,
    ),
}
