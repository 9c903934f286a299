"""Ignition for machines in tests: a cluster's certificates, kubeconfigs and manifests, as far as machines read them.

This module makes them without the product, so that it does not repeat the product's errors. RSA keys are made once
a session.
"""

import base64
import json
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cache
from ipaddress import ip_address
from typing import Any

import yaml
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from shared.json_object import Json

INGRESS_CONTROLLER = "manifests/cluster-ingress-default-ingresscontroller.yaml"
IMAGE = {"publisher": "azureopenshift", "offer": "aro4", "sku": "aro_419", "version": "419.6.20250523"}
SIGNERS = (
    "admin-kubeconfig-signer",
    "aggregator-signer",
    "etcd-signer",
    "kube-apiserver-lb-signer",
    "kube-apiserver-localhost-signer",
    "kube-apiserver-service-network-signer",
    "kube-apiserver-to-kubelet-signer",
    "kube-control-plane-signer",
    "kubelet-bootstrap-kubeconfig-signer",
    "kubelet-signer",
    "root-ca",
)
_CLIENT_SIGNERS = (
    "admin-kubeconfig-signer",
    "kube-control-plane-signer",
    "kube-apiserver-to-kubelet-signer",
    "kubelet-bootstrap-kubeconfig-signer",
    "kubelet-signer",
)
_SERVER_SIGNERS = (
    "kube-apiserver-localhost-signer",
    "kube-apiserver-service-network-signer",
    "kube-apiserver-lb-signer",
)
_DAY = timedelta(days=1)
# The machine's units: the program that each starts, and its dependencies. The enabled ones start with the machine.
UNITS = {
    "release-image.service": ("release-image-download", "Wants=network-online.target"),
    "crio-configure.service": ("crio-configure", "Requires=release-image.service"),
    "kubelet.service": ("kubelet-pause-image", "Wants=crio.service"),
    "bootkube.service": ("bootkube", "Requires=crio-configure.service\nWants=kubelet.service"),
    "approve-csr.service": ("approve-csr", "Wants=bootkube.service"),
    "progress.service": ("report-progress", "Wants=bootkube.service"),
}
_ENABLED = ("kubelet.service", "approve-csr.service", "progress.service")
_MIRROR = "arosvc.azurecr.io/openshift-release-dev/ocp-release"
_REGISTRIES = f"""[[registry]]
location = "quay.io/openshift-release-dev/ocp-release"

[[registry.mirror]]
location = "{_MIRROR}"
"""
# What the machine prints and marks, in the order of its stages; a line without a marker belongs to the next marker.
_BOOTKUBE = """#!/bin/sh
echo "Rendering the machine configurations..."
touch mco-bootstrap.done
echo "Waiting for etcd..."
until etcdctl endpoint health
do
    echo "Not yet."
done
echo "Starting the temporary control plane..."
cluster-bootstrap start --required-pods=a/b
echo "Done."
touch .bootkube.done
"""
_DOWNLOAD = """#!/bin/sh
release=quay.io/openshift-release-dev/release
echo "Pulling $release..."
until podman pull "$release"; do
    echo "Pulling failed; once more."
done
"""
# What brings the system of a release whose boot image is a plain one, with the units as files.
NODE_IMAGE = {
    "/etc/systemd/system-generators/node-image-overlay-generator": (
        '#!/bin/sh\nln -s /etc/systemd/system/node-image-overlay.target "$1/default.target"\n'
    ),
    "/etc/systemd/system/node-image-overlay.target": (
        "[Unit]\nRequires=basic.target node-image-overlay.service node-image-finish.service\n"
    ),
    "/etc/systemd/system/node-image-pull.service": "[Service]\nExecStart=/usr/local/bin/node-image-pull.sh\n",
    "/etc/systemd/system/node-image-overlay.service": (
        "[Unit]\nRequires=node-image-pull.service\n[Service]\nExecStart=/usr/local/bin/node-image-overlay.sh\n"
    ),
    "/etc/systemd/system/node-image-finish.service": (
        "[Unit]\nRequires=node-image-overlay.service\n"
        "[Service]\nExecStart=/usr/bin/systemctl isolate multi-user.target\n"
    ),
    **{f"/usr/local/bin/node-image-{name}.sh": "#!/bin/sh\n" for name in ("pull", "overlay")},
}
_SCRIPTS = (
    NODE_IMAGE
    | {f"/usr/local/bin/{program}.sh": "#!/bin/sh\n" for program, _ in UNITS.values()}
    | {
        "/usr/local/bin/bootkube.sh": _BOOTKUBE,
        "/usr/local/bin/release-image-download.sh": _DOWNLOAD,
    }
)


