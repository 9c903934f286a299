"""`credentials`: the kubeconfig of an administrator, or the first user's password."""

import base64
from pathlib import Path
from typing import Annotated

import typer

from aroctl import kubeconfigs, output, session
from aroctl.options import Group, Name, Output, Subscription
from aroctl.output import Format
from aroctl.problems import wrong


def credentials(
    name: Name,
    group: Group = "",
    subscription: Subscription = "",
    *,
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
    """Let kubectl reach a cluster: merge its administrator's kubeconfig into yours, which only you can read."""
    caller = session.begin()
    cluster = caller.cluster(name, group, subscription)
    if password:
        found = caller.service.call("POST", f"{cluster.id}/listCredentials").body
        if form is Format.TABLE:
            output.facts({"user": found["kubeadminUsername"], "password": found["kubeadminPassword"]})
        else:
            output.document(found, form)
        return
    if file and file.exists() and not overwrite:
        raise wrong(f"{file} exists already.", "Name another file, or replace it with --overwrite.")
    found = caller.service.call("POST", f"{cluster.id}/listAdminCredentials").body
    text = base64.b64decode(found["kubeconfig"]).decode()
    if file:
        kubeconfigs.write(file, text)
        caller.service.progress.note(f"Written to {file}. Use it: export KUBECONFIG={file.resolve()}")
        return
    path = kubeconfigs.usual()
    kubeconfigs.merge(path, text, cluster.name, overwrite=overwrite)
    caller.service.progress.note(f"Merged into {path} as the current context '{cluster.name}'. Try: kubectl get nodes")
