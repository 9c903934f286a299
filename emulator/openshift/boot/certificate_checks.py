"""Checks of the bootstrap machine's certificates, keys and kubeconfigs, each a function of its files and the time.

A real renderer silently writes an empty field for a missing file, and an operator fails much later. The emulated ones
report the missing file at once.
"""

import json
from collections.abc import Iterator
from datetime import datetime
from ipaddress import ip_network

from emulator.openshift.boot import ignition, key_pairs, kubeconfig
from emulator.openshift.boot.installation import ROOT, Check, Installation, InstallationError
from emulator.openshift.kubernetes.secrets import decoded

# The path of the folder `tls` in static pods.
_SECRETS = "/etc/kubernetes/secrets"
BOUND_PAIR = "tls/bound-service-account-signing-key"
CLIENT_BUNDLE = "kube-apiserver-complete-client-ca-bundle"
_SERVER_BUNDLE = "kube-apiserver-complete-server-ca-bundle"
_SERVERS = ("internal-lb-server", "lb-server", "localhost-server", "service-network-server")
# The first releases that have something: minor versions of OpenShift 4.
_EVERY, _OPERATOR_OF_ETCD = 0, 4
# The files that each renderer reads: path below tls, object that it goes into, first release.
_API_SERVER_OBJECTS = (
    ("admin-kubeconfig-ca-bundle.crt", "configmap-admin-kubeconfig-client-ca", _EVERY),
    ("kubelet-signer.crt", "configmap-csr-controller-ca", _EVERY),
    (
        "kubelet-bootstrap-kubeconfig-ca-bundle.crt",
        "configmap-kubelet-bootstrap-kubeconfig-ca",
        _OPERATOR_OF_ETCD,
    ),
    ("kubelet-client-ca-bundle.crt", "config", _EVERY),
    ("service-account.pub", "configmap-sa-token-signing-certs", _EVERY),
    *(
        (f"{signer}.{kind}", f"secret-{name}", _EVERY)
        for signer, name in (
            ("aggregator-signer", "aggregator-client-signer"),
            ("kube-control-plane-signer", "control-plane-client-signer"),
            ("kube-apiserver-to-kubelet-signer", "kube-apiserver-to-kubelet-signer"),
            ("kube-apiserver-lb-signer", "loadbalancer-serving-signer"),
            ("kube-apiserver-localhost-signer", "localhost-serving-signer"),
            ("kube-apiserver-service-network-signer", "service-network-serving-signer"),
        )
        for kind in ("crt", "key")
    ),
)
_CONTROLLER_OBJECTS = (
    ("kubelet-signer.crt", "secret-csr-signer-signer", _EVERY),
    ("kubelet-signer.key", "secret-csr-signer-signer", _EVERY),
    ("service-account.key", "secret-initial-kube-controller-manager-service-account-private-key", _EVERY),
)
# The files that static pods read.
_SERVER_PAIRS = tuple(f"kube-apiserver-{server}" for server in _SERVERS)
_API_SERVER_PAIRS = (*_SERVER_PAIRS, "apiserver-proxy", "kube-apiserver-to-kubelet-client")
_API_SERVER_FILES = (
    *(f"{pair}.{kind}" for pair in _API_SERVER_PAIRS for kind in ("crt", "key")),
    "aggregator-signer.crt",
    f"{CLIENT_BUNDLE}.crt",
    "kubelet-client-ca-bundle.crt",
    "service-account.pub",
)
# In releases of the other flavours, etcd's operator makes etcd's files.
_ETCD_FLAVOURS = "ATB"
_ETCD_CLIENT_FILES = ("etcd-client.crt", "etcd-client.key", "etcd-ca-bundle.crt")
_ETCD_SIGNER_FILES = ("etcd-signer.crt", "etcd-signer.key", "etcd-ca-bundle.crt")
_CONTROLLER_FILES = (f"{_SERVER_BUNDLE}.crt", "service-account.key", "kubelet-signer.crt", "kubelet-signer.key")
# The cluster policy controller, in the controller manager's pod.
_POLICY_PAIR, _POLICY_BUNDLE = "kube-control-plane-kube-controller-manager-client", "kube-control-plane-ca-bundle"
_POLICY_FLAVOURS = "BC"


