"""`renew`: what the service renews by itself each week, now."""

from aroctl import operations, session
from aroctl.options import Group, Name, NoWait, Subscription


def renew(name: Name, group: Group = "", subscription: Subscription = "", *, no_wait: NoWait = False) -> None:
    """Renew now what the service renews by itself before it ends; `show` tells what ends next."""
    caller = session.begin()
    operations.act(caller.service, caller.cluster(name, group, subscription), "renew", no_wait=no_wait)