def signing_key() -> rsa.RSAPrivateKey:
    """Return the key that signs the tokens of service accounts, of a cluster with an issuer."""
    return _key(0)


@cache
def _key(_number: int) -> rsa.RSAPrivateKey:
    """Return one of a few keys; it does not matter to machines which certificates share a key."""
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


def key_pem(key: rsa.RSAPrivateKey) -> str:
    """Return a key as PKCS#1 PEM, as the installer writes it."""
    return key.private_bytes(Encoding.PEM, PrivateFormat.TraditionalOpenSSL, NoEncryption()).decode()


def _common_name(text: str) -> x509.NameAttribute[str]:
    # Kubernetes' names of service accounts are longer than X.520 allows; Go accepts them.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return x509.NameAttribute(NameOID.COMMON_NAME, text, _validate=False)


@dataclass(frozen=True)
class Signer:
    """A certificate authority."""

    name: str
    key: rsa.RSAPrivateKey
    certificate: x509.Certificate

    @property
    def pem(self) -> str:
        """The authority's certificate, PEM."""
        return self.certificate.public_bytes(Encoding.PEM).decode()

    def issue(
        self,
        common_name: str,
        *,
        organizations: tuple[str, ...] = (),
        names: tuple[str, ...] = (),
        valid: tuple[timedelta, timedelta] = (-_DAY, _DAY),
    ) -> tuple[str, str]:
        """Issue a certificate; return it and its key, as PEM.

        Args:
            common_name: common name of the subject.
            organizations: organizations of the subject, which are a user's groups.
            names: DNS names and IP addresses of the subject.
            valid: begin and end of its validity, relative to now.
        """
        key = _key(1)
        subject = [x509.NameAttribute(NameOID.ORGANIZATION_NAME, name) for name in organizations]
        usage = [ExtendedKeyUsageOID.SERVER_AUTH, ExtendedKeyUsageOID.CLIENT_AUTH]
        now = datetime.now(UTC)
        builder = (
            x509.CertificateBuilder()
            .subject_name(x509.Name([*subject, _common_name(common_name)]))
            .issuer_name(self.certificate.subject)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now + valid[0])
            .not_valid_after(now + valid[1])
            .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
            .add_extension(x509.ExtendedKeyUsage(usage), critical=False)
        )
        if names:
            san = [_general_name(name) for name in names]
            builder = builder.add_extension(x509.SubjectAlternativeName(san), critical=False)
        return builder.sign(self.key, hashes.SHA256()).public_bytes(Encoding.PEM).decode(), key_pem(key)


def _general_name(name: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ip_address(name))
    except ValueError:
        return x509.DNSName(name)


@cache
def signer(name: str) -> Signer:
    """Return the certificate authority of a name, the same one for the whole session."""
    key = _key(2 + SIGNERS.index(name) % 4) if name in SIGNERS else _key(6)
    subject = x509.Name(
        [
            x509.NameAttribute(NameOID.COMMON_NAME, name),
            x509.NameAttribute(NameOID.ORGANIZATIONAL_UNIT_NAME, "openshift"),
        ]
    )
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - _DAY)
        .not_valid_after(now + 10 * _DAY)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .sign(key, hashes.SHA256())
    )
    return Signer(name, key, certificate)


