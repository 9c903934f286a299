"""The back end `openshift-install`: OpenShift's own installer makes the graph, with this service's fields laid in.

It gets an install-config as its documentation has it. Between its manifests and its ignition configs, single fields of
its documents get this service's values (`fields.py`). The result is then read into the assets of our graph by the names
of the files, so that later readers find the same names. Only the kubeconfigs that the program does not know are ours,
signed by its signer.
"""

import json
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

from installer import all_assets, graph
from installer.back_end_errors import InstallerError, may_pass
from installer.graph import Asset, Content, Graph, Inputs
from installer.ignition import snippets
from installer.openshift_install import binary, fields, ignition_snippets, outputs
from installer.openshift_install.gateway import Azure, Gateway
from installer.openshift_install.ignition_snippets import READ
from installer.openshift_install.outputs import OTHERS
from installer.openshift_install.program import IGNITION_SECONDS, Program

WORK = "work with openshift-install"
# Assets that the program does not know; it has to make everything else that the targets need.
OURS = ("tls/aro-service", "tls/user-admin", "auth/aro/kubeconfig", "auth/user-admin/kubeconfig")


def _leaf(asset: Asset) -> Asset:
    """Return an asset that is not made here, so that its inputs are not made either."""
    return replace(asset, inputs=(), make=None)


_TABLE = {name: asset if name in OURS else _leaf(asset) for name, asset in all_assets.ASSETS.items()}
# In memory: private keys must not reach a disk.
_MEMORY = Path("/dev/shm")  # noqa: S108 - the folder is private
# The host ends a function after ten minutes, and the graph then still has to be sealed. The program asks Azure nine
# times for all VM sizes, and waits two minutes for each answer: it gets all the time that is left.
_SECONDS = 540
_WORK, _LEFT_SECONDS = "aro-openshift-install-", 3600
# The programs that this process has checked: the release, and what of the file would change with it.
_CHECKED: set[tuple[str, Path, int, int, int]] = set()


def make(inputs: Inputs, pool: Executor, azure: Callable[[], Azure]) -> Graph:
    """Make a graph with the program.

    Args:
        inputs: contents of `assets.GIVEN`.
        pool: threads that make our own assets.
        azure: returns what the program may use of Azure.

    Returns:
        The graph: the inputs, every asset of ours whose files the program has made, and the rest under `OTHERS`.

    Raises:
        InstallerError: naming the step.
        azure.core.exceptions.AzureError: if the program got no token.
    """
    until = time.monotonic() + _SECONDS
    file = ensure(inputs["release-image"], lambda: str(inputs["install-config"]["pullSecret"]))
    with _work_folder() as work, Gateway(azure()) as gateway:
        try:
            return _graph_of(_files(Program(file, work), inputs, gateway, until), inputs, pool)
        except InstallerError as error:
            raise gateway.failure or error from error


def is_checked(release: Content) -> bool:
    """Tell whether this process has checked the program of a release that is here now."""
    try:
        return _identity(release, binary.path(release)) in _CHECKED
    except OSError:
        return False


def ensure(release: Content, pull_secret: Callable[[], str]) -> Path:
    """Return the path of a release's program, after it was fetched, if it is missing, and checked once.

    Args:
        release: content of the input `release-image`.
        pull_secret: returns the cluster's, JSON; it is called only if a registry has to be asked.

    Raises:
        InstallerError: if it cannot be fetched, cannot be trusted, cannot be started, or belongs to another release.
    """
    file = binary.ensure(release, pull_secret)
    if not is_checked(release):
        identity = _identity(release, file)
        with _work_folder() as work:
            Program(file, work).expect_release(release)
        _CHECKED.add(identity)
    return file


def _identity(release: Content, file: Path) -> tuple[str, Path, int, int, int]:
    known = file.stat()
    return json.dumps(release, sort_keys=True), file, known.st_ino, known.st_size, known.st_mtime_ns


def _files(program: Program, inputs: Inputs, gateway: Gateway, until: float) -> dict[str, str]:
    """Run the program until a time of the monotonic clock; return the files that it leaves, by their paths here."""
    folder = program.assets
    program.prepare(inputs)
    program.create("manifests", int(until - time.monotonic()) - IGNITION_SECONDS, inputs, gateway)
    outputs.rename(folder, inputs["cluster-id"])
    outputs.lay(folder, fields.added(inputs) | fields.change(outputs.manifests(folder), inputs))
    program.create("ignition-configs", IGNITION_SECONDS, inputs, gateway)
    return outputs.read(folder)


def kept() -> list[str]:
    """Return the names of the assets that a graph of this back end always contains."""
    return [*graph.needed(_TABLE, (*(asset.name for asset in all_assets.GIVEN), *all_assets.TARGETS)), OTHERS]


@contextmanager
def _work_folder() -> Iterator[Path]:
    """Yield a private folder, which is removed in every case; the leftovers of a killed process are removed too.

    Raises:
        InstallerError: if it cannot be used: the memory is full, for example.
    """
    if not os.access(_MEMORY, os.W_OK | os.X_OK):
        cause = "the folder in memory cannot be written, and keys are kept nowhere else"
        raise InstallerError(WORK, cause, place=str(_MEMORY))
    for left in _MEMORY.glob(f"{_WORK}*"):
        with suppress(OSError):
            if left.stat().st_uid == os.geteuid() and time.time() - left.stat().st_mtime > _LEFT_SECONDS:
                shutil.rmtree(left)
    try:
        with tempfile.TemporaryDirectory(prefix=_WORK, dir=_MEMORY) as folder:
            yield Path(folder)
    except OSError as error:
        cause = f"its folder cannot be used ({error.strerror or type(error).__name__})"
        raise InstallerError(WORK, cause, passing=may_pass(error)) from None


def _graph_of(files: dict[str, str], inputs: Inputs, pool: Executor) -> Graph:
    """Return the graph of these files, with our own assets."""
    if missing := [f"{role}.ign" for role in snippets.ROLES if f"{role}.ign" not in files]:
        raise InstallerError(READ, f"openshift-install has not made {missing[0]}")
    ignition = {f"{role}.ign": ignition_snippets.merge(role, files[f"{role}.ign"], inputs) for role in snippets.ROLES}
    contents, left = outputs.grouped({path: files[path] for path in files if path not in ignition})
    known = {**contents, **ignition, **inputs}
    if missing := [
        pattern
        for name in graph.needed(_TABLE, all_assets.TARGETS)
        if name not in known and name not in OURS
        for pattern in outputs.lacking(name, left)
    ]:
        raise InstallerError(READ, f"openshift-install has not made {', '.join(missing)}")
    _expect_names(known["metadata.json"]["metadata.json"], inputs)
    made = graph.resolve(_TABLE, all_assets.TARGETS, known, pool)
    return Graph({**known, **made.contents, OTHERS: left})


def _expect_names(metadata: str, inputs: Inputs) -> None:
    try:
        document = json.loads(metadata)
        found = (document["infraID"], document["clusterID"])
    except (ValueError, KeyError, TypeError):
        raise InstallerError(READ, "'metadata.json' has no infraID or no clusterID") from None
    ids = inputs["cluster-id"]
    if found != (ids["infraId"], ids["clusterId"]):
        raise InstallerError(READ, "openshift-install has gone back to names of its own for the cluster")
