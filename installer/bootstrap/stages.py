"""The stages of the bootstrap machine, from its first boot to the cluster's own control plane, as one table.

`bootkube.sh` (`bootkube.py`) and docs/bootstrap.md are generated from it, and a test compares the emulated machine with
it. Relative paths are below /opt/openshift, which every container sees as /assets.

Flavours differ in how etcd begins: `A` up to 4.3, members on the masters, certificates from a signer; `T` 4.4 and 4.5,
a member on the bootstrap machine if the release's etcd operator is managed, otherwise as `A`; `B` 4.6 and 4.7, always a
member there; `C` from 4.8 on, whose operator makes etcd's certificates and decides where its files go.

Source: openshift/installer 4.3 to 4.10, `data/data/bootstrap/files/usr/local/bin/bootkube.sh.template`, except the logs
that 4.10 gathers if the temporary control plane fails. For 4.11 to 4.19, only the changes without which a program would
fail, from changes of that file (openshift/installer 6234, 6990, 7152, 7160, 7636, 7924, 8813), from what
openshift/hypershift passes to the same programs by release, and from those programs' own sources
(openshift/cluster-config-operator 441d29c92, openshift/cluster-kube-apiserver-operator e9bc90906: `pkg/cmd/render`),
and not from the script of each; what else is rendered (node tuning) is left out.
"""

from dataclasses import replace
from typing import TypeVar

from installer.assets.manifests import BOOTSTRAP_IP, BOOTSTRAP_MEMBER
from installer.assets.workload_identity import AUTHENTICATION
from installer.bootstrap.stage import (
    DONE,
    ETCD_ENDPOINTS,
    KUBERNETES,
    KUBERNETES_VERSION,
    MANIFESTS,
    PAYLOAD_VERSION,
    PODS,
    STATIC_PODS,
    Copy,
    Flag,
    Image,
    Stage,
)
from installer.graph import Content
from installer.release.releases import WITH_FEATURE_GATE, WITH_OVERRIDES, Releases

RELEASE = "RELEASE_IMAGE_DIGEST"
# From 4.12 on the machine config operator reads the release's own list of images, which names its system `rhel-coreos`.
# From 4.13 on it gets no image as an argument, and `machine-os-content` no longer exists.
_WITH_IMAGE_LIST, _TOLD_IMAGES = Releases("C", since=(4, 12)), Releases(until=(4, 13))
# From 4.15 on a separate program provides the definitions of a cluster's configuration, and the features of a release;
# in 4.14 the config operator does.
_WITH_API_PROGRAM = Releases("C", since=(4, 15))
# From 4.16 on the config operator only looks at the cloud's configuration, and writes no objects.
_WITH_CONFIG_OBJECTS = Releases(until=(4, 16))
IMAGES = (
    Image("MACHINE_CONFIG_OPERATOR_IMAGE", "machine-config-operator"),
    Image("MACHINE_CONFIG_OSCONTENT", "machine-os-content", _TOLD_IMAGES),
    Image("MACHINE_CONFIG_ETCD_IMAGE", "etcd"),
    Image("MACHINE_CONFIG_INFRA_IMAGE", "pod", _TOLD_IMAGES),
    Image("MACHINE_CONFIG_KUBE_CLIENT_AGENT_IMAGE", "kube-client-agent", Releases("AT")),
    Image("KUBE_ETCD_SIGNER_SERVER_IMAGE", "kube-etcd-signer-server", Releases("AT")),
    Image("CLUSTER_ETCD_OPERATOR_IMAGE", "cluster-etcd-operator", Releases("TBC"), "no-ceo-image", Releases("T")),
    Image("CONFIG_API_IMAGE", "cluster-config-api", _WITH_API_PROGRAM),
    Image("CONFIG_OPERATOR_IMAGE", "cluster-config-operator"),
    Image("INGRESS_OPERATOR_IMAGE", "cluster-ingress-operator"),
    Image("CLOUD_CREDENTIAL_OPERATOR_IMAGE", "cloud-credential-operator"),
    Image("KUBE_APISERVER_OPERATOR_IMAGE", "cluster-kube-apiserver-operator"),
    Image("KUBE_CONTROLLER_MANAGER_OPERATOR_IMAGE", "cluster-kube-controller-manager-operator"),
    Image("KUBE_SCHEDULER_OPERATOR_IMAGE", "cluster-kube-scheduler-operator"),
    Image("OPENSHIFT_HYPERKUBE_IMAGE", "hyperkube"),
    Image("OPENSHIFT_CLUSTER_POLICY_IMAGE", "cluster-policy-controller", Releases("BC")),
    Image("CLUSTER_BOOTSTRAP_IMAGE", "cluster-bootstrap"),
    Image("KEEPALIVED_IMAGE", "keepalived-ipfailover", _TOLD_IMAGES, "no-keepalived-image"),
    Image("COREDNS_IMAGE", "coredns", _TOLD_IMAGES),
    Image("MDNS_PUBLISHER_IMAGE", "mdns-publisher", Releases("ATB")),
    Image("HAPROXY_IMAGE", "haproxy-router", _TOLD_IMAGES),
    Image("BAREMETAL_RUNTIMECFG_IMAGE", "baremetal-runtimecfg", _TOLD_IMAGES),
)

