"""What the commands share: options, the site that they read, exit codes, and how problems are told."""

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from phases.local.operations import FOLDER
from phases.output import Format
from shared.bundles import archive
from shared.bundles.problems import BundleError, bundle_error
from shared.phase_documents import kinds, site
from shared.phase_documents.documents import Phase, PhasePlan
from shared.phase_documents.schemas import SECONDS
from shared.phase_documents.site import Site

# What the shell gets to know.
DONE, FAILED, WRONG = 0, 1, 2
EXIT_CODES = f"Exit codes: {DONE} done, {FAILED} the run failed, {WRONG} the bundle or the command is wrong."

Bundle = Annotated[
    Path,
    typer.Option("--bundle", help="The folder that holds the site, with all that it is made from.", file_okay=False),
]
Metadata = Annotated[str, typer.Option("--metadata", help="The metadata file, as a path in the bundle.")]
Output = Annotated[Format, typer.Option("--output", "-o", help="How to print.")]
Namespace = Annotated[str, typer.Option("--namespace", "-n", help="Namespace of the document.")]
ThePhase = Annotated[str, typer.Argument(help="The phase.")]
ThePlan = Annotated[str, typer.Argument(help="The plan.")]
TheClusters = Annotated[list[str] | None, typer.Argument(help="The clusters; all of the site by default.")]
State = Annotated[Path, typer.Option("--state", help="The folder that keeps what was run.", file_okay=False)]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Tell what would be made, changed or refused; change nothing.")]
Wait = Annotated[
    int | None,
    typer.Option(
        "--wait-timeout",
        min=0,
        max=SECONDS["maximum"],
        help="Seconds to wait for objects, instead of what the executor says; 0: none.",
    ),
]
HERE = Path()
METADATA = site.METADATA_FILE
KEPT = Path(FOLDER)


def complain(lines: Iterable[str], how: str = "error") -> None:
    """Print problems, a line each, where errors go.

    Args:
        lines: the problems.
        how: how bad they are.
    """
    console = Console(stderr=True, soft_wrap=True, highlight=False)
    for line in lines:
        console.print(f"{how}: {line}", markup=False)


def read_site(bundle: Path, metadata: str) -> Site:
    """Read the site; what the service would refuse is refused here, too."""
    if not bundle.is_dir():
        raise bundle_error(f"There is no folder '{bundle}'.")
    archive.pack(bundle)
    return site.load(bundle, metadata)


def report(found: Site, phases: list[Phase], plans: list[PhasePlan]) -> None:
    """Raise the problems of phases and plans; print what else is wrong with the site as warnings.

    Raises:
        BundleError: there are some.
    """
    problems = kinds.problems(found, phases, plans)
    complain(map(str, kinds.warnings(found, problems)), "warning")
    if problems:
        raise BundleError(problems)
