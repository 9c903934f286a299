"""Health, for the platform's probes. Neither asks for a particular certificate, and neither tells anything."""

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

# The whole answer has five seconds.
_SECONDS = 3.5

_log = logging.getLogger(__name__)


def alive(_call: Call) -> Reply:
    """Say that this process answers."""
    return Reply(200, {})


def ready(call: Call) -> Reply:
    """Say whether requests can be served: ARM is known, the database and both vaults can be read, there is a version.

    An uptime is not asked for, because the app scales to zero. The log says everything that is away, and whose
    permission is missing; who asks learns only that something is.

    Raises:
        CloudError: 503 `ServiceUnavailable`.
    """
    checks = (_certificates, _documents, _service_vault, _cluster_vault)
    # All at once, because one that is silent takes all the time there is.
    with deadline.within(_SECONDS), ThreadPoolExecutor(len(checks)) as threads:
        asked = [threads.submit(contextvars.copy_context().run, _problem, check, call) for check in checks]
        problems = [problem for each in asked if (problem := each.result())]
    for problem in problems:
        _log.error("not ready: %s", problem)
    if problems:
        raise service_unavailable("The service is not ready. Its log says what is away.")
    return Reply(200, {})


def _problem(check: Callable[[Call], None], call: Call) -> str:
    """Return what a check found, or an empty text."""
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
    # Versions are kept in memory for a while; this is not.
    store.operations.get("readiness")
    catalogue.default_version(store.versions())


def _service_vault(call: Call) -> None:
    call.services.vault.get_service_secret(call.services.settings.paging_key_secret)


def _cluster_vault(call: Call) -> None:
    call.services.vault.ask_for_access()
