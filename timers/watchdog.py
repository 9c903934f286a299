"""The watchdog: every operation that a cluster document names is driven by a living orchestration, or becomes so.

It replaces lease and heartbeat. A request that died before its start, a worker that took an orchestration with it, a
deleted task hub, a row that nobody polls any more: all of them look alike here, and the answer is the next attempt.
"""

import asyncio
import logging
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import Enum
from typing import Any

import azure.durable_functions as df

from orchestrators import plans
from orchestrators.plans.rows import REPEAT
from shared import settings
from shared.clusters import endings
from shared.settings import Settings
from shared.store import Document, Fence, FenceMoved, Store, get_store

MAX_ATTEMPTS = 5
# The first line of a failed orchestration says what happened; the rest is the stack.
MAX_OUTPUT = 500
# The time a request has between its first document and the start of the orchestration.
LOOK_BACK = timedelta(minutes=2)
_LIVING = ("Pending", "Running", "ContinuedAsNew", "Suspended")

_log = logging.getLogger(__name__)


class Action(Enum):
    """What to do about one operation."""

    LEAVE = "leave it alone"
    START = "start the attempt that was never started"
    RESTART = "start the next attempt"
    FAIL = "fail it"
    SETTLE = "write to the cluster what the operation says"


@dataclass(frozen=True)
class Finding:
    """One operation as the watchdog found it.

    Attributes:
        cluster: the cluster document, which names the operation.
        operation: the async operation, None once it has expired.
        items: its progress items, of all attempts.
        status: the durable runtime status of this attempt's instance, or "" where there is none.
        output: how that instance ended, where it says so. It holds no secret: what raises in an activity is reduced
            to its type before it enters durable history.
    """

    cluster: Document
    operation: Document | None
    items: list[Document]
    status: str
    output: str = ""


def judge(finding: Finding, now: datetime, own: Settings) -> Action:
    """Decide about one operation."""
    operation, attempt = finding.operation, finding.cluster["attempt"]
    if operation is None:
        return Action.FAIL
    if endings.has_ended(operation):
        return Action.SETTLE if finding.status not in _LIVING else Action.LEAVE
    items = [item for item in finding.items if item["attempt"] == attempt]
    if finding.status in _LIVING and not _is_stale(operation, items, now):
        return Action.LEAVE
    if not finding.status and now - _time(operation["asyncOperation"]["startTime"]) < own.look_back(LOOK_BACK):
        return Action.LEAVE
    if not finding.status and not items:
        return Action.START
    return Action.RESTART if attempt < MAX_ATTEMPTS else Action.FAIL


def _is_stale(operation: Document, items: list[Document], now: datetime) -> bool:
    """Tell whether a row that runs was not heard of for twice its deadline, or nothing was while no row runs."""
    running = [item for item in items if item["status"] == "Running"]
    if running:
        return any(now - _time(item["lastProgressTime"]) > 2 * _allowed(item) for item in running)
    times = [_time(item["lastProgressTime"]) for item in items]
    longest = max((row["deadlineSeconds"] for row in operation["plan"]["rows"]), default=0)
    return now - max(times, default=_time(operation["asyncOperation"]["startTime"])) > timedelta(seconds=2 * longest)


def _allowed(item: Document) -> timedelta:
    return _time(item["deadline"]) - _time(item["startTime"])


def _time(text: str) -> datetime:
    return datetime.fromisoformat(text)


async def watch(client: df.DurableOrchestrationClient) -> None:
    """Look at every running operation once; trouble with one does not keep the others waiting."""
    store = await asyncio.to_thread(get_store)
    for cluster in await asyncio.to_thread(lambda: list(store.clusters.non_terminal())):
        try:
            await _watch_one(client, store, cluster)
        except FenceMoved:
            continue  # It ended, or somebody newer took over, while we looked.
        except Exception:  # noqa: BLE001 - the next operation is watched all the same
            _log.exception("operation %s could not be watched", cluster["asyncOperationId"], extra=_extra(cluster))


