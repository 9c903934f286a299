"""OpenShift's own kinds, as CustomResourceDefinitions, and the objects that every cluster begins with, as tables."""

from collections.abc import Iterator
from dataclasses import dataclass

from emulator.json_object import Json
from emulator.openshift.release.printer_columns import COLUMNS
from emulator.openshift.release.schemas import schema_of

CONFIG = "config.openshift.io"
OPERATOR = "operator.openshift.io"
MACHINE = "machine.openshift.io"
MACHINE_CONFIG = "machineconfiguration.openshift.io"
MACHINES_NAMESPACE = "openshift-machine-api"
INGRESS_OPERATOR_NAMESPACE = "openshift-ingress-operator"
INGRESS_NAMESPACE = "openshift-ingress"
HEALTH_CHECK = f"MachineHealthCheck.{MACHINE}"
CLUSTER_VERSION = f"ClusterVersion.{CONFIG}"
# The label that names the pool of a MachineConfig.
ROLE_LABEL = "machineconfiguration.openshift.io/role"
# The beta versions that installers before 4.9 wrote, and the versions to which an API server converted them.
_BETA_DEFINITIONS = "apiextensions.k8s.io/v1beta1"
_MODERN = {
    "rbac.authorization.k8s.io/v1beta1": "rbac.authorization.k8s.io/v1",
    _BETA_DEFINITIONS: "apiextensions.k8s.io/v1",
}
_ANYTHING = {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}


@dataclass(frozen=True)
class Definition:
    """A kind."""

    group: str
    kind: str
    plural: str
    namespaced: bool = False
    short: tuple[str, ...] = ()
    scale: bool = False
    version: str = "v1"
    status: bool = True


DEFINITIONS = (
    Definition(CONFIG, "APIServer", "apiservers"),
    Definition(CONFIG, "Authentication", "authentications"),
    Definition(CONFIG, "Build", "builds"),
    Definition(CONFIG, "ClusterOperator", "clusteroperators", short=("co",)),
    Definition(CONFIG, "ClusterVersion", "clusterversions"),
    Definition(CONFIG, "Console", "consoles"),
    Definition(CONFIG, "DNS", "dnses"),
    Definition(CONFIG, "FeatureGate", "featuregates"),
    Definition(CONFIG, "Image", "images"),
    Definition(CONFIG, "ImageContentPolicy", "imagecontentpolicies"),
    Definition(CONFIG, "ImageDigestMirrorSet", "imagedigestmirrorsets", short=("idms",)),
    Definition(CONFIG, "Infrastructure", "infrastructures"),
    Definition(CONFIG, "Ingress", "ingresses"),
    Definition(CONFIG, "Network", "networks"),
    Definition(CONFIG, "Node", "nodes"),
    Definition(CONFIG, "OAuth", "oauths"),
    Definition(CONFIG, "OperatorHub", "operatorhubs"),
    Definition(CONFIG, "Project", "projects"),
    Definition(CONFIG, "Proxy", "proxies"),
    Definition(CONFIG, "Scheduler", "schedulers"),
    Definition(OPERATOR, "Authentication", "authentications"),
    Definition(OPERATOR, "CSISnapshotController", "csisnapshotcontrollers"),
    Definition(OPERATOR, "CloudCredential", "cloudcredentials"),
    Definition(OPERATOR, "Config", "configs"),
    Definition(OPERATOR, "Console", "consoles"),
    Definition(OPERATOR, "DNS", "dnses"),
    Definition(OPERATOR, "Etcd", "etcds"),
    Definition(OPERATOR, "ImageContentSourcePolicy", "imagecontentsourcepolicies", version="v1alpha1"),
    Definition(OPERATOR, "IngressController", "ingresscontrollers", namespaced=True, scale=True),
    Definition(OPERATOR, "InsightsOperator", "insightsoperators"),
    Definition(OPERATOR, "KubeAPIServer", "kubeapiservers"),
    Definition(OPERATOR, "KubeControllerManager", "kubecontrollermanagers"),
    Definition(OPERATOR, "KubeScheduler", "kubeschedulers"),
    Definition(OPERATOR, "KubeStorageVersionMigrator", "kubestorageversionmigrators"),
    Definition(OPERATOR, "MachineConfiguration", "machineconfigurations"),
    Definition(OPERATOR, "Network", "networks"),
    Definition(OPERATOR, "OpenShiftAPIServer", "openshiftapiservers"),
    Definition(OPERATOR, "OpenShiftControllerManager", "openshiftcontrollermanagers"),
    Definition(OPERATOR, "ServiceCA", "servicecas"),
    Definition(OPERATOR, "Storage", "storages"),
    Definition("cloudcredential.openshift.io", "CredentialsRequest", "credentialsrequests", namespaced=True),
    Definition("imageregistry.operator.openshift.io", "Config", "configs"),
    Definition("samples.operator.openshift.io", "Config", "configs"),
    Definition(MACHINE, "Machine", "machines", namespaced=True, version="v1beta1"),
    Definition(MACHINE, "MachineSet", "machinesets", namespaced=True, scale=True, version="v1beta1"),
    Definition(
        MACHINE, "MachineHealthCheck", "machinehealthchecks", namespaced=True, short=("mhc", "mhcs"), version="v1beta1"
    ),
    Definition(MACHINE, "ControlPlaneMachineSet", "controlplanemachinesets", namespaced=True, scale=True),
    Definition(MACHINE_CONFIG, "ControllerConfig", "controllerconfigs"),
    Definition(MACHINE_CONFIG, "KubeletConfig", "kubeletconfigs"),
    Definition(MACHINE_CONFIG, "MachineConfig", "machineconfigs", short=("mc",)),
    Definition(MACHINE_CONFIG, "MachineConfigPool", "machineconfigpools", short=("mcp",)),
    Definition(
        "security.openshift.io",
        "SecurityContextConstraints",
        "securitycontextconstraints",
        short=("scc",),
        status=False,
    ),
)