_ASSETS_TLS, _ASSETS_MANIFESTS = "/assets/tls", "/assets/manifests"
_NETWORK = f"{_ASSETS_MANIFESTS}/cluster-network-02-config.yml"
_INFRASTRUCTURE = "manifests/cluster-infrastructure-02-config.yml"
_CLUSTER_CONFIG = "manifests/cluster-config.yaml"
_CLOUD_CONFIG = "manifests/cloud-provider-config.yaml"
_PULL_SECRET = "manifests/openshift-config-secret-pull-secret.yaml"  # noqa: S105 - the name of a file
_CLOUD_CA = "tls/cloud-ca-cert.pem"
_ETCD_HOSTS = "manifests/etcd-host-service-endpoints.yaml"
_FEATURE_GATE = "manifests/99_feature-gate.yaml"
_IMAGE_LIST = "image-references"
_ORIGINAL_OVERRIDES = "original_cvo_overrides.patch"
_TELLING_HOSTS = "Telling whether a member of etcd is on this machine..."
# An address that nobody has, like the others in that file.
_MEMBER_IP = "192.0.2.200"
_GENERATED = "config-bootstrap/cloud-provider-config-generated.yaml"
_MEMBER = f"{KUBERNETES}/static-pod-resources/etcd-member"
_MACHINE_CONFIG_POD = "machineconfigoperator-bootstrap-pod.yaml"
_SIGNER = "etcd-signer"
_THREE_YEARS = "26280h"
_REQUIRED_PODS = (
    "openshift-kube-apiserver/kube-apiserver",
    "openshift-kube-scheduler/openshift-kube-scheduler",
    "openshift-kube-controller-manager/kube-controller-manager",
    "openshift-cluster-version/cluster-version-operator",
)
# Platforms whose load balancer and DNS are static pods of the machines. Azure has its own, and nothing is rendered for
# it.
_ON_PREMISES = (
    ("baremetal", Releases("ATBC")),
    ("openstack", Releases("ATBC")),
    ("ovirt", Releases("TBC")),
    ("vsphere", Releases("TBC")),
    ("kubevirt", Releases("BC", since=(4, 7))),
)


# The name of a release, and the objects among which the FeatureGate lists that version's features.
_FEATURES = (
    Flag("--rendered-manifest-files", _ASSETS_MANIFESTS, WITH_FEATURE_GATE),
    Flag("--payload-version", f"${{{PAYLOAD_VERSION}}}", WITH_FEATURE_GATE),
)


def _folders(output: str, config: str, *, network: bool) -> tuple[Flag, ...]:
    """Return the arguments that the `render` commands of several operators share."""
    return (
        Flag("--asset-input-dir", _ASSETS_TLS),
        Flag("--asset-output-dir", f"/assets/{output}"),
        Flag("--config-output-file", f"/assets/{output}/{config}"),
        *((Flag("--cluster-config-file", _NETWORK),) if network else ()),
    )


def _rendered(output: str) -> tuple[Copy, ...]:
    return Copy(f"{output}/bootstrap-manifests/*", PODS), Copy(f"{output}/manifests/*", MANIFESTS)