def _crt(installation: Installation, name: str) -> str:
    return installation.text(f"tls/{name}.crt")


def _key(installation: Installation, name: str) -> str:
    return installation.text(f"tls/{name}.key")


def _bundle(installation: Installation, name: str) -> tuple[key_pairs.Certificate, ...]:
    """Return the certificates of a file; () if it is missing or malformed, which the check of its reader reports."""
    try:
        return key_pairs.read(_crt(installation, name))
    except ValueError:
        return ()


def _malformed(installation: Installation, file: str, now: datetime) -> str:
    """Return why a file of certificates cannot be used; "" if it can, or if it is not a file of certificates."""
    if not file.endswith(".crt"):
        return ""
    try:
        certificates = key_pairs.read(installation.text(f"tls/{file}"))
    except ValueError:
        return "data does not contain any valid RSA or ECDSA certificates"
    return next((why for one in certificates if (why := key_pairs.is_expired(one, now))), "")


# Renderers


def _rendered(operator: str, rows: tuple[tuple[str, str, int], ...]) -> Check:
    def check(installation: Installation, now: datetime) -> Iterator[str]:
        for file, into, first in rows:
            if installation.minor < first:
                continue
            if installation.missing([f"tls/{file}"]):
                yield f"{operator} render: {into}: open /assets/tls/{file}: no such file or directory"
            elif why := _malformed(installation, file, now):
                yield f"{operator} render: {into}: panic: /assets/tls/{file}: {why}"
        signers = {file.removesuffix(".key") for file, _, _ in rows if file.endswith("-signer.key")}
        yield from _mismatched(installation, f"{operator} render: panic", sorted(signers))

    return check


def _mismatched(installation: Installation, who: str, names: list[str] | tuple[str, ...]) -> Iterator[str]:
    """Yield an error for each key that does not match its certificate; other checks report missing files."""
    for name in names:
        if installation.missing([f"tls/{name}.crt", f"tls/{name}.key"]):
            continue
        if why := key_pairs.problem(_crt(installation, name), _key(installation, name)):
            yield f"{who}: tls/{name}.crt, tls/{name}.key: {why}"


api_server_objects = _rendered("cluster-kube-apiserver-operator", _API_SERVER_OBJECTS)
controller_objects = _rendered("cluster-kube-controller-manager-operator", _CONTROLLER_OBJECTS)


def token_signer(installation: Installation, _now: datetime) -> Iterator[str]:
    """Render the key that signs tokens of service accounts. The operator makes it if the installer has not."""
    missing = installation.missing([f"{BOUND_PAIR}.key", f"{BOUND_PAIR}.pub"])
    if len(missing) == 1:
        (half,) = {f"{BOUND_PAIR}.key", f"{BOUND_PAIR}.pub"} - {*missing}
        what = "public" if half.endswith(".key") else "private"
        yield (
            f"cluster-kube-apiserver-operator render: /assets/{half} was supplied, but the matching {what} key is missing"
        )


def first_clients(installation: Installation, now: datetime) -> Iterator[str]:
    """Check that the bundles with which operators verify the installer's clients contain their signers."""
    for bundle, file, first in (
        ("admin-kubeconfig-ca-bundle", "kubeconfig", _EVERY),
        ("kubelet-bootstrap-kubeconfig-ca-bundle", "kubeconfig-kubelet", _OPERATOR_OF_ETCD),
    ):
        authorities = _bundle(installation, bundle)
        leaf = _client(installation, f"auth/{file}")
        if installation.minor >= first and leaf and authorities:
            why = key_pairs.untrusted(leaf, authorities, now)
            if why:
                yield f"cluster-kube-apiserver-operator render: tls/{bundle}.crt: client of auth/{file}: {why}"


