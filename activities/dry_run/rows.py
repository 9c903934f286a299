"""The dry run of the rows of a plan, in their order, on a document in memory.

Three kinds of rows are tried, and none of them can change anything: checks run as they are; the rows in `_RUN` run
until their first change, which is refused; rows with templates are rendered, and each resource is looked for. Of all
others, the dry run only tells what they are for.
"""

import logging
from collections.abc import Callable
from http import HTTPStatus
from typing import Any

from azure.core.exceptions import AzureError

from activities.azure import resource_group
from activities.dry_run import resources
from activities.dry_run.trial_step import SecretNeeded, TrialStep, with_secrets
from activities.runtime import failures
from activities.runtime.call import Call
from activities.runtime.executor import Executor
from activities.runtime.wrapper import load
from activities.targets import ACTIVITIES
from shared import fence, tracing
from shared.azure import azure_errors
from shared.steps import (
    DryRunInput,
    DryRunResult,
    ResolvedRow,
    RetryClass,
    RowKind,
    SkippedRow,
    TriedRow,
    Verb,
    Verdict,
)
from shared.store import NotFound, PreconditionFailed

_log = logging.getLogger("activities")
# These read, decide in the document, and at most write one thing at their end.
_RUN = frozenset({"decide_names", "decide_machine_image", "decide_zones", "ensure_resource_group", "update_group_tags"})
_DONE = "An earlier operation has done it."
_LACKING = "It needs a secret of the cluster (client secret or pull secret), which a dry run does not have."
# The classes of errors that say nothing about the request.
_NO_ANSWER = frozenset({RetryClass.THROTTLED, RetryClass.TRANSIENT, RetryClass.GIVEN_UP})


def dry_run(given: DryRunInput) -> DryRunResult:
    """Tell what the rows of a plan would do, and change nothing.

    Args:
        given: the plan, and the cluster document that the operation would begin with.
    """
    rows = given["plan"]["rows"]
    with fence.reads_only():
        if wanted := given.get("render"):
            return _render(given, wanted)
        document = with_secrets(given["document"])
        found: dict[str, TriedRow] = {}
        for row in rows:
            step = TrialStep(_call(given, row), document)
            found[row["name"]] = _left_out(row, given["plan"].get("done", []), found) or _try(step, row, _look)
            document = step.document
        skipped = [_skipped(each) for each in given["plan"]["skipped"]]
        return {"rows": [*found.values(), *skipped], "rendered": []}


def _skipped(row: SkippedRow) -> TriedRow:
    return {"row": row["name"], "phase": "", "verdict": Verdict.SKIPPED, "message": row["reason"]}


def _left_out(row: ResolvedRow, done: list[str], found: dict[str, TriedRow]) -> TriedRow | None:
    """Return why a row is not tried, or None.

    Args:
        row: the row.
        done: the rows that an earlier operation has done.
        found: what was told of the rows before it.
    """
    if row["name"] in done:
        return _tried(row, Verdict.SKIPPED, _DONE)
    needed = [found[need] for need in row["needs"] if need in found]
    for need in needed:
        if need["verdict"] == Verdict.REFUSED:
            return _tried(row, Verdict.SKIPPED, f"It is not reached, because '{need['row']}' is refused.")
        if need["verdict"] == Verdict.SKIPPED and need["message"] != _DONE:
            return _tried(row, Verdict.SKIPPED, need["message"])
    if row.get("together"):
        for need in needed:
            if need["verdict"] == Verdict.NOT_CHECKED:
                return _tried(row, Verdict.NOT_CHECKED, f"It needs '{need['row']}', which was not checked.")
    return None


def _render(given: DryRunInput, name: str) -> DryRunResult:
    """Render one row, after the rows that it needs and that only decide."""
    rows = {row["name"]: row for row in given["plan"]["rows"]}
    before = _needed(rows, name)
    document = with_secrets(given["document"])
    for row in rows.values():
        if row["name"] in before and row["executor"] in _RUN:
            step = TrialStep(_call(given, row), document)
            _try(step, row, _look)
            document = step.document
    rendered: list[dict[str, Any]] = []

    def render(step: TrialStep, row: ResolvedRow) -> TriedRow:
        executor = _executor(row)
        if missing := executor.validate(step):
            return _tried(row, Verdict.LATER, f"It cannot be rendered yet: {_sentences(missing)}")
        rendered.extend(resources.plain(each) for each in executor.render(step))
        return _tried(row, Verdict.LATER, "" if rendered else "It sends nothing that can be rendered.")

    told = _try(TrialStep(_call(given, rows[name]), document), rows[name], render)
    return {"rows": [told], "rendered": rendered}


def _needed(rows: dict[str, ResolvedRow], name: str) -> set[str]:
    """Return the names of the rows that a row needs, directly or not."""
    found: set[str] = set()
    for need in rows[name]["needs"]:
        found |= {need} | _needed(rows, need)
    return found


def _try(step: TrialStep, row: ResolvedRow, work: Callable[[TrialStep, ResolvedRow], TriedRow]) -> TriedRow:
    correlation = tracing.current.get()
    token = tracing.current.set(
        tracing.Correlation(
            correlation.correlation_id, correlation.client_request_id, correlation.traceparent, step=row["name"]
        )
    )
    try:
        return work(step, row)
    except (fence.WouldChange, SecretNeeded, *failures.EXPECTED) as error:
        return _stopped(step, row, error)
    except Exception as error:  # noqa: BLE001 - a bug in one row; the others are told all the same
        _log.exception("the dry run of %s crashed", row["name"], extra=tracing.current.get().extra())
        return _tried(row, Verdict.NOT_CHECKED, f"It could not be tried: {type(error).__name__}.")
    finally:
        tracing.current.reset(token)


