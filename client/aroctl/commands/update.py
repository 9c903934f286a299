"""`update`: what may change of a cluster."""

from typing import Annotated

import typer

from aroctl import operations, record, requested_cluster, session
from aroctl.api import Json
from aroctl.options import Body, Group, Name, NoWait, Output, Subscription, application_secret
from aroctl.output import Format
from aroctl.problems import wrong
from aroctl.requested_cluster import put

_PRINCIPAL = "properties.servicePrincipalProfile"
_LONG_LIVED = "properties.longLivedCredentials"
_ADDRESSES = "properties.networkProfile.loadBalancerProfile.managedOutboundIps.count"


def update(
    name: Name,
    group: Group = "",
    subscription: Subscription = "",
    *,
    file: Body = None,
    tags: Annotated[
        list[str] | None, typer.Option("--tag", metavar="NAME=VALUE", help="Add or change a tag; may be repeated.")
    ] = None,
    without: Annotated[
        list[str] | None, typer.Option("--remove-tag", metavar="NAME", help="Remove a tag; may be repeated.")
    ] = None,
    client_id: Annotated[str, typer.Option("--client-id", help="Another application for the cluster.")] = "",
    new_secret: Annotated[
        bool, typer.Option("--new-secret", help="Its new secret: that of CLIENT_SECRET, or what you type.")
    ] = False,
    addresses: Annotated[
        int | None,
        typer.Option("--load-balancer-managed-outbound-ip-count", help="Addresses of outgoing traffic, 1 to 20."),
    ] = None,
    long_lived: Annotated[
        str,
        typer.Option(
            "--long-lived-credentials",
            metavar="Enabled|Disabled",
            help="Whether it gives kubeconfigs that last; those that end it always gives.",
        ),
    ] = "",
    no_wait: NoWait = False,
    form: Output = Format.TABLE,
) -> None:
    """Change tags, the cluster's application and its secret, outgoing addresses, or which kubeconfigs it gives.

    The cluster's own machine sets decide how many workers there are: kubectl scale machineset.
    """
    caller = session.begin()
    cluster = caller.cluster(name, group, subscription)
    body = requested_cluster.read(file)
    headers = {}
    if tags or without:
        now = caller.service.get(cluster.id)
        # Whoever changes the tags at the same time is not overwritten.
        headers = {"If-Match": now["etag"]}
        put(body, "tags", _changed(now.get("tags") or {}, tags or [], without or []))
    said = {
        f"{_PRINCIPAL}.clientId": client_id,
        f"{_PRINCIPAL}.clientSecret": application_secret() if new_secret else "",
        _ADDRESSES: addresses,
        _LONG_LIVED: long_lived,
    }
    for path, value in said.items():
        if value not in ("", None):
            put(body, path, value)
    if not body:
        raise wrong("Nothing is said to change.", "Name it with a flag, or in --file; see --help.")
    answer = caller.service.call("PATCH", cluster.id, body, headers=headers)
    operations.attend(caller.service, operations.of_answer(cluster, answer, "update"), no_wait=no_wait)
    record.show(answer.body if no_wait else caller.service.get(cluster.id), form)


def _changed(now: Json, given: list[str], without: list[str]) -> Json:
    missing = [name for name in without if name not in now]
    if missing:
        raise wrong(f"The cluster has no tag {', '.join(missing)}.", f"It has: {', '.join(now) or 'none'}.")
    kept = {name: value for name, value in now.items() if name not in without}
    return kept | requested_cluster.tags(given)
