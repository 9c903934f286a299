"""The objects in `manifests/`, which exist before any operator runs: one row for each file.

Source: openshift/installer 4.3, `pkg/asset/manifests` and `data/data/manifests/bootkube`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from installer import manifest_yaml, pki
from installer.config import install_config
from installer.graph import Asset, Content, Inputs, nothing
from installer.manifest_yaml import config_map, metadata, secret
from installer.release.releases import EVERY, Releases
from shared.release import release_rules

_CONFIG = "config.openshift.io/v1"
_OPENSHIFT_CONFIG = "openshift-config"
_ETCD = "openshift-etcd"
# Kubernetes 1.22, in OpenShift 4.9, removed the beta versions of CustomResourceDefinition, Role and RoleBinding.
_FIRST_WITHOUT_BETAS = (4, 9)
# The installer of 2020 writes this type instead of `kubernetes.io/tls`; the type of a Secret cannot be changed later.
_TLS = "SecretTypeTLS"
# An entry of etcd's hosts. `bootkube.sh` fills in an address for the first, or removes it if there is no such member.
BOOTSTRAP_IP, BOOTSTRAP_MEMBER = "__BOOTSTRAP_IP__", "etcd-bootstrap"
_WITH_BOOTSTRAP_MEMBER = Releases("T")


def has_betas(release: Content) -> bool:
    """Tell whether a release still serves the beta versions that OpenShift 4.3 writes."""
    return release_rules.minor(release["version"]) < _FIRST_WITHOUT_BETAS


def _namespace(name: str, labels: dict[str, str], **annotations: str) -> dict[str, Any]:
    more: dict[str, Any] = {"labels": labels}
    if annotations:
        more["annotations"] = {"openshift.io/node-selector": annotations["node_selector"]}
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": metadata(name, **more)}


def _config(kind: str, spec: dict[str, Any], status: dict[str, Any] | None = None) -> dict[str, Any]:
    return {
        "apiVersion": _CONFIG,
        "kind": kind,
        "metadata": {"creationTimestamp": None, "name": "cluster"},
        "spec": spec,
        "status": status or {},
    }


def _cluster_config(inputs: Inputs) -> dict[str, Any]:
    """What the customer asked for; the pull secret is in a Secret instead."""
    config = inputs["install-config"] | {"pullSecret": ""}
    return config_map("cluster-config-v1", "kube-system", {"install-config": manifest_yaml.to_yaml(config)})


def _dns(inputs: Inputs) -> dict[str, Any]:
    """Only the private zone: the service owns the public records, and the cluster may not write them."""
    config = inputs["install-config"]
    domain = install_config.domain(config)
    group = (
        f"/subscriptions/{inputs['platform-credentials']['subscriptionId']}/resourceGroups/"
        + (install_config.azure(config)["resourceGroupName"])
    )
    zone = {"id": f"{group}/providers/Microsoft.Network/privateDnsZones/{domain}"}
    return _config("DNS", {"baseDomain": domain, "privateZone": zone})


def _infrastructure(inputs: Inputs) -> dict[str, Any]:
    config = inputs["install-config"]
    domain, azure = install_config.domain(config), install_config.azure(config)
    groups = {name: azure[name] for name in ("resourceGroupName", "networkResourceGroupName")}
    return _config(
        "Infrastructure",
        {"cloudConfig": {"name": "cloud-provider-config", "key": "config"}},
        {
            "infrastructureName": inputs["cluster-id"]["infraId"],
            "platform": "Azure",
            "platformStatus": {"type": "Azure", "azure": groups},
            "etcdDiscoveryDomain": domain,
            "apiServerURL": f"https://api.{domain}:6443",
            "apiServerInternalURI": f"https://api-int.{domain}:6443",
        },
    )


def _network(inputs: Inputs) -> dict[str, Any]:
    networking = inputs["install-config"]["networking"]
    spec = {name: networking[name] for name in ("clusterNetwork", "serviceNetwork", "networkType")}
    return _config("Network", spec | {"externalIP": {"policy": {}}})


def _network_definition(inputs: Inputs) -> dict[str, Any]:
    names = {"kind": "Network", "listKind": "NetworkList", "plural": "networks", "singular": "network"}
    spec: dict[str, Any] = {"group": "operator.openshift.io", "names": names, "scope": "Cluster"}
    if has_betas(inputs["release-image"]):
        api_version, spec = "v1beta1", spec | {"versions": [{"name": "v1", "served": True, "storage": True}]}
    else:
        schema = {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}
        api_version = "v1"
        spec |= {"versions": [{"name": "v1", "served": True, "storage": True, "schema": schema}]}
    return {
        "apiVersion": f"apiextensions.k8s.io/{api_version}",
        "kind": "CustomResourceDefinition",
        "metadata": metadata("networks.operator.openshift.io"),
        "spec": spec,
    }


def _etcd_service(name: str, spec: dict[str, Any]) -> dict[str, Any]:
    labels = {"k8s-app": "etcd"}
    return {"apiVersion": "v1", "kind": "Service", "metadata": metadata(name, _ETCD, labels=labels), "spec": spec}


def _etcd_endpoints(inputs: Inputs) -> dict[str, Any]:
    """Addresses that nobody has: readers use the host names, and the domain in the annotation."""
    domain = install_config.domain(inputs["install-config"])
    addresses = [
        {"ip": f"192.0.2.{number + 1}", "hostname": f"etcd-{number}"} for number in range(release_rules.MASTERS)
    ]
    if inputs["release-image"] in _WITH_BOOTSTRAP_MEMBER:
        addresses.append({"ip": BOOTSTRAP_IP, "hostname": BOOTSTRAP_MEMBER})
    return {
        "apiVersion": "v1",
        "kind": "Endpoints",
        "metadata": metadata("host-etcd", _ETCD, annotations={"alpha.installer.openshift.io/dns-suffix": domain}),
        "subsets": [{"addresses": addresses, "ports": [{"name": "etcd", "port": 2379, "protocol": "TCP"}]}],
    }


def _bundle(name: str, key: str, namespace: str, file: str) -> Callable[[Inputs], dict[str, Any]]:
    return lambda inputs: config_map(name, namespace, {key: inputs[file][f"{file}.crt"]})


def _pair(name: str, namespace: str, file: str, secret_type: str) -> Callable[[Inputs], dict[str, Any]]:
    return lambda inputs: secret(
        name,
        namespace,
        {"tls.crt": inputs[file][f"{file}.crt"], "tls.key": inputs[file][f"{file}.key"]},
        secret_type,
    )


def _always(document: dict[str, Any]) -> Callable[[Inputs], dict[str, Any]]:
    return lambda _inputs: document


def _pull_secret(inputs: Inputs) -> dict[str, Any]:
    data = {".dockerconfigjson": inputs["install-config"]["pullSecret"]}
    return secret("pull-secret", _OPENSHIFT_CONFIG, data, "kubernetes.io/dockerconfigjson")


_INSTALL, _CREDENTIALS, _ID, _RELEASE = "install-config", "platform-credentials", "cluster-id", "release-image"
_ETCD_PORT = {"name": "etcd", "port": 2379, "protocol": "TCP"}
_METRICS_PORT = {"name": "etcd-metrics", "port": 9979, "protocol": "TCP"}

# From 4.6 on etcd's operator writes the hosts itself, and from 4.8 on everything of etcd's, including its authority.
_WITH_HOST_ENDPOINTS = Releases("AT")
_BEFORE_RENDERED_ETCD = Releases("ATB")


@dataclass(frozen=True)
class Row:
    """A file: its name, its inputs, how it is made, and the releases that have it."""

    file: str
    inputs: tuple[str, ...]
    make: Callable[[Inputs], dict[str, Any]]
    releases: Releases = EVERY


ROWS = (
    Row(
        "04-openshift-machine-config-operator.yaml",
        (),
        _always(
            _namespace(
                "openshift-machine-config-operator",
                {"name": "openshift-machine-config-operator", "openshift.io/run-level": "1"},
            )
        ),
    ),
    Row("cluster-config.yaml", (_INSTALL,), _cluster_config),
    Row("cluster-dns-02-config.yml", (_INSTALL, _CREDENTIALS), _dns),
    Row("cluster-infrastructure-02-config.yml", (_INSTALL, _ID), _infrastructure),
    Row(
        "cluster-ingress-02-config.yml",
        (_INSTALL,),
        lambda inputs: _config("Ingress", {"domain": f"apps.{install_config.domain(inputs[_INSTALL])}"}),
    ),
    Row("cluster-network-01-crd.yml", (_RELEASE,), _network_definition),
    Row("cluster-network-02-config.yml", (_INSTALL,), _network),
    Row("cluster-proxy-01-config.yaml", (), _always(_config("Proxy", {"trustedCA": {"name": ""}}))),
    Row(
        "cluster-scheduler-02-config.yml",
        (),
        _always(_config("Scheduler", {"mastersSchedulable": False, "policy": {"name": ""}})),
    ),
    Row(
        "etcd-ca-bundle-configmap.yaml",
        ("tls/etcd-ca-bundle",),
        _bundle("etcd-ca-bundle", "ca-bundle.crt", _OPENSHIFT_CONFIG, "tls/etcd-ca-bundle"),
        _BEFORE_RENDERED_ETCD,
    ),
    Row(
        "etcd-client-secret.yaml",
        ("tls/etcd-client",),
        _pair("etcd-client", _OPENSHIFT_CONFIG, "tls/etcd-client", _TLS),
        _BEFORE_RENDERED_ETCD,
    ),
    Row("etcd-host-service-endpoints.yaml", (_INSTALL,), _etcd_endpoints, _WITH_HOST_ENDPOINTS),
    Row(
        "etcd-host-service.yaml",
        (),
        _always(_etcd_service("host-etcd", {"clusterIP": "None", "ports": [_ETCD_PORT]})),
        _WITH_HOST_ENDPOINTS,
    ),
    Row(
        "etcd-metric-client-secret.yaml",
        ("tls/etcd-metric-signer-client",),
        _pair("etcd-metric-client", _OPENSHIFT_CONFIG, "tls/etcd-metric-signer-client", _TLS),
        _BEFORE_RENDERED_ETCD,
    ),
    Row(
        "etcd-metric-serving-ca-configmap.yaml",
        ("tls/etcd-metric-ca-bundle",),
        _bundle("etcd-metric-serving-ca", "ca-bundle.crt", _OPENSHIFT_CONFIG, "tls/etcd-metric-ca-bundle"),
        _BEFORE_RENDERED_ETCD,
    ),
    Row(
        "etcd-metric-signer-secret.yaml",
        ("tls/etcd-metric-signer",),
        _pair("etcd-metric-signer", _OPENSHIFT_CONFIG, "tls/etcd-metric-signer", _TLS),
        _BEFORE_RENDERED_ETCD,
    ),
    Row(
        "etcd-namespace.yaml",
        (),
        _always(_namespace(_ETCD, {"openshift.io/run-level": "1"}, node_selector="")),
        _BEFORE_RENDERED_ETCD,
    ),
    Row(
        "etcd-service.yaml",
        (),
        _always(
            _etcd_service("etcd", {"selector": {"k8s-app": "etcd"}, "ports": [_ETCD_PORT, _METRICS_PORT]}),
        ),
        _BEFORE_RENDERED_ETCD,
    ),
    Row(
        "etcd-serving-ca-configmap.yaml",
        ("tls/etcd-ca-bundle",),
        _bundle("etcd-serving-ca", "ca-bundle.crt", _OPENSHIFT_CONFIG, "tls/etcd-ca-bundle"),
        _BEFORE_RENDERED_ETCD,
    ),
    Row(
        "etcd-signer-secret.yaml",
        ("tls/etcd-signer",),
        _pair("etcd-signer", _OPENSHIFT_CONFIG, "tls/etcd-signer", _TLS),
        _BEFORE_RENDERED_ETCD,
    ),
    Row("kube-cloud-config.yaml", (), _always(secret("kube-cloud-cfg", "kube-system", {"config": ""}))),
    Row(
        "kube-system-configmap-root-ca.yaml",
        ("tls/root-ca",),
        _bundle("root-ca", "ca.crt", "kube-system", "tls/root-ca"),
    ),
    Row(
        "machine-config-server-tls-secret.yaml",
        ("tls/machine-config-server",),
        _pair("machine-config-server-tls", "openshift-machine-config-operator", "tls/machine-config-server", "Opaque"),
    ),
    Row(
        "openshift-apiserver-namespace.yaml",
        (),
        _always(
            _namespace(
                "openshift-apiserver",
                {"openshift.io/cluster-monitoring": "true", "openshift.io/run-level": "1"},
                node_selector="",
            )
        ),
        Releases("AT", until=(4, 5)),
    ),
    Row("openshift-config-secret-pull-secret.yaml", (_INSTALL,), _pull_secret),
)


def _asset(row: Row) -> Asset:
    path = f"manifests/{row.file}"

    def make(inputs: Inputs) -> Content:
        return {path: manifest_yaml.to_yaml(row.make(inputs))} if inputs[_RELEASE] in row.releases else {}

    return Asset(path, (path,), tuple(dict.fromkeys((*row.inputs, _RELEASE))), make)


def _image_policies(inputs: Inputs) -> Content:
    """Where the nodes look for the release's images: in the service's registry."""
    return {
        f"manifests/image-content-source-policy-{number}.yaml": manifest_yaml.to_yaml(
            {
                "apiVersion": "operator.openshift.io/v1alpha1",
                "kind": "ImageContentSourcePolicy",
                "metadata": {"creationTimestamp": None, "name": f"image-policy-{number}"},
                "spec": {"repositoryDigestMirrors": [source]},
            }
        )
        for number, source in enumerate(inputs[_INSTALL]["imageContentSources"])
    }


# Files that people add to the objects of the graph, by path.
FURTHER = Asset("further-manifests", ("manifests/*", "openshift/*"), (), nothing)
_INGRESS_CONTROLLER = "manifests/cluster-ingress-default-ingresscontroller.yaml"
_USER_BUNDLE = "manifests/user-ca-bundle-config.yaml"


def _user_bundle(inputs: Inputs) -> Content:
    """The certificates that every machine has to trust according to the install-config; without any there is no file.

    The machine config operator reads it at this path and puts it on masters and workers. The Proxy object names it only
    if a cluster has a proxy, and clusters here have none.

    Source: openshift/installer `pkg/asset/manifests/additionaltrustbundleconfig.go`, `proxy.go`.
    """
    if not (bundle := inputs[_INSTALL].get("additionalTrustBundle")):
        return {}
    document = config_map("user-ca-bundle", _OPENSHIFT_CONFIG, {"ca-bundle.crt": pki.certificates(bundle)})
    return {_USER_BUNDLE: manifest_yaml.to_yaml(document)}


def _ingress_controller(inputs: Inputs) -> Content:
    """A router on an internal load balancer, for private visibility; the operator itself makes a public one.

    The operator does not read the install-config: it uses the default controller if it exists, and otherwise makes a
    public one. A private cluster needs no further object. Upstream's installer also makes a Service on port 27627,
    through whose load balancer the workers reach the internet; here, as in ARO-RP, every cluster has such a balancer.

    Source: openshift/installer from 4.3 on, `pkg/asset/manifests/ingress.go`; ARO-RP `docs/upstream-differences.md`.
    """
    if inputs[_INSTALL]["publish"] != "Internal":
        return {}
    document = {
        "apiVersion": "operator.openshift.io/v1",
        "kind": "IngressController",
        "metadata": metadata("default", "openshift-ingress-operator"),
        "spec": {"endpointPublishingStrategy": {"type": "LoadBalancerService", "loadBalancer": {"scope": "Internal"}}},
    }
    return {_INGRESS_CONTROLLER: manifest_yaml.to_yaml(document)}


ASSETS = (
    *(_asset(row) for row in ROWS),
    Asset(_INGRESS_CONTROLLER, (_INGRESS_CONTROLLER,), (_INSTALL,), _ingress_controller),
    Asset(_USER_BUNDLE, (_USER_BUNDLE,), (_INSTALL,), _user_bundle),
    Asset(
        "manifests/image-content-source-policy",
        ("manifests/image-content-source-policy-*.yaml",),
        (_INSTALL,),
        _image_policies,
    ),
)