def _look(step: TrialStep, row: ResolvedRow) -> TriedRow:
    executor = _executor(row)
    if row.get("together"):
        return _checked(step, row, executor)
    if row["executor"] in _RUN:
        return _ran(step, row, executor)
    later = _tried(row, Verdict.LATER, f"Not looked at: {row['waitsFor']}.")
    if row["kind"] == RowKind.CONDITION:
        return later
    if missing := executor.validate(step):
        return _tried(row, Verdict.LATER, f"Not looked at: {_sentences(missing)}")
    sent = [resources.plain(each) for each in executor.render(step)]
    found = [resources.compare(step, each) for each in sent if resources.is_deployment(each)]
    if not found:
        return later
    (verdict, looked_for), *_ = found
    return {**_tried(row, verdict, _summary(verdict, looked_for)), "resources": looked_for}


def _checked(step: TrialStep, row: ResolvedRow, executor: Executor[Any]) -> TriedRow:
    """Run a check, unless it needs what an earlier row would have found out."""
    if missing := executor.validate(step):
        return _tried(row, Verdict.NOT_CHECKED, f"Not looked at: {_sentences(missing)}")
    outcome: Any = (executor.run or executor.status or _nothing)(step) or {}
    # A check that waits for another row has not looked yet.
    verdict = Verdict.NOT_CHECKED if outcome.get("outcome") == "wait" else Verdict.CHECKED
    return _tried(row, verdict, outcome.get("message", ""))


def _ran(step: TrialStep, row: ResolvedRow, executor: Executor[Any]) -> TriedRow:
    """Run a row up to its first change."""
    before = dict(step.properties)
    try:
        outcome: Any = (executor.run or _nothing)(step)
        if outcome is not None:
            return _tried(row, Verdict.LATER, f"Not looked at: {outcome['message']}.")
    except fence.WouldChange:
        existed = resource_group.find(step) is not None
        return _tried(row, Verdict.CHANGED if existed else Verdict.MADE, f"{row['waitsFor']} ({step.resource_group})")
    decided: dict[str, Any] = {
        name: value for name, value in step.properties.items() if before.get(name, before) != value
    }
    if not decided:
        return _tried(row, Verdict.UNCHANGED, "")
    return _tried(row, Verdict.MADE, ", ".join(f"{name}: {value}" for name, value in decided.items()))


def _stopped(step: TrialStep, row: ResolvedRow, error: Exception) -> TriedRow:
    """Return what an error says about a row."""
    if isinstance(error, SecretNeeded):
        return _tried(row, Verdict.NOT_CHECKED, _LACKING)
    if isinstance(error, fence.WouldChange | NotFound | PreconditionFailed):
        return _tried(row, Verdict.LATER, f"Not looked at: {row['waitsFor']}.")
    outcome: Any = failures.outcome(step.call, error)
    retry_class = outcome.get("retryClass", RetryClass.NONE)
    # Of other rows, the dry run asks what the operation would not ask.
    runs = row.get("together") or row["executor"] in _RUN
    if not runs or _is_silent(error) or retry_class in _NO_ANSWER:
        return _tried(row, Verdict.NOT_CHECKED, outcome["error"]["message"])
    refused = _tried(row, Verdict.REFUSED, outcome["error"]["message"])
    refused["error"] = outcome["error"]
    if retry_class != RetryClass.NONE:
        refused["mayPass"] = True
    return refused


def _is_silent(error: Exception) -> bool:
    """Tell whether Azure gave no answer, or has trouble of its own."""
    if not isinstance(error, AzureError):
        return False
    return azure_errors.translate(error).error.status_code >= HTTPStatus.INTERNAL_SERVER_ERROR


def _summary(verdict: Verdict, found: list[Any]) -> str:
    counts = {state: sum(one["state"] == state for one in found) for state in ("made", "exists", "notChecked")}
    if verdict is Verdict.UNCHANGED:
        return "This deployment has succeeded before, and is not sent again."
    words = {
        "made": "would be made",
        "exists": "exist and would be deployed again",
        "notChecked": "not looked for",
    }
    told = [f"{count} {words[state]}" for state, count in counts.items() if count]
    return f"Resources: {', '.join(told)}."


def _sentences(problems: list[str]) -> str:
    return "; ".join(problems) + "."


def _tried(row: ResolvedRow, verdict: Verdict, message: str) -> TriedRow:
    return {"row": row["name"], "phase": row["phase"], "verdict": verdict, "message": message}


def _nothing(_step: TrialStep) -> None:
    return None


def _executor(row: ResolvedRow) -> Executor[Any]:
    return load(ACTIVITIES[row["executor"]])


def _call(given: DryRunInput, row: ResolvedRow) -> Call:
    return {
        "operationId": given["operationId"],
        "attempt": 0,
        "clusterKey": given["document"]["key"],
        "clusterDocumentId": given["document"]["id"],
        "correlationId": given["correlationId"],
        "clientRequestId": given["clientRequestId"],
        "traceparent": given["traceparent"],
        "step": row["name"],
        "verb": Verb.RUN,
        "row": row,
        "polls": 0,
        "error": None,
    }
