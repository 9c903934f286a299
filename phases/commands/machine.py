"""`machine`: a way to a machine of a cluster that does not come up."""

from typing import Annotated

import typer

from phases import output
from phases.commands import service_options
from phases.commands.command_options import Output
from phases.local import ssh
from phases.local.service import Service
from phases.output import Format
from shared.bundles.problems import bundle_error
from shared.json_object import Json
from shared.openshift.client import NotDone

machine_app = typer.Typer(help="The machines of a cluster of the service, for OperatorAdmin.", no_args_is_help=True)

# What a bootstrap machine does first, and then.
FOLLOW_BOOTSTRAP = "journalctl -b -f -u release-image.service -u bootkube.service"

TheCluster = Annotated[str, typer.Argument(help="The cluster's resource id.", metavar="ID")]
TheMachine = Annotated[str, typer.Argument(help="The machine, as `list` names it.")]
Remote = Annotated[list[str] | None, typer.Argument(help="A command to run there, after --; a shell by default.")]
Jump = Annotated[
    str,
    typer.Option(
        "--jump", "-J", help="A host in the machines' network, as USER@HOST[:PORT]; you log in to it as you always do."
    ),
]
Options = Annotated[
    list[str] | None, typer.Option("--option", help="An option for ssh, such as 'ProxyCommand=...'; may be repeated.")
]


@machine_app.command("list")
def machine_list(
    cluster: TheCluster,
    service: service_options.Address = "",
    certificate: service_options.Certificate = None,
    scope: service_options.Scope = "",
    form: Output = Format.TABLE,
) -> None:
    """List the machines of a cluster: masters, workers, and the bootstrap machine if there is one."""
    key = _key(cluster, service_options.service_of(service, certificate, scope))
    output.show(_machines(key), ("name", "privateIpAddress"), form)
    if reason := key.get("reason"):
        typer.echo(reason, err=True)


@machine_app.command("ssh")
def machine_ssh(
    cluster: TheCluster,
    machine: TheMachine,
    command: Remote = None,
    *,
    jump: Jump = "",
    options: Options = None,
    service: service_options.Address = "",
    certificate: service_options.Certificate = None,
    scope: service_options.Scope = "",
) -> None:
    """Log in to a machine with the cluster's key, which never touches a disk of this machine.

    The service records who has asked for the key. On a bootstrap machine, this follows what it does:

        python -m phases machine ssh ID NAME-bootstrap --jump USER@HOST -- journalctl -b -f -u bootkube.service
    """
    key = _key(cluster, service_options.service_of(service, certificate, scope))
    addresses = {listed["name"]: listed["privateIpAddress"] for listed in _machines(key)}
    if machine not in addresses:
        there = ", ".join(addresses) or "none"
        problem = f"The cluster has no machine '{machine}' with an address. It has: {there}. {key.get('reason', '')}"
        raise bundle_error(problem.rstrip())
    if machine.endswith("-bootstrap") and not command:
        typer.echo(f"To follow its bootstrap: {FOLLOW_BOOTSTRAP}", err=True)
    target = ssh.Target(key["username"], addresses[machine], jump, tuple(options or ()))
    raise typer.Exit(ssh.run(target, key["privateKey"], command or []))


def _machines(key: Json) -> list[Json]:
    if key["machines"] is None:
        # A service of an older package gives no reason.
        silent = "Azure does not show the machines of the cluster at the moment. Repeat the command."
        raise NotDone(key.get("reason", silent))
    machines: list[Json] = key["machines"]
    return machines


def _key(cluster: str, service: Service) -> Json:
    if not cluster.startswith("/subscriptions/"):
        raise bundle_error(f"'{cluster}' is not the resource id of a cluster, which begins with /subscriptions/.")
    return service.post(f"{cluster}/getSshKey", {})
