"""Checks of the bootstrap machine's manifests, each a function of its files and the time."""

import json
from collections.abc import Iterator
from datetime import datetime
from ipaddress import ip_network

from emulator.json_object import Json
from emulator.openshift.boot import ignition
from emulator.openshift.boot.installation import Installation, Manifest
from emulator.openshift.release import kinds

_CREDENTIALS_MODES = ("", "Mint", "Passthrough", "Manual")
_GROUPS_OF_ALL = {
    "",
    "admissionregistration.k8s.io",
    "apiextensions.k8s.io",
    "apiregistration.k8s.io",
    "apps",
    "autoscaling",
    "batch",
    "certificates.k8s.io",
    "coordination.k8s.io",
    "events.k8s.io",
    "networking.k8s.io",
    "policy",
    "rbac.authorization.k8s.io",
    "scheduling.k8s.io",
    "storage.k8s.io",
}
_NAMESPACES_OF_ALL = {"default", "kube-node-lease", "kube-public", "kube-system"}
_CONFIG_NAMESPACE, _ETCD_NAMESPACE = "openshift-config", "openshift-etcd"
# In later releases, etcd's operator writes the addresses of its members.
_HOSTS_FLAVOURS = "AT"
# The objects that operators look for before the required pods can run: kind, name, namespace, flavours, message.
# From 4.8 on, etcd's operator makes all of etcd's objects.
_AWAITED = tuple(
    (kind, name, namespace, flavours, words)
    for kind, names, namespace, flavours, words in (
        (
            "Secret",
            ("etcd-client",),
            _CONFIG_NAMESPACE,
            "ATB",
            "kube-apiserver-operator: RequiredInstallerResourcesMissing: secrets",
        ),
        (
            "ConfigMap",
            ("etcd-serving-ca",),
            _CONFIG_NAMESPACE,
            "ATB",
            "kube-apiserver-operator: RequiredInstallerResourcesMissing: configmaps",
        ),
        (
            "Endpoints",
            ("host-etcd",),
            _ETCD_NAMESPACE,
            _HOSTS_FLAVOURS,
            "kube-apiserver-operator: ConfigObservationDegraded: endpoints",
        ),
        (
            "Secret",
            ("etcd-signer", "etcd-metric-signer"),
            _CONFIG_NAMESPACE,
            "TB",
            "etcd-operator: EtcdCertSignerControllerDegraded: secrets",
        ),
        (
            "ConfigMap",
            ("etcd-ca-bundle", "etcd-metric-serving-ca"),
            _CONFIG_NAMESPACE,
            "TB",
            "etcd-operator: RequiredInstallerResourcesMissing: configmaps",
        ),
    )
    for name in names
)
_NETWORK = "manifests/cluster-network-02-config.yml"
_INFRASTRUCTURE = "manifests/cluster-infrastructure-02-config.yml"
_CLOUD = "manifests/cloud-provider-config.yaml"


def etcd_member(installation: Installation, _now: datetime) -> Iterator[str]:
    """Render etcd's member, whose addresses come from the machine networks."""
    who = "cluster-etcd-operator render"
    installation.document(_NETWORK)
    networks = (installation.install_config.get("networking") or {}).get("machineNetwork")
    if not networks:
        yield f"{who}: install-config has no networking.machineNetwork"
    for network in networks or ():
        try:
            ip_network(network["cidr"])
        except (KeyError, TypeError, ValueError):
            yield f"{who}: install-config: networking.machineNetwork: {json.dumps(network)} is not a network"


def infrastructure(installation: Installation, _now: datetime) -> Iterator[str]:
    """Read the platform type and the infrastructure name."""
    status = installation.document(_INFRASTRUCTURE).get("status") or {}
    if not (status.get("platformStatus") or {}).get("type"):
        yield f"cluster-config-operator render: {_INFRASTRUCTURE}: infrastructure status has no platform type"
    if not status.get("infrastructureName"):
        yield f"cluster-config-operator render: {_INFRASTRUCTURE}: infrastructure status has no infrastructureName"


