"""`explain`: what an operation did, what it met, and what to do."""

import typer
from rich.console import Console

from aroctl import operations, output, session, timeline
from aroctl.api import Json
from aroctl.clusters import Cluster
from aroctl.options import Group, Name, OperationId, Output, Subscription
from aroctl.output import Format

_PIPE_WIDTH = 80


def explain(
    name: Name,
    operation: OperationId = "",
    group: Group = "",
    subscription: Subscription = "",
    form: Output = Format.TABLE,
) -> None:
    """Tell what an operation did, who began it, why it failed, and what to do; the newest if none is named."""
    caller = session.begin()
    cluster = caller.cluster(name, group, subscription)
    document = operations.find(caller.service, cluster, operation)
    if form is Format.TABLE:
        _tell(cluster, document)
    else:
        output.document(document, form)


def _tell(cluster: Cluster, document: Json) -> None:
    """Print the timeline of an operation, the facts about it, and its error whole."""
    report = document["properties"]
    terminal = Console()
    width = terminal.width if terminal.is_terminal else _PIPE_WIDTH
    typer.echo(timeline.headline(cluster.name, report))
    for line in timeline.lines(report, width):
        line.rstrip()
        Console(width=width, highlight=False).print(line)
    by, carried = report.get("begunBy") or {}, sum(map(timeline.is_carried, report["steps"]))
    output.facts(
        {
            "operation": document["name"],
            "begun": output.moment(report["startTime"]),
            "begun by": f"{by.get('kind', '')} {by.get('objectId', '')}".strip(),
            "attempt": report.get("attempt"),
            "correlation id": report.get("correlationId"),
            "not repeated": f"{carried} steps, done before" if carried else "",
        }
    )
    if "error" in report:
        problem = operations.problem(operations.of_document(cluster, "", document), report)
        for text in (problem.cause, *problem.details, *problem.remedy.splitlines()):
            typer.echo(text)
