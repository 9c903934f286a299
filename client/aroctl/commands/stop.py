"""`stop`: a cluster of which only disks and addresses cost money."""

from aroctl import operations, session
from aroctl.options import Group, Name, NoWait, Subscription, Yes, sure


def stop(
    name: Name,
    group: Group = "",
    subscription: Subscription = "",
    *,
    yes: Yes = False,
    no_wait: NoWait = False,
) -> None:
    """Stop a cluster: its machines are deallocated, and only its disks and addresses cost money until it starts."""
    caller = session.begin()
    cluster = caller.cluster(name, group, subscription)
    sure(f"Stop the cluster {cluster.id}? All that runs on it ends.", yes=yes)
    operations.act(caller.service, cluster, "stop", no_wait=no_wait)
