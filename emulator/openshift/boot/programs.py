"""The programs of a release that bootkube.sh runs, by their image: which arguments they take, and what they write.

Each row was read in the operators' own sources, at the heads of the branches release-4.3 to release-4.21. Numbers are
minor versions of OpenShift 4: the first that has something, and the first that no longer has it.
"""

from collections.abc import Iterator
from dataclasses import dataclass

_NEVER = 99


@dataclass(frozen=True)
class Flag:
    """An argument.

    Args:
        name: with its dashes.
        since: first version that knows it.
        until: first version that no longer knows it.
        required: the versions that refuse to run without it: the first, and the first that does not.
        writes: whether it names a file or a folder that the program makes.
        may_be_missing: whether the program also works without the file that it names.
        default: the file that it names if it is not given, "" for none.
    """

    name: str
    since: int = 0
    until: int = _NEVER
    required: tuple[int, int] = (_NEVER, _NEVER)
    writes: bool = False
    may_be_missing: bool = False
    default: str = ""


@dataclass(frozen=True)
class Made:
    """What a program leaves in its output folder.

    Args:
        path: a file, or a folder with a slash at its end.
        since: first version that makes it.
        until: first version that no longer does.
        is_empty: whether the folder is left empty.
        unless: argument with which it is not made.
    """

    path: str
    since: int = 0
    until: int = _NEVER
    is_empty: bool = False
    unless: str = ""


@dataclass(frozen=True)
class Program:
    """A command of an image.

    Args:
        component: name of the image in the release.
        command: the word that says what to do; of a program without such words its own name.
        source: repository, the commits that were read (release-4.3 or the first with it, then release-4.21), and file.
        output: argument that names the output folder.
        flags: the arguments that it takes.
        made: what it leaves there.
    """

    component: str
    command: str
    source: str
    output: str
    flags: tuple[Flag, ...]
    made: tuple[Made, ...] = ()

    def unknown(self, given: set[str], minor: int) -> Iterator[str]:
        """Yield the arguments that a version does not know."""
        known = {flag.name for flag in self.flags if flag.since <= minor < flag.until}
        yield from sorted(given - known)

    def missing(self, given: set[str], minor: int) -> Iterator[str]:
        """Yield the arguments without which a version refuses to run."""
        for flag in self.flags:
            if flag.required[0] <= minor < flag.required[1] and flag.name not in given:
                yield flag.name

    def leaves(self, given: set[str], minor: int) -> Iterator[Made]:
        """Yield what a version leaves in its output folder."""
        for made in self.made:
            if made.since <= minor < made.until and made.unless not in given:
                yield made