@dataclass
class Cluster:
    """The data that a test's cluster is made from.

    Args:
        domain: domain of the cluster; the first label is the cluster's name.
        infra_id: prefix of its resources' names.
        subscription_id: subscription of the cluster.
        resource_group: the cluster's own resource group.
        network: name of the virtual network.
        network_group: resource group of the virtual network.
        credentials: tenant id, client id and client secret.
        issuer: issuer of the tokens with which its operators log in as identities; "" for `credentials`.
        identities: client ids of these identities, by namespace and name of the operator's Secret.
        workers: number of workers, all in one machine set.
        internal: whether the router gets a private address; install-config and `INGRESS_CONTROLLER` both say it.
        version: version of the ignition.
        image: marketplace coordinates of the machines' image.
        files: content of the bootstrap machine's ignition, by path below /opt/openshift or by absolute path; it may be
            changed before use.
    """

    domain: str
    infra_id: str = "c1-abcde"
    subscription_id: str = "sub"
    resource_group: str = "aro-c1"
    network: str = "vnet"
    network_group: str = "customer"
    credentials: tuple[str, str, str] = ("tenant", "client", "secret")
    issuer: str = ""
    identities: Mapping[tuple[str, str], str] = field(default_factory=dict)
    workers: int = 2
    internal: bool = False
    version: str = "3.2.0"
    image: Mapping[str, str] = field(default_factory=lambda: dict(IMAGE))
    files: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        host = _SCRIPTS | {"/etc/containers/registries.conf": _REGISTRIES}
        own = _signing_key() if self.issuer else {}
        self.files = host | _tls(self.domain) | own | _kubeconfigs(self.domain) | _manifests(self) | self.files

    def bootstrap(self, modes: Mapping[str, int] | None = None) -> str:
        """Return the bootstrap machine's ignition."""
        paths = {f"/opt/openshift/{path}": text for path, text in self.files.items() if not path.startswith("/")}
        paths |= {path: text for path, text in self.files.items() if path.startswith("/")}
        files = [
            file_entry(path, text, (modes or {}).get(path, _mode(path)), self.version) for path, text in paths.items()
        ]
        return json.dumps(
            {
                "ignition": {"version": self.version},
                "passwd": {"users": [{"name": "core", "sshAuthorizedKeys": ["ssh-rsa AAAA"]}]},
                "storage": {"files": files},
                "systemd": {"units": [unit_entry(name) for name in UNITS]},
            }
        )

    def pointer(self, role: str, authority: str = "") -> str:
        """Return a node's pointer ignition."""
        source = {"source": data_url(authority or signer("root-ca").pem)}
        return json.dumps(
            {
                "ignition": {
                    "version": self.version,
                    "config": {
                        "append" if self.version.startswith("2.") else "merge": [
                            {"source": f"https://api-int.{self.domain}:22623/config/{role}"}
                        ]
                    },
                    "security": {"tls": {"certificateAuthorities": [source]}},
                }
            }
        )


def file_entry(path: str, text: str, mode: int, version: str = "3.2.0") -> Json:
    """Return a file of an ignition config.

    Args:
        path: absolute path of the file.
        text: content of the file.
        mode: permission bits of the file.
        version: version of the ignition.
    """
    entry: Json = {"path": path, "mode": mode, "contents": {"source": data_url(text)}}
    return entry | ({"filesystem": "root"} if version.startswith("2.") else {"overwrite": True})


def unit_entry(name: str) -> Json:
    """Return a unit of an ignition config."""
    program, needs = UNITS[name]
    contents = f"[Unit]\n{needs}\n[Service]\nExecStart=/usr/local/bin/{program}.sh\n"
    if name not in _ENABLED:
        return {"name": name, "contents": contents}
    return {"name": name, "enabled": True, "contents": f"{contents}[Install]\nWantedBy=multi-user.target\n"}


def data_url(text: str) -> str:
    """Return a text as a data URL."""
    return f"data:text/plain;charset=utf-8;base64,{base64.b64encode(text.encode()).decode()}"


def _mode(path: str) -> int:
    if "/bin/" in path or "/system-generators/" in path:
        return 0o555
    return 0o600 if "/tls/" in path or "/auth/" in path or path.startswith("/root/") else 0o644


