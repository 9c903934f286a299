"""`revoke`: the end of every administrator's credential."""

from aroctl import operations, session
from aroctl.options import Group, Name, NoWait, Subscription, Yes, sure


def revoke(
    name: Name,
    group: Group = "",
    subscription: Subscription = "",
    *,
    yes: Yes = False,
    no_wait: NoWait = False,
) -> None:
    """End every administrator's kubeconfig that was ever given, the installer's included.

    It does not end kubeadmin's password, and no token of the cluster's OAuth server or of a service account.
    """
    caller = session.begin()
    cluster = caller.cluster(name, group, subscription)
    sure(f"Revoke all administrators' kubeconfigs of {cluster.id}? Those in use stop working.", yes=yes)
    operations.act(caller.service, cluster, "revokeCredentials", no_wait=no_wait)
