"""`plan`: phases in order."""

from typing import Annotated

import typer

from orchestrators.plans import PLANS
from phases import output
from phases.commands import builtin_plans
from phases.commands.command_options import (
    HERE,
    KEPT,
    METADATA,
    Bundle,
    DryRun,
    Metadata,
    Namespace,
    Output,
    State,
    ThePlan,
    Wait,
    read_site,
    report,
)
from phases.local.operations import INTERRUPTED, Operations
from phases.output import Format
from shared.bundles.problems import bundle_error
from shared.phase_documents import site_views
from shared.phase_documents.documents import Name
from shared.steps import FINISH, StepStatus

plan_app = typer.Typer(help="Plans: phases in order.", no_args_is_help=True)


@plan_app.command("list")
def plan_list(bundle: Bundle = HERE, metadata: Metadata = METADATA, form: Output = Format.TABLE) -> None:
    """List the plans of a site, and those that the service has itself; where no site is, only those."""
    plans = {} if builtin_plans.no_site(bundle, metadata) else read_site(bundle, metadata).plans
    rows = [site_views.plan_row(plan) for plan in plans.values()]
    rows += builtin_plans.plans()
    output.show(rows, ("namespace", "name", "description"), form)


@plan_app.command("validate")
def plan_validate(
    name: ThePlan,
    bundle: Bundle = HERE,
    metadata: Metadata = METADATA,
    namespace: Namespace = "",
) -> None:
    """Say everything that is wrong with a plan and its phases, or that it is right."""
    site = read_site(bundle, metadata)
    plan = site.plan(name, namespace)
    report(site, [site.phases[phase] for phase in plan.phases if phase in site.phases], [plan])
    typer.echo(f"The plan '{name}' is right: {len(plan.phases)} phases.")


@plan_app.command("run")
def plan_run(
    name: ThePlan,
    bundle: Bundle = HERE,
    metadata: Metadata = METADATA,
    namespace: Namespace = "",
    *,
    state: State = KEPT,
    dry_run: DryRun = False,
    wait_timeout: Wait = None,
    resume_from: Annotated[str, typer.Option("--resume-from", help="Begin with this phase of the plan.")] = "",
    resume: Annotated[
        bool, typer.Option("--resume", help="Continue the last run of the plan, if the bundle is still the same.")
    ] = False,
) -> None:
    """Run the phases of a plan. Ctrl-C cancels it: nothing more is changed."""
    if namespace == builtin_plans.NAMESPACE:
        if name not in PLANS:
            raise bundle_error(f"The service has no plan '{name}' of its own. It has: {', '.join(PLANS)}.")
        raise bundle_error(f"A request on a cluster runs the plan '{name}'. To try it: aroctl try {name} CLUSTER.")
    others = {"--dry-run": dry_run, "--wait-timeout": wait_timeout is not None, "--resume-from": resume_from}
    forgotten = [option for option, value in others.items() if value]
    if resume and forgotten:
        options = ", ".join(forgotten)
        raise bundle_error(f"--resume continues a run as it began; it does not go together with {options}.")
    from phases.commands import runs  # noqa: PLC0415 - see there

    site = read_site(bundle, metadata)
    plan = site.plan(name, namespace)
    phases = [site.phases[phase] for phase in plan.phases if phase in site.phases]
    report(site, phases, [plan])
    again = f"plan run {name} --resume" + (f" --namespace {namespace}" if namespace else "")
    if resume:
        runs.resume_last(site, str(plan.name), state, again)
    else:
        runs.begin(
            site,
            str(plan.name),
            phases,
            state,
            again=again,
            dry_run=dry_run,
            wait_timeout=wait_timeout,
            resume_from=resume_from,
        )


@plan_app.command("status")
def plan_status(
    name: ThePlan,
    state: State = KEPT,
    namespace: Namespace = "",
    form: Output = Format.TABLE,
) -> None:
    """Show how far the last run of a plan came. After a kill it is Interrupted: `plan run --resume` goes on."""
    name = str(Name(namespace, name))
    operations = Operations(state)
    operation = operations.last(name)
    if operation is None:
        raise bundle_error(f"There is no run of the plan '{name}' in '{state}'.")
    # What the record calls running, while nothing runs it.
    corrected = {StepStatus.RUNNING: INTERRUPTED} if operations.interrupted(operation) else {}
    items = {item["step"]: item for item in operation.items()}
    skipped = operation.document["plan"].get("done", [])
    rows = []
    for row in operation.document["plan"]["rows"]:
        if row["name"] == FINISH:
            continue
        item = items.get(row["name"])
        waiting = "Skipped" if row["name"] in skipped else "Waiting"
        rows.append(
            {
                "phase": row["name"],
                "status": corrected.get(item["status"], item["status"]) if item else waiting,
                "since": item["startTime"] if item else "",
                "message": item["message"] if item else "",
            }
        )
    status = operation.document["status"]
    report = {**operation.document, "plan": name, "status": corrected.get(status, status), "phases": rows}
    if form is Format.TABLE:
        typer.echo(f"{report['status']}: {name}, begun {report['startTime']}")
        output.show(rows, ("phase", "status", "since", "message"), form)
    else:
        members = ("plan", "status", "startTime", "endTime", "error", "phases")
        typer.echo(output.text({member: report[member] for member in members if member in report}, form), nl=False)