def _operator(component: str, says: str, image: str, *flags: Flag, copies: tuple[Copy, ...] = ()) -> Stage:
    """Return the stage of one of the three operators of the control plane."""
    output, knows_network = f"{component}-bootstrap", component != "kube-scheduler"
    config = Copy(f"{output}/config", f"{KUBERNETES}/bootstrap-configs/{component}-config.yaml")
    return Stage(
        output,
        f"Rendering the {says}...",
        image,
        container=f"{component}-render",
        command=(f"/usr/bin/cluster-{component}-operator", "render"),
        flags=(
            Flag("--manifest-image", "${OPENSHIFT_HYPERKUBE_IMAGE}"),
            *_folders(output, "config", network=knows_network),
            *flags,
            *(_FEATURES if knows_network else ()),
        ),
        output=output,
        copies=(config, *copies, *_rendered(output)),
        marker=f"{output}.done",
        shows=(output,),
    )


_ETCD_SIGNER = Stage(
    _SIGNER,
    "Starting the signer of etcd's certificates...",
    "KUBE_ETCD_SIGNER_SERVER_IMAGE",
    how="background",
    container=_SIGNER,
    podman=("--volume=${PWD}/tls:${PWD}/tls:ro,z",),
    command=("serve",),
    flags=(
        Flag("--cacrt", "${PWD}/tls/etcd-signer.crt"),
        Flag("--cakey", "${PWD}/tls/etcd-signer.key"),
        Flag("--metric-cacrt", "${PWD}/tls/etcd-metric-signer.crt"),
        Flag("--metric-cakey", "${PWD}/tls/etcd-metric-signer.key"),
        *(
            Flag(flag, f"${{PWD}}/tls/kube-apiserver-{server}-server.{suffix}")
            for server in ("lb", "internal-lb", "localhost")
            for flag, suffix in (("--servcrt", "crt"), ("--servkey", "key"))
        ),
        Flag("--address", "0.0.0.0:6443"),
        Flag("--insecure-health-check-address", "0.0.0.0:6080"),
        Flag("--csrdir", "/tmp"),  # noqa: S108 - inside its container
        *(Flag(f"--{kind}certdur", _THREE_YEARS) for kind in ("peer", "server", "metric")),
    ),
    shows=(_SIGNER,),
)
_CLUSTER_BOOTSTRAP = Stage(
    "cluster-bootstrap",
    "Starting the temporary control plane, and creating all objects...",
    "CLUSTER_BOOTSTRAP_IMAGE",
    container="cluster-bootstrap",
    podman=("--volume=${PWD}:/assets:z", f"--volume={KUBERNETES}:{KUBERNETES}:z"),
    command=("start",),
    flags=(
        Flag("--tear-down-early", "false"),
        Flag("--asset-dir", "/assets"),
        Flag("--required-pods", ",".join(_REQUIRED_PODS)),
    ),
    # It overwrites no pod, so leftovers of an interrupted run would end this one too.
    first=(f'for pod in {PODS}*; do rm --force "{STATIC_PODS}${{pod##*/}}"; done',),
    needs=("auth/kubeconfig-loopback", "manifests/*", "tls/*"),
    waits="every object accepted, asked again and again; the four pods of the control plane ready within 20 minutes",
    shows=("temporary-api", "manifests", "masters", "control-plane"),
)
_STOP_MACHINE_CONFIG_SERVER = Stage(
    "machine-config-server-end",
    "Leaving machine configurations to the cluster...",
    first=(f"rm --force {STATIC_PODS}{_MACHINE_CONFIG_POD}",),
)

