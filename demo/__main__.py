"""`make demo`: create a cluster on this machine as a customer would, look into it, delete it, stop everything."""

import argparse
import logging
import signal
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from azure.core.exceptions import AzureError, HttpResponseError
from kubernetes.client import ApiException
from rich.console import Console
from urllib3.exceptions import HTTPError

from demo import customer, nodes, openshift_install, platform, report, terminal_commands, timeline, watch
from demo.customer import Customer

SUCCESS, FAILURE = 0, 1
SUCCEEDED = "Succeeded"
FASTEST = 1000
TOLD = """\
What happens:
  1. The local Azure starts: Azure Resource Manager, Entra ID, Key Vault, Cosmos DB, storage, DNS, machines and the
     Functions host, all on this machine, with the resource provider in it. Nothing leaves the machine.
  2. A customer registers the provider, makes a virtual network with two subnets, and assigns two roles on it.
  3. The customer creates a cluster with the public SDK, azure-mgmt-redhatopenshift. Each step is shown with what it
     waits for: permissions, names, storage, network, certificates, virtual machines that boot with their ignition,
     a control plane, workers, ingress, console. Microsoft's own service takes about 50 minutes for that; the local
     Azure has the latencies of 36, divided by the time scale.
  4. The service tells kubeadmin's password (listCredentials) and an administrator's kubeconfig
     (listAdminCredentials), with which the Python client of Kubernetes reads the cluster's nodes.
  5. The cluster is deleted, and everything stops. The state stays in the folder: `explain` and `logs` read it.

Things to try:
  python -m demo --keep                  stay, and look around with kubectl and az
  python -m demo --time-scale 200        faster; below about 15 s the machine's own work shows
  python -m demo --without-permissions   see a create fail, and say what to do
  python -m demo --without-permissions --resume
                                         see it fail, get its roles, and continue where it stopped
"""


def main() -> int:
    """Run the demonstration; return the exit code."""
    options = _options()
    # A file or a pipe has no width, and a table that is cut off cannot be read.
    console = Console(highlight=False, soft_wrap=True, width=None if sys.stdout.isatty() else 110)
    kept = platform.is_kept(options.state)
    if options.continues and not kept:
        console.print(f"No demo was kept in {options.state}: begin with --keep.", markup=False)
        return FAILURE
    if kept and not options.continues:
        _print_lines(console, terminal_commands.refusal(options.state))
        return FAILURE
    # Closing the terminal ends the demonstration like Ctrl-C: everything is stopped.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        installer = openshift_install.read(options.installer) if options.installer else None
        with openshift_install.placed(installer), _platform(options, console) as endpoints:
            if installer is not None:
                openshift_install.offer(endpoints, installer)
            return _run(Customer(endpoints, version=installer.version if installer else ""), console, options)
    except openshift_install.InstallerError as error:
        console.print(f"The installer cannot be used: {error}", markup=False)
    except platform.PlatformError as error:
        console.print(f"The local Azure did not start:\n{error}", markup=False)
    except (AzureError, OSError) as error:
        console.print(f"Azure refused a call: {error}", markup=False)
        _advise(console, options)
    except (ApiException, HTTPError) as error:
        console.print(f"The cluster's API did not answer: {error}", markup=False)
        _advise(console, options)
    except KeyboardInterrupt:
        console.print("Interrupted.")
    return FAILURE


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m demo",
        description=(__doc__ or "").split(": ", 1)[-1],
        epilog=TOLD,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--time-scale", type=_time_scale, default=60, help="how many times faster than Azure (default 60)"
    )
    parser.add_argument("--state", type=Path, default=Path(".local/demo"), help="folder of this local Azure's state")
    parser.add_argument(
        "--installer",
        type=Path,
        help="an openshift-install of a release, which makes the cluster instead of a stand-in",
    )
    parser.add_argument(
        "--timeline", type=Path, default=Path(".local/create.svg"), help="where the picture of the create is written"
    )
    parser.add_argument(
        "--keep", action="store_true", help="leave cluster and local Azure running, and print how to use them"
    )
    parser.add_argument(
        "--without-permissions",
        action="store_true",
        help="give the cluster's principal no role on the network, to see how a failed create explains itself",
    )
    parser.add_argument(
        "--resume",
        action="store_true",
        help="when that has failed, assign the roles and send the same request again, which continues where it "
        "stopped. Without --without-permissions: continue a demo that was kept",
    )
    options = parser.parse_args()
    # A demo that was kept stays kept.
    options.continues = options.resume and not options.without_permissions
    options.keep |= options.continues
    return options