def etcd_signer(who: str) -> Check:
    """Return a check of the program that issues etcd's certificates: etcd's operator, or a separate container."""

    def check(installation: Installation, now: datetime) -> Iterator[str]:
        if installation.flavour not in _ETCD_FLAVOURS:
            return
        for file in _ETCD_SIGNER_FILES:
            if installation.missing([f"tls/{file}"]):
                yield f"{who}: open /assets/tls/{file}: no such file or directory"
            elif why := _malformed(installation, file, now):
                yield f"{who}: /assets/tls/{file}: {why}"
        yield from _mismatched(installation, who, ("etcd-signer",))
        signer, bundle = _bundle(installation, "etcd-signer"), _bundle(installation, "etcd-ca-bundle")
        if signer and bundle and signer[0] not in bundle:
            yield f"{who}: tls/etcd-ca-bundle.crt does not hold tls/etcd-signer.crt"

    return check


def metric_signer(installation: Installation, _now: datetime) -> Iterator[str]:
    """Start the signer of the certificates for etcd's metrics, which runs beside the signer for etcd itself."""
    yield from _mismatched(installation, "kube-etcd-signer-server", ("etcd-metric-signer",))
    metric, bundle = _bundle(installation, "etcd-metric-signer"), _bundle(installation, "etcd-metric-ca-bundle")
    if metric and (not bundle or metric[0] not in bundle):
        yield "kube-etcd-signer-server: tls/etcd-metric-ca-bundle.crt does not hold tls/etcd-metric-signer.crt"


def etcd_client(installation: Installation, now: datetime) -> Iterator[str]:
    """Ask etcd whether it is healthy."""
    if installation.flavour not in _ETCD_FLAVOURS:
        return
    yield from _mismatched(installation, "etcdctl: tls", ("etcd-client",))
    leaf, bundle = _bundle(installation, "etcd-client"), _bundle(installation, "etcd-ca-bundle")
    if leaf and bundle and (why := key_pairs.untrusted(leaf[0], bundle, now)):
        yield f"etcdctl: tls/etcd-client.crt, tls/etcd-ca-bundle.crt: remote error: tls: bad certificate ({why})"


# Machine config server


def machine_config_server(installation: Installation, now: datetime) -> Iterator[str]:
    """Serve the masters' configs with a certificate that their pointer configs trust."""
    who, name = "machine-config-server", "machine-config-server"
    for file in (f"{name}.crt", f"{name}.key", "root-ca.crt"):
        if installation.missing([f"tls/{file}"]):
            yield f"{who}: open {_SECRETS}/{file}: no such file or directory"
    yield from _mismatched(installation, f"{who}: tls", (name,))
    leaf, root = _bundle(installation, name), _bundle(installation, "root-ca")
    if not root and installation.text("tls/root-ca.crt"):
        yield f"{who}: tls/root-ca.crt: data does not contain any valid RSA or ECDSA certificates"
    if leaf and root and (why := key_pairs.untrusted(leaf[0], root, now, f"api-int.{installation.domain}")):
        yield f"{who}: http: TLS handshake error: remote error: tls: bad certificate: tls/{name}.crt: {why}"
    yield from _pointers(installation, root)


def _pointers(installation: Installation, root: tuple[key_pairs.Certificate, ...]) -> Iterator[str]:
    """Yield an error for each pointer config that names another URL, or does not trust the root CA."""
    for role in ("master", "worker"):
        found = installation.find("Secret", f"{role}-user-data", "openshift-machine-api")
        if found is None:
            continue
        try:
            pointer = ignition.parse(decoded((found.body.get("data") or {}).get("userData", "")).encode())
            believed = [certificate for text in pointer.authorities for certificate in key_pairs.read(text)]
        except (ignition.IgnitionError, ValueError):
            yield f"machine-config-server: {found.path}: its userData is not a pointer"
            continue
        wanted = f"https://api-int.{installation.domain}:22623/config/{role}"
        if [source.url for source in pointer.merge] != [wanted]:
            yield f"machine-config-server: {found.path}: it does not lead to {wanted}"
        if root and root[0] not in believed:
            yield f"machine-config-server: {found.path}: x509: certificate signed by unknown authority: tls/root-ca.crt"


# Kubeconfigs


def _client(installation: Installation, name: str) -> key_pairs.Certificate | None:
    try:
        return key_pairs.read(kubeconfig.credentials(installation, name).identity.certificate_pem)[0]
    except (InstallationError, ValueError):
        return None


