"""`make rehearse`: create a cluster with a real `openshift-install`, run its bootstrap stages with real programs."""

import argparse
import signal
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from azure.core.exceptions import AzureError
from kubernetes.client import ApiException
from rich.console import Console
from rich.markup import escape
from urllib3.exceptions import HTTPError

from demo import customer, nodes, openshift_install, platform
from demo.openshift_install import Installer, InstallerError
from tools.rehearse import create, machine, programs
from tools.rehearse.create import CreateError
from tools.rehearse.machine import MachineError, Stage
from tools.rehearse.programs import ProgramsError

ACCEPTED, REFUSED, MISSING = 0, 1, 2
_MARKS = {"accepted": "[green]accepted[/]", "failed": "[red]failed[/]  ", "left out": "[yellow]left out[/]"}


def main() -> int:
    """Rehearse; return the exit code: 0 if all was accepted, 1 if not, 2 if something to rehearse with is missing."""
    options = _options()
    console = Console(highlight=False, soft_wrap=True, width=None if sys.stdout.isatty() else 110)
    # Closing the terminal ends the rehearsal like Ctrl-C: everything is stopped.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        if options.programs:
            programs.check(options.programs)
            machine.check()
        if options.ignition:
            return _rehearse_stages([options.ignition.read_text(encoding="utf-8")], options, console)
        installer = openshift_install.read(options.installer)
    except (InstallerError, MachineError, ProgramsError, OSError, UnicodeDecodeError) as error:
        console.print(f"Nothing was rehearsed: {error}", markup=False)
        return MISSING
    try:
        return _rehearse(installer, options, console)
    except (CreateError, InstallerError, platform.PlatformError, AzureError, OSError) as error:
        console.print(f"Refused: {error}", markup=False)
    except (ApiException, HTTPError) as error:
        console.print(f"The cluster's API did not answer: {error}", markup=False)
    except KeyboardInterrupt:
        console.print("Interrupted; everything is stopped.")
    return REFUSED


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tools.rehearse", description=(__doc__ or "").partition(": ")[2])
    parser.add_argument("--installer", type=Path, help="an openshift-install of the release")
    parser.add_argument("--programs", type=Path, help="folder with the release's programs; the stages need it")
    parser.add_argument("--ignition", type=Path, help="run only the stages of this bootstrap.ign")
    parser.add_argument("--state", type=Path, default=Path(".local/rehearsal"), help="folder of the rehearsal")
    parser.add_argument("--time-scale", type=float, default=40, help="how many times faster than Azure (default 40)")
    options = parser.parse_args()
    if options.ignition and not options.programs:
        parser.error("PROGRAMS is missing, the folder with the release's programs: --ignition takes --programs too")
    if not (options.ignition or options.installer):
        parser.error(
            "INSTALLER is missing, the path of an openshift-install: docs/rehearsal.md says how to get it, and the "
            "other programs of its release"
        )
    return options


def _rehearse(installer: Installer, options: argparse.Namespace, console: Console) -> int:
    """Create a cluster, rehearse its bootstrap machine, look into the cluster, delete it."""
    console.print(f"OpenShift {installer.version}, {installer.pullspec}", markup=False)
    state = options.state / "azure"
    with create.local_azure(state, options.time_scale, installer) as person:
        console.print(f"\nCreating the cluster {person.cluster_id}")
        created = _follow(person, create.begin(person), console)
        code = _rehearse_stages(create.ignition(state), options, console)
        if created:
            console.print("\nIts nodes, read with the kubeconfig of listAdminCredentials:")
            console.print(nodes.table(create.read_nodes(person, options.state / "kubeconfig")))
        console.print("\nDeleting the cluster")
        create.follow(person, *customer.begin_delete(person), console)
    return code if created else REFUSED


def _follow(person: customer.Customer, begun: tuple[str, Any], console: Console) -> bool:
    try:
        create.follow(person, *begun, console)
    except CreateError as error:
        console.print(f"\n[red]The create failed:[/] {escape(str(error))}")
        return False
    console.print("The create succeeded.")
    return True


def _rehearse_stages(texts: list[str], options: argparse.Namespace, console: Console) -> int:
    console.print("\nThe bootstrap machine, stage by stage:")
    if not options.programs:
        console.print("  left out: PROGRAMS is missing, the folder with the release's programs")
        return ACCEPTED
    if not texts:
        console.print("  left out: no bootstrap machine has fetched its ignition")
        return REFUSED
    for program in programs.missing(options.programs):
        console.print(f"  not given: {program.name}, {program.path} of its image", markup=False)
    try:
        bootstrap = machine.Machine(options.state / "machine", texts, options.programs)
        failed = _show(bootstrap.rehearse(), console) + _show(bootstrap.run_static_pods(), console)
    except (MachineError, ProgramsError) as error:
        console.print(f"  {error}", markup=False)
        return REFUSED
    console.print(f"Its files: {options.state / 'machine'}, what it printed: {options.state / 'bootkube.log'}")
    return REFUSED if failed else ACCEPTED


def _show(stages: Iterable[Stage], console: Console) -> int:
    """Print what came of stages; return how many failed."""
    failed = 0
    for stage in stages:
        failed += stage.verdict == "failed"
        console.print(f"  {_MARKS[stage.verdict]}  {stage.name}")
        for line in (*stage.said, *([stage.reason] if stage.reason else [])):
            console.print(f"            {line}", markup=False)
    return failed


if __name__ == "__main__":
    sys.exit(main())