def _time_scale(text: str) -> float:
    scale = float(text)
    if not 0 < scale <= FASTEST:
        raise argparse.ArgumentTypeError(f"must be more than 0, and {FASTEST} at most")
    return scale


@contextmanager
def _platform(options: argparse.Namespace, console: Console) -> Iterator[dict[str, Any]]:
    began = time.monotonic()
    console.print("Starting the local Azure ...")
    start = platform.resume if options.continues else platform.start
    try:
        endpoints = start(options.state, options.time_scale)
        console.print(
            f"Up after {time.monotonic() - began:.1f} s, {endpoints['time_scale']:g} times faster than Azure."
        )
        _log_to(options.state / "logs" / "demo.log")
        if options.keep:
            platform.keep(options.state)
        platform.lead_there(endpoints)
        yield endpoints
    finally:
        if not options.keep:
            platform.stop(options.state)
            console.print("Stopped the local Azure.")
        elif platform.runs(options.state):
            _print_lines(console, terminal_commands.ending(options.state))


def _log_to(path: Path) -> None:
    """Send what libraries log and warn of to a file, which `emulator logs` reads: nobody who watches can act on it."""
    handler = logging.FileHandler(path, encoding="utf-8", delay=True)
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    logging.getLogger().addHandler(handler)
    logging.captureWarnings(True)


def _print_lines(console: Console, lines: Iterable[str]) -> None:
    console.print()
    for line in lines:
        console.print(line, markup=False)


def _run(person: Customer, console: Console, options: argparse.Namespace) -> int:
    operations = watch.Operations(person.endpoints, person.cluster_id)
    if options.continues:
        state = person.clusters().get(person.group, person.cluster).properties.provisioning_state
        succeeded = state == SUCCEEDED or _resume(person, operations, console, options)
    else:
        _prepare(person, console, options)
        console.print(f"\nCreating the cluster {person.cluster_id}")
        succeeded = _create(person, operations, console, options, options.timeline)
        if not succeeded and options.without_permissions and options.resume:
            succeeded = _resume(person, operations, console, options)
    if not succeeded:
        if options.keep:
            _print_lines(console, terminal_commands.remedy(person, options.state))
        elif options.without_permissions and not options.resume:
            console.print("\nAdd --resume to see it continue after it has got its roles.")
        return FAILURE
    kubeconfig = _look_into(person, console, options.state)
    console.print(f"\nAll processes together hold {platform.memory(person.endpoints):.0f} MiB.")
    if options.keep:
        _print_lines(console, terminal_commands.lines(person, options.state, kubeconfig))
        return SUCCESS

    console.print("\nDeleting the cluster")
    operation_id, poller = customer.begin_delete(person)
    deleted = watch.follow(operations, operation_id, poller, console)
    return SUCCESS if _succeeded(poller, deleted, console, options) else FAILURE


def _prepare(person: Customer, console: Console, options: argparse.Namespace) -> None:
    """Do what comes before a create: register the provider, make the network, assign the roles."""
    principals = [person.endpoints["rp_object_id"]]
    if not options.without_permissions:
        principals.append(person.principal["object_id"])
    steps: tuple[tuple[str, Callable[[], None]], ...] = (
        ("Registering Microsoft.RedHatOpenShift", lambda: customer.register_provider(person, lambda: time.sleep(0.2))),
        ("Creating the resource group, the virtual network and two subnets", lambda: customer.create_network(person)),
        ("Assigning roles on the virtual network", lambda: customer.assign_roles(person, principals)),
    )
    for what, work in steps:
        began = time.monotonic()
        console.print(f"{what} ...", end="")
        work()
        console.print(f" {time.monotonic() - began:.1f} s")