def kubeconfig_works(name: str, label: str = "") -> Check:
    """Return a check that a kubeconfig names the right server, and has a client certificate that the server trusts.

    Args:
        name: path of the kubeconfig, such as `auth/kubeconfig`.
        label: label of the server in the cluster's domain, such as `api-int`; "" for the machine itself.
    """

    def check(installation: Installation, now: datetime) -> Iterator[str]:
        if installation.missing([name]):
            yield f"error loading config file {ROOT}/{name}: no such file or directory"
            return
        found = kubeconfig.credentials(installation, name)
        wanted = f"https://{f'{label}.{installation.domain}' if label else 'localhost'}:6443"
        if found.server != wanted:
            yield f"{name}: server {found.server} is not {wanted}"
        if why := key_pairs.problem(found.identity.certificate_pem, found.identity.key_pem):
            yield f"{name}: tls: {why}"
            return
        bundle = _bundle(installation, CLIENT_BUNDLE)
        leaf = key_pairs.read(found.identity.certificate_pem)[0]
        if bundle and (why := key_pairs.untrusted(leaf, bundle, now)):
            yield f"{name}: Unauthorized: not in tls/{CLIENT_BUNDLE}.crt: {why}"

    return check


def reaches(unit: str, name: str, server: str, label: str = "") -> Check:
    """Return a check that a client with a kubeconfig trusts the API server.

    Args:
        unit: the client, for the message.
        name: path of the kubeconfig.
        server: name of the key pair that the API server presents to it.
        label: label of the server in the cluster's domain, such as `api-int`; "" for the machine itself.
    """

    def check(installation: Installation, now: datetime) -> Iterator[str]:
        shown = _bundle(installation, server)
        if not shown:
            return
        found = kubeconfig.credentials(installation, name)
        names = (f"{label}.{installation.domain}",) if label else ("localhost", "127.0.0.1")
        try:
            authorities = key_pairs.read(found.authority_pem)
        except ValueError:
            authorities = ()
        if why := key_pairs.untrusted(shown[0], authorities, now, *names):
            yield f'{unit}: Get "{found.server}/api": {why} (tls/{server}.crt, {name})'

    return check


# Static pods


def _present(installation: Installation, pod: str, files: tuple[str, ...]) -> Iterator[str]:
    for file in files:
        if installation.missing([f"tls/{file}"]):
            yield f"{pod}: open {_SECRETS}/{file}: no such file or directory: back-off restarting failed container"


def api_server(installation: Installation, now: datetime) -> Iterator[str]:
    """Start the temporary control plane's API server."""
    pod = "bootstrap-kube-apiserver"
    read = _API_SERVER_FILES + (_ETCD_CLIENT_FILES if installation.flavour in _ETCD_FLAVOURS else ())
    yield from _present(installation, pod, read)
    for kind in ("server", "client"):
        names = [pair for pair in _API_SERVER_PAIRS if (pair in _SERVER_PAIRS) == (kind == "server")]
        yield from _mismatched(installation, f"kube-apiserver: panic: unable to load {kind} certificate: tls", names)
    for file in read:
        if installation.text(f"tls/{file}") and (why := _malformed(installation, file, now)):
            yield f"kube-apiserver: panic: {_SECRETS}/{file}: {why}"
    for pair in ("tls/service-account", BOUND_PAIR):
        public, key = installation.text(f"{pair}.pub"), installation.text(f"{pair}.key")
        if public and key and not key_pairs.is_public_key(public, key):
            yield f"kube-apiserver: {pair}.pub is not the public key of {pair}.key"
    proxy = _bundle(installation, "apiserver-proxy")
    # The issuer is not checked: in the installer's own files it is not the aggregator-signer.
    if proxy and (why := key_pairs.is_expired(proxy[0], now)):
        yield f"kube-apiserver: tls/apiserver-proxy.crt: {why}"
    yield from _kubelets(installation, now)


def _kubelets(installation: Installation, now: datetime) -> Iterator[str]:
    """Call the kubelets: their signer must be trusted, and they must trust the client certificate."""
    signer, known = _bundle(installation, "kubelet-signer"), _bundle(installation, "kubelet-client-ca-bundle")
    if signer and known and signer[0] not in known:
        yield "kube-apiserver: tls/kubelet-client-ca-bundle.crt does not hold tls/kubelet-signer.crt"
    yield from _client_issued(installation, now, "kube-apiserver-to-kubelet-client")