def _tls(domain: str) -> dict[str, str]:
    made: dict[str, str] = {}

    def pair(name: str, authority: str, common_name: str, **options: Any) -> None:
        certificate, key = signer(authority).issue(common_name, **options)
        chain = signer(authority).pem if "kube-apiserver-" in name and name.endswith("-server") else ""
        made[f"tls/{name}.crt"], made[f"tls/{name}.key"] = certificate + chain, key

    for name in SIGNERS:
        if name not in ("admin-kubeconfig-signer", "root-ca", "kubelet-bootstrap-kubeconfig-signer"):
            made[f"tls/{name}.crt"], made[f"tls/{name}.key"] = signer(name).pem, key_pem(signer(name).key)
    made["tls/root-ca.crt"] = signer("root-ca").pem
    masters = {"organizations": ("kube-master",)}
    for name, authority, names in (
        ("lb", "lb", (f"api.{domain}",)),
        ("internal-lb", "lb", (f"api-int.{domain}",)),
        ("localhost", "localhost", ("localhost", "127.0.0.1")),
        ("service-network", "service-network", ("kubernetes", "kubernetes.default.svc", "172.30.0.1")),
    ):
        authority_name = f"kube-apiserver-{authority}-signer"
        pair(f"kube-apiserver-{name}-server", authority_name, "system:kube-apiserver", names=names, **masters)
    pair("kube-apiserver-to-kubelet-client", "kube-apiserver-to-kubelet-signer", "system:kube-apiserver", **masters)
    pair("apiserver-proxy", "aggregator-signer", "system:kube-apiserver-proxy", **masters)
    pair("etcd-client", "etcd-signer", "etcd")
    for name in ("kube-controller-manager", "kube-scheduler"):
        options = {"organizations": ("system:masters",)}
        pair(f"kube-control-plane-{name}-client", "kube-control-plane-signer", "system:admin", **options)
    pair("machine-config-server", "root-ca", f"api-int.{domain}", names=(f"api-int.{domain}",))
    made["tls/etcd-ca-bundle.crt"] = signer("etcd-signer").pem
    for name in ("admin-kubeconfig", "kubelet-bootstrap-kubeconfig"):
        made[f"tls/{name}-ca-bundle.crt"] = signer(f"{name}-signer").pem
    made["tls/kubelet-client-ca-bundle.crt"] = signer("kubelet-signer").pem
    made["tls/kube-control-plane-ca-bundle.crt"] = signer("kube-control-plane-signer").pem
    made["tls/kube-apiserver-complete-client-ca-bundle.crt"] = "".join(signer(name).pem for name in _CLIENT_SIGNERS)
    made["tls/kube-apiserver-complete-server-ca-bundle.crt"] = "".join(signer(name).pem for name in _SERVER_SIGNERS)
    made["tls/service-account.key"] = key_pem(_key(1))
    public = _key(1).public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    made["tls/service-account.pub"] = public.decode()
    return made


def _signing_key() -> dict[str, str]:
    public = signing_key().public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    name = "tls/bound-service-account-signing-key"
    return {f"{name}.key": key_pem(signing_key()), f"{name}.pub": public.decode()}


def _kubeconfigs(domain: str) -> dict[str, str]:
    internal = f"https://api-int.{domain}:6443"
    bundle = "".join(signer(name).pem for name in _SERVER_SIGNERS)
    return {
        "auth/kubeconfig": kubeconfig(internal, bundle),
        "auth/kubeconfig-loopback": kubeconfig("https://localhost:6443", signer("kube-apiserver-localhost-signer").pem),
        "auth/kubeconfig-kubelet": kubeconfig(
            internal,
            bundle,
            authority="kubelet-bootstrap-kubeconfig-signer",
            common_name="system:serviceaccount:openshift-machine-config-operator:node-bootstrapper",
            organizations=("system:serviceaccounts:openshift-machine-config-operator",),
        ),
    }


