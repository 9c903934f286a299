"""Calls of activities as the engine makes them."""

import json
from datetime import datetime, timedelta
from typing import Any, cast

from activities.runtime.call import Call
from activities.runtime.wrapper import perform
from activities.targets import ACTIVITIES
from orchestrators import plans
from orchestrators.plans.rows import to_dict
from shared.steps import Outcome
from tests.product.unit.product_world import CLUSTER_ID

DONE = {"outcome": "done"}
# Every plan has the row `finish`; here it is the create's.
_NAMES = ("revoke_credentials", "renew", "stop", "start", "update", "delete", "create")
_ROWS = {row.name: row for name in _NAMES for row in plans.PLANS[name]}


def call(step: str, verb: str = "", **more: Any) -> dict[str, Any]:
    """Run the executor of a row once, and return its outcome."""
    row = to_dict(_ROWS[step])
    verb = verb or ("status" if row["kind"] == "condition" else "run")
    return as_json(perform(ACTIVITIES[row["executor"]], payload(row, verb, **more)))


def as_json(outcome: Outcome) -> dict[str, Any]:
    """Return an outcome as durable history stores it."""
    stored: dict[str, Any] = json.loads(json.dumps(outcome))
    return stored


def twice(step: str) -> None:
    """Run a row twice and expect it to be done both times."""
    assert call(step) == DONE
    assert call(step) == DONE


def error_of(outcome: dict[str, Any]) -> dict[str, Any]:
    """Return the error of a failed outcome."""
    assert outcome["outcome"] == "failed"
    error: dict[str, Any] = outcome["error"]
    return error


def control(name: str, **more: Any) -> dict[str, Any]:
    """Run an activity of the engine itself."""
    row = {"name": name, "phase": "finish", "kind": "action", "message": "", "waitsFor": "", "deadlineSeconds": 60}
    return as_json(perform(ACTIVITIES[name], payload(row, "run", **({"step": ""} | more))))


def payload(row: Any, verb: str, **more: Any) -> Call:
    """Make the input of an activity."""
    begun = str(more.get("startTime", "2026-03-01T09:00:00+00:00"))
    ends = datetime.fromisoformat(begun) + timedelta(seconds=row.get("deadlineSeconds", 60))
    return cast(
        "Call",
        {
            "operationId": "op",
            "attempt": 1,
            "clusterKey": CLUSTER_ID.lower(),
            "clusterDocumentId": "doc-1",
            "correlationId": "corr-1",
            "clientRequestId": "",
            "traceparent": "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
            "step": row["name"],
            "verb": verb,
            "row": row,
            "startTime": begun,
            "deadline": ends.isoformat(),
            "polls": 0,
            "error": None,
        }
        | more,
    )