STAGES = (
    Stage(
        "etcd-hosts",
        _TELLING_HOSTS,
        first=(f"sed --in-place 's/{BOOTSTRAP_IP}/{_MEMBER_IP}/' {_ETCD_HOSTS}",),
        needs=(_ETCD_HOSTS,),
        releases=Releases("T"),
        when="yes",
    ),
    Stage(
        "etcd-hosts",
        _TELLING_HOSTS,
        first=(f"sed --in-place '/hostname: {BOOTSTRAP_MEMBER}$/,/{BOOTSTRAP_IP}$/d' {_ETCD_HOSTS}",),
        needs=(_ETCD_HOSTS,),
        releases=Releases("T"),
        when="no",
    ),
    Stage(
        "openshift-manifests",
        "Taking the installer's objects to the others...",
        copies=(Copy("openshift/*", MANIFESTS),),
        needs=("openshift/*",),
        marker="openshift-manifests.done",
        shows=("openshift-manifests",),
    ),
    Stage(
        "api-bootstrap",
        "Rendering the definitions of the cluster's configuration...",
        "CONFIG_API_IMAGE",
        container="api-render",
        command=("/usr/bin/render",),
        flags=(
            Flag("--asset-output-dir", "/assets/api-bootstrap"),
            Flag("--rendered-manifest-dir", _ASSETS_MANIFESTS),
            Flag("--cluster-profile", "self-managed-high-availability"),
            Flag("--payload-version", f"${{{PAYLOAD_VERSION}}}"),
        ),
        output="api-bootstrap",
        copies=(Copy("api-bootstrap/manifests/*", MANIFESTS),),
        marker="api-bootstrap.done",
        releases=_WITH_API_PROGRAM,
        shows=("api-bootstrap",),
    ),
    Stage(
        "cvo-bootstrap",
        "Rendering the cluster version operator...",
        RELEASE,
        container="cvo-render",
        command=("render",),
        flags=(
            Flag("--output-dir", "/assets/cvo-bootstrap"),
            Flag("--release-image", f"${{{RELEASE}}}"),
            # Otherwise it writes objects of features that are off, which would never be accepted.
            Flag("--feature-gate-manifest-path", f"/assets/{_FEATURE_GATE}", Releases("C", since=(4, 18))),
        ),
        output="cvo-bootstrap",
        copies=(
            Copy("cvo-bootstrap/bootstrap/*", PODS),
            Copy("cvo-bootstrap/manifests/*", MANIFESTS),
            Copy("auth/kubeconfig-loopback", f"{KUBERNETES}/kubeconfig"),
        ),
        needs=("auth/kubeconfig-loopback",),
        marker="cvo-bootstrap.done",
        shows=("cvo-bootstrap",),
    ),
    replace(_ETCD_SIGNER, releases=Releases("T")),
    Stage(
        "etcd-bootstrap",
        "Rendering etcd...",
        "CLUSTER_ETCD_OPERATOR_IMAGE",
        container="etcd-render",
        command=("/usr/bin/cluster-etcd-operator", "render"),
        flags=(
            Flag("--etcd-ca", f"{_ASSETS_TLS}/etcd-ca-bundle.crt", Releases("TB")),
            Flag("--etcd-ca-key", f"{_ASSETS_TLS}/etcd-signer.key", Releases("B")),
            Flag("--etcd-metric-ca", f"{_ASSETS_TLS}/etcd-metric-ca-bundle.crt", Releases("T")),
            Flag("--etcd-discovery-domain", "${CLUSTER_DOMAIN}", Releases("TB", until=(4, 7))),
            Flag("--manifest-etcd-image", "${MACHINE_CONFIG_ETCD_IMAGE}", Releases("TB")),
            Flag("--manifest-cluster-etcd-operator-image", "${CLUSTER_ETCD_OPERATOR_IMAGE}", Releases("TB")),
            Flag("--manifest-setup-etcd-env-image", "${MACHINE_CONFIG_OPERATOR_IMAGE}", Releases("T")),
            Flag("--manifest-kube-client-agent-image", "${MACHINE_CONFIG_KUBE_CLIENT_AGENT_IMAGE}", Releases("T")),
            Flag("--asset-input-dir", _ASSETS_TLS, Releases("TB")),
            Flag("--asset-output-dir", "/assets/etcd-bootstrap"),
            Flag("--config-output-file", "/assets/etcd-bootstrap/config", Releases("TB")),
            Flag("--cluster-config-file", _NETWORK, Releases("TB")),
            Flag("--etcd-image", "${MACHINE_CONFIG_ETCD_IMAGE}", Releases("C")),
            Flag("--cluster-configmap-file", f"/assets/{_CLUSTER_CONFIG}", Releases("C")),
            Flag("--infra-config-file", f"/assets/{_INFRASTRUCTURE}", Releases("C")),
            Flag("--network-config-file", _NETWORK, Releases("C")),
        ),
        copies=(
            Copy("etcd-bootstrap/manifests/*", MANIFESTS),
            Copy("tls/etcd-ca-bundle.crt", f"{_MEMBER}/ca.crt", Releases("TB")),
            Copy("tls/etcd-metric-ca-bundle.crt", f"{_MEMBER}/metric-ca.crt", Releases("T")),
            Copy("etcd-bootstrap/bootstrap-manifests/secrets/etcd-all-serving", f"{_MEMBER}/", Releases("B")),
            Copy("etcd-bootstrap/bootstrap-manifests/secrets/etcd-all-peer", f"{_MEMBER}/", Releases("B")),
            # The pod comes last, because it is started as soon as it exists.
            Copy("etcd-bootstrap/bootstrap-manifests/etcd-member-pod.yaml", STATIC_PODS, Releases("TB")),
            Copy("etcd-bootstrap/tls/*", "tls/", Releases("C")),
            Copy("etcd-bootstrap/etc-kubernetes/*", f"{KUBERNETES}/", Releases("C")),
        ),
        needs=(_CLUSTER_CONFIG, _INFRASTRUCTURE),
        marker="etcd-bootstrap.done",
        releases=Releases("TBC"),
        when="yes",
        shows=("etcd-bootstrap",),
    ),
    Stage(
        "config-bootstrap",
        "Rendering the cluster's configuration...",
        "CONFIG_OPERATOR_IMAGE",
        container="config-render",
        command=("/usr/bin/cluster-config-operator", "render"),
        flags=(
            *_folders("config-bootstrap", "config", network=False),
            Flag("--cluster-infrastructure-input-file", f"/assets/{_INFRASTRUCTURE}", Releases("BC")),
            Flag("--cloud-provider-config-output-file", f"/assets/{_GENERATED}", Releases("BC")),
            Flag("--cloud-provider-config-input-file", f"/assets/{_CLOUD_CONFIG}", Releases("BC"), where=_CLOUD_CONFIG),
            *_FEATURES,
        ),
        output="config-bootstrap",
        copies=(Copy("config-bootstrap/manifests/*", MANIFESTS, _WITH_CONFIG_OBJECTS),),
        needs=("tls/*",),
        marker="config-bootstrap.done",
        shows=("config-bootstrap",),
    ),
    _operator(
        "kube-apiserver",
        "API server",
        "KUBE_APISERVER_OPERATOR_IMAGE",
        Flag("--manifest-etcd-serving-ca", "etcd-ca-bundle.crt"),
        Flag("--manifest-etcd-server-urls", f"${{{ETCD_ENDPOINTS}}}"),
        Flag("--manifest-operator-image", "${KUBE_APISERVER_OPERATOR_IMAGE}"),
        Flag("--infra-config-file", f"/assets/{_INFRASTRUCTURE}", WITH_FEATURE_GATE),
        # The API's groups that are on by default depend on it.
        Flag("--operand-kubernetes-version", f"${{{KUBERNETES_VERSION}}}", Releases("C", since=(4, 18))),
        Flag("--cluster-auth-file", f"/assets/{AUTHENTICATION}", Releases("BC", since=(4, 7)), where=AUTHENTICATION),
    ),
    _operator(
        "kube-controller-manager",
        "controller manager",
        "KUBE_CONTROLLER_MANAGER_OPERATOR_IMAGE",
        Flag("--cluster-policy-controller-image", "${OPENSHIFT_CLUSTER_POLICY_IMAGE}", Releases("BC")),
        Flag("--cpc-config-output-file", "/assets/kube-controller-manager-bootstrap/cpc-config", Releases("BC")),
        copies=(
            Copy(
                "kube-controller-manager-bootstrap/cpc-config",
                f"{KUBERNETES}/bootstrap-configs/cluster-policy-controller-config.yaml",
                Releases("BC"),
            ),
            # In these releases it makes the keys of service accounts itself.
            Copy("kube-controller-manager-bootstrap/tls/*", "tls/", Releases("C"), optional=True),
        ),
    ),
    _operator("kube-scheduler", "scheduler", "KUBE_SCHEDULER_OPERATOR_IMAGE"),
    Stage(
        "ingress-operator-bootstrap",
        "Rendering the ingress operator...",
        "INGRESS_OPERATOR_IMAGE",
        container="ingress-render",
        command=("render",),
        flags=(Flag("--prefix", "cluster-ingress-"), Flag("--output-dir", "/assets/ingress-operator-manifests")),
        output="ingress-operator-manifests",
        copies=(Copy("ingress-operator-manifests/*", MANIFESTS),),
        marker="ingress-operator-bootstrap.done",
        shows=("ingress-operator-bootstrap",),
    ),
    Stage(
        "mco-bootstrap",
        "Rendering the machine configurations...",
        "MACHINE_CONFIG_OPERATOR_IMAGE",
        container="mco-render",
        podman=("--user=0", "--volume=${PWD}:/assets:z"),
        command=("bootstrap",),
        flags=(
            Flag("--etcd-ca", f"{_ASSETS_TLS}/etcd-ca-bundle.crt", Releases("AT")),
            Flag("--etcd-metric-ca", f"{_ASSETS_TLS}/etcd-metric-ca-bundle.crt", Releases("AT")),
            Flag("--root-ca", f"{_ASSETS_TLS}/root-ca.crt"),
            Flag("--kube-ca", f"{_ASSETS_TLS}/kube-apiserver-complete-client-ca-bundle.crt"),
            Flag("--config-file", f"/assets/{_CLUSTER_CONFIG}"),
            Flag("--dest-dir", "/assets/mco-bootstrap"),
            Flag("--pull-secret", f"/assets/{_PULL_SECRET}"),
            Flag("--etcd-image", "${MACHINE_CONFIG_ETCD_IMAGE}", Releases("AT")),
            Flag("--kube-client-agent-image", "${MACHINE_CONFIG_KUBE_CLIENT_AGENT_IMAGE}", Releases("AT")),
            Flag("--cluster-etcd-operator-image", "${CLUSTER_ETCD_OPERATOR_IMAGE}", Releases("T")),
            Flag("--machine-config-operator-image", "${MACHINE_CONFIG_OPERATOR_IMAGE}", _TOLD_IMAGES),
            Flag("--machine-config-oscontent-image", "${MACHINE_CONFIG_OSCONTENT}", _TOLD_IMAGES),
            Flag("--infra-image", "${MACHINE_CONFIG_INFRA_IMAGE}", _TOLD_IMAGES),
            Flag("--keepalived-image", "${KEEPALIVED_IMAGE}", _TOLD_IMAGES),
            Flag("--coredns-image", "${COREDNS_IMAGE}", _TOLD_IMAGES),
            Flag("--mdns-publisher-image", "${MDNS_PUBLISHER_IMAGE}", Releases("ATB")),
            Flag("--haproxy-image", "${HAPROXY_IMAGE}", _TOLD_IMAGES),
            Flag("--baremetal-runtimecfg-image", "${BAREMETAL_RUNTIMECFG_IMAGE}", _TOLD_IMAGES),
            Flag("--image-references", f"/assets/{_IMAGE_LIST}", _WITH_IMAGE_LIST),
            Flag("--payload-version", f"${{{PAYLOAD_VERSION}}}", WITH_FEATURE_GATE),
            Flag("--release-image", f"${{{RELEASE}}}", Releases("BC")),
            Flag("--cloud-config-file", f"/assets/{_CLOUD_CONFIG}", Releases("AT"), where=_CLOUD_CONFIG),
            Flag("--cloud-config-file", f"/assets/{_GENERATED}", Releases("BC"), where=_CLOUD_CONFIG),
            Flag("--cloud-provider-ca-file", f"/assets/{_CLOUD_CA}", where=_CLOUD_CA),
        ),
        output="mco-bootstrap",
        first=("mkdir --parents /etc/mcs/bootstrap",),
        copies=(
            Copy("mco-bootstrap/bootstrap/manifests/*", "/etc/mcc/bootstrap/"),
            Copy("openshift/*", "/etc/mcc/bootstrap/"),
            Copy("manifests/*", "/etc/mcc/bootstrap/"),
            Copy("auth/kubeconfig-kubelet", "/etc/mcs/kubeconfig"),
            Copy("tls/machine-config-server.crt", "/etc/ssl/mcs/tls.crt"),
            Copy("tls/machine-config-server.key", "/etc/ssl/mcs/tls.key"),
            Copy("mco-bootstrap/manifests/*", MANIFESTS),
            *(
                Copy(f"mco-bootstrap/{platform}/{folder}/*", f"{KUBERNETES}/{folder}/", releases, optional=True)
                for platform, releases in _ON_PREMISES
                for folder in ("static-pod-resources", "manifests")
            ),
            # Port 22623 answers from here on, so everything that it serves exists already.
            Copy(f"mco-bootstrap/bootstrap/{_MACHINE_CONFIG_POD}", STATIC_PODS),
        ),
        needs=(_INFRASTRUCTURE, "manifests/cluster-proxy-01-config.yaml", "manifests/*"),
        marker="mco-bootstrap.done",
        shows=("mco-bootstrap", "machine-config-server"),
    ),
    Stage(
        "cco-bootstrap",
        "Rendering the cloud credential operator...",
        "CLOUD_CREDENTIAL_OPERATOR_IMAGE",
        container="cco-render",
        podman=("--user=0", "--volume=${PWD}:/assets:z"),
        command=("render",),
        flags=(
            Flag("--dest-dir", "/assets/cco-bootstrap"),
            Flag("--cloud-credential-operator-image", "${CLOUD_CREDENTIAL_OPERATOR_IMAGE}"),
            Flag("--manifests-dir", _ASSETS_MANIFESTS, Releases(since=(4, 5))),
        ),
        output="cco-bootstrap",
        copies=(
            Copy("cco-bootstrap/manifests/*", MANIFESTS),
            Copy("cco-bootstrap/bootstrap-manifests/*", PODS, Releases(until=(4, 5))),
            # If people manage the credentials themselves, there is no pod.
            Copy("cco-bootstrap/bootstrap-manifests/*", PODS, Releases(since=(4, 5)), optional=True),
        ),
        needs=(_CLUSTER_CONFIG,),
        marker="cco-bootstrap.done",
        shows=("cco-bootstrap",),
    ),
    replace(_ETCD_SIGNER, releases=Releases("A")),
    Stage(
        "etcd",
        "Waiting for etcd...",
        "MACHINE_CONFIG_ETCD_IMAGE",
        how="until",
        container="etcdctl",
        podman=(
            "--rm",
            "--env=ETCDCTL_API=3",
            "--volume=${PWD}/tls:${PWD}/tls:ro,z",
            "--entrypoint=etcdctl",
        ),
        flags=(
            Flag("--dial-timeout", "10m"),
            Flag("--cacert", "${PWD}/tls/etcd-ca-bundle.crt"),
            Flag("--cert", "${PWD}/tls/etcd-client.crt"),
            Flag("--key", "${PWD}/tls/etcd-client.key"),
            Flag("--endpoints", f"${{{ETCD_ENDPOINTS}}}"),
        ),
        command=("endpoint", "health"),
        waits="etcd healthy: on all masters (A), on this machine (B, C); asked every 5 seconds without end",
        shows=("etcd",),
    ),
    Stage(
        "etcd-signer-end",
        "Removing the signer of etcd's certificates...",
        first=(f"remove_container {_SIGNER}",),
        releases=Releases("AT"),
    ),
    replace(_STOP_MACHINE_CONFIG_SERVER, releases=Releases("AT"), when="no"),
    replace(_CLUSTER_BOOTSTRAP, releases=Releases("A")),
    replace(_CLUSTER_BOOTSTRAP, releases=Releases("TBC"), marker="cb-bootstrap.done"),
    # Until now masters may fetch their configuration. One member of etcd is healthy long before they do.
    replace(_STOP_MACHINE_CONFIG_SERVER, releases=Releases("TBC"), when="yes"),
    Stage(
        "cvo-overrides",
        "Leaving the installer's objects to the cluster version operator...",
        first=(
            "until oc patch clusterversion version --kubeconfig=auth/kubeconfig --type=merge \\",
            f"    --patch-file={_ORIGINAL_OVERRIDES}; do",
            "    sleep 10",
            "done",
        ),
        needs=("auth/kubeconfig", _ORIGINAL_OVERRIDES),
        waits="the API behind the balancer, asked every 10 seconds without end",
        marker="cvo-overrides.done",
        releases=WITH_OVERRIDES,
        shows=("cvo-overrides",),
    ),
    Stage(
        "wait-for-ceo",
        "Waiting for etcd on the masters...",
        "CLUSTER_ETCD_OPERATOR_IMAGE",
        container="wait-for-ceo",
        command=("/usr/bin/cluster-etcd-operator", "wait-for-ceo"),
        flags=(Flag("--kubeconfig", "/assets/auth/kubeconfig"),),
        waits="condition EtcdRunningInCluster of the etcd operator: four healthy members with this one, without end",
        releases=Releases("TBC"),
        when="yes",
    ),
    Stage(
        "bootkube",
        "This machine has done its work.",
        waits="progress.service writes the ConfigMap kube-system/bootstrap once the marker stands",
        marker=DONE,
        shows=("bootstrap-complete",),
    ),
)

_Part = TypeVar("_Part", Image, Flag, Copy, Stage)


def parts_of_release(parts: tuple[_Part, ...], release: Content) -> tuple[_Part, ...]:
    """Return the stages, images, arguments or copies that a release has, in order."""
    return tuple(part for part in parts if release in part.releases)
