"""`start`: a cluster that was stopped."""

from aroctl import operations, session
from aroctl.options import Group, Name, NoWait, Subscription


def start(name: Name, group: Group = "", subscription: Subscription = "", *, no_wait: NoWait = False) -> None:
    """Start a cluster that was stopped, and wait until all of its operators are available."""
    caller = session.begin()
    operations.act(caller.service, caller.cluster(name, group, subscription), "start", no_wait=no_wait)
