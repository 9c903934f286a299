"""The router on ports 80 and 443 of the workers, with the certificate for `*.apps` of its IngressController."""

import logging

from starlette.responses import HTMLResponse, RedirectResponse, Response

from emulator.core.certificate_authority import private_key_pem
from emulator.openshift.boot import key_pairs
from emulator.openshift.boot.timeline import GARBLED
from emulator.openshift.cluster.cluster import Cluster, PartState
from emulator.openshift.cluster.endpoint import Endpoint
from emulator.openshift.cluster.renewals import issue, pem, put_pair
from emulator.openshift.kubernetes.secrets import decoded
from emulator.openshift.release.kinds import INGRESS_NAMESPACE, INGRESS_OPERATOR_NAMESPACE

logger = logging.getLogger(__name__)

HTTP, HTTPS = "router-http", "router"
# The Secrets that the operator makes: the certificate for a controller that names none, and its signer.
DEFAULT_SECRET, SIGNER_SECRET = "router-certs-default", "router-ca"
DAYS = 730
# By the first label of the host name: the title of the page, and the timeline's row after which it is served.
ROUTES = {
    "console-openshift-console": ("OpenShift console", "operator/console"),
    "oauth-openshift": ("OpenShift login", "operator/authentication"),
}
_STANDS_FOR = (
    "This page stands for the {title}. The local Azure emulates its address, its certificate and when it answers; a "
    "local cluster runs no containers, so nothing is behind it. Look into the cluster with kubectl or oc."
)
_NOT_THERE = HTMLResponse(b"<h1>Application is not available</h1>\n", 503)


class Router(PartState):
    """The certificate and key that the router presents; and the name and version of the Secret that they are from."""

    def __init__(self, cluster: Cluster) -> None:
        super().__init__(cluster)
        self.pair: tuple[str, str] | None = None
        self.source = ("", "")


async def listen(cluster: Cluster) -> None:
    """Let the router listen with the certificate that is in force, if it does not do so yet."""
    if cluster.listeners.port(HTTPS) and cluster.part(Router).source == _source(cluster):
        return
    try:
        await _listen(cluster, _pair(cluster))
    except (*GARBLED, OSError):
        # A missing namespace, or a certificate that OpenSSL refuses, must not end the cluster.
        logger.exception("cluster %s: the router does not listen", cluster.record.id)


async def _listen(cluster: Cluster, pair: tuple[str, str]) -> None:
    endpoint = Endpoint(lambda _path, host: _answer(cluster, host))
    cluster.listeners.open(HTTPS, await endpoint.listen(*pair), endpoint)
    state = cluster.part(Router)
    state.pair, state.source = pair, _source(cluster)
    if not cluster.listeners.port(HTTP):
        plain = Endpoint(lambda path, host: RedirectResponse(f"https://{host}{path}", 302))
        cluster.listeners.open(HTTP, await plain.listen_plain(), plain)


def _answer(cluster: Cluster, host: str) -> Response:
    label, _, domain = host.partition(".")
    title, row = ROUTES.get(label, ("", ""))
    if not row or domain != f"apps.{cluster.installation.domain}" or not cluster.reached(row):
        return _NOT_THERE
    page = f"<!doctype html><title>{title}</title><h1>{title}</h1><p>{_STANDS_FOR.format(title=title)}</p>\n"
    return HTMLResponse(page)


def _source(cluster: Cluster) -> tuple[str, str]:
    """Return the name of the Secret in force, and its resource version."""
    name = cluster.record.rollouts.get("ingress", {}).get("shown") or DEFAULT_SECRET
    found = cluster.objects.get("Secret", name, INGRESS_NAMESPACE)
    return name, found["metadata"]["resourceVersion"] if found else ""


def _pair(cluster: Cluster) -> tuple[str, str]:
    """Return the certificate in force: the customer's, or the last one if that is unusable, or the operator's."""
    name = cluster.record.rollouts.get("ingress", {}).get("shown", "")
    if name:
        pair = _read(cluster, name)
        if not key_pairs.problem(*pair):
            return pair
        shown = cluster.part(Router).pair
        if shown:
            return shown
    return _own(cluster)


def _read(cluster: Cluster, name: str, namespace: str = INGRESS_NAMESPACE) -> tuple[str, str]:
    data = (cluster.objects.get("Secret", name, namespace) or {}).get("data") or {}
    return decoded(data.get("tls.crt", "")), decoded(data.get("tls.key", ""))


def _own(cluster: Cluster) -> tuple[str, str]:
    """Return the operator's own certificate; make it if it is missing."""
    pair = _read(cluster, DEFAULT_SECRET)
    if not key_pairs.problem(*pair):
        return pair
    signer = f"ingress-operator@{int(cluster.platform.clock.now().timestamp())}"
    now = cluster.platform.clock.now()
    authority, authority_key = issue(signer, now, DAYS)
    certificate, key = issue(f"*.apps.{cluster.installation.domain}", now, DAYS, (authority, authority_key))
    own = pem(authority), private_key_pem(authority_key).decode()
    put_pair(cluster, SIGNER_SECRET, INGRESS_OPERATOR_NAMESPACE, own)
    chain = pem(certificate) + own[0]
    put_pair(cluster, DEFAULT_SECRET, INGRESS_NAMESPACE, (chain, private_key_pem(key).decode()))
    return _read(cluster, DEFAULT_SECRET)
