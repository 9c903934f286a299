"""How long everything takes from power-on to a finished cluster: tables, in unscaled seconds.

The figures add up to what published installations took, from power-on to the end of the bootstrap and from there on:

* Masters whose agent has reported: 641 to 705 s (openshift/installer, issue 4276; okd-project/okd, issue 371; a 4.17 in
  `docs/blog/posts/20240821-ocp-on-azure-etcd-datadisk-capz.md` of mtulio/mtulio.labs).
* Bootstrap complete: 1,296 s (openshift/installer, pull request 8782) and 1,521 s (that 4.17, with smaller machines and
  disks than ours). The installer's "Bootstrap Complete: 13m" counts from the end of the machines, not from power-on.
  The rows add up to the first.
* All operators, after that: 661 to 834 s in AWS, 810 s in Azure.
* One roll-out of the API server: "over eleven minutes" in AWS, in OpenShift's page about the duration of updates. There
  a server lets its requests end for 129 s, elsewhere for 70 s, so it takes three minutes less.
* A worker: "a few minutes" from the Machine to its ignition and three more to its kubelet (openshift/release, pull
  request 23542); more than ten minutes in many runs (red-hat-storage/ocs-ci, pull request 7653).

`cluster/cluster.py` interprets the rows.
"""

from dataclasses import dataclass
from functools import cache

from emulator.core.service_error import ServiceError

# The boot of one machine: firmware and kernel; then its config and the operating system of the release, with a restart;
# then the report of Azure's agent. Systems other than Red Hat CoreOS just boot.
LINUX_SECONDS = 60
FIRMWARE_SECONDS = 60
APPLY_SECONDS = {"bootstrap": 10, "master": 440, "worker": 260}
AGENT_SECONDS = {"bootstrap": 30, "master": 60, "worker": 20}
# The pause between two attempts of a machine to reach another: the first pause, and the limit of its doubling.
RETRY_SECONDS = (1, 10)
# The pause between two runs of a unit that ends at once. The console is limited, so it shows this many restarts, and of
# the later ones only every doubling.
RESTART_SECONDS, _RESTARTS_SHOWN = 5, 12
# When Azure gives up on a machine whose agent has not reported.
PROVISIONING_SECONDS = 40 * 60
# From a kubelet's certificate request to a Ready node.
NODE_SECONDS = 30
# From a client's change of a spec until its operator has observed it.
OBSERVE_SECONDS = 15
# After a stop, as Red Hat's pages about hibernation say: until a machine's kubelet and static pods run, and until a kubelet
# whose certificate has expired asks for another; both from the call that starts the machine, which takes two minutes.
UP_SECONDS, ASK_SECONDS = 180, 420
# Until operators notice what they lack, from the return of the API, and until they are well, from the last ready node.
NOTICE_SECONDS, SETTLE_SECONDS = 60, 480

# From the creation of a workload until its pods are ready, which includes pulling images.
PODS_SECONDS = 30

# Clients may change and delete all objects. The errors that an operator raises then must not end the cluster.
GARBLED = (ServiceError, LookupError, TypeError, ValueError, AttributeError)


class NotYetError(Exception):
    """A row is due but cannot come true yet; the message says why, and the row is tried again."""


class WaitingError(Exception):
    """A row waits for an event: a machine that joins or is deleted, or an object that changes."""


