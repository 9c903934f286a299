"""The one wrapper round every activity: fence, progress, correlation, and an outcome for every ending.

A raised error loses its type in durable history, and the host censors its text. So the wrapper returns every failure as
an outcome: those of the executor, and those of the store that holds fence and progress. Of a bug it reports only the
type, because an unknown text may quote a secret. If the engine sees a failure without an outcome, a process has died.
"""

import importlib
import logging
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack
from contextvars import ContextVar
from functools import cache, partial
from typing import Any

from azure.core.exceptions import AzureError

from activities.runtime import failures, progress
from activities.runtime.call import Call, fence_of
from activities.runtime.executor import Executor
from activities.runtime.fenced_call import FencedCall, Stopping
from activities.runtime.site_step import SiteStep
from activities.runtime.step import Step
from shared import durations, fence, settings, tracing
from shared.arm.errors import CloudError, ErrorCode, Owner
from shared.clusters import endings
from shared.settings import SettingsError
from shared.steps import Done, Outcome, Verb
from shared.store import FenceMoved, get_store
from shared.store.sites import is_site

_log = logging.getLogger("activities")
# One import at a time. The Kubernetes package has circular imports: two threads that enter them at different places see
# half of it, and it stays broken for the life of the process.
_importing = threading.Lock()


@cache
def load(target: str) -> Executor[Any]:
    """Import an executor by its `module:attribute`, on the first call that needs it."""
    module, attribute = target.split(":")
    with _importing:
        executor = getattr(importlib.import_module(module), attribute)
    if not isinstance(executor, Executor):
        raise TypeError(f"{target} is not an Executor")
    return executor


def perform(target: str, call: Call) -> Outcome:
    """Call one function of an executor and return its outcome.

    A second delivery of the same call is harmless: executors are idempotent, and each step has one progress item.

    Args:
        target: `module:attribute` of the executor.
        call: the activity's input.
    """
    correlation = tracing.Correlation(
        call["correlationId"], call["clientRequestId"], call["traceparent"], call["operationId"], call["row"]["name"]
    )
    began = time.monotonic()
    with ExitStack() as stack:
        _set(stack, tracing.current, correlation)
        _set(stack, tracing.address, "")
        try:
            outcome = _perform(target, call)
        except SettingsError as error:
            # Nothing can be recorded. The engine calls again, and the watchdog continues once the settings are right.
            _log.error("activity %s did not begin: %s", call["row"]["name"], error, extra=correlation.extra())
            outcome = failures.outcome(call, error)
        _log.info(
            "activity %s %s: %s in %.3f s",
            call["row"]["name"],
            call["verb"],
            outcome["outcome"],
            time.monotonic() - began,
            extra=correlation.extra(),
        )
        return outcome


def _set(stack: ExitStack, variable: ContextVar[Any], value: Any) -> None:
    token = variable.set(value)
    stack.callback(variable.reset, token)


def _perform(target: str, call: Call) -> Outcome:
    executor: Executor[Any] | None = None
    step: FencedCall[Any] | None = None
    try:
        executor = load(target)
        step = _begin(executor, call)
        with ExitStack() as stack:
            _set(stack, fence.check, step.check_fence)
            outcome = _work(executor, step) or Done(outcome="done")
    except FenceMoved:
        return _superseded(executor, call)
    except SettingsError:
        raise
    except Exception as error:  # noqa: BLE001 - a bug of any kind becomes an outcome that is safe to report
        outcome = _failure(target, call, error)
    try:
        return _recorded(call, outcome, partial(_read, call) if step is None else step.ensure_read)
    except FenceMoved:
        return _superseded(executor, call)


def _begin(executor: Executor[Any], call: Call) -> FencedCall[Any]:
    """Return the call with the document that fences it. A poll that will hardly write its item does not read it.

    That poll begins with what this process has read lately, so it may notice half a minute later that it was
    superseded, or has to stop. It sees what the rows before it have decided, because this process also made the poll
    before it. A status that is the work itself may write other documents, so it is not such a poll.
    """
    made = SiteStep if is_site(call["clusterKey"]) else Step
    if call["verb"] == Verb.STATUS and executor.status is not executor.run and progress.may_keep_item(call):
        owners = get_store().fenced(call["clusterKey"])
        document = owners.recent(fence_of(call), settings.load().poll_seconds(durations.FENCE_KEPT))
        if document is not None:
            return made(call, document, has_read=False)
    return made(call, _read(call))


def _read(call: Call) -> Any:
    return get_store().fenced(call["clusterKey"]).fenced_read(fence_of(call))


def _failure(target: str, call: Call, error: Exception) -> Outcome:
    """Return the outcome of a call that raised an error."""
    if isinstance(error, Stopping):
        return {"outcome": "stopped"}
    name, extra = call["row"]["name"], tracing.current.get().extra()
    if not isinstance(error, failures.EXPECTED):
        _log.exception("activity %s crashed", name, exc_info=error, extra=extra)
        return failures.outcome(call, _bug(error, target))
    outcome = failures.outcome(call, error)
    _log.warning("activity %s failed: %s", name, outcome["error"], extra=extra)
    return outcome


def _superseded(executor: Executor[Any] | None, call: Call) -> Outcome:
    """Return the outcome of a call whose fence is gone: another attempt has moved it, or this operation's end has."""
    if executor is not None and executor.settles and _is_settled(call):
        return _recorded(call, {"outcome": "done"}, lambda: None)
    _leave(call)
    return {"outcome": "fenced"}


def _recorded(call: Call, outcome: Outcome, check_fence: Callable[[], object]) -> Outcome:
    """Record what a call found, and return the outcome for the engine.

    A resume and a restart rely on the items of ended steps, so a step whose end could not be recorded is called again.
    If the work continues, its next poll records it.

    Args:
        call: the call.
        outcome: what it found.
        check_fence: as in `progress.record`.

    Raises:
        FenceMoved: if this attempt was superseded.
    """
    try:
        progress.record(call, outcome, check_fence)
    except AzureError as error:
        _log.warning("progress was not recorded: %s", error, extra=tracing.current.get().extra())
        return outcome if outcome["outcome"] in ("wait", "failed") else failures.outcome(call, error)
    return outcome


def _leave(call: Call) -> None:
    """Record that a step of a superseded attempt has stopped. If that fails, the successor waits a little longer."""
    try:
        progress.leave(call)
    except AzureError as error:
        _log.warning("the end of a superseded step was not recorded: %s", error, extra=tracing.current.get().extra())


def _bug(error: Exception, target: str) -> CloudError:
    return CloudError(
        500, ErrorCode.INTERNAL_SERVER_ERROR, f"{type(error).__name__} in {target}.", owner=Owner.PLATFORM
    )


def _work(executor: Executor[Any], step: FencedCall[Any]) -> Outcome | None:
    """Call the function that the verb names. While the operation is stopping, only cancel what was begun."""
    if step.call["verb"] == Verb.CANCEL or (step.document.get("stopping") and not executor.control):
        return executor.cancel(step) or {"outcome": "stopped"}
    work = {Verb.RUN: executor.run, Verb.STATUS: executor.status}[step.call["verb"]]
    if work is None:
        raise TypeError(f"{step.call['row']['executor']} has no {step.call['verb']}")
    if step.call["verb"] == Verb.RUN and (problems := executor.validate(step)):
        raise CloudError(500, ErrorCode.INTERNAL_SERVER_ERROR, "; ".join(problems))
    return work(step)


def _is_settled(call: Call) -> bool:
    operation = get_store().operations.read(call["operationId"])
    return operation is not None and endings.has_ended(operation)
