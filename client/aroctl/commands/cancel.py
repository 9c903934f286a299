"""`cancel`: the end of an operation by request."""

import typer

from aroctl import operations, session
from aroctl.options import Group, Name, NoWait, OperationId, Subscription, Yes, sure
from aroctl.problems import Exit, Problem


def cancel(
    name: Name,
    operation: OperationId = "",
    group: Group = "",
    subscription: Subscription = "",
    *,
    yes: Yes = False,
    no_wait: NoWait = False,
) -> None:
    """Let an operation change nothing more, and end. The same request continues it later. A delete cannot be."""
    caller = session.begin()
    cluster = caller.cluster(name, group, subscription)
    location = caller.service.get(cluster.id)["location"]
    document = operations.find(caller.service, cluster, operation)
    canceled = operations.of_document(cluster, location, document)
    sure(f"Cancel the {canceled.what} of {cluster.id}?", yes=yes)
    caller.service.call("POST", f"{cluster.id}/operations/{canceled.id}/cancel")
    if no_wait:
        typer.echo(f"It will end soon. Follow it: {cluster.command('watch', canceled.id)}", err=True)
        return
    status = operations.follow(caller.service, canceled)["status"]
    if status != "Canceled":
        raise Problem(Exit.FAILED, f"The {canceled.what} had ended before it could be canceled: {status}.")
    verb = operations.repeating_verb(canceled.what)
    typer.echo(f"Canceled. To continue it: {cluster.command(verb)}", err=True)