async def _watch_one(client: df.DurableOrchestrationClient, store: Store, cluster: Document) -> None:
    operation_id = cluster["asyncOperationId"]
    instance = plans.instance_id(operation_id, cluster["attempt"])
    found = await client.get_status(instance)
    finding = Finding(
        cluster=cluster,
        operation=await asyncio.to_thread(store.operations.get, operation_id),
        items=await asyncio.to_thread(store.progress.list, operation_id),
        # The SDK answers an unknown id with a status that is false and has no members.
        status=found.runtime_status.name if found and found.runtime_status else "",
        output=str(found.output) if found and found.output else "",
    )
    action = judge(finding, datetime.now(UTC), settings.load())
    if action is Action.LEAVE:
        return
    _log.warning("operation %s: %s", operation_id, action.value, extra=_extra(cluster))
    if finding.status in _LIVING:
        await client.terminate(instance, "its rows made no progress")
    if action in (Action.START, Action.RESTART):
        start = await asyncio.to_thread(_next_start, store, finding, action)
        await client.start_new("run_plan_v1", plans.instance_id(operation_id, start["attempt"]), start)
    else:
        await asyncio.to_thread(_end, store, finding)


def _next_start(store: Store, finding: Finding, action: Action) -> dict[str, Any]:
    """Move the fence to the next attempt, and return its input: the stored plan without the rows that are done."""

    def change(document: Document) -> Document | None:
        if action is Action.START:
            return None
        document["attempt"] += 1
        document.pop("stopping", None)
        return document

    cluster = store.fenced_update(_fence(finding.cluster), change)
    operation = finding.operation or {}
    done = {item["step"]: None for item in finding.items if item["status"] == "Succeeded"}
    return plans.start_input(operation, cluster, [*operation["plan"].get("done", []), *done])


def _end(store: Store, finding: Finding) -> None:
    """End an operation that cannot go on, or bring its cluster to where the operation is already."""
    cluster, operation = finding.cluster, finding.operation
    if operation is not None:
        snapshot = dict(cluster["openShiftCluster"]) | {"properties": dict(cluster["openShiftCluster"]["properties"])}
        endings.end_state(snapshot, failed=True)
        operation = store.operations.update_by_id(
            operation["id"],
            lambda document: document if endings.end_operation(document, "Failed", _error(finding), snapshot) else None,
        )
    succeeded = operation is not None and operation["asyncOperation"]["status"] == "Succeeded"
    if succeeded and cluster["openShiftCluster"]["properties"]["provisioningState"] == "Deleting":
        store.clusters.delete(store.clusters.fenced_read(_fence(cluster)))
        return

    def change(document: Document) -> Document:
        endings.end_cluster(document, failed=not succeeded)
        return document

    store.fenced_update(_fence(cluster), change)


def _error(finding: Finding) -> dict[str, Any]:
    """Explain an operation that five attempts did not finish: by what its steps said last, and how its last run ended."""
    unfinished = [item for item in finding.items if item["status"] != "Succeeded"]
    last = unfinished[-1] if unfinished else None
    details = [last["error"]] if last and last["error"] else []
    if last:
        details.append({"code": "Step", "message": last["step"]})
    if finding.output:
        details.append({"code": "Orchestration", "message": finding.output[:MAX_OUTPUT]})
    correlation = (finding.cluster.get("correlationData") or {}).get("correlationId", "")
    return {
        "code": "DeploymentFailed",
        "message": f"The operation was started {finding.cluster['attempt']} times and did not end."
        + (f" Its last step was '{last['step']}'. {last['message']}" if last else ""),
        "details": [
            *details,
            {"code": "Remedy", "message": REPEAT},
            {"code": "CorrelationId", "message": correlation},
            {"code": "Owner", "message": "platform"},
        ],
    }


def _fence(cluster: Document) -> Fence:
    return Fence(cluster["key"], cluster["asyncOperationId"], cluster["attempt"], cluster["id"])


def _extra(cluster: Document) -> dict[str, str]:
    correlation = cluster.get("correlationData") or {}
    return {"correlation_id": correlation.get("correlationId", ""), "operation_id": cluster["asyncOperationId"]}
