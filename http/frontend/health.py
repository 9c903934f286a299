"""Health, for the platform's probes. Neither probe requires a particular certificate, and neither reveals anything."""

import contextvars
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from azure.core.exceptions import AzureError

from frontend.messages import Call, Reply
from shared import deadline
from shared.arm.errors import CloudError, service_unavailable
from shared.azure import dependencies
from shared.clusters import catalogue

# The whole answer takes five seconds at most.
_SECONDS = 3.5

_log = logging.getLogger(__name__)


def alive(_call: Call) -> Reply:
    """Report that this process answers."""
    return Reply(200, {})


def ready(call: Call) -> Reply:
    """Report whether requests can be served: ARM is known, database and both vaults can be read, a version exists.

    Uptime does not matter, because the app scales to zero. The log says what is away, and whose permission is missing;
    the caller learns only that something is.

    Raises:
        CloudError: 503 `ServiceUnavailable`.
    """
    checks = (_certificates, _documents, _service_vault, _cluster_vault)
    # All at once, because a silent one uses up all the time.
    with deadline.within(_SECONDS), ThreadPoolExecutor(len(checks)) as threads:
        asked = [threads.submit(contextvars.copy_context().run, _problem, check, call) for check in checks]
        problems = [problem for each in asked if (problem := each.result())]
    for problem in problems:
        _log.error("not ready: %s", problem)
    if problems:
        raise service_unavailable("The service is not ready. Its log says what is away.")
    return Reply(200, {})


def _problem(check: Callable[[Call], None], call: Call) -> str:
    """Return the problem that a check found, or ""."""
    try:
        check(call)
    except AzureError as error:
        return dependencies.explain(error, call.services.settings)
    except CloudError as error:
        return error.message
    return ""


def _certificates(call: Call) -> None:
    now = call.services.now()
    if not any(each.not_before <= now <= each.not_after for each in call.services.arm_certificates()):
        raise service_unavailable("no current client certificate of Azure Resource Manager is known")


def _documents(call: Call) -> None:
    store = call.services.store
    # Versions are cached for a while; this check is not.
    store.operations.read("readiness")
    catalogue.default_version(store.versions.enabled())


def _service_vault(call: Call) -> None:
    call.services.vault.get_service_secret(call.services.settings.paging_key_secret)


def _cluster_vault(call: Call) -> None:
    call.services.vault.ask_for_access()
