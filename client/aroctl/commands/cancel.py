"""`cancel`: the end of an operation by request."""

import typer

from aroctl import operations, session
from aroctl.operations import Begun
from aroctl.options import Group, Name, NoWait, Operation, Subscription, Yes, sure
from aroctl.problems import Exit, Problem


def cancel(
    name: Name,
    operation: Operation = "",
    group: Group = "",
    subscription: Subscription = "",
    *,
    yes: Yes = False,
    no_wait: NoWait = False,
) -> None:
    """Let an operation change nothing more, and end. `resume` continues it later. A delete cannot be canceled."""
    opened = session.begin()
    cluster = opened.cluster(name, group, subscription)
    location = opened.service.get(cluster.id)["location"]
    found = operations.find(opened.service, cluster, operation)
    what = found["properties"].get("plan", "operation")
    sure(f"Cancel the {what} of {cluster.id}?", yes=yes)
    opened.service.call("POST", f"{cluster.id}/operations/{found['name']}/cancel")
    begun = Begun(cluster, found["name"], operations.status_path(cluster, location, found["name"]), what)
    if no_wait:
        operations.attend(opened.service, begun, no_wait=True)
        return
    ended = operations.follow(opened.service, begun)["status"]
    if ended != "Canceled":
        raise Problem(Exit.FAILED, f"The {what} had ended before it could be canceled: {ended}.")
    typer.echo(f"Canceled. To continue it: {cluster.command('resume')}", err=True)
