"""`create`: a new cluster, from a file, from flags, or from both."""

from dataclasses import replace
from http import HTTPStatus
from pathlib import Path
from typing import Annotated, Any

import typer

from aroctl import dry_run, operations, record, requested_cluster, session
from aroctl.api import Json
from aroctl.clusters import Cluster
from aroctl.options import Body, Group, Name, NoWait, Output, Subscription, application_secret
from aroctl.output import Format
from aroctl.problems import Exit, Problem, wrong
from aroctl.requested_cluster import MASTER_SUBNET, VERSION, Network, get, put
from aroctl.session import Session

_SECRET = "properties.servicePrincipalProfile.clientSecret"  # noqa: S105 - a path
_REQUIRED = {
    MASTER_SUBNET: "--vnet",
    "properties.clusterProfile.domain": "--domain",
    "properties.servicePrincipalProfile.clientId": "--client-id",
}
_VNET = "providers/Microsoft.Network/virtualNetworks"


def _flag(*names: str, help: str, **more: Any) -> Any:  # noqa: A002 - typer's own word
    return typer.Option(*names, help=help, show_default=False, **more)


def create(
    name: Name,
    group: Group = "",
    subscription: Subscription = "",
    *,
    file: Body = None,
    domain: Annotated[str, _flag("--domain", help="The cluster answers at api.DOMAIN and *.apps.DOMAIN.")] = "",
    vnet: Annotated[str, _flag("--vnet", help="Name or id of the virtual network; it says the location.")] = "",
    vnet_group: Annotated[str, _flag("--vnet-resource-group", help="Its group, if it is not the cluster's.")] = "",
    master_subnet: Annotated[
        str, typer.Option("--master-subnet", help="Name or id of the masters' subnet.")
    ] = "master",
    worker_subnet: Annotated[
        str, typer.Option("--worker-subnet", help="Name or id of the workers' subnet.")
    ] = "worker",
    client_id: Annotated[str, _flag("--client-id", help="The application as which the cluster acts in Azure.")] = "",
    pull_secret: Annotated[
        Path | None, _flag("--pull-secret", metavar="FILE", help="The file with Red Hat's pull secret.", dir_okay=False)
    ] = None,
    version: Annotated[
        str, _flag("--version", help="4.19.24, or 4.19 for the newest of these; the service's own choice by default.")
    ] = "",
    location: Annotated[str, _flag("--location", "-l", help="The network's by default.")] = "",
    cluster_group: Annotated[
        str, _flag("--cluster-resource-group", help="The new group of its machines; aro-CLUSTER by default.")
    ] = "",
    master_size: Annotated[str, _flag("--master-vm-size", help="Standard_D8s_v5 by default.")] = "",
    worker_size: Annotated[str, _flag("--worker-vm-size", help="Standard_D4s_v5 by default.")] = "",
    worker_count: Annotated[int | None, _flag("--worker-count", help="3 by default.")] = None,
    worker_disk: Annotated[int | None, _flag("--worker-vm-disk-size-gb", help="128 by default.")] = None,
    apiserver: Annotated[str, _flag("--apiserver-visibility", help="Public (default) or Private.")] = "",
    ingress: Annotated[str, _flag("--ingress-visibility", help="Public (default) or Private.")] = "",
    pod_cidr: Annotated[str, _flag("--pod-cidr", help="10.128.0.0/14 by default.")] = "",
    service_cidr: Annotated[str, _flag("--service-cidr", help="172.30.0.0/16 by default.")] = "",
    outbound_type: Annotated[str, _flag("--outbound-type", help="Loadbalancer (default) or UserDefinedRouting.")] = "",
    tags: Annotated[list[str] | None, _flag("--tag", metavar="NAME=VALUE", help="A tag; may be repeated.")] = None,
    try_only: Annotated[bool, typer.Option("--dry-run", help="Tell what would happen, and create nothing.")] = False,
    try_first: Annotated[
        bool, typer.Option("--dry-run-first", help="Create it only if a dry run refuses nothing.")
    ] = False,
    no_wait: NoWait = False,
    form: Output = Format.TABLE,
) -> None:
    """Create a cluster, and follow that to its end. Ctrl-C leaves it running.

    Flags replace what the file says. What neither says is found out, or is what `az aro create` would send. The secret
    of the cluster's application is read from the file or from CLIENT_SECRET, or asked for.
    """
    caller = session.begin()
    cluster = caller.cluster(name, group, subscription)
    body = requested_cluster.read(file)
    said = {
        "location": location,
        "tags": requested_cluster.tags(tags or []),
        VERSION: version,
        "properties.clusterProfile.domain": domain,
        "properties.clusterProfile.pullSecret": _text(pull_secret),
        "properties.clusterProfile.resourceGroupId": cluster_group
        and requested_cluster.group_id(cluster, cluster_group),
        "properties.servicePrincipalProfile.clientId": client_id,
        "properties.networkProfile.podCidr": pod_cidr,
        "properties.networkProfile.serviceCidr": service_cidr,
        "properties.networkProfile.outboundType": outbound_type,
        "properties.masterProfile.vmSize": master_size,
        "properties.workerProfiles[].vmSize": worker_size,
        "properties.workerProfiles[].count": worker_count,
        "properties.workerProfiles[].diskSizeGB": worker_disk,
        "properties.apiserverProfile.visibility": apiserver,
        "properties.ingressProfiles[].visibility": ingress,
    }
    for path, value in said.items():
        if value not in ("", None, {}):
            put(body, path, value)
    network = Network(vnet and _network_id(cluster, vnet, vnet_group), master_subnet, worker_subnet)
    _find_out(caller, cluster, body, network)
    if try_only or try_first:
        _try(caller, cluster, body, form, only=try_only)
    if try_only:
        return
    if not get(body, _SECRET):
        put(body, _SECRET, application_secret())
    _create(caller, cluster, body, no_wait=no_wait, form=form)