def cloud_config(installation: Installation, _now: datetime) -> Iterator[str]:
    """Render the cloud configuration from the config map and the key that the infrastructure names."""
    wanted = (installation.document(_INFRASTRUCTURE).get("spec") or {}).get("cloudConfig") or {}
    if not wanted:
        return
    found = installation.document(_CLOUD)
    text = (found.get("data") or {}).get(wanted.get("key"))
    if wanted.get("name") != (found.get("metadata") or {}).get("name") or text is None:
        yield (
            f"cluster-config-operator render: cloud config {wanted.get('name')}/{wanted.get('key')} does not exist "
            f"({_CLOUD})"
        )
        return
    try:
        json.loads(text)
    except ValueError:
        yield f"cluster-config-operator render: {_CLOUD}: {wanted.get('key')} is not JSON"


def services(installation: Installation, _now: datetime) -> Iterator[str]:
    """Read the service network, which the API server and the controllers need."""
    networks = (installation.document(_NETWORK).get("spec") or {}).get("serviceNetwork")
    if not networks:
        yield f"cluster-kube-apiserver-operator render: {_NETWORK}: spec.serviceNetwork is empty"


def machine_configs(installation: Installation, _now: datetime) -> Iterator[str]:
    """Render the pools' machine configs from the manifests."""
    who, install_config = "machine-config-operator bootstrap", installation.install_config
    secret = installation.document("manifests/openshift-config-secret-pull-secret.yaml")
    if secret.get("type") != "kubernetes.io/dockerconfigjson" or ".dockerconfigjson" not in (secret.get("data") or {}):
        yield f"{who}: manifests/openshift-config-secret-pull-secret.yaml: pull secret is of type {secret.get('type')}"
    manifests = installation.manifests()
    for manifest in manifests:
        if manifest.body["kind"] == "ControllerConfig":
            yield f"machine-config-controller: {manifest.path}: more than one ControllerConfig"
        if manifest.body["kind"] == "MachineConfig":
            yield from _machine_config(manifest)
    yield from _mirrors(installation, install_config)
    bundle = installation.find("ConfigMap", "user-ca-bundle", _CONFIG_NAMESPACE)
    if installation.trust_bundle and bundle is None:
        yield f"{who}: configmaps {_CONFIG_NAMESPACE}/user-ca-bundle not found"
    if bundle is not None and not installation.trust_bundle:
        yield f"{who}: {bundle.path}: install-config has no additionalTrustBundle"


def _machine_config(manifest: Manifest) -> Iterator[str]:
    try:
        ignition.parse(json.dumps((manifest.body.get("spec") or {}).get("config") or {}).encode())
    except ignition.IgnitionError as error:
        yield f"machine-config-controller: {manifest.path}: parsing Ignition config failed: {error}"


def _mirrors(installation: Installation, install_config: Json) -> Iterator[str]:
    """Yield an error for each source in the install-config with mirrors that masters and workers would not know."""
    known = {
        (row.get("source"), mirror)
        for manifest in installation.manifests()
        for member in ("repositoryDigestMirrors", "imageDigestMirrors")
        for row in (manifest.body.get("spec") or {}).get(member) or ()
        for mirror in row.get("mirrors") or ()
    }
    for row in install_config.get("imageContentSources") or install_config.get("imageDigestSources") or ():
        missing = [mirror for mirror in row.get("mirrors") or () if (row.get("source"), mirror) not in known]
        if missing:
            yield f"machine-config-controller: registries: no mirror of {row.get('source')} is {', '.join(missing)}"


def credentials_mode(installation: Installation, _now: datetime) -> Iterator[str]:
    """Render the operator that hands out the cloud's credentials."""
    mode = installation.install_config.get("credentialsMode") or ""
    if mode not in _CREDENTIALS_MODES:
        yield f"cloud-credential-operator render: invalid mode {mode!r} in manifests/cluster-config.yaml"


