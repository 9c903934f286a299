"""`show`: one cluster."""

from aroctl import record, session
from aroctl.options import Group, Name, Output, Subscription
from aroctl.output import Format


def show(name: Name, group: Group = "", subscription: Subscription = "", form: Output = Format.TABLE) -> None:
    """Show a cluster: its state, its addresses, and the names that its owner publishes."""
    opened = session.begin()
    record.show(opened.service.get(opened.cluster(name, group, subscription).id), form)
