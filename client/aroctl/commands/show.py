"""`show`: one cluster."""

from aroctl import record, session
from aroctl.options import Group, Name, Output, Subscription
from aroctl.output import Format


def show(name: Name, group: Group = "", subscription: Subscription = "", form: Output = Format.TABLE) -> None:
    """Show a cluster: its state, its addresses, and the names that its owner publishes."""
    caller = session.begin()
    record.show(caller.service.get(caller.cluster(name, group, subscription).id), form)
