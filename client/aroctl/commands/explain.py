"""`explain`: what an operation did, what it met, and what to do."""

import typer
from rich.console import Console

from aroctl import operations, output, session, timeline
from aroctl.api import Json
from aroctl.clusters import Cluster
from aroctl.operations import Begun
from aroctl.options import Group, Name, Operation, Output, Subscription
from aroctl.output import Format

_PIPE_WIDTH = 80


def explain(
    name: Name,
    operation: Operation = "",
    group: Group = "",
    subscription: Subscription = "",
    form: Output = Format.TABLE,
) -> None:
    """Tell what an operation did, who began it, why it failed, and what to do; the newest if none is named."""
    opened = session.begin()
    cluster = opened.cluster(name, group, subscription)
    found = operations.find(opened.service, cluster, operation)
    if form is not Format.TABLE:
        output.document(found, form)
        return
    _tell(cluster, found)


def _tell(cluster: Cluster, found: Json) -> None:
    told = found["properties"]
    typer.echo(timeline.headline(cluster.name, told))
    console = Console()
    width = console.width if console.is_terminal else _PIPE_WIDTH
    plain = Console(width=width, highlight=False) if not console.is_terminal else console
    for line in timeline.lines(told, width):
        line.rstrip()
        plain.print(line)
    by = told.get("begunBy") or {}
    output.facts(
        {
            "operation": found["name"],
            "begun": output.moment(told["startTime"]),
            "begun by": f"{by.get('kind', '')} {by.get('objectId', '')}".strip(),
            "attempt": told.get("attempt"),
            "correlation id": told.get("correlationId"),
            "not repeated": _count(told, "done before") if any(map(timeline.is_carried, told["steps"])) else "",
        }
    )
    if "error" in told:
        problem = operations.problem(Begun(cluster, found["name"], "", told.get("plan", "operation")), told)
        for text in (problem.cause, *problem.details, *problem.remedy.splitlines()):
            typer.echo(text)


def _count(told: Json, what: str) -> str:
    return f"{sum(map(timeline.is_carried, told['steps']))} steps, {what}"
