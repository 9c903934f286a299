"""`try` and `render`: the service's own plans before anybody runs them, for its operators."""

from pathlib import Path
from typing import Annotated

import typer

from aroctl import api, clusters, dry_run, output, requested_cluster, session
from aroctl.api import Api, Json
from aroctl.clusters import Cluster
from aroctl.options import Body, Group, Name, Output, Subscription
from aroctl.output import Format
from aroctl.problems import Exit, Problem, wrong
from aroctl.settings import Settings

Service = Annotated[
    str, typer.Option("--service", metavar="URL", help="A service other than the configured one; with --certificate.")
]
Certificate = Annotated[
    Path | None,
    typer.Option(
        "--certificate",
        metavar="FILE",
        help="An operator's certificate and key, PEM, for a service behind Azure Resource Manager.",
        dir_okay=False,
        exists=True,
    ),
]


def try_plan(
    plan: Annotated[str, typer.Argument(metavar="PLAN", help="create, update or delete.")],
    name: Name,
    group: Group = "",
    subscription: Subscription = "",
    *,
    file: Body = None,
    service: Service = "",
    certificate: Certificate = None,
    form: Output = Format.TABLE,
) -> None:
    """Operators: tell what each row of a plan would do for a request. Nothing is changed.

    The body is that of the PUT; without --file it is the cluster as it is. Needs the role Operator.
    """
    asked, cluster = _whom(service, certificate, name, group, subscription)
    found = dry_run.ask(asked, f"/sre{cluster.id}/plans/{plan}/dryRun", _body(asked, cluster, file))
    dry_run.show(found, form)
    if found["refused"]:
        raise Problem(Exit.REFUSED, f"The {plan} would fail: {', '.join(found['refused'])} would be refused.")


def render(
    row: Annotated[str, typer.Argument(metavar="PLAN/ROW", help="Such as create/deploy_network_template.")],
    name: Name,
    group: Group = "",
    subscription: Subscription = "",
    *,
    file: Body = None,
    service: Service = "",
    certificate: Certificate = None,
    form: Output = Format.YAML,
) -> None:
    """Operators: print what a row of a plan would send to Azure, secrets masked.

    The body is that of the PUT; without --file it is the cluster as it is. Needs the role Operator.
    """
    plan, slash, row_name = row.partition("/")
    if not slash:
        raise wrong(f"'{row}' names no row.", "Write PLAN/ROW, such as create/deploy_network_template.")
    asked, cluster = _whom(service, certificate, name, group, subscription)
    path = f"/sre{cluster.id}/plans/{plan}/rows/{row_name}/render"
    output.document(dry_run.ask(asked, path, _body(asked, cluster, file))["value"], _documents(form))


def _whom(service: str, certificate: Path | None, name: str, group: str, subscription: str) -> tuple[Api, Cluster]:
    """Return the service to ask, and the cluster to ask about."""
    if bool(service) != bool(certificate):
        raise wrong("A service that takes certificates needs --service and --certificate.")
    if certificate is None:
        caller = session.begin()
        return caller.service, caller.cluster(name, group, subscription)
    address = api.checked_address(service)
    asked = Api(address, "", None, certificate=str(certificate))
    return asked, clusters.named(Settings(address, "", "", ""), name, group, subscription)


def _body(asked: Api, cluster: Cluster, file: Path | None) -> Json:
    return requested_cluster.read(file) if file else asked.get(cluster.id)


def _documents(form: Format) -> Format:
    return Format.YAML if form is Format.TABLE else form
