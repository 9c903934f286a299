"""How long everything takes from power-on to a finished cluster: tables, in seconds of Azure.

The figures add up to what installations in Azure take: masters provisioned after 10 to 11 minutes, bootstrap complete
after 13, all operators 11 minutes later. `cluster/cluster.py` interprets the rows.
"""

from dataclasses import dataclass
from functools import cache

from emulator.core.errors import ServiceError

# One machine, from power-on: firmware and kernel; then its config; then the operating system of the release, with its
# restart; then Azure's agent reports. Other systems than Red Hat CoreOS just boot.
LINUX_SECONDS = 60
FIRMWARE_SECONDS = 60
APPLY_SECONDS = {"bootstrap": 10, "master": 380, "worker": 170}
AGENT_SECONDS = {"bootstrap": 30, "master": 60, "worker": 20}
# Between two attempts of a machine to reach another: doubled from the first to the longest.
RETRY_SECONDS = (1, 10)
# Between two runs of a unit that ends at once. The console shows so many of them, then ever fewer, as it has an end.
RESTART_SECONDS, _RESTARTS_SHOWN = 5, 12
# When Azure gives up on a machine whose agent has not reported.
PROVISIONING_SECONDS = 40 * 60
# Between the request of a kubelet for its certificate and a Ready node.
NODE_SECONDS = 30
# A client's change of a spec is observed by its operator.
OBSERVE_SECONDS = 15


# Between the creation of a workload and its pods being ready: images have to come first.
PODS_SECONDS = 30

# Objects are clients' to change and to delete; what an operator makes of that must not end the cluster.
GARBLED = (ServiceError, LookupError, TypeError, ValueError, AttributeError)


class NotYetError(Exception):
    """A row that is due and cannot come true, and why; it is tried again."""


class WaitingError(Exception):
    """A row that comes true with an event: a machine that joins or goes, an object that changes."""


@dataclass(frozen=True)
class Row:
    """Something that comes true once, some time after what it needs.

    Args:
        name: by which others need it.
        needs: names of rows.
        seconds: after the last of these.
        action: what is done or looked at then, by its name in `controllers.ACTIONS`; "" for nothing.
        says: line of the program that runs by then; what the machine's scripts say is theirs: `bootkube.py`.
        flavours: installations that have it: `A` to 4.3, `T` 4.4 and 4.5, `B` 4.6 and 4.7, `C` from 4.8 on.
    """

    name: str
    needs: tuple[str, ...]
    seconds: float
    action: str = ""
    says: str = ""
    flavours: str = "ATBC"


# "ignition" is reached when the bootstrap machine has its config.
BOOTSTRAP = (
    Row("release-image", ("ignition",), 60),
    Row("image-names", ("release-image",), 15),
    Row("openshift-manifests", ("image-names",), 1),
    # From 4.15 on; earlier scripts have no such stage, and say nothing of it.
    Row("api-bootstrap", ("openshift-manifests",), 1, flavours="C"),
    Row("cvo-bootstrap", ("openshift-manifests",), 2),
    # Between the two ways the signer is there for those who still ask it.
    Row("etcd-signer", ("cvo-bootstrap",), 3, "etcd_signer", flavours="T"),
    Row("etcd-bootstrap", ("cvo-bootstrap",), 6, flavours="TBC"),
    Row("config-bootstrap", ("cvo-bootstrap",), 10),
    Row("kube-apiserver-bootstrap", ("config-bootstrap",), 5),
    Row("kube-controller-manager-bootstrap", ("kube-apiserver-bootstrap",), 4),
    Row("kube-scheduler-bootstrap", ("kube-controller-manager-bootstrap",), 6),
    Row("ingress-operator-bootstrap", ("kube-scheduler-bootstrap",), 2),
    Row("mco-bootstrap", ("ingress-operator-bootstrap",), 3),
    # Its port answers from here on; masters that wait for their config get it.
    Row("machine-config-server", ("mco-bootstrap",), 2, "machine_config_server"),
    Row("cco-bootstrap", ("mco-bootstrap",), 4),
    Row("etcd-signer", ("cco-bootstrap",), 3, "etcd_signer", flavours="A"),
    Row("etcd", ("etcd-signer",), 5, "etcd_on_masters", flavours="A"),
    Row("etcd", ("cco-bootstrap", "etcd-bootstrap"), 5, flavours="TBC"),
    Row("temporary-api", ("etcd",), 45, "api_server"),
    Row("manifests", ("temporary-api",), 10, "manifests", "Starting temporary bootstrap control plane..."),
    # etcd has its quorum without the bootstrap machine when every master is a member.
    Row("masters", ("manifests",), 0, "masters_joined", "Waiting for pods of the control plane..."),
    Row("control-plane", ("masters",), 120, "", "All self-hosted control plane components are ready"),
    # From 4.10 on: the operator of the version gets back what the installer had kept for itself.
    Row("cvo-overrides", ("control-plane",), 5, "cvo_overrides", flavours="C"),
    Row("bootstrap-complete", ("control-plane",), 50, "complete", "Tearing down temporary bootstrap control plane..."),
)

