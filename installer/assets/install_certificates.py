"""Every certificate and every bundle of a new cluster, as two tables.

Source: the assets of `pkg/asset/tls` in openshift/installer 4.3 as ARO-RP vendors it.
"""

from installer import pki
from installer.config import install_config
from installer.graph import Asset, Content, Inputs
from installer.pki import DECADE, KEY_AND_CERTIFICATE, LEAF, Certificate
from installer.release.releases import WITH_SSH_KEY

_DAY, _YEAR = 1, 365

_SIGNER = (*LEAF, "key_cert_sign")
_SERVER, _CLIENT, _BOTH = ("serverAuth",), ("clientAuth",), ("serverAuth", "clientAuth")
_CERTIFICATE, _NOTHING = ("crt",), ()

_MASTER = "kube-master"
_ADMINS = "system:masters"
_SERVICE_NAMES = tuple(
    f"{service}{suffix}"
    for service in ("kubernetes", "openshift")
    for suffix in ("", ".default", ".default.svc", ".default.svc.cluster.local")
)


def _signer(
    file: str, days: int = DECADE, boot: tuple[str, ...] = KEY_AND_CERTIFICATE, name: str = "", unit: str = "openshift"
) -> Certificate:
    return Certificate(file, name or file, unit=unit, days=days, usages=_SIGNER, boot=boot)


def _server(file: str, issuer: str, dns: tuple[str, ...], ip: tuple[str, ...] = ()) -> Certificate:
    # One day: the operators of the running cluster make their own, and rotate them.
    return Certificate(
        file, "system:kube-apiserver", _MASTER, issuer=issuer, days=_DAY, extended=_SERVER, dns=dns, ip=ip, chained=True
    )


def _client(  # noqa: PLR0917 - the columns of the table below
    file: str, issuer: str, common_name: str, organization: str = "", days: int = DECADE, unit: str = ""
) -> Certificate:
    return Certificate(file, common_name, organization, unit, issuer, days, extended=_CLIENT)


_BOOTSTRAPPER = "system:serviceaccount:openshift-machine-config-operator:node-bootstrapper"
_BOOTSTRAPPERS = "system:serviceaccounts:openshift-machine-config-operator"

CERTIFICATES = (
    _signer("root-ca", boot=_CERTIFICATE),
    _signer("admin-kubeconfig-signer", boot=_NOTHING),
    _signer("aggregator-ca", _DAY, name="aggregator", unit="bootkube"),
    _signer("aggregator-signer", _DAY),
    _signer("etcd-signer"),
    _signer("etcd-metric-signer"),
    _signer("kube-apiserver-lb-signer"),
    _signer("kube-apiserver-localhost-signer"),
    _signer("kube-apiserver-service-network-signer"),
    _signer("kube-apiserver-to-kubelet-signer", _YEAR),
    _signer("kube-control-plane-signer", _YEAR),
    _signer("kubelet-bootstrap-kubeconfig-signer", boot=_NOTHING),
    _signer("kubelet-signer", _DAY),
    Certificate(
        "admin-kubeconfig-client",
        "system:admin",
        _ADMINS,
        issuer="admin-kubeconfig-signer",
        extended=_BOTH,
        boot=_NOTHING,
    ),
    Certificate(  # used by this service to talk to the cluster
        "aro-service",
        "system:aro-service",
        _ADMINS,
        issuer="admin-kubeconfig-signer",
        extended=_CLIENT,
        boot=_NOTHING,
    ),
    # Handed out by `listAdminCredentials`; the installer's own, valid for ten years, never is. OpenShift binds this
    # user (`cluster-admins`). No binding limits the group, and its members cannot be revoked. Source: ARO-RP
    # `pkg/cluster/kubeconfig.go`, `generateUserAdminKubeconfig`.
    Certificate(
        "user-admin",
        "system:admin",
        issuer="admin-kubeconfig-signer",
        days=_YEAR,
        extended=_CLIENT,
        boot=_NOTHING,
    ),
    # Not trusted by aggregator-ca-bundle: upstream's bootstrap API server uses it as a proxy before aggregation works.
    _client("apiserver-proxy", "aggregator-ca", "system:kube-apiserver-proxy", _MASTER, _DAY),
    _client("aggregator-client", "aggregator-signer", "system:kube-apiserver-proxy", _MASTER, _DAY),
    Certificate(
        "etcd-client", "etcd", unit="etcd", issuer="etcd-signer", usages=("key_encipherment",), extended=_CLIENT
    ),
    _client("etcd-metric-signer-client", "etcd-metric-signer", "etcd-metric", unit="etcd-metric"),
    _server("kube-apiserver-lb-server", "kube-apiserver-lb-signer", ("api.{domain}",)),
    _server("kube-apiserver-internal-lb-server", "kube-apiserver-lb-signer", ("api-int.{domain}",)),
    _server("kube-apiserver-localhost-server", "kube-apiserver-localhost-signer", ("localhost",), ("127.0.0.1", "::1")),
    _server(
        "kube-apiserver-service-network-server",
        "kube-apiserver-service-network-signer",
        _SERVICE_NAMES,
        ("{service_ip}",),
    ),
    _client(
        "kube-apiserver-to-kubelet-client",
        "kube-apiserver-to-kubelet-signer",
        "system:kube-apiserver",
        _MASTER,
        _YEAR,
    ),
    _client(
        "kube-control-plane-kube-controller-manager-client",
        "kube-control-plane-signer",
        "system:admin",
        _ADMINS,
        _YEAR,
    ),
    _client("kube-control-plane-kube-scheduler-client", "kube-control-plane-signer", "system:admin", _ADMINS, _YEAR),
    _client("kubelet-client", "kubelet-bootstrap-kubeconfig-signer", _BOOTSTRAPPER, _BOOTSTRAPPERS, _DAY),
    Certificate(
        "machine-config-server",
        "api-int.{domain}",
        issuer="root-ca",
        usages=(),
        extended=_SERVER,
        dns=("api-int.{domain}",),
    ),
    Certificate("journal-gatewayd", "journal-gatewayd", "OpenShift Bootstrap", issuer="root-ca", extended=_BOTH),
)

