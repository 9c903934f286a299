"""`cluster`: the clusters of the site."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from phases import output
from phases.commands.command_options import FAILED, HERE, METADATA, Bundle, Metadata, Output, TheClusters, read_site
from phases.output import Format
from shared.bundles.problems import bundle_error
from shared.json_object import Json
from shared.openshift.client import NotDone
from shared.phase_documents import site_views

if TYPE_CHECKING:
    from phases.local.phase_runs import Runner


cluster_app = typer.Typer(help="The clusters of the site.", no_args_is_help=True)


@cluster_app.command("list")
def cluster_list(bundle: Bundle = HERE, metadata: Metadata = METADATA, form: Output = Format.TABLE) -> None:
    """List the clusters of a site."""
    rows = [site_views.cluster_row(one) for one in read_site(bundle, metadata).cluster_map.clusters.values()]
    output.show(rows, ("name", "kubeconfigContext", "parentCluster", "kubeconfigSources"), form)


@cluster_app.command("get-kubeconfig")
def cluster_get_kubeconfig(
    names: TheClusters = None,
    bundle: Bundle = HERE,
    metadata: Metadata = METADATA,
    file: Annotated[Path | None, typer.Option("--file", "-f", help="Write it here instead of printing it.")] = None,
) -> None:
    """Print one kubeconfig for the clusters, with a context for each; for one cluster it is the current context."""
    from phases.commands import runs  # noqa: PLC0415 - see there

    site = read_site(bundle, metadata)
    merged = runs.kubeconfigs_of(site).merged(list(names or ()))
    written = output.text(merged, Format.YAML)
    if file is None:
        typer.echo(written, nl=False)
        return
    try:
        file.touch(mode=0o600)
        file.chmod(0o600)
        file.write_text(written, encoding="utf-8")
    except OSError as error:
        raise bundle_error(f"{file} cannot be written: {error.strerror}.") from error
    typer.echo(f"{file}: {', '.join(one['name'] for one in merged['contexts'])}")


@cluster_app.command("status")
def cluster_status(
    names: TheClusters = None,
    bundle: Bundle = HERE,
    metadata: Metadata = METADATA,
    form: Output = Format.TABLE,
) -> None:
    """Say which clusters answer, and with which version."""
    from phases.commands import runs  # noqa: PLC0415 - see there

    site = read_site(bundle, metadata)
    runner = runs.runner_of(site)
    rows = [_status_row(runner, name) for name in names or site.cluster_map.clusters]
    output.show(rows, ("name", "status", "version", "message"), form)
    if any(row["status"] != "Ready" for row in rows):
        raise typer.Exit(FAILED)


def _status_row(runner: "Runner", name: str) -> Json:
    try:
        version = runner.cluster(name).version()
    except NotDone as error:
        return {"name": name, "status": "NotReady", "version": "", "message": str(error)}
    return {"name": name, "status": "Ready", "version": version, "message": ""}