@dataclass(frozen=True)
class Row:
    """An event of an installation, which comes true once, some time after the rows that it needs.

    Args:
        name: the name under which other rows need it.
        needs: names of the rows that must have come true.
        seconds: unscaled time after the last of these.
        action: name in `controllers.ACTIONS` of what is done or checked when the row is due; "" for nothing.
        says: line printed by the program that runs then; `bootkube.py` has the lines of the machine's own scripts.
        flavours: flavours that have the row: `A` up to 4.3, `T` 4.4 and 4.5, `B` 4.6 and 4.7, `C` from 4.8 on.
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
    # From 4.15 on; earlier scripts have no such stage, so they print nothing for it.
    Row("api-bootstrap", ("openshift-manifests",), 1, flavours="C"),
    Row("cvo-bootstrap", ("openshift-manifests",), 2),
    # 4.4 and 4.5 have etcd's operator, but still run the signer for machines that ask it.
    Row("etcd-signer", ("cvo-bootstrap",), 3, "etcd_signer", flavours="T"),
    Row("etcd-bootstrap", ("cvo-bootstrap",), 6, flavours="TBC"),
    Row("config-bootstrap", ("cvo-bootstrap",), 10),
    Row("kube-apiserver-bootstrap", ("config-bootstrap",), 5),
    Row("kube-controller-manager-bootstrap", ("kube-apiserver-bootstrap",), 4),
    Row("kube-scheduler-bootstrap", ("kube-controller-manager-bootstrap",), 6),
    Row("ingress-operator-bootstrap", ("kube-scheduler-bootstrap",), 2),
    Row("mco-bootstrap", ("ingress-operator-bootstrap",), 3),
    # From here on its port answers, so masters that wait for their config get it.
    Row("machine-config-server", ("mco-bootstrap",), 2, "machine_config_server"),
    Row("cco-bootstrap", ("mco-bootstrap",), 4),
    Row("etcd-signer", ("cco-bootstrap",), 3, "etcd_signer", flavours="A"),
    Row("etcd", ("etcd-signer",), 5, "etcd_on_masters", flavours="A"),
    Row("etcd", ("cco-bootstrap", "etcd-bootstrap"), 5, flavours="TBC"),
    Row("temporary-api", ("etcd",), 45, "api_server"),
    Row("manifests", ("temporary-api",), 10, "manifests", "Starting temporary bootstrap control plane..."),
    # etcd has its quorum without the bootstrap machine when every master is a member.
    Row("masters", ("manifests",), 0, "masters_joined", "Waiting for pods of the control plane..."),
    # The masters restart into the release's system and pull its images; etcd grows to three members, and each operator of
    # the control plane rolls out its pods. No parts are published: it is the rest of the bootstrap's 1,296 s.
    Row("control-plane", ("masters",), 534, "", "All self-hosted control plane components are ready"),
    # From 4.10 on: the cluster version operator gets back the objects that the installer had kept for itself.
    Row("cvo-overrides", ("control-plane",), 5, "cvo_overrides", flavours="C"),
    Row("bootstrap-complete", ("control-plane",), 50, "complete", "Tearing down temporary bootstrap control plane..."),
)

# The objects of the release itself; the console's own resource is among the last.
PAYLOAD = (
    Row("payload", ("control-plane",), 20, "payload"),
    Row("console", ("bootstrap-complete", "payload"), 40, "console"),
)

# The operators of the cluster, each a row called "operator/<name>". Names without a slash are other rows.
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
    # One roll-out, because the bootstrap machine's etcd is no longer among the servers.
    Row("operator/kube-apiserver", ("operator/etcd",), 490, "rotate"),
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
    # Two ready workers, on which the router, the registry and monitoring run.
    Row("workers", ("operator/machine-api",), 0, "workers_ready"),
    Row("operator/node-tuning", ("workers",), 20),
    Row("router", ("workers", "operator/dns", "operator/cloud-credential"), 30, "router"),
    Row("operator/ingress", ("router",), 30),
    Row("operator/image-registry", ("workers", "operator/storage"), 60),
    Row("operator/monitoring", ("workers",), 150, "alert_routes"),
    # It waits until every API server has its address (openshift/cluster-authentication-operator, pull request 318).
    Row("operator/authentication", ("operator/ingress", "operator/kube-apiserver", "operator/openshift-apiserver"), 60),
    Row("operator/console", ("operator/ingress", "operator/authentication", "console"), 50),
    Row("cluster-version", ("operators",), 20, "cluster_version"),
)


@dataclass(frozen=True)
class Rollout:
    """How an operator rolls out a change of an object with which clients configure it.

    Args:
        operator: the operator's name.
        resource: the object: kind with group, namespace, name.
        seconds: unscaled time from a change until it is in force everywhere.
        reason: reason of the operator's condition meanwhile.
        says: message of that condition.
        secrets: namespace of the Secrets that the object names.
        stays: whether the operator stays available if one of them is missing or invalid.
        name: name of the roll-out, if another one already has the operator's name.
        pods: namespace of the static pods, of which each roll-out makes a new revision.
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
        """The name of the roll-out in a cluster's record."""
        return self.name or self.operator


ROLLOUTS = (
    # The pods are static, so the masters get the new revision one after the other.
    Rollout(
        "kube-apiserver",
        ("APIServer.config.openshift.io", "", "cluster"),
        490,
        "NodeInstaller",
        "NodeInstallerProgressing: 3 nodes have not achieved the new revision",
        secrets="openshift-config",
    ),
    Rollout(
        "kube-apiserver",
        ("KubeAPIServer.operator.openshift.io", "", "cluster"),
        490,
        "NodeInstaller",
        "NodeInstallerProgressing: 3 nodes have not achieved the new revision",
        name="kube-apiserver-revision",
        pods="openshift-kube-apiserver",
    ),
    # The servers read the file again, one after the other.
    Rollout(
        "kube-apiserver",
        ("ConfigMap", "openshift-config", "admin-kubeconfig-client-ca"),
        180,
        "NodeInstaller",
        "NodeInstallerProgressing: 3 nodes have not achieved the new client-ca",
        name="kube-apiserver-client-ca",
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
    """Return the number of the next restart that the console shows: each of the first ones, then every doubling."""
    return restarts + 1 if restarts < _RESTARTS_SHOWN else 2 * restarts


@cache
def rows(flavour: str) -> tuple[Row, ...]:
    """Return the rows of a flavour, with the need "operators" replaced by all operators."""
    everything = tuple(f"{OPERATOR}{name}" for name in NAMES)
    return tuple(
        Row(row.name, everything, row.seconds, row.action) if row.needs == ("operators",) else row
        for row in (*BOOTSTRAP, *PAYLOAD, *OPERATORS)
        if flavour in row.flavours
    )
