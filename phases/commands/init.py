"""`init`: a small site to begin with."""

import json
import re
import shutil
from pathlib import Path
from typing import Annotated

import typer

from shared.bundles.problems import bundle_error
from shared.phase_documents.schemas import NAME

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "site"
# Where the example says which cluster it is for, by file: the text, and what takes its place.
_CLUSTER, _KUBECONFIG = "demo", ".local/demo/kubeconfig"
_PLACES = (
    ("phases/phases.yaml", f"clusterName: {_CLUSTER}", "clusterName: {cluster}"),
    ("phases/clusters.yaml", f"\n  {_CLUSTER}:\n", "\n  {cluster}:\n"),
    ("phases/clusters.yaml", f"path: {_KUBECONFIG}", "path: {kubeconfig}"),
)


def init(
    folder: Annotated[Path, typer.Argument(help="The folder of the new site.")],
    kubeconfig: Annotated[
        Path,
        typer.Option(
            "--kubeconfig", help="The kubeconfig of the cluster. A relative path is seen from where commands run."
        ),
    ],
    cluster: Annotated[str, typer.Option("--cluster", help="The name of the cluster in the site.")] = _CLUSTER,
) -> None:
    """Write a small site, a plan of two phases for one cluster, to begin with."""
    if folder.exists():
        raise bundle_error(f"'{folder}' exists already. Name a folder that does not.")
    if not re.fullmatch(NAME["pattern"], cluster):
        raise bundle_error(f"'{cluster}' is not the name of a cluster. Use letters, digits, and - . _ between them.")
    shutil.copytree(EXAMPLE, folder)
    # A text of JSON is one of YAML, whatever is in it.
    words = {"cluster": json.dumps(cluster), "kubeconfig": json.dumps(str(kubeconfig), ensure_ascii=False)}
    for name, text, template in _PLACES:
        file = folder / name
        file.write_text(file.read_text(encoding="utf-8").replace(text, template.format(**words)), encoding="utf-8")
    typer.echo(
        f"Wrote {folder}. Next:\n"
        f"  python -m phases plan validate first --bundle {folder}\n"
        f"  python -m phases plan run first --bundle {folder} --dry-run"
    )
