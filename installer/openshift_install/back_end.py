"""The back end `openshift-install`: Red Hat's own installer makes the graph, with this service's differences laid in.

It gets the same install-config. Between its manifests and its ignition configs, the objects in which a cluster of this
service differs from a plain one replace the program's own: they are assets of our graph, made from the inputs. The
result is then read into the assets of our graph by the names of the files, so that later readers find the same names.
Only the kubeconfigs that the program does not know are ours, signed by its signer.

The program has to know how clusters of this service are installed (`platform.azure.aro`, an image by marketplace
coordinates, no machine network), as Red Hat's builds for it do. A public build refuses such a config.
"""

import json
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

from installer import all_assets, documents, graph
from installer.back_end_errors import InstallerError, may_pass
from installer.graph import Asset, Content, Graph, Inputs
from installer.ignition import ignition_reader, snippets
from installer.openshift_install import binary, outputs
from installer.openshift_install.outputs import OTHERS, READ
from installer.openshift_install.program import Program, write

WORK, MERGE = "work with openshift-install", "merge snippets"
# The objects in which a cluster of this service differs from a plain one. None is made from a certificate, so they can
# be made before the program has any.
ADJUSTED = (
    "manifests/cluster-config.yaml",
    "manifests/cluster-dns-02-config.yml",
    "manifests/cloud-provider-config",
    "manifests/image-content-source-policy",
    "openshift/99_cloud-creds-secret.yaml",
    "openshift/99_role-cloud-creds-secret-reader.yaml",
    "openshift/99_openshift-cluster-api_master-machines",
    "openshift/99_openshift-cluster-api_worker-machineset",
    "openshift/openshift-install-manifests.yaml",
)
# Assets that the program does not know; it has to make everything else that the targets need.
OURS = ("tls/aro-service", "tls/user-admin", "auth/aro/kubeconfig", "auth/user-admin/kubeconfig")
_POINTERS = ("master", "worker")


def _leaf(asset: Asset) -> Asset:
    """Return an asset that is not made here, so that its inputs are not made either."""
    return replace(asset, inputs=(), make=None)


_TABLE = {name: asset if name in OURS else _leaf(asset) for name, asset in all_assets.ASSETS.items()}
# In memory: private keys must not reach a disk.
_MEMORY = Path("/dev/shm")  # noqa: S108 - the folder is private
_WORK, _LEFT_SECONDS = "aro-openshift-install-", 3600


def make(given: Inputs, pool: Executor) -> Graph:
    """Make a graph with the program.

    Args:
        given: contents of `assets.GIVEN`.
        pool: threads that make our own assets.

    Returns:
        The graph: the inputs, every asset of ours whose files the program has made, and the rest under `OTHERS`.

    Raises:
        InstallerError: naming the step.
    """
    file = binary.ensure(given["release-image"], given["install-config"]["pullSecret"])
    try:
        with _work_folder() as work:
            return _graph_of(_files(Program(file, work, given), pool), given, pool)
    except OSError as error:
        # A full memory, for example.
        cause = f"its folder cannot be used ({error.strerror or type(error).__name__})"
        raise InstallerError(WORK, cause, passing=may_pass(error)) from None


def _files(program: Program, pool: Executor) -> dict[str, str]:
    """Run the program; return the files that it leaves, by their paths in our graph."""
    given, folder = program.given, program.assets
    program.prepare()
    program.expect_version()
    write(folder / "install-config.yaml", documents.to_yaml(given["install-config"]))
    program.create("manifests")
    outputs.rename(folder, given["cluster-id"])
    outputs.lay(folder, _adjusted(folder, given, pool))
    program.create("ignition-configs")
    return outputs.read(folder)


def kept() -> list[str]:
    """Return the names of the assets that a graph of this back end always contains."""
    return [*graph.needed(_TABLE, (*(asset.name for asset in all_assets.GIVEN), *all_assets.TARGETS)), OTHERS]


