"""Why a bootstrap machine boots without a file or a unit, or with a wrong one: tables with reasons.

Names are below /opt/openshift unless they are absolute or units; `*` matches anything. The first matching row counts.
Each row has the flavours for which it is true.
"""

from fnmatch import fnmatchcase
from typing import NamedTuple


class Reason(NamedTuple):
    """Files, in which flavours, and why."""

    names: tuple[str, ...]
    why: str
    flavours: str = "ATBC"


# Nothing reads these at boot, so neither their presence nor their content matters.
UNREAD = (
    Reason(("/etc/motd",), "people read it when they log in"),
    Reason(("/etc/pki/ca-trust/source/anchors/ca.crt",), "it is empty: the customer has no authorities"),
    Reason(("/etc/profile.d/proxy.sh",), "it is empty: there is no proxy"),
    Reason(("/etc/systemd/system.conf.d/10-default-env.conf",), "it sets nothing: there is no proxy"),
    Reason(
        ("/etc/systemd/system.conf.d/10-default-env-godebug.conf",),
        "it allows certificates without alternative names, and all of these have them",
        "B",
    ),
    Reason(
        ("/usr/local/bin/installer-gather.sh", "/usr/local/bin/installer-masters-gather.sh"),
        "people run them when an install has come to nothing",
    ),
    Reason(
        ("chown-gatewayd-key.service", "systemd-journal-gatewayd.*", "tls/journal-gatewayd.*"),
        "they serve the journal, for which nothing at boot asks",
    ),
    Reason(("tls/aggregator-ca.*", "tls/aggregator-ca-bundle.crt", "tls/aggregator-client.*"), "no program reads them"),
    Reason(
        (
            "tls/kube-apiserver-lb-ca-bundle.crt",
            "tls/kube-apiserver-localhost-ca-bundle.crt",
            "tls/kube-apiserver-service-network-ca-bundle.crt",
            "tls/kube-apiserver-to-kubelet-ca-bundle.crt",
            "tls/kubelet-serving-ca-bundle.crt",
        ),
        "their certificates are in the complete bundles, which are read",
    ),
    Reason(
        ("tls/etcd-signer.*", "tls/etcd-client.*", "tls/etcd-ca-bundle.crt"), "the operator of etcd makes its own", "C"
    ),
    Reason(("tls/kubelet-client.*",), "it stands in auth/kubeconfig-kubelet"),
    Reason(("tls/etcd-metric-signer-client.*",), "it stands in a Secret, for Prometheus"),
    Reason(
        ("tls/etcd-metric-ca-bundle.crt", "tls/etcd-metric-signer.*"),
        "the operator of etcd takes it from its objects, and there is no signer",
        "BC",
    ),
    Reason(
        ("tls/kube-control-plane-kube-controller-manager-client.*", "tls/kube-control-plane-ca-bundle.crt"),
        "the cluster policy controller reads it, which comes with 4.6",
        "AT",
    ),
    Reason(("tls/kube-control-plane-kube-scheduler-client.*",), "the scheduler calls with the loopback kubeconfig"),
    Reason(("tls/kubelet-bootstrap-kubeconfig-ca-bundle.crt",), "the API server's operator reads it from 4.4 on", "A"),
)
# Only the program that creates all objects reads them: it notices a broken one, but not a missing one.
CREATED_ONLY = (
    Reason(("manifests/04-openshift-machine-config-operator.yaml",), "the release makes this namespace too"),
    Reason(("manifests/etcd-namespace.yaml",), "the release makes this namespace too", "ATB"),
    Reason(("manifests/openshift-apiserver-namespace.yaml",), "the release makes this namespace too"),
    Reason(("manifests/aro-cloud-provider-secret*",), "the cloud's controllers read it when a router wants an address"),
    Reason(("manifests/cluster-dns-02-config.yml",), "only the ingress operator reads it before 4.7", "AT"),
    Reason(("manifests/cluster-ingress-02-config.yml",), "the ingress operator reads it, after the boot"),
    Reason(("manifests/cluster-network-01-crd.yml",), "the release brings it too, and no object here is of its kind"),
    Reason(("manifests/cluster-scheduler-02-config.yml",), "without it masters take no workloads, as it says"),
    Reason(
        (
            "manifests/etcd-ca-bundle-configmap.yaml",
            "manifests/etcd-metric-serving-ca-configmap.yaml",
            "manifests/etcd-metric-signer-secret.yaml",
            "manifests/etcd-signer-secret.yaml",
        ),
        "the operator of etcd reads it, which looks after nothing in 4.3",
        "A",
    ),
    Reason(("manifests/etcd-metric-client-secret.yaml",), "Prometheus reads it, after the boot", "ATB"),
    Reason(
        ("manifests/etcd-host-service.yaml", "manifests/etcd-service.yaml"),
        "the control plane takes etcd's addresses from the endpoints, and no program asks by these names",
        "ATB",
    ),
    Reason(("manifests/kube-cloud-config.yaml",), "it is empty"),
    Reason(
        ("manifests/kube-system-configmap-root-ca.yaml", "manifests/machine-config-server-tls-secret.yaml"),
        "the masters' own machine config server reads it, after the boot",
    ),
    Reason(
        ("openshift/99_cloud-creds-secret.yaml", "openshift/99_role-cloud-creds-secret-reader.yaml"),
        "the cloud credential operator reads it, after the boot",
    ),
    Reason(("openshift/99_kubeadmin-password-secret.yaml",), "the console's login reads it"),
    Reason(
        (
            "openshift/99_openshift-cluster-api_master-machines-*.yaml",
            "openshift/99_openshift-cluster-api_worker-machineset-*.yaml",
            "openshift/99_openshift-cluster-api_*-user-data-secret.yaml",
        ),
        "machine-api reads it, after the boot; the first masters are the provider's",
    ),
    Reason(("openshift/99_openshift-machineconfig_99-*-ssh.yaml",), "people log in with it"),
    Reason(("openshift/openshift-install-manifests.yaml",), "support reads it, to know who has installed"),
)
OTHERWISE = (
    Reason(("/etc/containers/registries.conf",), "the pull secret holds credentials of the release's own registry"),
    Reason(("/etc/ignition-machine-config-encapsulated.json",), "without it the first boot asks for nothing"),
)
MAY_BE_MISSING = (*UNREAD, *CREATED_ONLY, *OTHERWISE)
# Cut in half they are still valid objects, which are read only after the boot.
MAY_BE_CUT = (
    Reason(("/etc/containers/registries.conf",), "it ends after one of its mirrors, and is one"),
    Reason(("manifests/aro-cloud-provider-secret-reader-rolebinding.yaml",), "its reader comes after the boot"),
    Reason(("manifests/cluster-dns-02-config.yml",), "what is cut off is read by the ingress operator"),
    Reason(("manifests/etcd-host-service.yaml", "manifests/etcd-service.yaml"), "nobody at boot asks by it"),
    Reason(
        (
            "openshift/99_openshift-cluster-api_master-machines-*.yaml",
            "openshift/99_openshift-cluster-api_worker-machineset-*.yaml",
        ),
        "machine-api reads it, after the boot",
    ),
)
MAY_BE_WRONG = (*UNREAD, *MAY_BE_CUT)


