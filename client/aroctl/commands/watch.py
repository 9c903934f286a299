"""`watch`: an operation, whoever began it, until it ends."""

from aroctl import operations, session
from aroctl.operations import Begun
from aroctl.options import Group, Name, Operation, Subscription


def watch(
    name: Name,
    operation: Operation = "",
    group: Group = "",
    subscription: Subscription = "",
) -> None:
    """Follow an operation on a cluster to its end, also one that somebody else began. Ctrl-C leaves it running."""
    opened = session.begin()
    cluster = opened.cluster(name, group, subscription)
    location = opened.service.get(cluster.id)["location"]
    found = operations.find(opened.service, cluster, operation)
    path = operations.status_path(cluster, location, found["name"])
    operations.attend(opened.service, Begun(cluster, found["name"], path, found["properties"].get("plan", "operation")))
