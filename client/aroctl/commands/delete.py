"""`delete`: a cluster, with everything that was made for it."""

from http import HTTPStatus

from aroctl import operations, session
from aroctl.options import Group, Name, NoWait, Subscription, Yes, sure
from aroctl.problems import Exit, Problem


def delete(
    name: Name,
    group: Group = "",
    subscription: Subscription = "",
    *,
    yes: Yes = False,
    no_wait: NoWait = False,
) -> None:
    """Delete a cluster with its machines, disks and addresses. A create that still runs is canceled."""
    caller = session.begin()
    cluster = caller.cluster(name, group, subscription)
    sure(f"Delete the cluster {cluster.id}?", yes=yes)
    answer = caller.service.call("DELETE", cluster.id)
    if answer.status == HTTPStatus.NO_CONTENT:
        raise Problem(Exit.NOT_FOUND, f"There is no cluster {cluster.id}.")
    operations.attend(caller.service, operations.of_answer(cluster, answer, "delete"), no_wait=no_wait)
