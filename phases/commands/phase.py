"""`phase`: one phase."""

from typing import Annotated

import typer

from orchestrators.plans import PLANS
from phases import output
from phases.commands import builtin_plans
from phases.commands.command_options import (
    FAILED,
    HERE,
    KEPT,
    METADATA,
    Bundle,
    DryRun,
    Metadata,
    Namespace,
    Output,
    State,
    ThePhase,
    Wait,
    read_site,
    report,
)
from phases.commands.selectors import Selection
from phases.output import Format
from shared.bundles.problems import bundle_error
from shared.phase_documents import entry_points, site_views
from shared.phase_documents.documents import Name
from shared.phase_documents.site import Site

phase_app = typer.Typer(help="One phase: what it is, what it renders, whether it is right.", no_args_is_help=True)


@phase_app.command("list")
def phase_list(
    bundle: Bundle = HERE,
    metadata: Metadata = METADATA,
    plan: Annotated[str, typer.Option("--plan", help="Only the phases of this plan, in its order.")] = "",
    cluster: Annotated[str, typer.Option("--cluster", "-c", help="Only the phases on this cluster.")] = "",
    *,
    namespace: Annotated[
        str, typer.Option("--namespace", "-n", help="Namespace of the plan; 'builtin': one of the service.")
    ] = "",
    form: Output = Format.TABLE,
) -> None:
    """List the phases of a site, or of a plan that the service has itself, if the site has none of that name."""
    site = (
        None
        if builtin_plans.no_site(bundle, metadata) or namespace == builtin_plans.NAMESPACE
        else read_site(bundle, metadata)
    )
    if plan in PLANS and namespace in ("", builtin_plans.NAMESPACE) and not _has_plan(site, plan):
        if cluster:
            raise bundle_error(f"The plan '{plan}' is the service's: its phases are on no cluster of a site.")
        output.show(builtin_plans.phases(plan), builtin_plans.ROW_COLUMNS, form)
        return
    site = site or read_site(bundle, metadata)
    phases = (
        [site.phase(name.name, name.namespace) for name in site.plan(plan, namespace).phases]
        if plan
        else [*site.phases.values()]
    )
    if cluster and cluster not in site.cluster_map.clusters:
        raise bundle_error(
            f"There is no cluster '{cluster}'. There are: {', '.join(site.cluster_map.clusters) or 'none'}."
        )
    rows = [site_views.phase_row(phase) for phase in phases if cluster in ("", phase.cluster)]
    output.show(rows, ("namespace", "name", "clusterName", "executor", "docEntrypoint"), form)


def _has_plan(site: Site | None, plan: str) -> bool:
    return site is not None and Name("", plan) in site.plans


@phase_app.command("tree")
def phase_tree(
    name: Annotated[str, typer.Argument(help="A phase, or the path of a kustomize root in the bundle.")],
    bundle: Bundle = HERE,
    metadata: Metadata = METADATA,
    namespace: Namespace = "",
) -> None:
    """Show what an entry point is made from."""
    path = name
    if "/" not in name:
        site = read_site(bundle, metadata)
        if Name(namespace, name) in site.phases or not (bundle / name).is_dir():
            path = site.entry_point(site.phase(name, namespace)) or "."
    typer.echo(output.tree(entry_points.tree(bundle, path)))


@phase_app.command("render")
def phase_render(
    name: Annotated[str, typer.Argument(help="The phase; left out with --source config.")] = "",
    bundle: Bundle = HERE,
    metadata: Metadata = METADATA,
    namespace: Namespace = "",
    *,
    source: Annotated[
        str,
        typer.Option("--source", "-s", help="phase: its documents; executor: its executor; config: the phase bundle."),
    ] = "phase",
    label: Annotated[
        list[str] | None,
        typer.Option("--label", "-l", help="Only with these labels: app=agent,tier!=web,owner,!draft."),
    ] = None,
    annotation: Annotated[
        list[str] | None, typer.Option("--annotation", "-a", help="The same for annotations.")
    ] = None,
    api_version: Annotated[str, typer.Option("--apiversion", "-g", help="Only of this API version.")] = "",
    kind: Annotated[str, typer.Option("--kind", "-k", help="Only of this kind.")] = "",
    form: Output = Format.YAML,
) -> None:
    """Print the documents of a phase, with the values of Secrets masked."""
    selection = Selection(kind, api_version, tuple(label or ()), tuple(annotation or ()))
    site = read_site(bundle, metadata)
    output.documents(filter(selection.has, site_views.documents(site, source, Name(namespace, name))), form)


@phase_app.command("validate")
def phase_validate(
    name: ThePhase,
    bundle: Bundle = HERE,
    metadata: Metadata = METADATA,
    namespace: Namespace = "",
) -> None:
    """Say everything that is wrong with a phase, or that it is right."""
    site = read_site(bundle, metadata)
    report(site, [site.phase(name, namespace)], [])
    typer.echo(f"The phase '{name}' is right.")


@phase_app.command("run")
def phase_run(
    name: ThePhase,
    bundle: Bundle = HERE,
    metadata: Metadata = METADATA,
    namespace: Namespace = "",
    *,
    state: State = KEPT,
    dry_run: DryRun = False,
    wait_timeout: Wait = None,
) -> None:
    """Run a phase. Ctrl-C cancels it: nothing more is changed."""
    from phases.commands import runs  # noqa: PLC0415 - see there

    site = read_site(bundle, metadata)
    phase = site.phase(name, namespace)
    report(site, [phase], [])
    again = f"phase run {name}" + (f" --namespace {namespace}" if namespace else "")
    runs.begin(site, f"phase-{phase.name}", [phase], state, again=again, dry_run=dry_run, wait_timeout=wait_timeout)


@phase_app.command("status")
def phase_status(
    name: ThePhase,
    bundle: Bundle = HERE,
    metadata: Metadata = METADATA,
    namespace: Namespace = "",
) -> None:
    """Say whether the objects of a phase are what they should be."""
    from phases.commands import runs  # noqa: PLC0415 - see there

    site = read_site(bundle, metadata)
    phase = site.phase(name, namespace)
    report(site, [phase], [])
    outcome = runs.runner_of(site).status(phase)
    if outcome is None:
        typer.echo(f"The phase '{name}' is done: its objects are current.")
        return
    typer.echo(f"The phase '{name}' is not done: {outcome.get('message', '')}")
    raise typer.Exit(FAILED)