def kubeconfig(
    server: str,
    bundle: str = "",
    *,
    authority: str = "admin-kubeconfig-signer",
    common_name: str = "system:admin",
    organizations: tuple[str, ...] = ("system:masters",),
) -> str:
    """Return a kubeconfig with a new client certificate.

    Args:
        server: URL of the API server.
        bundle: certificates of the authorities of the API server, PEM; by default those of all its signers.
        authority: signer of the client certificate.
        common_name: the user's name.
        organizations: the user's groups.
    """
    certificate, key = signer(authority).issue(common_name, organizations=organizations)
    encoded = {name: base64.b64encode(text.encode()).decode() for name, text in (("crt", certificate), ("key", key))}
    trusted = bundle or "".join(signer(name).pem for name in _SERVER_SIGNERS)
    cluster = {"server": server, "certificate-authority-data": base64.b64encode(trusted.encode()).decode()}
    user = {"client-certificate-data": encoded["crt"], "client-key-data": encoded["key"]}
    return yaml.safe_dump(
        {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": "cluster", "cluster": cluster}],
            "contexts": [{"name": "admin", "context": {"cluster": "cluster", "user": "admin"}}],
            "current-context": "admin",
            "users": [{"name": "admin", "user": user}],
        }
    )


def _secret(name: str, namespace: str, data: Mapping[str, str], kind: str = "Opaque") -> Json:
    encoded = {key: base64.b64encode(value.encode()).decode() for key, value in data.items()}
    metadata = {"name": name, "namespace": namespace}
    return {"apiVersion": "v1", "kind": "Secret", "metadata": metadata, "type": kind, "data": encoded}


def identity_secret(cluster: Cluster, namespace: str, name: str, client_id: str) -> Json:
    """Return the Secret of an operator that logs in as an identity."""
    members = {
        "azure_client_id": client_id,
        "azure_federated_token_file": "/var/run/secrets/openshift/serviceaccount/token",
        "azure_region": "eastus",
        "azure_subscription_id": cluster.subscription_id,
        "azure_tenant_id": cluster.credentials[0],
    }
    return _secret(name, namespace, members)


def _config_map(name: str, namespace: str, data: Mapping[str, str]) -> Json:
    metadata = {"name": name, "namespace": namespace}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": dict(data)}


