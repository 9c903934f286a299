"""The cloud-credential operator, which makes a Secret for each CredentialsRequest from the installer's root Secret.

In Azure it passes the root credentials through. It runs when the root Secret, one of its own Secrets or a request
changes, and when its pod is replaced. In the mode `Manual` it makes no Secret, and only tells whether the next minor
version may come. https://github.com/openshift/cloud-credential-operator
"""

import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from emulator.core.service_error import ServiceError
from emulator.json_object import Json
from emulator.openshift.boot.timeline import NotYetError
from emulator.openshift.cluster.cluster import Cluster, PartState
from emulator.openshift.operators import cluster_operators
from emulator.openshift.operators.conditions import seconds, written
from emulator.openshift.release.kinds import INGRESS_OPERATOR_NAMESPACE, MACHINES_NAMESPACE

OPERATOR = "cloud-credential"
NAMESPACE, GROUP = "openshift-cloud-credential-operator", "cloudcredential.openshift.io"
KIND = f"CredentialsRequest.{GROUP}"
ROOT = ("azure-credentials", "kube-system")
LABELS = {"app": "cloud-credential-operator"}
# The time until the operator handles a change, or its new pod runs.
SYNC_SECONDS = 20
# Kinds and namespaces of other objects that it watches, with any name.
_OWN = {(KIND, NAMESPACE), ("Pod", NAMESPACE)}
_LETTERS = "bcdfghjklmnpqrstvwxz2456789"


@dataclass(frozen=True)
class Request:
    """A CredentialsRequest of the release.

    Args:
        name: its name.
        secret: name of the Secret that it asks for.
        namespace: namespace of the Secret, and of the service accounts.
        operator: the ClusterOperator of those who use it.
        action: their first call to Azure.
        accounts: their service accounts.
        first: first minor version of OpenShift 4 that has it.
    """

    name: str
    secret: str
    namespace: str
    operator: str
    action: str
    accounts: tuple[str, ...]
    first: int = 0


# https://docs.redhat.com/en/documentation/openshift_container_platform/4.19/html/installing_on_azure lists the Secrets.
# The first releases are from memory.
VIRTUAL_MACHINES = "Microsoft.Compute/virtualMachines/write"
_STORAGE_ACCOUNTS = "Microsoft.Storage/storageAccounts/write"
_DRIVERS = "openshift-cluster-csi-drivers"
# fmt: off
REQUESTS = (
    Request("openshift-machine-api-azure", "azure-cloud-credentials", MACHINES_NAMESPACE, "machine-api",
        VIRTUAL_MACHINES, ("machine-api-controllers",)),
    Request("openshift-ingress-azure", "cloud-credentials", INGRESS_OPERATOR_NAMESPACE, "ingress",
        "Microsoft.Network/privateDnsZones/A/write", ("ingress-operator",)),
    Request("openshift-image-registry-azure", "installer-cloud-credentials", "openshift-image-registry",
        "image-registry", _STORAGE_ACCOUNTS, ("cluster-image-registry-operator", "registry")),
    Request("azure-disk-csi-driver-operator", "azure-disk-credentials", _DRIVERS, "storage",
        "Microsoft.Compute/disks/write",
        ("azure-disk-csi-driver-operator", "azure-disk-csi-driver-controller-sa"), first=8),
    Request("azure-file-csi-driver-operator", "azure-file-credentials", _DRIVERS, "storage", _STORAGE_ACCOUNTS,
        ("azure-file-csi-driver-operator", "azure-file-csi-driver-controller-sa", "azure-file-csi-driver-node-sa"),
        first=10),
    Request("openshift-azure-cloud-controller-manager", "azure-cloud-credentials",
        "openshift-cloud-controller-manager", "cloud-controller-manager", "Microsoft.Network/loadBalancers/write",
        ("cloud-controller-manager",), first=9),
    Request("openshift-cloud-network-config-controller-azure", "cloud-credentials",
        "openshift-cloud-network-config-controller", "network", "Microsoft.Network/networkInterfaces/write",
        ("cloud-network-config-controller",), first=10),
)
# fmt: on


def requests(cluster: Cluster) -> Iterator[Request]:
    """Yield the requests that the cluster's release has."""
    yield from (row for row in REQUESTS if cluster.installation.minor >= row.first)


async def provide(cluster: Cluster) -> None:
    """Create the requests, the operator's pod, and the operators' credentials.

    Raises:
        NotYetError: if the root Secret does not exist.
    """
    if not cluster_operators.is_manual(cluster) and cluster.objects.get("Secret", *ROOT) is None:
        raise NotYetError(f'cloud credentials secret "{"/".join(reversed(ROOT))}" not found')
    for row in requests(cluster):
        if cluster.objects.get(KIND, row.name, NAMESPACE) is None:
            cluster.objects.put(_request(row))
    _sync(cluster)


