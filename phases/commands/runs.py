"""How a run begins, goes on, and ends, for a phase and for a plan.

Commands import it when they run something: clients of clusters are a third of what a command
loads.
"""

from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

import typer

from phases import output
from phases.commands.command_options import FAILED, complain
from phases.local import phase_runs
from phases.local.admin import read_admin
from phases.local.operations import Operation, Operations
from phases.output import Format
from shared.bundles import archive
from shared.bundles.problems import bundle_error
from shared.phase_documents.documents import Phase
from shared.phase_documents.kubeconfigs import Kubeconfigs
from shared.phase_documents.site import Site
from shared.steps import StepStatus


def kubeconfigs_of(site: Site) -> Kubeconfigs:
    """Return the kubeconfigs of the clusters of a site, as this machine may have them."""
    return Kubeconfigs(site, read_admin, phase_runs.read_secret, trusted=True)


def runner_of(site: Site) -> phase_runs.Runner:
    """Return what runs the phases of a site on this machine."""
    return phase_runs.Runner(site, kubeconfigs_of(site), typer.echo)


def begin(
    site: Site,
    plan_name: str,
    phases: Sequence[Phase],
    state: Path,
    *,
    again: str,
    dry_run: bool,
    wait_timeout: int | None,
    resume_from: str = "",
) -> None:
    """Run phases that are right, or tell what would become of their objects.

    Args:
        site: the site.
        plan_name: under which the run is kept.
        phases: the phases, in order.
        state: the folder that keeps what was run.
        again: the command that goes on if the run fails.
        dry_run: whether to tell only.
        wait_timeout: seconds to wait for the objects of each phase, instead of what its executor says.
        resume_from: the phase to begin with.
    """
    runner = runner_of(site)
    timeout = None if wait_timeout is None else timedelta(seconds=wait_timeout)
    runner.timeout = timeout
    try:
        plan = phase_runs.plan_of(site, plan_name, phases, timeout, resume_from)
    except LookupError as error:
        raise bundle_error(str(error.args[0])) from error
    if dry_run:
        rows = list(runner.dry_run(phases))
        output.show(rows, ("phase", "object", "change", "message"), Format.TABLE)
        if any(row["change"] in ("refused", "unknown") for row in rows):
            raise typer.Exit(FAILED)
        return
    operations = Operations(state)
    with operations.alone(plan_name):
        operation = operations.begin(plan, archive.digest(archive.pack(site.bundle)))
        _ended(runner.run(operation, plan.get("done", [])), again)


def resume_last(site: Site, plan_name: str, state: Path, again: str) -> None:
    """Continue the last run of a plan: what is done stays done."""
    operations = Operations(state)
    with operations.alone(plan_name):
        operation = operations.last(plan_name)
        if operation is None:
            raise bundle_error(f"There is no run of the plan '{plan_name}' in '{state}' to continue.")
        if operation.document["bundle"] != archive.digest(archive.pack(site.bundle)):
            raise bundle_error(
                "The bundle has changed since that run. Run the plan again from its beginning, or from a phase: "
                "--resume-from PHASE. Objects "
                "that are already as wanted are left alone."
            )
        _ended(runner_of(site).run(operation, operation.again()), again)


def _ended(operation: Operation, again: str) -> None:
    status, name = operation.document["status"], operation.document["plan"]["name"]
    if status == StepStatus.SUCCEEDED:
        typer.echo(f"Succeeded: {name}")
        return
    complain([operation.document["error"]["message"]])
    typer.echo(f"{status}: {name}. To go on: {again}")
    raise typer.Exit(FAILED)
