"""The install graph: made once, sealed in the cluster's storage account, read from there by all later activities."""

import base64
import functools
import hashlib
import logging
import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlsplit

from azure.core.exceptions import ResourceExistsError, ResourceNotFoundError
from azure.storage.blob import BlobClient, BlobServiceClient, ContentSettings

from activities.azure import cluster_secrets, resource_group, storage
from activities.checks import catalogue_entry
from activities.machines import graph_inputs, installer_failures, machine_image
from activities.runtime.executor import Executor, Outcome, Rendered, wait
from activities.runtime.step import Step
from installer import back_ends, graph
from installer.back_end_errors import InstallerError
from installer.config import install_config_checks
from installer.graph import Content, Graph
from installer.ignition import snippets
from installer.openshift_install.gateway import Azure
from shared import cloud, durations, seal, tracing
from shared.arm.errors import CloudError, ErrorCode, Owner
from shared.azure import credentials
from shared.clusters.credentials import admin_signer
from shared.clusters.secrets import SERVICE_KUBECONFIG, USER_KUBECONFIG, Purpose
from shared.documents import ClusterDocument
from shared.vault import Bundle, get_vault

_log = logging.getLogger("activities")
GRAPH_BLOB = ("aro", "graph")
IGNITION_BLOB = ("ignition", "bootstrap.ign")
_DIGEST = "sha256"
# Member of the bundle `credentials`, and the file of the graph that it comes from. The installer's own kubeconfig is
# valid for ten years and is handed to nobody: it stays in the graph. Including it would also exceed Key Vault's limit
# of 25 KB.
_CREDENTIALS = {
    SERVICE_KUBECONFIG: "auth/aro/kubeconfig",
    USER_KUBECONFIG: "auth/user-admin/kubeconfig",
    "kubeadminPassword": "auth/kubeadmin-password",
}
_SIGNER = "tls/admin-kubeconfig-signer"

_CORES = os.cpu_count() or 1
# The threads that make keys, shared by all creates of this process.
_POOL = ThreadPoolExecutor(_CORES, thread_name_prefix="graph")
# As many graphs are made at once as there are threads for their keys; more would only finish late together. An activity
# does not wait for its turn here, because it would block an activity slot that every other row of every cluster may
# need.
_TURN = threading.Semaphore(_CORES)
_AT_ONCE_SECONDS = int(durations.GRAPH_AGAIN.total_seconds())
_GRAPH_SECONDS = durations.GRAPH.total_seconds()
_LONGEST_WAIT_SECONDS = durations.GRAPH_TURN.total_seconds()


class _Waiters:
    """The creates of this process that wait for their turn, in the order in which they came."""

    def __init__(self) -> None:
        self._asked: dict[str, float] = {}
        self._lock = threading.Lock()

    def wait_seconds(self, operation_id: str) -> float:
        """Note that a create waits, and return when its turn may come: after the graphs of those before it."""
        now = time.monotonic()
        with self._lock:
            self._asked[operation_id] = now
            # An operation that was cancelled, or goes on in another process, does not ask again.
            self._asked = {name: at for name, at in self._asked.items() if now - at <= 2 * _LONGEST_WAIT_SECONDS}
            place = list(self._asked).index(operation_id) + 1
        return min(max(place * _GRAPH_SECONDS / _CORES, _AT_ONCE_SECONDS), _LONGEST_WAIT_SECONDS)

    def remove(self, operation_id: str) -> None:
        """Note that a create has its turn."""
        with self._lock:
            self._asked.pop(operation_id, None)


_WAITERS = _Waiters()