def _client_issued(installation: Installation, now: datetime, name: str) -> Iterator[str]:
    leaf, bundle = _bundle(installation, name), _bundle(installation, CLIENT_BUNDLE)
    if leaf and bundle and (why := key_pairs.untrusted(leaf[0], bundle, now)):
        yield f"tls/{name}.crt: Unauthorized: not in tls/{CLIENT_BUNDLE}.crt: {why}"


def controllers(installation: Installation, now: datetime) -> Iterator[str]:
    """Start the temporary control plane's controllers."""
    pod = "bootstrap-kube-controller-manager"
    yield from _present(installation, pod, _CONTROLLER_FILES)
    servers = _bundle(installation, _SERVER_BUNDLE)
    if not servers and installation.text(f"tls/{_SERVER_BUNDLE}.crt"):
        yield f"{pod}: {_SECRETS}/{_SERVER_BUNDLE}.crt: data does not contain any valid RSA or ECDSA certificates"
    for server in _SERVERS if servers else ():
        shown = _bundle(installation, f"kube-apiserver-{server}")
        # Only the issuer is checked here; names and expiry are checked where somebody calls the server.
        if shown and not any(key_pairs.issued(shown[0], authority) for authority in servers):
            yield (
                f"{pod}: tls/{_SERVER_BUNDLE}.crt: tls/kube-apiserver-{server}.crt: "
                "x509: certificate signed by unknown authority"
            )
    if installation.flavour in _POLICY_FLAVOURS:
        yield from _policy_controller(installation, now)


def _policy_controller(installation: Installation, now: datetime) -> Iterator[str]:
    who = "cluster-policy-controller"
    yield from _present(installation, who, (f"{_POLICY_PAIR}.crt", f"{_POLICY_PAIR}.key", f"{_POLICY_BUNDLE}.crt"))
    yield from _mismatched(installation, f"{who}: tls", (_POLICY_PAIR,))
    yield from _client_issued(installation, now, _POLICY_PAIR)
    leaf, bundle = _bundle(installation, _POLICY_PAIR), _bundle(installation, _POLICY_BUNDLE)
    if leaf and _crt(installation, _POLICY_BUNDLE) and not any(key_pairs.issued(leaf[0], one) for one in bundle):
        yield f"{who}: tls/{_POLICY_BUNDLE}.crt: x509: certificate signed by unknown authority"


# Clients elsewhere


def service_address(installation: Installation, now: datetime) -> Iterator[str]:
    """Call the API server from a pod, at the first address of the service network."""
    server = "kube-apiserver-service-network-server"
    networks = (installation.install_config.get("networking") or {}).get("serviceNetwork") or []
    try:
        address = str(ip_network(networks[0], strict=False)[1])
    except (IndexError, ValueError):
        yield f"install-config: networking.serviceNetwork: {json.dumps(networks)} has no first address"
        return
    shown, authorities = _bundle(installation, server), _bundle(installation, "kube-apiserver-service-network-signer")
    names = (address, "kubernetes.default.svc")
    if shown and authorities and (why := key_pairs.untrusted(shown[0], authorities, now, *names)):
        yield f'kube-apiserver-operator: Get "https://{address}:443/api": {why} (tls/{server}.crt)'


def outside(installation: Installation, now: datetime) -> Iterator[str]:
    """Call the API server as customers do; its chain must be its own certificate followed by its signer's."""
    signers = _bundle(installation, "kube-apiserver-lb-signer")
    for server, label in (("lb-server", "api"), ("internal-lb-server", "api-int")):
        file, name = f"tls/kube-apiserver-{server}.crt", f"{label}.{installation.domain}"
        shown = _bundle(installation, f"kube-apiserver-{server}")
        if shown and signers and (why := key_pairs.untrusted(shown[0], signers, now, name)):
            yield f'Get "https://{name}:6443/version": {why} ({file})'
        if shown and signers and shown[1:] != (signers[0],):
            yield f"{file}: not its own certificate followed by tls/kube-apiserver-lb-signer.crt"
