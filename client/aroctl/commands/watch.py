"""`watch`: an operation, whoever began it, until it ends."""

from aroctl import operations, session
from aroctl.options import Group, Name, OperationId, Subscription


def watch(
    name: Name,
    operation: OperationId = "",
    group: Group = "",
    subscription: Subscription = "",
) -> None:
    """Follow an operation on a cluster to its end, also one that somebody else began. Ctrl-C leaves it running."""
    caller = session.begin()
    cluster = caller.cluster(name, group, subscription)
    location = caller.service.get(cluster.id)["location"]
    document = operations.find(caller.service, cluster, operation)
    operations.attend(caller.service, operations.of_document(cluster, location, document))