def _manifests(cluster: Cluster) -> dict[str, str]:
    label, _, base = cluster.domain.partition(".")
    tenant, client, secret = cluster.credentials
    azure = {"resourceGroupName": cluster.resource_group, "networkResourceGroupName": cluster.network_group}
    install_config = {
        "apiVersion": "v1",
        "metadata": {"name": label},
        "baseDomain": base,
        "controlPlane": {"name": "master", "replicas": 3},
        "compute": [{"name": "worker", "replicas": cluster.workers}],
        "networking": {"machineNetwork": [{"cidr": "127.0.0.0/8"}], "serviceNetwork": ["172.30.0.0/16"]},
        "platform": {"azure": azure | {"region": "eastus"}},
        "imageContentSources": [{"source": "quay.io/openshift-release-dev/ocp-release", "mirrors": [_MIRROR]}],
        "publish": "Internal" if cluster.internal else "External",
    } | ({"credentialsMode": "Manual"} if cluster.issuer else {})
    registry = json.dumps({"auths": {"arosvc.azurecr.io": {"auth": "dG9rZW46cGFzcw=="}}})
    zone = (
        f"/subscriptions/{cluster.subscription_id}/resourceGroups/{cluster.resource_group}"
        f"/providers/Microsoft.Network/privateDnsZones/{cluster.domain}"
    )
    cloud_config = {
        "cloud": "AzurePublicCloud",
        "tenantId": tenant,
        "subscriptionId": cluster.subscription_id,
        "resourceGroup": cluster.resource_group,
        "location": "eastus",
        "vnetName": cluster.network,
        "vnetResourceGroup": cluster.network_group,
        "subnetName": "worker",
        "securityGroupName": f"{cluster.infra_id}-node-nsg",
        "loadBalancerSku": "standard",
    }
    account = {
        "azure_client_id": client,
        "azure_client_secret": secret,
        "azure_region": "eastus",
        "azure_resource_prefix": cluster.infra_id,
        "azure_resourcegroup": cluster.resource_group,
        "azure_subscription_id": cluster.subscription_id,
        "azure_tenant_id": tenant,
    }
    infrastructure = {
        "apiVersion": "config.openshift.io/v1",
        "kind": "Infrastructure",
        "metadata": {"name": "cluster", "creationTimestamp": None},
        "spec": {"cloudConfig": {"name": "cloud-provider-config", "key": "config"}},
        "status": {
            "infrastructureName": cluster.infra_id,
            "platform": "Azure",
            "platformStatus": {"type": "Azure", "azure": azure},
            "apiServerInternalURI": f"https://api-int.{cluster.domain}:6443",
        },
    }
    objects = {
        "manifests/04-openshift-machine-config-operator.yaml": {
            "apiVersion": "v1",
            "kind": "Namespace",
            "metadata": {"name": "openshift-machine-config-operator"},
        },
        "manifests/cluster-config.yaml": _config_map(
            "cluster-config-v1", "kube-system", {"install-config": yaml.safe_dump(install_config)}
        ),
        "manifests/cluster-infrastructure-02-config.yml": infrastructure,
        "manifests/cluster-network-02-config.yml": _config(
            "Network", {"networkType": "OVNKubernetes", "serviceNetwork": ["172.30.0.0/16"]}
        ),
        "manifests/cluster-proxy-01-config.yaml": _config("Proxy", {"trustedCA": {"name": ""}}),
        "manifests/image-digest-mirror-set.yaml": _config(
            "ImageDigestMirrorSet", {"imageDigestMirrors": install_config["imageContentSources"]}, "release"
        ),
        "manifests/etcd-client-secret.yaml": _secret("etcd-client", "openshift-config", {}),
        "manifests/etcd-serving-ca-configmap.yaml": _config_map(
            "etcd-serving-ca", "openshift-config", {"ca-bundle.crt": signer("etcd-signer").pem}
        ),
        "manifests/etcd-host-service-endpoints.yaml": {
            "apiVersion": "v1",
            "kind": "Endpoints",
            "metadata": {"name": "host-etcd", "namespace": "openshift-etcd"},
            "subsets": [{"addresses": [{"ip": f"192.0.2.{n}", "hostname": f"etcd-{n - 1}"} for n in (1, 2, 3)]}],
        },
        "manifests/cluster-ingress-02-config.yml": _config("Ingress", {"domain": f"apps.{cluster.domain}"}),
        "manifests/cluster-dns-02-config.yml": _config(
            "DNS", {"baseDomain": cluster.domain, "privateZone": {"id": zone}}
        ),
        "manifests/kube-system-configmap-root-ca.yaml": _config_map(
            "root-ca", "kube-system", {"ca.crt": signer("root-ca").pem}
        ),
        "manifests/openshift-config-secret-pull-secret.yaml": _secret(
            "pull-secret", "openshift-config", {".dockerconfigjson": registry}, "kubernetes.io/dockerconfigjson"
        ),
        "manifests/cvo-overrides.yaml": _config("ClusterVersion", {"clusterID": "1"}, "version"),
        "manifests/cloud-provider-config.yaml": _config_map(
            "cloud-provider-config", "openshift-config", {"config": json.dumps(cloud_config)}
        ),
        "openshift/99_kubeadmin-password-secret.yaml": _secret("kubeadmin", "kube-system", {"kubeadmin": "$2a$10$x"}),
        "openshift/openshift-install-manifests.yaml": _config_map(
            "openshift-install-manifests", "openshift-config", {"invoker": "test", "version": "4.19.24"}
        ),
        "openshift/99_openshift-cluster-api_worker-machineset-0.yaml": _machine_set(cluster),
    }
    if cluster.issuer:
        objects["manifests/cluster-authentication-02-config.yaml"] = _config(
            "Authentication", {"serviceAccountIssuer": cluster.issuer}
        )
        for (namespace, name), identity in cluster.identities.items():
            objects[f"openshift/{namespace}-{name}.yaml"] = identity_secret(cluster, namespace, name, identity)
    else:
        objects["manifests/aro-cloud-provider-secret.yaml"] = _secret(
            "azure-cloud-provider",
            "kube-system",
            {"cloud-config": yaml.safe_dump({"aadClientId": client, "aadClientSecret": secret})},
        )
        objects["openshift/99_cloud-creds-secret.yaml"] = _secret("azure-credentials", "kube-system", account)
    if cluster.internal:
        objects[INGRESS_CONTROLLER] = {
            "apiVersion": "operator.openshift.io/v1",
            "kind": "IngressController",
            "metadata": {"name": "default", "namespace": "openshift-ingress-operator"},
            "spec": {
                "endpointPublishingStrategy": {"type": "LoadBalancerService", "loadBalancer": {"scope": "Internal"}}
            },
        }
    for number in range(3):
        objects[f"openshift/99_openshift-cluster-api_master-machines-{number}.yaml"] = _machine(cluster, number)
    for role in ("master", "worker"):
        objects[f"openshift/99_openshift-cluster-api_{role}-user-data-secret.yaml"] = _secret(
            f"{role}-user-data", "openshift-machine-api", {"userData": cluster.pointer(role)}
        )
        objects[f"openshift/99_openshift-machineconfig_99-{role}-ssh.yaml"] = _machine_config(cluster, role)
    return {path: yaml.safe_dump(obj) for path, obj in objects.items()} | {"/root/.docker/config.json": registry}


