"""`delete`: a cluster, with everything that was made for it."""

import sys
from http import HTTPStatus

import typer

from aroctl import operations, session
from aroctl.options import Group, Name, NoWait, Subscription, Yes
from aroctl.problems import Exit, Problem, wrong


def delete(
    name: Name,
    group: Group = "",
    subscription: Subscription = "",
    *,
    yes: Yes = False,
    no_wait: NoWait = False,
) -> None:
    """Delete a cluster with its machines, disks and addresses. A create that still runs is canceled."""
    opened = session.begin()
    cluster = opened.cluster(name, group, subscription)
    if not yes:
        if not sys.stdin.isatty():
            raise wrong("Nobody can be asked whether to delete the cluster.", f"Add --yes to delete '{cluster.name}'.")
        typer.confirm(f"Delete the cluster {cluster.id}?", abort=True, err=True)
    answer = opened.service.call("DELETE", cluster.id)
    if answer.status == HTTPStatus.NO_CONTENT:
        raise Problem(Exit.NOT_FOUND, f"There is no cluster {cluster.id}.")
    begun = operations.of_answer(cluster, answer, "delete")
    if no_wait:
        opened.service.progress.note(f"The delete has begun. Follow it: {cluster.command('watch', begun.id)}")
        return
    operations.follow(opened.service, begun)