def reason(rows: tuple[Reason, ...], name: str, flavour: str) -> Reason | None:
    """Return the row for a file or a unit of a flavour, or None."""
    name = name.removeprefix("/opt/openshift/")
    fitting = (row for row in rows if flavour in row.flavours for pattern in row.names if fnmatchcase(name, pattern))
    return next(fitting, None)


# The text that stands for a file in the message about its absence.
SAID_AS = {
    "manifests/etcd-ca-bundle-configmap.yaml": 'configmaps "etcd-ca-bundle"',
    "manifests/etcd-client-secret.yaml": 'secrets "etcd-client"',
    "manifests/etcd-host-service-endpoints.yaml": 'endpoints "host-etcd"',
    "manifests/etcd-metric-serving-ca-configmap.yaml": 'configmaps "etcd-metric-serving-ca"',
    "manifests/etcd-metric-signer-secret.yaml": 'secrets "etcd-metric-signer"',
    "manifests/etcd-serving-ca-configmap.yaml": 'configmaps "etcd-serving-ca"',
    "manifests/etcd-signer-secret.yaml": 'secrets "etcd-signer"',
    "manifests/image-content-source-policy-0.yaml": "no mirror of quay.io/openshift-release-dev/ocp-release is",
    "manifests/image-content-source-policy-1.yaml": "no mirror of quay.io/openshift-release-dev/ocp-release-nightly is",
    "manifests/image-content-source-policy-2.yaml": "no mirror of quay.io/openshift-release-dev/ocp-v4.0-art-dev is",
}


def said_as(name: str) -> str:
    """Return the name of a file or a unit in messages about it."""
    name = name.removeprefix("/opt/openshift/")
    return SAID_AS.get(name, name.rpartition("/")[2])
