"""A create on a local Azure, whose graph the rehearsed `openshift-install` makes as it would in Azure."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from azure.core.exceptions import HttpResponseError
from rich.console import Console

from demo import customer, nodes, openshift_install, platform, watch
from demo.customer import Customer
from demo.openshift_install import Installer
from emulator.core.clock import Clock
from emulator.core.platform import Platform
from emulator.core.world import World
from emulator.openshift.cluster.records import Records

NAME = "rehearsal"


class CreateError(Exception):
    """The create cannot begin, or has failed; the message says why."""


@contextmanager
def local_azure(state: Path, time_scale: float, installer: Installer) -> Iterator[Customer]:
    """Run a local Azure that offers the installer's version, with a customer whose network is ready.

    Args:
        state: folder of the local Azure.
        time_scale: how many times faster it is than Azure.
        installer: the program; the service finds it in the folder for temporary files, where it keeps a fetched one.

    Raises:
        InstallerError: if the catalogue refuses the version.
        PlatformError: if the local Azure does not start.
    """
    with openshift_install.placed(installer):
        try:
            endpoints = platform.start(state, time_scale)
            platform.lead_there(endpoints)
            openshift_install.offer(endpoints, installer)
            person = Customer(endpoints, group=NAME, cluster=NAME, version=installer.version)
            customer.register_provider(person, lambda: time.sleep(0.2))
            customer.create_network(person)
            customer.assign_roles(person, [endpoints["rp_object_id"], person.principal["object_id"]])
            yield person
        finally:
            platform.stop(state)


def begin(person: Customer) -> tuple[str, Any]:
    """PUT a cluster of the installer's version; return the operation's id and the SDK's poller.

    Raises:
        CreateError: if the version is not offered in time, or the request is refused.
    """
    try:
        return customer.begin_create(person)
    except HttpResponseError as error:
        raise CreateError(f"the create is refused: {error.message}") from None


def ignition(state: Path) -> list[str]:
    """Return the configs that the bootstrap machine has fetched; none if none has booted."""
    local = Platform(state, clock=Clock(), world=World())
    try:
        records = Records(local)
        return next((records.texts(record.id) for record in records.all()), [])
    finally:
        local.journal.close()
        local.store.close()


def follow(person: Customer, operation_id: str, poller: Any, console: Console) -> None:
    """Show an operation until it ends.

    Raises:
        CreateError: if it fails.
    """
    operation = watch.follow(watch.Operations(person.endpoints, person.cluster_id), operation_id, poller, console)
    try:
        poller.result()
    except HttpResponseError as error:
        said = operation.get("error") or {"code": "Unknown", "message": str(error)}
        details = [f"{each['code']}: {each['message']}" for each in said.get("details") or ()]
        raise CreateError("\n  ".join([said["message"], *details])) from None


def read_nodes(person: Customer, path: Path) -> list[Any]:
    """Return the cluster's nodes, read with the kubeconfig that the service hands out, which is written to a path."""
    nodes.write(customer.admin_kubeconfig(person), path)
    return nodes.read(path)