def _ensure_graph(step: Step) -> Outcome | None:
    """Make the install graph, seal it, store the bootstrap ignition for the machine, keep the credentials.

    Any number of runs end with one graph. The sealed blob decides: it is created only if there is none, and if it
    already exists, it is reused. Everything else (ignition, time of the install, credentials) is derived from that
    blob, so runs that race, or begin again after a crash, write the same. So the blob comes first, unlike upstream,
    where ignition and graph of two runs could mix. The credentials come last: once their id is on the document, nothing
    is left to do.

    Source: ARO-RP `pkg/cluster/deploystorage.go`, `ensureGraph`, `ensureInfraID`; `attachnsgs.go` for `install.now`.
    """
    if _is_done(step):
        return None
    if "rhcosImage" not in step.properties:
        # Plans that earlier packages have stored have no row for it. The graph needs all the time of one run.
        return machine_image.decide(step) or wait("the image of the machines is known", _AT_ONCE_SECONDS)
    operation_id = step.call["operationId"]
    if not _TURN.acquire(blocking=False):
        return wait("other clusters' certificates are being made", _WAITERS.wait_seconds(operation_id))
    _WAITERS.remove(operation_id)
    try:
        _ensure_once(step)
    finally:
        _TURN.release()
    return None


def _ensure_once(step: Step) -> None:
    if Purpose.GRAPH_KEY not in graph_inputs.bundle_ids(step):
        cluster_secrets.store(step, Purpose.GRAPH_KEY, _new_key)
    with storage.blob_service(step, resource_types="o", permissions="rcw") as blobs:
        sealed = blobs.get_blob_client(*GRAPH_BLOB)
        made = _read(step, sealed) or _make(step, sealed)
        _lay_ignition(step, blobs, made.file("bootstrap.ign"))
    step.decide(functools.partial(_note_time, now=made.contents["clock"]["now"]))
    cluster_secrets.store(step, Purpose.ADMIN_SIGNER, signer_of(made))
    cluster_secrets.store(step, Purpose.CREDENTIALS, {name: made.file(path) for name, path in _CREDENTIALS.items()})


def _new_key() -> Bundle:
    return {"key": base64.b64encode(seal.new_key()).decode("ascii")}


def signer_of(made: Graph) -> Bundle:
    """Return the bundle of the signer of admin credentials in a graph."""
    return admin_signer.bundle_of(made.file(f"{_SIGNER}.crt"), made.file(f"{_SIGNER}.key"))


def load(step: Step) -> Graph:
    """Read the install graph of a cluster.

    Raises:
        CloudError: if it cannot be opened.
        azure.core.exceptions.ResourceNotFoundError: if there is none.
    """
    with storage.blob_service(step, resource_types="o", permissions="r") as blobs:
        return _open(step, storage.read(blobs.get_blob_client(*GRAPH_BLOB)))


def exists(step: Step) -> bool:
    """Tell whether there is an install graph, whether or not the document records it already."""
    if _is_done(step):
        return True
    group = resource_group.find(step)
    if not step.properties.get("storageSuffix") or group is None or not resource_group.is_ours(step, group):
        return False
    try:
        with storage.blob_service(step, resource_types="o", permissions="r") as blobs:
            return blobs.get_blob_client(*GRAPH_BLOB).exists()
    except ResourceNotFoundError:  # There is no storage account yet.
        return False


def _is_done(step: Step) -> bool:
    return Purpose.CREDENTIALS in graph_inputs.bundle_ids(step)


def _read(step: Step, sealed: BlobClient) -> Graph | None:
    try:
        closed = storage.read(sealed)
    except ResourceNotFoundError:
        return None
    return _open(step, closed)


def _make(step: Step, sealed: BlobClient) -> Graph:
    """Make the graph; if another run was faster, return its graph instead.

    Raises:
        CloudError: with all problems of the install-config, or of the snippets; or the failure of an external
            installer.
        TryAgain: with the same, if it may pass.
    """
    entry = catalogue_entry.entry(step)
    given = graph_inputs.cluster_facts(step, entry, f"https://{sealed.primary_hostname}/")
    install_config_checks.check(given["install-config"])
    graph_inputs.check_snippets(given)
    made = _made_by(step, entry.installer, given)
    _report_clashes(made)
    key_id = graph_inputs.bundle_ids(step)[Purpose.GRAPH_KEY]
    closed = seal.seal_text(made.dump(), _key(key_id), key_id)
    step.check_fence()
    try:
        sealed.upload_blob(closed, content_settings=ContentSettings(content_type="application/octet-stream"))
    except ResourceExistsError:
        return _open(step, storage.read(sealed))
    return made