# What the release itself brings; the console's own resource comes late in it.
PAYLOAD = (
    Row("payload", ("control-plane",), 20, "payload"),
    Row("console", ("bootstrap-complete", "payload"), 40, "console"),
)

# The operators of the cluster. `needs` without a slash are rows above; an operator is "operator/<name>".
OPERATORS = (
    Row("operator/config-operator", ("payload",), 5),
    Row("operator/cloud-controller-manager", ("payload",), 10),
    Row("operator/cloud-credential", ("payload",), 10, "credentials"),
    Row("operator/network", ("payload",), 15),
    Row("operator/service-ca", ("operator/network",), 20),
    Row("operator/dns", ("operator/network",), 30),
    Row("operator/etcd", ("bootstrap-complete", "payload"), 90),
    Row("operator/kube-scheduler", ("bootstrap-complete", "payload"), 120),
    Row("operator/kube-controller-manager", ("bootstrap-complete", "payload"), 150),
    Row("operator/kube-apiserver", ("operator/etcd",), 200, "rotate"),
    Row("operator/openshift-apiserver", ("bootstrap-complete", "payload"), 90),
    Row("operator/openshift-controller-manager", ("bootstrap-complete", "payload"), 60),
    Row("operator/machine-config", ("bootstrap-complete", "payload"), 40),
    Row("operator/machine-approver", ("bootstrap-complete", "payload"), 10),
    Row("operator/machine-api", ("bootstrap-complete", "operator/cloud-credential"), 40),
    Row("operator/control-plane-machine-set", ("operator/machine-api",), 10),
    Row("operator/cluster-autoscaler", ("operator/machine-api",), 10),
    Row("operator/baremetal", ("operator/machine-api",), 10),
    Row("operator/kube-storage-version-migrator", ("bootstrap-complete", "payload"), 60),
    Row("operator/csi-snapshot-controller", ("bootstrap-complete", "payload"), 70),
    Row("operator/storage", ("bootstrap-complete", "payload"), 100),
    Row("operator/operator-lifecycle-manager", ("bootstrap-complete", "payload"), 50),
    Row("operator/operator-lifecycle-manager-catalog", ("bootstrap-complete", "payload"), 50),
    Row("operator/operator-lifecycle-manager-packageserver", ("operator/operator-lifecycle-manager",), 40),
    Row("operator/marketplace", ("operator/operator-lifecycle-manager",), 30),
    Row("operator/openshift-samples", ("operator/openshift-apiserver",), 60),
    Row("operator/insights", ("bootstrap-complete", "payload"), 60),
    # Two ready workers: without them no router, registry or monitoring has a place to run.
    Row("workers", ("operator/machine-api",), 0, "workers_ready"),
    Row("operator/node-tuning", ("workers",), 20),
    Row("router", ("workers", "operator/dns", "operator/cloud-credential"), 30, "router"),
    Row("operator/ingress", ("router",), 30),
    Row("operator/image-registry", ("workers", "operator/storage"), 60),
    Row("operator/monitoring", ("workers",), 150, "alert_routes"),
    Row("operator/authentication", ("operator/ingress", "operator/openshift-apiserver"), 60),
    Row("operator/console", ("operator/ingress", "operator/authentication", "console"), 50),
    Row("cluster-version", ("operators",), 20, "cluster_version"),
)


