"""The command: what it has, and what it tells the shell."""

import sys

import typer

from phases.commands.cluster import cluster_app
from phases.commands.command_options import EXIT_CODES, FAILED, WRONG, complain
from phases.commands.init import init
from phases.commands.machine import machine_app
from phases.commands.phase import phase_app
from phases.commands.plan import plan_app
from shared.bundles.problems import BundleError
from shared.openshift.client import NotDone
from shared.phase_documents import kustomize, schemas

app = typer.Typer(
    help="Phases that people declare: kustomize roots that are applied to clusters, in the order of a plan.",
    epilog=f"Each command has its own --help. {EXIT_CODES}",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
app.command()(init)
app.add_typer(phase_app, name="phase")
app.add_typer(plan_app, name="plan")
app.add_typer(cluster_app, name="cluster")
app.add_typer(machine_app, name="machine")


def main() -> None:
    """Run a command; print what is wrong with the bundle, a line each, instead of a trace."""
    try:
        app()
    except BundleError as error:
        complain(map(str, error.problems))
        sys.exit(WRONG)
    except NotDone as error:
        complain([str(error)])
        sys.exit(FAILED)


@app.command("version")
def version() -> None:
    """Say which kustomize renders, and which documents there are."""
    typer.echo(f"kustomize {kustomize.VERSION} ({kustomize.binary()})")
    typer.echo(f"documents {schemas.API_VERSION}: {', '.join(schemas.SCHEMAS)}")
