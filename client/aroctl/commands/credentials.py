"""`credentials`: an administrator's kubeconfig, one that lasts or one that ends; or the first user's password."""

import base64
from http import HTTPStatus
from pathlib import Path
from typing import Annotated

import typer

from aroctl import kubeconfigs, output, session
from aroctl.api import Api, Json
from aroctl.clusters import Cluster
from aroctl.options import Group, Name, Output, Subscription
from aroctl.output import Format
from aroctl.problems import Exit, Problem, wrong
from aroctl.requested_cluster import get

_USUAL_HOURS, _MOST_HOURS = 8, 24


def credentials(
    name: Name,
    group: Group = "",
    subscription: Subscription = "",
    *,
    hours: Annotated[
        int | None,
        typer.Option(
            "--hours",
            metavar="HOURS",
            help="One that ends after so many hours, at most 24. Its key is made here, and never leaves this machine.",
            min=1,
            max=_MOST_HOURS,
            show_default=False,
        ),
    ] = None,
    file: Annotated[
        Path | None,
        typer.Option("--file", "-f", metavar="FILE", help="Write a kubeconfig of its own there.", dir_okay=False),
    ] = None,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace the file, or another cluster of this name.")
    ] = False,
    password: Annotated[
        bool, typer.Option("--password", help="Print user and password of kubeadmin instead, for the console.")
    ] = False,
    form: Output = Format.TABLE,
) -> None:
    """Let kubectl reach a cluster: merge an administrator's kubeconfig into yours, which only you can read.

    It lasts for a year at most. With --hours it ends soon, and the cluster's audit log names you.
    """
    if password and (file or hours):
        raise wrong("--password goes with neither --file nor --hours.", "Leave one of them out.")
    caller = session.begin()
    service, cluster = caller.service, caller.cluster(name, group, subscription)
    if password:
        _tell_password(service.call("POST", f"{cluster.id}/listCredentials").body, form)
        return
    if file and file.exists() and not overwrite:
        raise wrong(f"{file} exists already.", "Name another file, or replace it with --overwrite.")
    text, ends = _ending(service, cluster, hours) if hours else (_lasting(service, cluster), "")
    if file:
        kubeconfigs.write(file, text)
        told = f"Written to {file}. Use it: export KUBECONFIG={file.resolve()}"
    else:
        path = kubeconfigs.usual()
        kubeconfigs.merge(path, text, cluster.name, overwrite=overwrite)
        told = f"Merged into {path} as the current context '{cluster.name}'. Try: kubectl get nodes"
    service.progress.note(told)
    if ends:
        service.progress.note(f"It ends at {ends}.")


def _tell_password(found: Json, form: Format) -> None:
    if form is Format.TABLE:
        output.facts({"user": found["kubeadminUsername"], "password": found["kubeadminPassword"]})
    else:
        output.document(found, form)


def _ending(service: Api, cluster: Cluster, hours: int) -> tuple[str, str]:
    """Return a kubeconfig that ends, and its end for people."""
    from aroctl import admin_credential  # noqa: PLC0415 - cryptography, which only this needs, loads slowly

    found = admin_credential.request(service, cluster, hours)
    return found.kubeconfig, output.moment(found.end)


def _lasting(service: Api, cluster: Cluster) -> str:
    """Return the kubeconfig that lasts.

    Raises:
        Problem: it is refused. If the cluster gives none, the remedy is one that ends.
    """
    answer = service.send("POST", f"{cluster.id}/listAdminCredentials")
    if not answer.refused:
        return base64.b64decode(answer.body["kubeconfig"]).decode()
    problem = service.problem(answer)
    if answer.status == HTTPStatus.BAD_REQUEST and _gives_none(service, cluster):
        remedy = f"Ask for one that ends: {cluster.command('credentials', '--hours', str(_USUAL_HOURS))}"
        problem = Problem(Exit.REFUSED, problem.cause, remedy, problem.details)
    raise problem


def _gives_none(service: Api, cluster: Cluster) -> bool:
    return bool(get(service.send("GET", cluster.id).body, "properties.longLivedCredentials") == "Disabled")