def _create(
    person: Customer, operations: watch.Operations, console: Console, options: argparse.Namespace, picture: Path
) -> bool:
    """Send the create and follow it; write its picture, and tell whether it ended well."""
    operation_id, poller = customer.begin_create(person)
    created = watch.follow(operations, operation_id, poller, console)
    picture.parent.mkdir(parents=True, exist_ok=True)
    picture.write_text(timeline.render(created), encoding="utf-8")
    console.print(f"\n{report.headline(created)}", markup=False)
    console.print(f"A picture of it, with every wait: {picture}", markup=False)
    if not _succeeded(poller, created, console, options):
        return False
    console.print("\nWhat was done, and how long it took:")
    console.print(watch.table(created))
    before = [step["name"] for step in created["steps"] if report.is_carried(step)]
    if before:
        told = f"{len(before)} steps were done before it failed, and not repeated: {', '.join(before)}."
        console.print(f"\n{told}", markup=False)
    return True


def _resume(person: Customer, operations: watch.Operations, console: Console, options: argparse.Namespace) -> bool:
    """Assign all roles and send the same request again; tell whether the create ended well."""
    console.print("\nAssigning the roles on the virtual network, and sending the same request again")
    customer.assign_roles(person, [person.endpoints["rp_object_id"], person.principal["object_id"]])
    picture = options.timeline.with_stem(f"{options.timeline.stem}-resumed")
    return _create(person, operations, console, options, picture)


def _look_into(person: Customer, console: Console, state: Path) -> Path:
    """Show the cluster's addresses, its first user, and its nodes; return the path of the written kubeconfig."""
    properties = person.clusters().get(person.group, person.cluster).properties
    user, password = customer.credentials(person)
    told = {
        "console": properties.console_profile.url,
        "API": properties.apiserver_profile.url,
        "user": user,
        "password": password,
        "version": properties.cluster_profile.version,
    }
    console.print("\nThe cluster is up:")
    for name, value in told.items():
        console.print(f"  {name:9} {value}", markup=False)
    console.print("The console is a page that stands for it: a local cluster runs no containers.")
    kubeconfig = state / "kubeconfig"
    nodes.write(customer.admin_kubeconfig(person), kubeconfig)
    console.print(f"\nIts nodes, read with the kubeconfig of listAdminCredentials ({kubeconfig}):")
    console.print(nodes.table(nodes.read(kubeconfig)))
    return kubeconfig


def _succeeded(poller: Any, operation: dict[str, Any], console: Console, options: argparse.Namespace) -> bool:
    """Tell whether an operation ended well; if not, say what failed, why, and what to do."""
    try:
        poller.result()
    except HttpResponseError as error:
        console.print(f"\n[red]The operation {operation['name']} failed.[/]")
        for line in _error_lines(operation.get("error") or {"code": "Unknown", "message": str(error)}):
            console.print(line, markup=False)
        _advise(console, options, operation["name"])
        return False
    return True


def _error_lines(error: dict[str, Any], indent: str = "") -> Iterator[str]:
    """Yield an error and its details, except what the error itself has said already."""
    target = f" ({error['target']})" if error.get("target") else ""
    yield f"{indent}{error['code']}{target}: {error['message']}"
    for detail in error.get("details") or ():
        if detail["code"] != error["code"] or detail["message"] not in error["message"]:
            yield from _error_lines(detail, indent + "  ")


def _advise(console: Console, options: argparse.Namespace, operation_id: str = "") -> None:
    """Say where to find more. The state stays after a failure."""
    if operation_id:
        console.print("Every step and call of it:", soft_wrap=True)
        console.print(f"  {sys.executable} -m emulator explain {operation_id} --state {options.state}", markup=False)
    console.print("The logs of all processes:")
    console.print(f"  {sys.executable} -m emulator logs --state {options.state}", markup=False)


if __name__ == "__main__":
    sys.exit(main())
