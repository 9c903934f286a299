"""How an operation looks to a person: its steps in the plan's order, their phases, what runs, what it waits for.

The plan says what there is to do, progress items say what became of it. A row without an item has not begun; a row
that an earlier operation or attempt has done is `Succeeded` all the same.

    {"id", "name", "clusterId", "plan", "status", "startTime", "endTime", "durationSeconds", "percentComplete",
     "attempt", "timeScale", "correlationId", "currentSteps": ["deploy_storage_template"],
     "phases": [{"name", "status", "startTime", "endTime", "durationSeconds"}],
     "steps": [{"name", "phase", "kind", "status", "attempt", "startTime", "endTime", "durationSeconds", "needs",
                "waitsFor", "message", "polls", "deadline", "lastProgressTime", "error"}],
     "skipped": [{"name", "reason"}], "error"}
"""

from datetime import datetime
from typing import Any

from shared.arm.async_operations import ENDED, visible_status

NOT_STARTED = "NotStarted"
# The first of these that a step of a phase has is the phase's.
_PHASE_STATUS = ("Failed", "Running", "Canceled")


def report(
    operation: dict[str, Any], cluster: dict[str, Any] | None, items: list[dict[str, Any]], now: datetime
) -> dict[str, Any]:
    """Return the report of one operation.

    Args:
        operation: the async operation document.
        cluster: the cluster document, while there is one.
        items: the progress items of all attempts.
        now: the end of durations of what still runs.
    """
    plan, latest = operation.get("plan", {}), _latest(items)
    done = set(plan.get("done", []))
    steps = [_step(row, latest.get(row["name"]), carried=row["name"] in done, now=now) for row in plan.get("rows", [])]
    named = cluster is not None and cluster.get("asyncOperationId") == operation["id"]
    running = named or operation["asyncOperation"]["status"] not in ENDED
    visible = visible_status(operation["asyncOperation"], running=running)
    return _without_nones(
        {
            "id": visible["id"],
            "name": visible["name"],
            "clusterId": cluster["openShiftCluster"]["id"] if cluster else operation["openShiftClusterKey"],
            "plan": plan.get("name"),
            "status": visible["status"],
            "startTime": visible["startTime"],
            "endTime": visible.get("endTime"),
            "durationSeconds": _seconds(visible["startTime"], visible.get("endTime"), now),
            "percentComplete": _percent(steps, visible["status"]),
            "attempt": current_attempt(operation, cluster, items),
            "timeScale": plan.get("timeScale"),
            "correlationId": operation.get("correlationData", {}).get("correlationId"),
            "currentSteps": [step["name"] for step in steps if step["status"] == "Running"],
            "phases": _phases(steps, now),
            "steps": steps,
            "skipped": plan.get("skipped", []),
            "error": visible.get("error"),
        }
    )


def current_attempt(operation: dict[str, Any], cluster: dict[str, Any] | None, items: list[dict[str, Any]]) -> int:
    """Return the attempt that runs, or the last one that did something."""
    if cluster is not None and cluster.get("asyncOperationId") == operation["id"]:
        return int(cluster["attempt"])
    return max((item["attempt"] for item in items), default=1)


def _latest(items: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Return the last item of each step; one that succeeded counts for good, because it does not run again."""
    found: dict[str, dict[str, Any]] = {}
    for item in sorted(items, key=lambda item: (item["status"] == "Succeeded", item["attempt"])):
        found[item["step"]] = item
    return found


def _step(row: dict[str, Any], item: dict[str, Any] | None, *, carried: bool, now: datetime) -> dict[str, Any]:
    planned = {
        "name": row["name"],
        "phase": row["phase"],
        "kind": row["kind"],
        "needs": row["needs"],
        "waitsFor": row.get("waitsFor"),
    }
    if item is None:
        status = "Succeeded" if carried else NOT_STARTED
        note = "done by an earlier operation" if carried else None
        return _without_nones({**planned, "status": status, "message": note})
    told = ("status", "attempt", "startTime", "endTime", "message", "polls", "deadline", "lastProgressTime", "error")
    return _without_nones(
        {
            **planned,
            **{name: item.get(name) for name in told},
            "waitsFor": item.get("waitsFor") or row.get("waitsFor"),
            "durationSeconds": _seconds(item["startTime"], item.get("endTime"), now),
        }
    )


def _phases(steps: list[dict[str, Any]], now: datetime) -> list[dict[str, Any]]:
    grouped: dict[str, list[dict[str, Any]]] = {}
    for step in steps:
        grouped.setdefault(step["phase"], []).append(step)
    return [_phase(name, phase_steps, now) for name, phase_steps in grouped.items()]


def _phase(name: str, steps: list[dict[str, Any]], now: datetime) -> dict[str, Any]:
    statuses = [step["status"] for step in steps]
    start = min((step["startTime"] for step in steps if "startTime" in step), default=None)
    if all(status == "Succeeded" for status in statuses):
        status = "Succeeded"
    elif any(status != NOT_STARTED for status in statuses):
        status = next((each for each in _PHASE_STATUS if each in statuses), "Running")
    else:
        status = NOT_STARTED
    ends = [step.get("endTime") for step in steps]
    end = max(filter(None, ends), default=None) if status != "Running" else None
    return _without_nones(
        {
            "name": name,
            "status": status,
            "startTime": start,
            "endTime": end,
            "durationSeconds": _seconds(start, end, now) if start else None,
        }
    )


def _percent(steps: list[dict[str, Any]], status: str) -> int:
    if status == "Succeeded":
        return 100
    done = sum(step["status"] == "Succeeded" for step in steps)
    return 100 * done // len(steps) if steps else 0


def _seconds(start: str, end: str | None, now: datetime) -> float:
    until = datetime.fromisoformat(end) if end else now
    return round(max((until - datetime.fromisoformat(start)).total_seconds(), 0.0), 3)


def _without_nones(plain: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in plain.items() if value is not None}
