"""`operations`: what was done to a cluster."""

from datetime import datetime, timedelta

from aroctl import operations, output, session
from aroctl.api import Json
from aroctl.options import Group, Name, Output, Subscription
from aroctl.output import Format

_COLUMNS = ("begun", "plan", "status", "took", "operation")


def list_operations(
    name: Name, group: Group = "", subscription: Subscription = "", form: Output = Format.TABLE
) -> None:
    """List the operations on a cluster, the newest first. `explain` tells more about one."""
    caller = session.begin()
    found = operations.every(caller.service, caller.cluster(name, group, subscription))
    if form is Format.TABLE:
        output.rows([_row(each) for each in found], _COLUMNS)
    else:
        output.document(found, form)


def _row(found: Json) -> Json:
    report = found["properties"]
    return {
        # Operations expire long before a year is over, and a line has 80 characters.
        "begun": f"{datetime.fromisoformat(report['startTime']).astimezone():%m-%d %H:%M}",
        "plan": report.get("plan"),
        "status": report["status"],
        "took": str(timedelta(seconds=round(report.get("durationSeconds", 0)))),
        "operation": found["name"],
    }