@dataclass(frozen=True)
class Rollout:
    """What an operator makes of a change of the object by which clients configure it.

    Args:
        operator: its name.
        resource: the object: kind with group, namespace, name.
        seconds: from a change until it is in force, everywhere.
        reason: of its condition meanwhile.
        says: message of that condition.
        secrets: namespace of the Secrets that the object names.
        stays: whether it stays available when one of them is missing or broken.
        name: of the roll-out, where the operator has another one that is called as it is.
        pods: namespace of static pods, each revision of which is a roll-out.
    """

    operator: str
    resource: tuple[str, str, str]
    seconds: float
    reason: str
    says: str
    secrets: str = ""
    stays: bool = True
    name: str = ""
    pods: str = ""

    @property
    def key(self) -> str:
        """How it is called in the record of a cluster."""
        return self.name or self.operator


ROLLOUTS = (
    # Its pods are static: one master after the other gets the new revision.
    Rollout(
        "kube-apiserver",
        ("APIServer.config.openshift.io", "", "cluster"),
        300,
        "NodeInstaller",
        "NodeInstallerProgressing: 3 nodes have not achieved the new revision",
        secrets="openshift-config",
    ),
    Rollout(
        "kube-apiserver",
        ("KubeAPIServer.operator.openshift.io", "", "cluster"),
        300,
        "NodeInstaller",
        "NodeInstallerProgressing: 3 nodes have not achieved the new revision",
        name="kube-apiserver-revision",
        pods="openshift-kube-apiserver",
    ),
    Rollout(
        "kube-controller-manager",
        ("KubeControllerManager.operator.openshift.io", "", "cluster"),
        150,
        "NodeInstaller",
        "NodeInstallerProgressing: 3 nodes have not achieved the new revision",
        pods="openshift-kube-controller-manager",
    ),
    Rollout(
        "ingress",
        ("IngressController.operator.openshift.io", "openshift-ingress-operator", "default"),
        60,
        "Reconciling",
        'ingresscontroller "default" is progressing: DeploymentRollingOut: Waiting for router deployment rollout to '
        "finish",
        secrets="openshift-ingress",
        stays=False,
    ),
    Rollout(
        "console",
        ("Console.operator.openshift.io", "", "cluster"),
        45,
        "SyncLoopRefresh_InProgress",
        "SyncLoopRefreshProgressing: Changes made during sync updates, additional sync expected",
    ),
    Rollout(
        "openshift-samples",
        ("Config.samples.operator.openshift.io", "", "cluster"),
        20,
        "Processing",
        "Samples processing to what is wanted of them",
    ),
    Rollout(
        "marketplace",
        ("OperatorHub.config.openshift.io", "", "cluster"),
        10,
        "Reconciling",
        "Catalogues are brought to what is wanted of them",
    ),
)

OPERATOR = "operator/"
NAMES = tuple(row.name.removeprefix(OPERATOR) for row in OPERATORS if row.name.startswith(OPERATOR))


def next_restart(restarts: int) -> int:
    """Return the number of the next restart that the console shows: each of the first ones, then twice as many."""
    return restarts + 1 if restarts < _RESTARTS_SHOWN else 2 * restarts


@cache
def rows(flavour: str) -> tuple[Row, ...]:
    """Return the rows of an installation; "operators" stands for all of them."""
    everything = tuple(f"{OPERATOR}{name}" for name in NAMES)
    return tuple(
        Row(row.name, everything, row.seconds, row.action) if row.needs == ("operators",) else row
        for row in (*BOOTSTRAP, *PAYLOAD, *OPERATORS)
        if flavour in row.flavours
    )