def objects(installation: Installation, _now: datetime) -> Iterator[str]:
    """Create all objects: their kinds and namespaces must exist, and no object may appear twice."""
    manifests = installation.manifests()
    namespaces = {*_NAMESPACES_OF_ALL, *kinds.NAMESPACES} | {
        manifest.body["metadata"]["name"] for manifest in manifests if manifest.body["kind"] == "Namespace"
    }
    known = {(row.group, row.kind) for row in kinds.DEFINITIONS} | {_defined(manifest.body) for manifest in manifests}
    seen: dict[tuple[str, ...], str] = {}
    for manifest in manifests:
        kind, name, namespace, group = manifest.identity
        file = manifest.path.rpartition("/")[2]
        if group not in _GROUPS_OF_ALL and (group, kind) not in known:
            yield f'Failed to create "{file}": no matches for kind "{kind}" in version "{manifest.body["apiVersion"]}"'
        if namespace and namespace not in namespaces:
            yield f'Failed to create "{file}": namespaces "{namespace}" not found'
        if (first := seen.setdefault(manifest.identity, file)) != file:
            yield f'Failed to create "{file}": {kind} "{name}" already exists, from "{first}"'
        if (kind, name, namespace) == ("ConfigMap", "bootstrap", "kube-system"):
            yield f"{file}: ConfigMap kube-system/bootstrap says already that the bootstrap machine is done"


def _defined(body: Json) -> tuple[str, str]:
    """Return the group and kind that an object defines, if it is a CustomResourceDefinition."""
    spec = body.get("spec") or {} if body["kind"] == "CustomResourceDefinition" else {}
    return str(spec.get("group")), str((spec.get("names") or {}).get("kind"))


def nothing_left(installation: Installation, _now: datetime) -> Iterator[str]:
    """Copy the static pods to the kubelet's folder, where none of them may exist yet."""
    for path in installation.files:
        if path.startswith("/etc/kubernetes/manifests/bootstrap-"):
            yield f"cluster-bootstrap: open {path}: file exists"


def version(installation: Installation, _now: datetime) -> Iterator[str]:
    """Start the cluster version operator, which waits for a ClusterVersion."""
    # Not `find`: the installer's ClusterVersion has a namespace, although it is a cluster-scoped kind.
    for manifest in installation.manifests():
        if manifest.body["kind"] == "ClusterVersion":
            spec = manifest.body.get("spec") or {}
            if not spec.get("clusterID"):
                yield f"cluster-version-operator: {manifest.path}: spec.clusterID is empty"
            if not all({"kind", "name", "unmanaged"} <= set(row) for row in spec.get("overrides") or ()):
                yield f"cluster-version-operator: {manifest.path}: spec.overrides: a row without kind, name or unmanaged"
            return
    yield "cluster-version-operator: No ClusterVersion object and defaulting not enabled, waiting for cvo-overrides.yaml"


def patches(installation: Installation, _now: datetime) -> Iterator[str]:
    """Apply the patch files at the end, which must be JSON."""
    for path, file in installation.files.items():
        if path.endswith(".patch"):
            try:
                json.loads(file.text)
            except ValueError:
                yield f"error: unable to parse {path!r}: it is not JSON"


def awaited(installation: Installation, _now: datetime) -> Iterator[str]:
    """Let the operators start the pods that the control plane requires."""
    there = {manifest.identity[:3]: manifest for manifest in installation.manifests()}
    for kind, name, namespace, flavours, words in _AWAITED:
        if installation.flavour in flavours and (kind, name, namespace) not in there:
            yield f'{words} "{name}" not found in {namespace}'
    hosts = there.get(("Endpoints", "host-etcd", _ETCD_NAMESPACE))
    if hosts is not None and installation.flavour in _HOSTS_FLAVOURS:
        subsets = hosts.body.get("subsets") or [{}]
        addresses = subsets[0].get("addresses") if isinstance(subsets[0], dict) else None
        members = [one.get("hostname") for one in addresses or () if isinstance(one, dict)]
        wanted = [f"etcd-{number}" for number in range(installation.masters)]
        if missing := [name for name in wanted if name not in members]:
            yield f"kube-apiserver-operator: {hosts.path}: no address of {', '.join(missing)}"
