"""`show`: one cluster."""

from aroctl import record, session
from aroctl.options import Group, Name, Output, Subscription
from aroctl.output import Format


def show(name: Name, group: Group = "", subscription: Subscription = "", form: Output = Format.TABLE) -> None:
    """Show a cluster: its state, what asks for attention, what ends next, its addresses, the names to publish."""
    caller = session.begin()
    cluster_id = caller.cluster(name, group, subscription).id
    found = caller.service.get(cluster_id)
    ends = caller.service.values(f"{cluster_id}/expirations")
    record.show({**found, record.ENDS: sorted(ends, key=lambda each: str(each["end"]))}, form)