def _made_by(step: Step, installer: str, given: dict[str, Content]) -> Graph:
    try:
        return back_ends.BACK_ENDS[installer].make(given, _POOL, functools.partial(_azure, step))
    except InstallerError as error:
        version = given["release-image"]["version"]
        message = f"The installer of OpenShift {version} failed at '{error.step}': {error.cause}."
        raise installer_failures.report(error, message) from error


def _azure(step: Step) -> Azure:
    """Return what the installer may use of Azure: reading the customer's subscription.

    Raises:
        CloudError: for the operator: there is no identity for it.
        azure.core.exceptions.AzureError: there is no token.
    """
    profile = cloud.cloud_profile()
    credential = credentials.installer(step.tenant_id, get_vault().get_service_secret)
    read_token = functools.partial(credential.get_token, profile.arm_scope)
    read_token()
    return Azure(urlsplit(profile.arm_endpoint).netloc, profile.arm_audiences, read_token)


def _report_clashes(made: Graph) -> None:
    """Log what snippets of the catalogue could not change, or took from each other, for the operator who wrote them."""
    for message in snippets.clashes(made.contents):
        _log.warning(message, extra=tracing.current.get().extra())


def _open(step: Step, closed: bytes) -> Graph:
    """Open a sealed graph with the key that its header names, which must be a version of this cluster's own."""
    try:
        key = _key(_own_key_id(step, closed))
        return graph.load(seal.open_sealed(closed, key))
    except seal.SealBroken as error:
        container, blob = GRAPH_BLOB
        raise CloudError(
            500,
            ErrorCode.INTERNAL_SERVER_ERROR,
            f"The install graph of this cluster cannot be opened: {error}. Somebody else wrote the blob '{blob}' in "
            f"container '{container}' of storage account '{storage.account_name(step)}'. Delete the cluster and "
            "create it again.",
            owner=Owner.CUSTOMER,
        ) from error


def _own_key_id(step: Step, closed: bytes) -> str:
    key_id, cluster_key_id = seal.key_id(closed), graph_inputs.bundle_ids(step).get(Purpose.GRAPH_KEY, "")
    if key_id.rpartition("/")[0] != cluster_key_id.rpartition("/")[0]:
        raise seal.SealBroken("it was sealed with a key that is not this cluster's")
    return key_id


def _key(key_id: str) -> bytes:
    return base64.b64decode(get_vault().get_secret(key_id)["key"])


def _lay_ignition(step: Step, blobs: BlobServiceClient, text: str) -> None:
    """Write the bootstrap ignition unless the blob has it already. Every run writes this graph's."""
    blob = blobs.get_blob_client(*IGNITION_BLOB)
    digest = hashlib.sha256(text.encode()).hexdigest()
    try:
        if (blob.get_blob_properties().metadata or {}).get(_DIGEST) == digest:
            return
    except ResourceNotFoundError:
        pass
    step.check_fence()
    blob.upload_blob(
        text.encode(),
        overwrite=True,
        metadata={_DIGEST: digest},
        content_settings=ContentSettings(content_type="application/json"),
    )


def _note_time(document: ClusterDocument, now: str) -> bool:
    """Record when the install began: certificates begin then, and the address of the ignition expires a day later."""
    install = document["openShiftCluster"]["properties"].setdefault("install", {})
    if install.get("now") == now:
        return False
    install["now"], install["oneBlob"] = now, True
    return True


def _validate(step: Step) -> list[str]:
    return [] if _is_done(step) else graph_inputs.problems(step)


def _render(step: Step) -> list[Rendered]:
    """Return which blobs are written, by whom, and the names of what the graph would hold; all of it is secret."""
    entry = catalogue_entry.entry(step)
    return [
        {
            "blob": "/".join(GRAPH_BLOB),
            "installer": entry.installer,
            "assets": back_ends.BACK_ENDS[entry.installer].assets(),
        },
        {"blob": "/".join(IGNITION_BLOB), "spec": entry.ignition_version},
    ]


ensure_graph = Executor(run=_ensure_graph, validate=_validate, render=_render)
