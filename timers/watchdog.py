"""The watchdog: makes sure that a living orchestration drives every operation that a cluster or a site names.

It replaces lease and heartbeat. A request that died before its start, a worker that died with an orchestration, a
deleted task hub, a row that nobody polls any more: they all look alike here, and the remedy is the next attempt.
`watchdog_decision.py` decides what to do; `task_hubs.py` decides whose operations they are.
"""

import asyncio
import logging
import random
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache
from typing import Any

import azure.durable_functions as df
from azure.core.exceptions import AzureError

from orchestrators import plans
from orchestrators.packed_inputs import pack_start
from shared import durations, settings
from shared.clusters import endings
from shared.clusters.states import ProvisioningState
from shared.documents import FencedDocument, OperationDocument, TaskHubDocument
from shared.steps import StartInput, StepStatus
from shared.store import Fence, FenceMoved, Items, Store, get_store, unreadable_documents
from shared.store.sites import is_site
from timers import task_hubs
from timers.watchdog_decision import (
    LIVING,
    Action,
    Finding,
    InstanceStatus,
    correlation_id,
    explain,
    fruitless,
    is_young,
    judge,
)

# A run ends well before the host would end it together with the whole worker, and before the next sign of life is due.
# The next run looks at what is left. A call to a service that is away takes minutes to give up.
RUN_SECONDS = durations.WATCHDOG_RUN.total_seconds()
OPERATION_SECONDS = durations.WATCHDOG_OPERATION.total_seconds()

# Returns the signs of life of all hubs.
Signs = Callable[[], Mapping[str, TaskHubDocument]]

_log = logging.getLogger(__name__)


async def watch(client: df.DurableOrchestrationClient) -> None:
    """Look at every running operation once. A problem with one does not stop the others.

    Raises:
        TimeoutError: if a run takes too long.
    """
    async with asyncio.timeout(RUN_SECONDS):
        store = await asyncio.to_thread(get_store)
        owners = await asyncio.to_thread(_owners, store)
        if not owners:
            return
        own = await asyncio.to_thread(_sign, store)
        # Only an operation of another hub needs the signs of all, and one read of them is enough for a run.
        signs = cache(lambda: {**store.task_hubs.all(), own["id"]: own})
        # If a run ends early, it leaves out other operations than the run before.
        random.shuffle(owners)
        for owner in owners:
            try:
                async with asyncio.timeout(OPERATION_SECONDS):
                    await _watch_one(client, store, signs, owner)
            except FenceMoved:
                continue  # It ended, or somebody newer took over, while we looked.
            except Exception as error:  # noqa: BLE001 - the next operation is watched all the same
                _log.exception("operation %s could not be watched", owner["asyncOperationId"], extra=_extra(owner))
                if isinstance(error, unreadable_documents.ERRORS):
                    _note(store, owner, error)


def _owners(store: Store) -> list[FencedDocument]:
    """Return the clusters and sites on which an operation runs. A problem with the sites does not stop the clusters."""
    owners: list[FencedDocument] = list(store.clusters.non_terminal())
    try:
        owners += store.sites.non_terminal()
    except AzureError:
        # The container is missing where infra/ is older than the package. Nobody can have begun anything there.
        _log.exception("the operations of sites could not be watched")
    return owners


def _sign(store: Store) -> TaskHubDocument:
    """Return this hub's sign of life, which is written if it is not recent."""
    service_settings, now = settings.load(), datetime.now(UTC)
    last = store.task_hubs.last_sign
    if last is None or task_hubs.is_outdated(last, now, service_settings):
        # Timers move between the app's instances, so another one may have written since.
        last = store.task_hubs.get(service_settings.task_hub)
    if last is not None and task_hubs.is_recent(last, now, service_settings):
        return last
    return store.task_hubs.put(task_hubs.next_sign(last, now, service_settings))


async def _watch_one(client: df.DurableOrchestrationClient, store: Store, signs: Signs, owner: FencedDocument) -> None:
    finding = await _find(client, store, signs, owner)
    now = datetime.now(UTC)
    action = judge(finding, now, settings.load())
    if action is Action.LEAVE:
        return
    operation_id = owner["asyncOperationId"]
    _log.warning("operation %s: %s", operation_id, action.value, extra=_extra(owner))
    if finding.status in LIVING:
        await client.terminate(plans.instance_id(operation_id, owner["attempt"]), action.value)
    if action in (Action.START, Action.RESTART):
        start = await asyncio.to_thread(_next_start, store, finding, action, now)
        await client.start_new(plans.RUN_PLAN, plans.instance_id(operation_id, start["attempt"]), pack_start(start))
    else:
        await asyncio.to_thread(_end, store, finding, now)


async def _find(client: df.DurableOrchestrationClient, store: Store, signs: Signs, owner: FencedDocument) -> Finding:
    """Collect the facts about an operation. The instances of another hub cannot be seen from here.

    If the attempt that the owner names has an instance here, it is this hub's. While that is young and alive, nothing
    is read again: neither the operation nor its progress, which cannot be stale yet.
    """
    operation_id, service_settings = owner["asyncOperationId"], settings.load()
    last = await asyncio.to_thread(_recall_operation, store, owner)
    if last is not None and last["taskHub"] == service_settings.task_hub:
        finding = Finding(owner, last, [], **await _instance(client, plans.instance_id(operation_id, owner["attempt"])))
        if finding.is_alive and is_young(last, finding.created, datetime.now(UTC)):
            return finding
    operation = await asyncio.to_thread(_read_operation, store, owner)
    if operation is not None and operation["taskHub"] != service_settings.task_hub:
        items = await asyncio.to_thread(store.progress.list, operation_id)
        heard = task_hubs.last_heard(operation, items, await asyncio.to_thread(signs), service_settings)
        return Finding(owner, operation, items, "", heard=heard)
    instance = await _instance(client, plans.instance_id(operation_id, owner["attempt"]))
    finding = Finding(owner, operation, [], **instance)
    if operation is not None and finding.is_alive and is_young(operation, finding.created, datetime.now(UTC)):
        return finding
    return replace(finding, items=await asyncio.to_thread(store.progress.list, operation_id))