_ALWAYS = (0, _NEVER)
_INFRASTRUCTURE = "/assets/manifests/cluster-infrastructure-02-config.yml"
_NETWORK = "/assets/manifests/cluster-network-02-config.yml"
_CLUSTER_CONFIG = "/assets/manifests/cluster-config.yaml"
_POD_AND_OBJECTS = (Made("bootstrap-manifests/"), Made("manifests/"))
# openshift/library-go `pkg/operator/render/options`, which these operators share. The other arguments for the manifests
# have defaults.
_LIBRARY = (
    Flag("--asset-output-dir", required=_ALWAYS, writes=True),
    Flag("--asset-input-dir", required=_ALWAYS),
    Flag("--templates-input-dir"),
    Flag("--config-override-files"),
    Flag("--config-output-file", required=_ALWAYS, writes=True),
    Flag("--feature-set", 12, 14),
    *(
        Flag(f"--manifest-{name}")
        for name in (
            *("namespace", "image", "image-pull-policy", "config-host-path"),
            *("secrets-host-path", "config-file-name", "cloud-provider-host-path"),
        )
    ),
)
_FEATURES, _OPTIONAL_FEATURES = (
    (Flag("--rendered-manifest-files", 14, required=required), Flag("--payload-version", 14, required=required))
    for required in ((14, _NEVER), (_NEVER, _NEVER))
)
PROGRAMS = (
    Program(
        "cluster-version-operator",
        "render",
        "openshift/cluster-version-operator b033473ff to d37e5a056: cmd/cluster-version-operator/render.go",
        "--output-dir",
        (
            Flag("--output-dir", required=_ALWAYS, writes=True),
            Flag("--release-image", required=_ALWAYS),
            Flag("--feature-gate-manifest-path", 17),
        ),
        (Made("bootstrap/"), Made("manifests/")),
    ),
    Program(
        "cluster-config-api",
        "render",
        "openshift/api 0a58f8c30 to 1cb630ce7: payload-command/render/render.go",
        "--asset-output-dir",
        (
            Flag("--asset-output-dir", writes=True),
            Flag("--rendered-manifest-dir"),
            Flag("--image-manifests"),
            Flag("--cluster-profile"),
            Flag("--payload-version"),
        ),
        (Made("manifests/"),),
    ),
    Program(
        "cluster-authentication-operator",
        "render",
        "openshift/cluster-authentication-operator 1d9306196 to 65eb4b219: pkg/cmd/render/render.go",
        "--asset-output-dir",
        (
            Flag("--asset-output-dir", writes=True),
            Flag("--rendered-manifest-dir"),
            Flag("--cluster-profile"),
            Flag("--payload-version"),
        ),
        (Made("authorization.openshift.io_rolebindingrestrictions.yaml"),),
    ),
    Program(
        "cluster-config-operator",
        "render",
        "openshift/cluster-config-operator d5ddbcdd4 to 1eb450a3a: pkg/cmd/render/render.go",
        "--asset-output-dir",
        (
            *_LIBRARY,
            Flag("--manifest-operator-image"),
            # 4.14 has the features only here; later the program of the definitions has them too.
            Flag("--rendered-manifest-files", 14, required=(14, 16)),
            Flag("--payload-version", 14),
            Flag("--skip-api-rendering", 15),
            Flag("--cluster-config-file"),
            Flag("--cluster-infrastructure-input-file", 6),
            Flag("--cloud-provider-config-input-file", 6),
            Flag("--cloud-provider-config-output-file", 6, writes=True),
        ),
        (
            Made("manifests/", until=16, unless="--skip-api-rendering"),
            Made("manifests/", 15, is_empty=True),
        ),
    ),
    Program(
        "cluster-etcd-operator",
        "render",
        "openshift/cluster-etcd-operator a0902954b to 90faa26ee: pkg/cmd/render/render.go",
        "--asset-output-dir",
        (
            Flag("--asset-output-dir", required=_ALWAYS, writes=True),
            Flag("--asset-input-dir", until=8, required=(0, 8)),
            Flag("--templates-input-dir", until=8),
            Flag("--template-dir", 16),
            Flag("--config-override-files", until=8),
            Flag("--config-output-file", until=8, required=(0, 8), writes=True),
            Flag("--etcd-ca", until=8, required=(0, 6), default="/assets/tls/etcd-ca-bundle.crt"),
            Flag("--etcd-ca-key", 5, 8, default="/assets/tls/etcd-signer.key"),
            Flag("--etcd-metric-ca", until=6, required=(0, 5)),
            Flag("--manifest-etcd-image", until=8, required=(0, 8)),
            Flag("--manifest-cluster-etcd-operator-image", until=8, required=(0, 7)),
            Flag("--manifest-kube-client-agent-image", until=7, required=(0, 6)),
            Flag("--manifest-setup-etcd-env-image", until=7, required=(0, 6)),
            Flag("--etcd-discovery-domain", until=7, required=(0, 6)),
            Flag("--cluster-config-file", until=8, required=(4, 7)),
            Flag("--cluster-configmap-file", 5, required=(8, _NEVER), default=_CLUSTER_CONFIG),
            Flag("--infra-config-file", 4, required=(8, _NEVER), default=_INFRASTRUCTURE),
            Flag("--network-config-file", 7, required=(8, _NEVER)),
            Flag("--etcd-image", 8, required=(8, _NEVER)),
            Flag("--bootstrap-ip", 4, 8),
            Flag("--delayed-ha-bootstrap-scaling-marker-file", 7, may_be_missing=True),
        ),
        (
            Made("bootstrap-manifests/etcd-member-pod.yaml", until=8),
            Made("bootstrap-manifests/secrets/etcd-all-serving/", 5, 8),
            Made("bootstrap-manifests/secrets/etcd-all-peer/", 5, 8),
            Made("manifests/"),
            Made("etc-kubernetes/", 8),
            *(Made(f"tls/{file}", 8) for file in ("etcd-ca-bundle.crt", "etcd-client.crt", "etcd-client.key")),
        ),
    ),
    Program(
        "cluster-etcd-operator",
        "wait-for-ceo",
        "openshift/cluster-etcd-operator a0902954b to 90faa26ee: pkg/cmd/waitforceo/waitforceo.go",
        "",
        (Flag("--kubeconfig"),),
    ),
    Program(
        "cluster-kube-apiserver-operator",
        "render",
        "openshift/cluster-kube-apiserver-operator e6a57821a to dc1c217c2: pkg/cmd/render/render.go",
        "--asset-output-dir",
        (
            *_LIBRARY,
            *_FEATURES,
            Flag("--manifest-operator-image", required=_ALWAYS),
            Flag("--manifest-lock-host-path"),
            Flag("--manifest-etcd-server-urls"),
            Flag("--manifest-etcd-serving-ca"),
            Flag("--cluster-config-file"),
            Flag("--cluster-auth-file", 7, may_be_missing=True),
            Flag("--infra-config-file", 9),
            Flag("--operand-kubernetes-version", 18, required=(18, _NEVER)),
        ),
        _POD_AND_OBJECTS,
    ),
    Program(
        "cluster-kube-controller-manager-operator",
        "render",
        "openshift/cluster-kube-controller-manager-operator 85291ab53 to 395de9670: pkg/cmd/render/render.go",
        "--asset-output-dir",
        (
            *_LIBRARY,
            *_FEATURES,
            Flag("--manifest-operator-image"),
            Flag("--cluster-config-file"),
            Flag("--disable-phase-2"),
            Flag("--cluster-policy-controller-image", 6),
            Flag("--cpc-config-output-file", 6, required=(6, _NEVER), writes=True),
        ),
        _POD_AND_OBJECTS,
    ),
    Program(
        "cluster-kube-scheduler-operator",
        "render",
        "openshift/cluster-kube-scheduler-operator 0acedc7bf to 5ef1df3be: cmd/render/render.go",
        "--asset-output-dir",
        (*_LIBRARY, *_OPTIONAL_FEATURES, Flag("--manifest-operator-image")),
        _POD_AND_OBJECTS,
    ),
    Program(
        "cluster-ingress-operator",
        "render",
        "openshift/cluster-ingress-operator d86b0316c to 3da316787: cmd/ingress-operator/render.go",
        "--output-dir",
        (Flag("--output-dir", required=_ALWAYS, writes=True), Flag("--prefix")),
        (Made("./"),),
    ),
    Program(
        "cluster-node-tuning-operator",
        "render",
        "openshift/cluster-node-tuning-operator 978a6c56e to 655a7daa4: pkg/performanceprofile/cmd/render/cmd.go",
        "--asset-output-dir",
        (
            Flag("--asset-input-dir"),
            Flag("--asset-output-dir", required=_ALWAYS, writes=True),
            Flag("--owner-ref", 14),
        ),
        (Made("./", is_empty=True),),
    ),
    Program(
        # It marks arguments as required before it has defined them, which does nothing.
        "machine-config-operator",
        "bootstrap",
        "openshift/machine-config-operator 747de90fb to db84d8368: cmd/machine-config-operator/bootstrap.go",
        "--dest-dir",
        (
            Flag("--dest-dir", writes=True),
            Flag("--root-ca"),
            Flag("--kube-ca"),
            Flag("--pull-secret"),
            Flag("--config-file"),
            Flag("--infra-config-file", default=_INFRASTRUCTURE),
            Flag("--network-config-file", default=_NETWORK),
            Flag("--proxy-config-file", default="/assets/manifests/cluster-proxy-01-config.yaml"),
            Flag("--dns-config-file", 7, default="/assets/manifests/cluster-dns-02-config.yml"),
            Flag("--additional-trust-bundle-config-file"),
            Flag("--cloud-config-file"),
            Flag("--cloud-provider-ca-file"),
            Flag("--image-references", 12),
            Flag("--payload-version", 14),
            Flag("--release-image", 6),
            *(Flag(name, until=6) for name in ("--etcd-ca", "--etcd-metric-ca", "--etcd-image")),
            Flag("--kube-client-agent-image", until=6),
            Flag("--cluster-etcd-operator-image", 4, 6),
            Flag("--mdns-publisher-image", until=10),
            *(
                Flag(f"--{name}-image")
                for name in (
                    *("machine-config-operator", "machine-config-oscontent", "infra", "keepalived", "coredns"),
                    *("haproxy", "baremetal-runtimecfg", "oauth-proxy"),
                )
            ),
            *(Flag(f"--{name}-image", 12) for name in ("baseos", "baseos-extensions")),
            Flag("--kube-rbac-proxy-image", 14),
            Flag("--docker-registry-image", 21),
        ),
        (
            Made("bootstrap/manifests/"),
            Made("bootstrap/machineconfigoperator-bootstrap-pod.yaml"),
            Made("manifests/"),
        ),
    ),
    Program(
        # With credentials that people manage there is no pod, which is a matter of the install-config.
        "cloud-credential-operator",
        "render",
        "openshift/cloud-credential-operator d92d0dcf7 to bd0a5785a: pkg/cmd/render/render.go",
        "--dest-dir",
        (
            Flag("--dest-dir", required=_ALWAYS, writes=True),
            Flag("--cloud-credential-operator-image", required=_ALWAYS),
            Flag("--manifests-dir", 5),
            Flag("--log-level"),
        ),
        (Made("manifests/"), Made("bootstrap-manifests/cloud-credential-operator-pod.yaml")),
    ),
)
COMPONENTS = {program.component for program in PROGRAMS}
_KNOWN = {(program.component, program.command): program for program in PROGRAMS}


def find(component: str, command: str) -> Program | None:
    """Return a program, or None for one of which nothing is known here."""
    return _KNOWN.get((component, command.rpartition("/")[2]))
