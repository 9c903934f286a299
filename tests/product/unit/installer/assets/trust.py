"""The bundle by which the user of each certificate verifies it."""

from installer.assets.install_certificates import CERTIFICATES

# The bundles that the user of each leaf trusts.
TRUST = {
    "admin-kubeconfig-client": ("admin-kubeconfig-ca-bundle", "kube-apiserver-complete-client-ca-bundle"),
    "aro-service": ("kube-apiserver-complete-client-ca-bundle",),
    "user-admin": ("kube-apiserver-complete-client-ca-bundle",),
    "apiserver-proxy": ("aggregator-ca",),
    "aggregator-client": ("aggregator-ca-bundle",),
    "etcd-client": ("etcd-ca-bundle",),
    "etcd-metric-signer-client": ("etcd-metric-ca-bundle",),
    "kube-apiserver-lb-server": ("kube-apiserver-complete-server-ca-bundle", "kube-apiserver-lb-ca-bundle"),
    "kube-apiserver-internal-lb-server": ("kube-apiserver-complete-server-ca-bundle", "kube-control-plane-ca-bundle"),
    "kube-apiserver-localhost-server": (
        "kube-apiserver-complete-server-ca-bundle",
        "kube-apiserver-localhost-ca-bundle",
    ),
    "kube-apiserver-service-network-server": (
        "kube-apiserver-complete-server-ca-bundle",
        "kube-apiserver-service-network-ca-bundle",
    ),
    "kube-apiserver-to-kubelet-client": ("kube-apiserver-to-kubelet-ca-bundle",),
    "kube-control-plane-kube-controller-manager-client": (
        "kube-control-plane-ca-bundle",
        "kube-apiserver-complete-client-ca-bundle",
    ),
    "kube-control-plane-kube-scheduler-client": (
        "kube-control-plane-ca-bundle",
        "kube-apiserver-complete-client-ca-bundle",
    ),
    "kubelet-client": ("kubelet-bootstrap-kubeconfig-ca-bundle", "kube-apiserver-complete-client-ca-bundle"),
    "machine-config-server": ("root-ca",),
    "journal-gatewayd": ("root-ca",),
}
LEAVES = [row.file for row in CERTIFICATES if row.issuer]