# The namespaces that the operators' renderers or the release make, beside those of every API server.
NAMESPACES = (
    "openshift",
    "openshift-apiserver",
    "openshift-apiserver-operator",
    "openshift-authentication",
    "openshift-authentication-operator",
    "openshift-cloud-controller-manager",
    "openshift-cloud-credential-operator",
    "openshift-cloud-network-config-controller",
    "openshift-cluster-csi-drivers",
    "openshift-cluster-machine-approver",
    "openshift-cluster-node-tuning-operator",
    "openshift-cluster-samples-operator",
    "openshift-cluster-storage-operator",
    "openshift-cluster-version",
    "openshift-config",
    "openshift-config-managed",
    "openshift-config-operator",
    "openshift-console",
    "openshift-console-operator",
    "openshift-controller-manager",
    "openshift-controller-manager-operator",
    "openshift-dns",
    "openshift-dns-operator",
    "openshift-etcd",
    "openshift-etcd-operator",
    "openshift-image-registry",
    "openshift-infra",
    "openshift-ingress-canary",
    INGRESS_NAMESPACE,
    INGRESS_OPERATOR_NAMESPACE,
    "openshift-insights",
    "openshift-kube-apiserver",
    "openshift-kube-apiserver-operator",
    "openshift-kube-controller-manager",
    "openshift-kube-controller-manager-operator",
    "openshift-kube-scheduler",
    "openshift-kube-scheduler-operator",
    MACHINES_NAMESPACE,
    "openshift-machine-config-operator",
    "openshift-marketplace",
    "openshift-monitoring",
    "openshift-multus",
    "openshift-network-operator",
    "openshift-node",
    "openshift-operator-lifecycle-manager",
    "openshift-operators",
    "openshift-ovn-kubernetes",
    "openshift-service-ca",
    "openshift-service-ca-operator",
    "openshift-user-workload-monitoring",
)
# The configuration objects that the release makes if the installer has not.
DEFAULT_CONFIGS = (
    "APIServer",
    "Authentication",
    "Build",
    "Console",
    "FeatureGate",
    "Image",
    "Node",
    "OAuth",
    "OperatorHub",
    "Project",
)


def definitions() -> Iterator[Json]:
    """Yield the CustomResourceDefinitions."""
    for row in DEFINITIONS:
        yield _definition(row)


def _definition(row: Definition) -> Json:
    names: Json = {
        "kind": row.kind,
        "listKind": f"{row.kind}List",
        "plural": row.plural,
        "singular": row.kind.lower(),
        "shortNames": list(row.short),
    }
    subresources: Json = {"status": {}} if row.status else {}
    if row.scale:
        subresources["scale"] = {"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas"}
    version = {
        "name": row.version,
        "served": True,
        "storage": True,
        "schema": {"openAPIV3Schema": schema_of(row.kind, row.group)},
        "subresources": subresources,
        "additionalPrinterColumns": [column.as_json() for column in COLUMNS.get(f"{row.kind}.{row.group}", ())],
    }
    scope = "Namespaced" if row.namespaced else "Cluster"
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{row.plural}.{row.group}"},
        "spec": {"group": row.group, "names": names, "scope": scope, "versions": [version]},
    }


def foundation() -> Iterator[Json]:
    """Yield the objects that the operators' renderers add to the installer's manifests."""
    for name in NAMESPACES:
        yield {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}
    for pool in ("master", "worker"):
        yield {
            "apiVersion": f"{MACHINE_CONFIG}/v1",
            "kind": "MachineConfigPool",
            "metadata": {"name": pool},
            "spec": {"machineConfigSelector": {"matchLabels": {ROLE_LABEL: pool}}, "paused": False},
        }
    yield from _bootstrapper()


def _bootstrapper() -> Iterator[Json]:
    """Yield the role and binding that let a new kubelet request a certificate with the kubeconfig of its config."""
    yield {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "ClusterRole",
        "metadata": {"name": "system:node-bootstrapper"},
        "rules": [
            {
                "apiGroups": ["certificates.k8s.io"],
                "resources": ["certificatesigningrequests"],
                "verbs": ["create", "get", "list", "watch"],
            }
        ],
    }
    yield {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "ClusterRoleBinding",
        "metadata": {"name": "system-bootstrap-node-bootstrapper"},
        "roleRef": {
            "apiGroup": "rbac.authorization.k8s.io",
            "kind": "ClusterRole",
            "name": "system:node-bootstrapper",
        },
        "subjects": [
            {
                "kind": "ServiceAccount",
                "name": "node-bootstrapper",
                "namespace": "openshift-machine-config-operator",
            }
        ],
    }


def modern(body: Json) -> Json:
    """Return an installer's object as a current API server accepts it: in a current version, without null metadata.

    A definition of the beta version may lack schemas; it gets one that keeps all members. The status is left out.
    """
    version = _MODERN.get(body["apiVersion"], body["apiVersion"])
    metadata = {name: value for name, value in body["metadata"].items() if value is not None}
    made = {name: value for name, value in body.items() if name != "status"} | {
        "apiVersion": version,
        "metadata": metadata,
    }
    if body["apiVersion"] == _BETA_DEFINITIONS:
        made["spec"] = made["spec"] | {
            "versions": [{"schema": _ANYTHING} | each for each in made["spec"].get("versions", ())]
        }
    return made


def full_name(obj: Json) -> str:
    """Return the name of an object's kind that `Objects` uses."""
    group, slash, _ = obj["apiVersion"].partition("/")
    return f"{obj['kind']}.{group}" if slash else str(obj["kind"])