def _create(caller: Session, cluster: Cluster, body: Json, *, no_wait: bool, form: Format) -> None:
    service = caller.service
    answer = service.send("PUT", cluster.id, body, headers={"If-None-Match": "*"})
    if answer.status == HTTPStatus.PRECONDITION_FAILED:
        raise Problem(
            Exit.REFUSED,
            f"There is already a cluster {cluster.id}.",
            f"Look at it: {cluster.command('show')}\n"
            f"Follow what runs: {cluster.command('watch')}\n"
            f"Continue a create that has failed: {cluster.command('resume')}",
        )
    if answer.refused:
        raise service.problem(answer)
    operations.attend(service, operations.of_answer(cluster, answer, "create"), no_wait=no_wait)
    record.show(answer.body if no_wait else service.get(cluster.id), form)


def _find_out(caller: Session, cluster: Cluster, body: Json, network: Network) -> None:
    """Complete the body, and tell what will be created.

    Raises:
        Problem: something is missing, or not there.
    """
    if not network.id:
        network = replace(network, id=requested_cluster.network_of(body))
    if network.id and not ("location" in body and get(body, MASTER_SUBNET)):
        requested_cluster.add_network(body, caller.arm, network)
    missing = [option for path, option in _REQUIRED.items() if not get(body, path)]
    if missing:
        raise wrong(f"The cluster is not described: {', '.join(missing)} is missing.", "Name it, or give it in --file.")
    requested_cluster.choose_version(body, caller.service, cluster)
    requested_cluster.complete(body, cluster)
    sizes = [get(body, "properties.masterProfile.vmSize"), get(body, "properties.workerProfiles[].vmSize")]
    places = requested_cluster.zones(caller.arm, cluster.subscription, body["location"], set(sizes))
    masters, workers = (f"{size} ({places[size]})" if size in places else size for size in sizes)
    network_name = requested_cluster.network_of(body).rpartition("/")[2]
    for line in (
        f"{cluster.name} in {body['location']}, network {network_name}",
        f"  OpenShift {get(body, VERSION) or 'in the version that the service prefers'}",
        f"  3 masters: {masters}",
        f"  {get(body, 'properties.workerProfiles[].count')} workers: {workers}",
    ):
        caller.service.progress.note(line)


def _try(caller: Session, cluster: Cluster, body: Json, form: Format, *, only: bool) -> None:
    found = dry_run.ask(caller.service, f"{cluster.id}/dryRun", body)
    if only or found["refused"]:
        dry_run.show(found, form)
    if found["refused"]:
        raise Problem(
            Exit.REFUSED,
            f"The create would fail: {', '.join(found['refused'])} would be refused. Nothing was created.",
            "Do what the messages say, and try again.",
        )
    caller.service.progress.note("A dry run refuses nothing." + (" Nothing was created." if only else ""))


def _network_id(cluster: Cluster, vnet: str, group: str) -> str:
    where = f"/subscriptions/{cluster.subscription}/resourceGroups/{group or cluster.group}"
    return vnet if "/" in vnet else f"{where}/{_VNET}/{vnet}"


def _text(path: Path | None) -> str:
    if path is None:
        return ""
    try:
        return path.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise wrong(f"The pull secret cannot be read: {error}") from error