def _request(row: Request) -> Json:
    provider = {
        "apiVersion": f"{GROUP}/v1",
        "kind": "AzureProviderSpec",
        "roleBindings": [{"role": "Contributor"}],
    }
    return {
        "apiVersion": f"{GROUP}/v1",
        "kind": "CredentialsRequest",
        "metadata": {"name": row.name, "namespace": NAMESPACE},
        "spec": {"secretRef": {"name": row.secret, "namespace": row.namespace}, "providerSpec": provider},
    }


class Sync(PartState):
    """When the operator next checks for changes; a new process does so at once."""

    def __init__(self, cluster: Cluster) -> None:
        super().__init__(cluster)
        self.due: datetime | None = cluster.platform.clock.now()


def reconcile(cluster: Cluster, changed: set[tuple[str, str, str]]) -> datetime | None:
    """Note changes, and handle them when they are due; return when that is, None if there are none."""
    if not cluster.reached(f"operator/{OPERATOR}"):
        return None
    clock, state = cluster.platform.clock, cluster.part(Sync)
    if changed & _watched(cluster) or any((kind, namespace) in _OWN for kind, namespace, _ in changed):
        state.due = state.due or clock.after(SYNC_SECONDS)
    if state.due is None or state.due > clock.now():
        return state.due
    state.due = None
    _sync(cluster)
    return None


def _watched(cluster: Cluster) -> set[tuple[str, str, str]]:
    kind, group, name, namespace = cluster_operators.RESOURCES[OPERATOR]
    made = {("Secret", row.namespace, row.secret) for row in requests(cluster)}
    return made | {("Secret", ROOT[1], ROOT[0]), (f"{kind}.{group}", namespace, name)}


def _pods(cluster: Cluster) -> list[Json]:
    return cluster.objects.list("Pod", NAMESPACE, LABELS)


def _sync(cluster: Cluster) -> None:
    if not _pods(cluster):
        cluster.objects.create(_pod())
    cluster_operators.show(cluster, OPERATOR)
    if cluster_operators.is_manual(cluster):
        return
    root = cluster.objects.get("Secret", *ROOT)
    for request in cluster.objects.list(KIND, NAMESPACE):
        _provision(cluster, request, root)


def _pod() -> Json:
    suffix = "".join(secrets.choice(_LETTERS) for _ in range(5))
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": f"cloud-credential-operator-{suffix}", "namespace": NAMESPACE, "labels": LABELS},
        "spec": {"containers": [{"name": LABELS["app"], "image": LABELS["app"]}]},
    }


def _provision(cluster: Cluster, request: Json, root: Json | None) -> None:
    """Copy the root credentials for a request and write the result to its status, unless both are up to date."""
    reference, status = request["spec"]["secretRef"], request.get("status") or {}
    name, namespace = reference["name"], reference["namespace"]
    problem = _problem(cluster, namespace, root)
    if root is not None and not problem:
        found = cluster.objects.get("Secret", name, namespace)
        version = root["metadata"]["resourceVersion"]
        is_current = status.get("lastSyncCloudCredsSecretResourceVersion") == version
        if is_current and found is not None and found.get("data") == root["data"]:
            return
        cluster.objects.put(
            {
                "apiVersion": "v1",
                "kind": "Secret",
                "metadata": {"name": name, "namespace": namespace},
                "type": "Opaque",
                "data": root["data"],
            }
        )
        status = status | {
            "provisioned": True,
            "lastSyncGeneration": request["metadata"].get("generation", 1),
            "lastSyncTimestamp": seconds(cluster),
            "lastSyncCloudCredsSecretResourceVersion": version,
        }
    shown = {kind: (True, kind, message) for kind, message in problem.items()}
    told = {"provisioned": False} | status | {"conditions": written(cluster, request, shown)}
    if told != request.get("status"):
        cluster.objects.set_status(KIND, request["metadata"]["name"], told, NAMESPACE)


def _problem(cluster: Cluster, namespace: str, root: Json | None) -> dict[str, str]:
    if cluster.objects.get("Namespace", namespace) is None:
        return {"MissingTargetNamespace": f"target namespace {namespace} not found"}
    if root is None or "data" not in root:
        return {"CredentialsProvisionFailure": f'cloud credentials secret "{"/".join(reversed(ROOT))}" not found'}
    return {}


def refusal(error: ServiceError | None) -> str:
    """Return an operator's message when the directory or Azure refuses its credentials, "" if nobody does."""
    return "" if error is None else f"failed to authenticate with Azure: {error.code}: {error.message}"
