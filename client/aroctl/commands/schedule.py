"""`schedule`: when a cluster stops and starts by itself."""

from typing import Annotated

import typer

from aroctl import operations, output, session
from aroctl.api import Json
from aroctl.options import Group, Name, NoWait, Output, Subscription
from aroctl.output import Format
from aroctl.problems import wrong
from aroctl.requested_cluster import get

_MEMBER = "powerSchedule"
_WORKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday")


def schedule(
    name: Name,
    group: Group = "",
    subscription: Subscription = "",
    *,
    stop: Annotated[str, typer.Option("--stop", metavar="HH:MM", help="When it stops on each day.")] = "",
    start: Annotated[str, typer.Option("--start", metavar="HH:MM", help="When it starts on each day.")] = "",
    zone: Annotated[
        str, typer.Option("--time-zone", metavar="ZONE", help="Whose clock that is, such as Europe/Berlin.")
    ] = "",
    days: Annotated[
        list[str] | None,
        typer.Option("--day", metavar="DAY", help="A day, such as Monday; may be repeated. Monday to Friday at first."),
    ] = None,
    remove: Annotated[bool, typer.Option("--remove", help="Stop and start it by hand from now on.")] = False,
    no_wait: NoWait = False,
    form: Output = Format.TABLE,
) -> None:
    """Show when a cluster stops and starts by itself, or change that."""
    caller = session.begin()
    cluster = caller.cluster(name, group, subscription)
    given: Json = {"stopTime": stop, "startTime": start, "timeZone": zone, "days": days}
    wanted = {member: value for member, value in given.items() if value}
    if remove and wanted:
        raise wrong("--remove goes with no other change.", "Leave one of them out.")
    if remove or wanted:
        known = _schedule(caller.service.get(cluster.id))
        changed = None if remove else {"days": list(_WORKDAYS), "timeZone": "UTC", **known, **wanted}
        answer = caller.service.call("PATCH", cluster.id, {"properties": {_MEMBER: changed}})
        operations.attend(caller.service, operations.of_answer(cluster, answer, "update"), no_wait=no_wait)
    found = _schedule(caller.service.get(cluster.id))
    if form is not Format.TABLE:
        output.document(found, form)
    elif found:
        output.facts(
            {"stops": found["stopTime"], "starts": found["startTime"], "on": found["days"], "clock": found["timeZone"]}
        )
    else:
        caller.service.progress.note(f"'{cluster.name}' has no schedule: it stops and starts when somebody says so.")


def _schedule(cluster: Json) -> Json:
    return get(cluster, f"properties.{_MEMBER}") or {}