def _recall_operation(store: Store, owner: FencedDocument) -> OperationDocument | None:
    operation = store.polls.last_known(owner["asyncOperationId"])
    return store.operations.with_plan(operation) if operation is not None else None


def _read_operation(store: Store, owner: FencedDocument) -> OperationDocument | None:
    operation = store.operations.read(owner["asyncOperationId"])
    if operation is None:
        return None
    store.polls.remember(operation)
    return store.operations.with_plan(operation)


async def _instance(client: df.DurableOrchestrationClient, instance_id: str) -> InstanceStatus:
    """Return what the host says of an instance; of one that it does not know, an empty status.

    Raises:
        ConnectionError: if the host cannot tell, because its storage is away.
    """
    answer = await client.get_status(instance_id)
    if answer.runtime_status:
        status, output = answer.runtime_status.name, str(answer.output or "")
        return {"status": status, "output": output, "created": answer.created_time, "interpreter": answer.name or ""}
    # The SDK turns every answer into a status: for an unknown id an empty one, and even for an error.
    if getattr(answer, "message", None) != "":
        reason = getattr(answer, "ExceptionMessage", "no reason given")
        raise ConnectionError(f"the task hub did not tell the status of {instance_id}: {reason}")
    return {"status": ""}


def _next_start(store: Store, finding: Finding, action: Action, now: datetime) -> StartInput:
    """Move the fence to the next attempt, and return its input: the stored plan without the rows that are done."""

    def change(document: FencedDocument) -> FencedDocument | None:
        if action is Action.START:
            return None
        document["attempt"] += 1
        if not document.get("canceling"):
            document.pop("stopping", None)
        document.pop("restarts", None)
        if tried := fruitless(finding, now):
            document["restarts"] = tried
        return document

    if finding.heard is not None:
        _take_over(store, finding)
    owner = store.fenced(finding.owner["key"]).fenced_update(_fence(finding.owner), change)
    operation = finding.operation or {}
    done = {item["step"]: None for item in finding.items if item["status"] == StepStatus.SUCCEEDED}
    return plans.start_input(operation, owner, [*operation["plan"].get("done", []), *done])


def _take_over(store: Store, finding: Finding) -> None:
    """Make an operation this hub's. The attempt that the silent hub may have started is never started here.

    Raises:
        FenceMoved: if it has ended, or another hub was faster.
    """
    operation = finding.operation or {}

    def change(document: OperationDocument) -> OperationDocument:
        if document["taskHub"] != operation["taskHub"] or endings.has_ended(document):
            raise FenceMoved(f"operation {document['id']} is no longer that of a silent hub")
        return document | {"taskHub": settings.load().task_hub, "takenOverAttempt": finding.owner["attempt"]}

    store.operations.update_by_id(operation["id"], change)


def _end(store: Store, finding: Finding, now: datetime) -> None:
    """End an operation that cannot continue, or give its cluster or site the state that the operation already has."""
    owner, operation, fence = finding.owner, finding.operation, _fence(finding.owner)
    owners = store.fenced(fence.key)
    if operation is not None:
        operation = _ended(store, finding, operation["id"], now)
    succeeded = operation is not None and operation["asyncOperation"]["status"] == ProvisioningState.SUCCEEDED
    if succeeded and endings.is_deleted(owner):
        owners.delete(owners.fenced_read(fence))
    else:

        def change(document: FencedDocument) -> FencedDocument:
            endings.end_owner(document, failed=not succeeded)
            return document

        owners.fenced_update(fence, change)
    for item in endings.items_left_running(store.progress.list(fence.operation_id)):
        store.progress.upsert(item)


def _ended(store: Store, finding: Finding, operation_id: str, now: datetime) -> OperationDocument:
    """Fail an operation, unless it has ended, and return its document."""
    snapshot = endings.snapshot(finding.owner, failed=True)

    def change(document: OperationDocument) -> OperationDocument | None:
        store.fenced(finding.owner["key"]).fenced_read(_fence(finding.owner))
        return (
            document
            if endings.end_operation_document(document, ProvisioningState.FAILED, explain(finding, now), snapshot)
            else None
        )

    return store.operations.update_by_id(operation_id, change)


def _fence(owner: FencedDocument) -> Fence:
    return Fence(owner["key"], owner["asyncOperationId"], owner["attempt"], owner["id"])


def _note(store: Store, owner: FencedDocument, error: Exception) -> None:
    """Record the document that is wrong: the cluster or site, or else its operation."""
    owners: Items[Any] = store.sites if is_site(str(owner.get("key"))) else store.clusters
    if list(owners.readable([owner])):
        unreadable_documents.note(store.operations.name, owner["asyncOperationId"], error)


def _extra(owner: FencedDocument) -> dict[str, str]:
    return {"correlation_id": correlation_id(owner), "operation_id": str(owner["asyncOperationId"])}