# Whom a reader of the file trusts: `tls/<bundle>.crt`, and its signers in order.
BUNDLES: dict[str, tuple[str, ...]] = {
    "admin-kubeconfig-ca-bundle": ("admin-kubeconfig-signer",),
    "aggregator-ca-bundle": ("aggregator-signer",),
    "etcd-ca-bundle": ("etcd-signer",),
    "etcd-metric-ca-bundle": ("etcd-metric-signer",),
    "kube-apiserver-lb-ca-bundle": ("kube-apiserver-lb-signer",),
    "kube-apiserver-localhost-ca-bundle": ("kube-apiserver-localhost-signer",),
    "kube-apiserver-service-network-ca-bundle": ("kube-apiserver-service-network-signer",),
    "kube-apiserver-complete-server-ca-bundle": (
        "kube-apiserver-localhost-signer",
        "kube-apiserver-service-network-signer",
        "kube-apiserver-lb-signer",
    ),
    "kube-apiserver-complete-client-ca-bundle": (
        "admin-kubeconfig-signer",
        "kubelet-signer",
        "kube-control-plane-signer",
        "kube-apiserver-to-kubelet-signer",
        "kubelet-bootstrap-kubeconfig-signer",
    ),
    "kube-apiserver-to-kubelet-ca-bundle": ("kube-apiserver-to-kubelet-signer",),
    "kube-control-plane-ca-bundle": (
        "kube-control-plane-signer",
        "kube-apiserver-lb-signer",
        "kube-apiserver-localhost-signer",
        "kube-apiserver-service-network-signer",
    ),
    "kubelet-bootstrap-kubeconfig-ca-bundle": ("kubelet-bootstrap-kubeconfig-signer",),
    "kubelet-client-ca-bundle": ("kubelet-signer",),
    "kubelet-serving-ca-bundle": ("kubelet-signer",),
}

SERVICE_ACCOUNT = "tls/service-account"
# The key with which people log in to gather logs of a bootstrap machine. The machine gets only the public half.
BOOTSTRAP_SSH = "auth/bootstrap-ssh"


def _certificate_asset(row: Certificate) -> Asset:
    named = any("{" in name for name in (row.common_name, *row.dns, *row.ip))

    def make(inputs: Inputs) -> Content:
        signer = inputs[f"tls/{row.issuer}"] if row.issuer else None
        names = install_config.names(inputs["install-config"]) if named else {}
        pair = pki.issue(row, names, inputs["clock"]["now"], _pair(row.issuer, signer) if signer else None)
        chain = signer[f"tls/{row.issuer}.crt"] if row.chained and signer else ""
        return {f"{row.asset}.key": pair.key, f"{row.asset}.crt": pair.certificate + chain}

    inputs = ("clock", *(["install-config"] if named else []), *([f"tls/{row.issuer}"] if row.issuer else []))
    return Asset(row.asset, (f"{row.asset}.key", f"{row.asset}.crt"), inputs, make)


def _pair(file: str, content: Content) -> pki.Pair:
    return pki.Pair(content[f"tls/{file}.key"], content[f"tls/{file}.crt"])


def _bundle_asset(name: str, signers: tuple[str, ...]) -> Asset:
    def make(inputs: Inputs) -> Content:
        return {f"tls/{name}.crt": "".join(inputs[f"tls/{signer}"][f"tls/{signer}.crt"] for signer in signers)}

    return Asset(f"tls/{name}", (f"tls/{name}.crt",), tuple(f"tls/{signer}" for signer in signers), make)


def _service_account(_inputs: Inputs) -> Content:
    key = pki.new_key()
    return {f"{SERVICE_ACCOUNT}.key": pki.private_pem(key), f"{SERVICE_ACCOUNT}.pub": pki.public_pem(key)}


def _bootstrap_ssh(inputs: Inputs) -> Content:
    if inputs["release-image"] not in WITH_SSH_KEY:
        return {}
    key = pki.new_key()
    return {f"{BOOTSTRAP_SSH}.key": pki.private_pem(key), f"{BOOTSTRAP_SSH}.pub": pki.ssh_public(key)}


ASSETS = (
    *(_certificate_asset(row) for row in CERTIFICATES),
    *(_bundle_asset(name, signers) for name, signers in BUNDLES.items()),
    Asset(SERVICE_ACCOUNT, (f"{SERVICE_ACCOUNT}.key", f"{SERVICE_ACCOUNT}.pub"), (), _service_account),
    Asset(BOOTSTRAP_SSH, (f"{BOOTSTRAP_SSH}.key", f"{BOOTSTRAP_SSH}.pub"), ("release-image",), _bootstrap_ssh),
)

BOOT_FILES = (
    *(f"{row.asset}.{suffix}" for row in CERTIFICATES for suffix in row.boot),
    *(f"tls/{name}.crt" for name in BUNDLES),
    f"{SERVICE_ACCOUNT}.key",
    f"{SERVICE_ACCOUNT}.pub",
)