def _config(kind: str, spec: Json, name: str = "cluster") -> Json:
    return {
        "apiVersion": "config.openshift.io/v1",
        "kind": kind,
        "metadata": {"name": name, "creationTimestamp": None},
        "spec": spec,
    }


def _machine_config(cluster: Cluster, role: str) -> Json:
    users = [{"name": "core", "sshAuthorizedKeys": ["ssh-rsa AAAA"]}]
    return {
        "apiVersion": "machineconfiguration.openshift.io/v1",
        "kind": "MachineConfig",
        "metadata": {"name": f"99-{role}-ssh", "labels": {"machineconfiguration.openshift.io/role": role}},
        "spec": {"config": {"ignition": {"version": cluster.version}, "passwd": {"users": users}}},
    }


def _provider_spec(cluster: Cluster, role: str, size: str, disk: int) -> Json:
    return {
        "apiVersion": "azureproviderconfig.openshift.io/v1beta1",
        "kind": "AzureMachineProviderSpec",
        "userDataSecret": {"name": f"{role}-user-data"},
        "credentialsSecret": {"name": "azure-cloud-credentials", "namespace": "openshift-machine-api"},
        "location": "eastus",
        "vmSize": size,
        "image": {**cluster.image, "resourceID": ""},
        "osDisk": {"osType": "Linux", "managedDisk": {"storageAccountType": "Premium_LRS"}, "diskSizeGB": disk},
        "publicIP": False,
        "subnet": role,
        "vnet": cluster.network,
        "resourceGroup": cluster.resource_group,
        "networkResourceGroup": cluster.network_group,
        "zone": "1",
    }


def _labels(cluster: Cluster, role: str) -> dict[str, str]:
    prefix = "machine.openshift.io/cluster-api-"
    return {f"{prefix}cluster": cluster.infra_id, f"{prefix}machine-role": role, f"{prefix}machine-type": role}


def _machine(cluster: Cluster, number: int) -> Json:
    return {
        "apiVersion": "machine.openshift.io/v1beta1",
        "kind": "Machine",
        "metadata": {
            "name": f"{cluster.infra_id}-master-{number}",
            "namespace": "openshift-machine-api",
            "labels": _labels(cluster, "master"),
        },
        "spec": {"providerSpec": {"value": _provider_spec(cluster, "master", "Standard_D8s_v5", 1024)}},
        "status": {},
    }


def _machine_set(cluster: Cluster) -> Json:
    name = f"{cluster.infra_id}-worker-eastus1"
    own = {"machine.openshift.io/cluster-api-machineset": name}
    value = _provider_spec(cluster, "worker", "Standard_D4s_v5", 128) | {"publicLoadBalancer": cluster.infra_id}
    return {
        "apiVersion": "machine.openshift.io/v1beta1",
        "kind": "MachineSet",
        "metadata": {"name": name, "namespace": "openshift-machine-api", "labels": _labels(cluster, "worker")},
        "spec": {
            "replicas": cluster.workers,
            "selector": {"matchLabels": own},
            "template": {
                "metadata": {"labels": _labels(cluster, "worker") | own},
                "spec": {"providerSpec": {"value": value}},
            },
        },
        "status": {"replicas": 0},
    }