@contextmanager
def _work_folder() -> Iterator[Path]:
    """Yield a private folder, which is removed in every case; the leftovers of a killed process are removed too."""
    if not os.access(_MEMORY, os.W_OK | os.X_OK):
        cause = "the folder in memory cannot be written, and keys are kept nowhere else"
        raise InstallerError(WORK, cause, place=str(_MEMORY))
    for left in _MEMORY.glob(f"{_WORK}*"):
        with suppress(OSError):
            if left.stat().st_uid == os.geteuid() and time.time() - left.stat().st_mtime > _LEFT_SECONDS:
                shutil.rmtree(left)
    with tempfile.TemporaryDirectory(prefix=_WORK, dir=_MEMORY) as folder:
        yield Path(folder)


def _adjusted(folder: Path, given: Inputs, pool: Executor) -> dict[str, Content]:
    """Return the manifests that replace the program's, by asset."""
    made = outputs.files_of_state(folder)
    pointers, secrets = {}, []
    for role in _POINTERS:
        if _rows(role, given):
            pointers[f"{role}.ign"] = _with_snippets(role, made, given)
            secrets.append(all_assets.asset_of(f"openshift/99_openshift-cluster-api_{role}-user-data-secret.yaml").name)
    table = {**all_assets.ASSETS, **{name: _leaf(all_assets.ASSETS[name]) for name in pointers}}
    resolved = graph.resolve(table, (*ADJUSTED, *secrets), {**given, **pointers}, pool)
    return {name: resolved.contents[name] for name in (*ADJUSTED, *secrets)}


def _graph_of(files: dict[str, str], given: Inputs, pool: Executor) -> Graph:
    """Return the graph of these files, with our own assets."""
    ignition = {f"{role}.ign": _with_snippets(role, files, given) for role in snippets.ROLES}
    contents, left = outputs.grouped({path: files[path] for path in files if path not in ignition})
    known = {**contents, **ignition, **given}
    if missing := [
        pattern
        for name in graph.needed(_TABLE, all_assets.TARGETS)
        if name not in known and name not in OURS
        for pattern in outputs.lacking(name, left)
    ]:
        raise InstallerError(READ, f"openshift-install has not made {', '.join(missing)}")
    _expect_names(known["metadata.json"]["metadata.json"], given)
    made = graph.resolve(_TABLE, all_assets.TARGETS, known, pool)
    return Graph({**known, **made.contents, OTHERS: left})


def _expect_names(metadata: str, given: Inputs) -> None:
    try:
        document = json.loads(metadata)
        found = (document["infraID"], document["clusterID"])
    except (ValueError, KeyError, TypeError):
        raise InstallerError(READ, "'metadata.json' has no infraID or no clusterID") from None
    ids = given["cluster-id"]
    if found != (ids["infraId"], ids["clusterId"]):
        raise InstallerError(READ, "openshift-install has gone back to names of its own for the cluster")


def _rows(role: str, given: Inputs) -> object:
    return (given["release-image"].get("snippets") or {}).get(role)


def _with_snippets(role: str, files: dict[str, str], given: Inputs) -> Content:
    """Return the ignition of a role: byte for byte the program's, unless the catalogue has snippets for the role."""
    path, release = f"{role}.ign", given["release-image"]
    if path not in files:
        raise InstallerError(READ, f"openshift-install has not made {path}")
    try:
        document = json.loads(files[path])
        spec = str(document["ignition"]["version"])
    except (ValueError, KeyError, TypeError):
        raise InstallerError(READ, f"'{path}' is not an Ignition configuration") from None
    if spec.partition(".")[0] != release["ignitionVersion"].partition(".")[0]:
        cause = f"'{path}' is of Ignition spec {spec}, and the catalogue's entry says {release['ignitionVersion']}"
        raise InstallerError(READ, cause)
    if not _rows(role, given):
        return {path: files[path]}
    try:
        return snippets.ignition_files(role, ignition_reader.parse(document), given["install-config"], release)
    except ValueError as error:
        raise InstallerError(MERGE, f"'{path}': {error}") from None
