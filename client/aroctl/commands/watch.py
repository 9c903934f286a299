"""`watch`: an operation, whoever began it, until it ends."""

from typing import Annotated

import typer

from aroctl import operations, session
from aroctl.operations import Begun
from aroctl.options import Group, Name, Subscription


def watch(
    name: Name,
    operation: Annotated[str, typer.Argument(metavar="[OPERATION]", help="Its id; the newest by default.")] = "",
    group: Group = "",
    subscription: Subscription = "",
) -> None:
    """Follow an operation on a cluster to its end, also one that somebody else began. Ctrl-C leaves it running."""
    opened = session.begin()
    cluster = opened.cluster(name, group, subscription)
    location = opened.service.get(cluster.id)["location"]
    if operation:
        found = opened.service.get(f"{cluster.id}/operations/{operation}")
    else:
        found = operations.newest(opened.service, cluster)
    path = operations.status_path(cluster, location, found["name"])
    operations.follow(opened.service, Begun(cluster, found["name"], path, found["properties"].get("plan", "operation")))
