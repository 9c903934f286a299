"""`python -m emulator explain`: one operation of the resource provider, with its steps, calls and errors.

The command reads the state and the journal, so it also works after `down`, on the folder of a failed test for example.
"""

import contextlib
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from functools import partial

from emulator.core.clock import Clock
from emulator.core.platform import Platform
from emulator.core.service_error import ServiceError
from emulator.core.world import World
from emulator.cosmos import CosmosModel
from emulator.cosmos.items import Items
from emulator.json_object import Json
from emulator.run.command_error import RunError
from emulator.run.commands.logs import read_json_lines
from emulator.run.state import StateFolder

FAILED_CALLS_SHOWN = 20
FIRST_ERROR_STATUS = 400


def explain(folder: StateFolder, operation_id: str) -> Iterator[str]:
    """Yield the lines that describe what an operation did.

    Raises:
        RunError: the folder has no such operation.
    """
    with _databases(folder) as databases:
        for database in databases:
            with contextlib.suppress(ServiceError):
                operation = _with_plan(database("AsyncOperations"), operation_id)
                break
        else:
            raise RunError(f"there is no operation {operation_id} in {folder.root}; without an id, all are listed")
        progress = database("OperationProgress").scan(partition=operation_id, one_partition=True)
        items = [item for _, item in progress]
    correlation_id = operation.get("correlationData", {}).get("correlationId", "")
    yield from _headline(operation, correlation_id)
    yield from _steps(operation, sorted(items, key=lambda item: item["startTime"]))
    yield from _error(operation["asyncOperation"].get("error"))
    if correlation_id:
        calls = read_json_lines(folder.logs / "journal.jsonl", correlation_id.lower())
        yield from _calls([call for call in calls if call["correlation_id"].lower() == correlation_id.lower()])


def recent(folder: StateFolder) -> Iterator[str]:
    """Yield a line for each operation of the last seven days, in chronological order.

    Raises:
        RunError: the folder is not a state folder of the local Azure.
    """
    operations = []
    with _databases(folder) as databases:
        for items in (database("AsyncOperations") for database in databases):
            ids = [document["id"] for _, document in items.scan() if "planOf" not in document]
            operations += [_with_plan(items, operation_id) for operation_id in ids]
    if not operations:
        yield f"No service in {folder.root} has an operation of the last seven days. --state chooses another folder."
    for operation in sorted(operations, key=lambda operation: operation["asyncOperation"]["startTime"]):
        status, plan = operation["asyncOperation"], operation.get("plan", {}).get("name", "operation")
        yield "  ".join((operation["id"], status["startTime"][:19], plan, status["status"], _owner(operation)))


@contextmanager
def _databases(folder: StateFolder) -> Iterator[list[Callable[[str], Items]]]:
    """Open the databases of all services in a folder, deployed by `up` or by hand: for each, its containers by name."""
    if not folder.is_ours():
        raise RunError(f"there is no local Azure in {folder.root}")
    platform = Platform(folder.root, clock=Clock(), world=World())
    try:
        cosmos = CosmosModel(platform)
        yield [partial(cosmos.items, *database) for database in cosmos.databases_with("AsyncOperations")]
    finally:
        platform.journal.close()
        platform.store.close()


def _with_plan(items: Items, operation_id: str) -> Json:
    """Return an operation with its plan, which is a document of its own, or inside one that an earlier build has stored.

    Raises:
        ServiceError: there is no such operation.
    """
    operation = items.read(operation_id, operation_id)
    try:
        plan = items.read(f"{operation_id}-plan", f"{operation_id}-plan")
    except ServiceError:
        return operation
    return {**operation, "plan": plan["plan"]}


def _owner(operation: Json) -> str:
    """Return what an operation is about: the key of a cluster, or the name of a site."""
    return str(operation.get("openShiftClusterKey") or f"site {operation['siteName']}")


def _headline(operation: Json, correlation_id: str) -> Iterator[str]:
    status = operation["asyncOperation"]
    took = f" after {_seconds(status['startTime'], status['endTime']):.1f} s" if status.get("endTime") else ""
    yield f"{operation.get('plan', {}).get('name', 'operation')} of {_owner(operation)}"
    yield f"{status['status']}{took}, begun {status['startTime']}, correlation id {correlation_id or 'unknown'}"


def _steps(operation: Json, items: list[Json]) -> Iterator[str]:
    rows = operation.get("plan", {}).get("rows", ())
    skipped = operation.get("plan", {}).get("skipped", ())
    width = max(map(len, ["step", *(item["step"] for item in items), *(row["name"] for row in [*rows, *skipped])]))
    yield ""
    yield f"{'step':{width}}{'attempt':>9} {'status':10}{'start':>9}{'took':>9}"
    began = operation["asyncOperation"]["startTime"]
    for item in items:
        end = item.get("endTime")
        took = f"{_seconds(item['startTime'], end):7.1f} s" if end else "  running"
        waits = "" if end else f"waits for {item.get('waitsFor', '')}"
        yield (
            f"{item['step']:{width}}{item['attempt']:>9} {item['status']:10}"
            f"{_seconds(began, item['startTime']):7.1f} s{took}  {waits}".rstrip()
        )
    begun, before = {item["step"] for item in items}, operation.get("plan", {}).get("done", ())
    for row in rows:
        if row["name"] in begun:
            continue
        if row["name"] in before:
            yield f"{row['name']:{width}}{'':9} done by an earlier operation"
        else:
            yield f"{row['name']:{width}}{'':9} not begun, needs {', '.join(row['needs']) or 'nothing'}"
    for row in skipped:
        yield f"{row['name']:{width}}{'':9} skipped: {row['reason']}"


def _error(error: Json | None, indent: str = "") -> Iterator[str]:
    if not error:
        return
    if not indent:
        yield ""
    target = f" ({error['target']})" if error.get("target") else ""
    yield f"{indent}{error['code']}{target}: {error['message']}"
    for detail in error.get("details") or ():
        yield from _error(detail, indent + "  ")


def _calls(calls: list[Json]) -> Iterator[str]:
    yield ""
    yield f"{len(calls)} calls to Azure under this correlation id:"
    counts = Counter((call["service"], call["operation"]) for call in calls)
    for (service, operation), count in counts.most_common():
        yield f"{count:6} x {service} {operation}"
    failed = [call for call in calls if call["status"] >= FIRST_ERROR_STATUS or call["status"] == 0]
    if failed:
        yield ""
        yield f"{len(failed)} of them were refused or cut, the last ones:"
    for call in failed[-FAILED_CALLS_SHOWN:]:
        fault = " (injected)" if call["fault"] else ""
        step = f" for {call['step']}" if call.get("step") else ""
        what = f"{call['service']} {call['operation']}{step}{fault}"
        yield f"  {call['time'][11:23]} {call['status']} {what} {call['message']}"


def _seconds(start: str, end: str) -> float:
    return (datetime.fromisoformat(end) - datetime.fromisoformat(start)).total_seconds()
