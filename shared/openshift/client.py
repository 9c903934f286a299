"""A cluster's Kubernetes API: one client per cluster, plain JSON, and no answer longer or later than the limits below.

The package `kubernetes` provides the connection: TLS server name, pool, and the proxy of the environment. Its typed
APIs are not used, because the first of them costs a worker a hundred megabytes of models (measured with 37.0:
`ApiClient` 18 MB, `CustomObjectsApi` 29 MB, `CoreV1Api` 116 MB), and conditions read only a handful of members. Only
`connect` and `send` import it, so that requests, which read clusters with `reads.py`, do without it.
"""

import base64
import re
import ssl
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from http import HTTPStatus
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode, urlsplit

import urllib3

from shared import answer_framing, bounded_answers, deadline, durations, fence, kubernetes_yaml, tracing
from shared.json_object import Json

if TYPE_CHECKING:
    from kubernetes.client import ApiClient

USER_AGENT = "aro-resource-provider"

_PORT = 6443
_CONNECT_SECONDS = durations.CLUSTER_CONNECTION.total_seconds()
_READ_SECONDS = durations.CLUSTER_READ.total_seconds()
# For a whole call: what a cluster sends is its administrator's, and could drip for hours.
_SECONDS = _CONNECT_SECONDS + _READ_SECONDS
# The longest lists are those of nodes: 250, of 25 kB each.
_MOST_BYTES = 8 << 20
# How many clusters one process keeps connections to: those that it polls at the moment, with some to spare.
_CLIENTS = 64
_SHOWN_CHARACTERS = 300
_JSON = "application/json"
_ONLY_METADATA = f"{_JSON};as=PartialObjectMetadata;g=meta.k8s.io;v=v1,{_JSON}"

# The API group and version of each kind that we use. Discovery would find them, but costs two calls per client. An
# ambiguous kind is followed by its group, as in `kubectl`.
_PATHS: dict[str, str] = {
    "readyz": "/readyz",
    # Not a kind of objects: which versions an API server has, and which server answers.
    "APIVersions": "/api",
    "ConfigMap": "/api/v1/{namespace}configmaps",
    "Namespace": "/api/v1/namespaces",
    "Node": "/api/v1/nodes",
    "Pod": "/api/v1/{namespace}pods",
    "Secret": "/api/v1/{namespace}secrets",
    "Service": "/api/v1/{namespace}services",
    "ServiceAccount": "/api/v1/{namespace}serviceaccounts",
    "MutatingWebhookConfiguration": "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations",
    "ValidatingWebhookConfiguration": "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations",
    "DaemonSet": "/apis/apps/v1/{namespace}daemonsets",
    "APIServer": "/apis/config.openshift.io/v1/apiservers",
    "ClusterOperator": "/apis/config.openshift.io/v1/clusteroperators",
    "ClusterVersion": "/apis/config.openshift.io/v1/clusterversions",
    "OperatorHub": "/apis/config.openshift.io/v1/operatorhubs",
    "CredentialsRequest": "/apis/cloudcredential.openshift.io/v1/{namespace}credentialsrequests",
    "CloudCredential": "/apis/operator.openshift.io/v1/cloudcredentials",
    "ClusterCSIDriver": "/apis/operator.openshift.io/v1/clustercsidrivers",
    "Console": "/apis/operator.openshift.io/v1/consoles",
    "Console.config.openshift.io": "/apis/config.openshift.io/v1/consoles",
    "IngressController": "/apis/operator.openshift.io/v1/{namespace}ingresscontrollers",
    "KubeAPIServer": "/apis/operator.openshift.io/v1/kubeapiservers",
    "KubeControllerManager": "/apis/operator.openshift.io/v1/kubecontrollermanagers",
    "Config.samples.operator.openshift.io": "/apis/samples.operator.openshift.io/v1/configs",
    "SecurityContextConstraints": "/apis/security.openshift.io/v1/securitycontextconstraints",
    "CertificateSigningRequest": "/apis/certificates.k8s.io/v1/certificatesigningrequests",
    "Machine": "/apis/machine.openshift.io/v1beta1/{namespace}machines",
    "MachineConfigPool": "/apis/machineconfiguration.openshift.io/v1/machineconfigpools",
    "MachineHealthCheck": "/apis/machine.openshift.io/v1beta1/{namespace}machinehealthchecks",
    "MachineSet": "/apis/machine.openshift.io/v1beta1/{namespace}machinesets",
}


# OpenSSL's message for a connection that ends without a closing message.
_HANGS_UP = "EOF occurred in violation of protocol"


class NotDone(Exception):  # noqa: N818 - an answer more than an error
    """The API server did not do what it was asked. The message says how it failed, as part of a sentence.

    Attributes:
        status: the HTTP status that it answered; 0 if it answered none.
    """

    status: int = 0


class Unreachable(NotDone):
    """The API server is away, or too busy to answer; nothing is wrong with the request."""


@dataclass(frozen=True)
class Read:
    """The objects to read: one by its name, or all of a kind, in a namespace, with labels or fields, up to a number."""

    kind: str
    name: str = ""
    namespace: str = ""
    labels: str = ""
    limit: int = 0
    fields: str = ""

    @property
    def path(self) -> str:
        """The path and query of the request."""
        namespace = f"namespaces/{quote(self.namespace)}/" if self.namespace else ""
        path = _PATHS[self.kind].format(namespace=namespace) + (f"/{quote(self.name)}" if self.name else "")
        query = {"labelSelector": self.labels, "fieldSelector": self.fields, "limit": self.limit}
        asked = urlencode({parameter: value for parameter, value in query.items() if value})
        return f"{path}?{asked}" if asked else path

    @property
    def is_list(self) -> bool:
        """Whether the answer has items."""
        return not self.name and self.kind != "APIVersions"

    def __str__(self) -> str:
        """Name the object in a sentence."""
        return f"{self.kind} '{self.namespace}/{self.name}'" if self.namespace else f"{self.kind} '{self.name}'"


@dataclass(frozen=True)
class Endpoint:
    """How to reach an API server.

    Attributes:
        url: `https://<address>:<port>`, the address to connect to.
        server_name: the name that its certificate must carry, whatever the address; None for the host of the address.
        tls: trusts only the cluster's own authority, and has the client certificate.
    """

    url: str
    server_name: str | None
    tls: ssl.SSLContext


@lru_cache(maxsize=_CLIENTS)
def endpoint(secret_id: str, member: str, address: str, read_secret: Callable[[str], dict[str, Any]]) -> Endpoint:
    """Return how to reach a cluster; the same credentials and address give the same endpoint.

    Args:
        secret_id: versioned id of the bundle that holds the kubeconfig.
        member: member of the bundle with the kubeconfig, YAML.
        address: the address to connect to, whatever the kubeconfig's `server` says. The server's certificate must still
            carry the name in `server`.
        read_secret: reads a bundle; it has to compare equal to itself, as a bound method of one vault does.

    Source: ARO-RP `pkg/util/restconfig/restconfig.go`.
    """
    user, cluster = _sections(kubernetes_yaml.load(read_secret(secret_id)[member]))
    return Endpoint(*reached_at(cluster["server"], address), _tls(user, cluster))


def reached_at(server: str, address: str) -> tuple[str, str]:
    """Return the URL of an API server at an address, and the name that its certificate must carry.

    Args:
        server: `server` of its kubeconfig.
        address: the address to connect to.
    """
    url = f"https://[{address}]:{_PORT}" if ":" in address else f"https://{address}:{_PORT}"
    return url, urlsplit(server).hostname or ""


@lru_cache(maxsize=_CLIENTS)
def connect(secret_id: str, member: str, address: str, read_secret: Callable[[str], dict[str, Any]]) -> "ApiClient":
    """Return the client of a cluster; the same credentials and address give the same client.

    Args:
        secret_id: as in `endpoint`.
        member: as there.
        address: as there.
        read_secret: as there.
    """
    return _client(endpoint(secret_id, member, address, read_secret))


def connect_with(kubeconfig: Json) -> "ApiClient":
    """Return a client for the current context of a kubeconfig. It reads no file and runs no program.

    A user has a client certificate, a token, or a name and a password. Without an authority in the kubeconfig, the
    server's certificate must come from one that this machine trusts.

    Raises:
        NotDone: a certificate or a key in the kubeconfig is none.
    """
    user, cluster = _sections(kubeconfig)
    try:
        tls = _tls(user, cluster)
    except (ValueError, ssl.SSLError) as error:
        raise NotDone("a certificate or key of the kubeconfig is not base64 of PEM, or they do not fit") from error
    endpoint = Endpoint(cluster["server"].rstrip("/"), cluster.get("tls-server-name"), tls)
    return _client(endpoint, _authorization(user))


def _client(endpoint: Endpoint, authorization: str = "") -> "ApiClient":
    from kubernetes.client import ApiClient, Configuration  # noqa: PLC0415 - see above

    configuration = Configuration(
        host=endpoint.url,
        # A thread must not sleep here: the plan decides what is tried again, and when.
        retries=False,
        tls_server_name=endpoint.server_name,
        connection_pool_maxsize=4,
    )
    if authorization:
        configuration.api_key["BearerToken"] = authorization
    client = ApiClient(configuration)
    client.user_agent = USER_AGENT
    client.rest_client.pool_manager.connection_pool_kw["ssl_context"] = endpoint.tls
    return client


def _authorization(user: Json) -> str:
    if "token" in user:
        return f"Bearer {user['token']}"
    if "username" in user:
        named = f"{user['username']}:{user.get('password', '')}"
        return f"Basic {base64.b64encode(named.encode()).decode()}"
    return ""


def read(client: "ApiClient", what: Read) -> Any:
    """Read objects of a cluster: one by its name, None if there is none, or a list of all that match.

    A kind that the API server does not know yet has no objects.

    Raises:
        NotDone: if it answers anything else, or nothing.
    """
    status, body = send(client, "GET", what.path)
    if status == HTTPStatus.NOT_FOUND:
        return None if what.name else []
    if status != HTTPStatus.OK:
        raise refused(status, f"the API server answers {status_line(status, body)}")
    try:
        document = bounded_answers.parse(body)
        return document if what.name else list(document["items"])
    except (ValueError, KeyError, TypeError):
        raise NotDone(f"the API server answers with something that is not of kind {what.kind}") from None


def read_metadata(client: "ApiClient", what: Read) -> Json | None:
    """Read one object without its content, or None if there is none: a Secret's keys stay in the cluster.

    Raises:
        NotDone: if the API server answers anything else, or nothing.
    """
    status, body = send(client, "GET", what.path, accept=_ONLY_METADATA)
    if status == HTTPStatus.NOT_FOUND:
        return None
    if status != HTTPStatus.OK:
        raise refused(status, f"the API server answers {status_line(status, body)}")
    answer: Json = parsed(body)
    return answer


def delete(client: "ApiClient", what: Read) -> None:
    """Delete one object in a cluster, if it exists.

    Raises:
        NotDone: if the API server answers anything else, or nothing.
    """
    status, body = send(client, "DELETE", what.path)
    if status not in (HTTPStatus.OK, HTTPStatus.ACCEPTED, HTTPStatus.NOT_FOUND):
        raise refused(status, f"the API server answers {status_line(status, body)}")


def parsed(body: bytes) -> Any:
    """Return the JSON of a cluster's answer.

    Raises:
        NotDone: if it is none, or nested too deep.
    """
    try:
        return bounded_answers.parse(body)
    except ValueError as error:
        raise NotDone(f"the API server's answer is not understood: {error}") from error


def refused(status: int, message: str) -> NotDone:
    """Return the exception for an unsuccessful answer: the server is away, or it refuses."""
    away = status == HTTPStatus.TOO_MANY_REQUESTS or status >= HTTPStatus.INTERNAL_SERVER_ERROR
    made = Unreachable(message) if away else NotDone(message)
    made.status = status
    return made


def send(
    client: "ApiClient",
    method: str,
    path: str,
    body: Json | None = None,
    content_type: str = _JSON,
    *,
    accept: str = _JSON,
) -> tuple[int, bytes]:
    """Send one request to a cluster's API server; a change only while the fence holds.

    Args:
        client: client of the cluster.
        method: HTTP method.
        path: path and query.
        body: JSON to send, or None.
        content_type: type of the body.
        accept: the forms in which the answer is understood.

    Returns:
        The status and the body of the answer.

    Raises:
        Unreachable: if nothing answers.
        NotDone: if something other than the cluster's API server answers.
        FenceMoved: if this attempt was superseded.
    """
    from kubernetes.client import ApiException  # noqa: PLC0415 - see above

    if method in fence.CHANGES:
        fence.ask(method)
    headers = {"Accept": accept, "User-Agent": client.user_agent, **tracing.headers()}
    # The package adds them only to the requests of its typed APIs.
    headers |= {auth["key"]: auth["value"] for auth in client.configuration.auth_settings().values()}
    if body is not None:
        headers["Content-Type"] = content_type
    try:
        with deadline.within(_SECONDS):
            answer = client.call_api(
                method,
                client.configuration.host + path,
                headers,
                body=body,
                _request_timeout=(_CONNECT_SECONDS, _READ_SECONDS),
            )
            if not answer_framing.is_whole(method, answer.status, answer.response.headers):
                answer.response.close()
                raise Unreachable("the API server's answer breaks off in its headers")
            return answer.status, bounded_answers.read(answer.response, _MOST_BYTES)
    except ApiException as error:
        # Here, the only exception of the package's own stands for TLS: its text is `SSLError`, a new line, and the
        # cause.
        raise _tls_failure(str(error.reason)) from error
    except urllib3.exceptions.SSLError as error:
        raise _tls_failure(str(error)) from error
    except bounded_answers.TooLong as error:
        raise too_long(_MOST_BYTES) from error
    except urllib3.exceptions.HTTPError as error:
        raise Unreachable(_connection_failure(error)) from error


def too_long(most_bytes: int) -> NotDone:
    """Return the exception for an answer that has more bytes than are read."""
    return NotDone(f"the API server's answer has more than {most_bytes} bytes")


def failure(error: BaseException) -> NotDone:
    """Return the exception for a connection that failed."""
    cause = _innermost(error)
    if isinstance(cause, ssl.SSLError):
        return _tls_failure(str(cause))
    return Unreachable(_connection_failure(error))


def _connection_failure(error: BaseException) -> str:
    cause = _innermost(error)
    if isinstance(cause, ConnectionRefusedError):
        return "the API server refuses the connection"
    if isinstance(cause, TimeoutError):
        return "the API server does not answer in time"
    return f"the API server is not reached: {shortened(str(cause) or type(cause).__name__)}"


def _innermost(error: BaseException) -> BaseException:
    while (inner := error.__cause__ or error.__context__ or _inner(error)) is not None:
        error = inner
    return error


def _inner(error: BaseException) -> BaseException | None:
    """Return the exception that urllib3 carries as an argument instead of a cause."""
    return next((argument for argument in error.args if isinstance(argument, BaseException)), None)


def _tls_failure(reason: str) -> NotDone:
    """Return the exception for a TLS failure: a server that hangs up in the handshake is away; others have answered."""
    verification = re.search(r"certificate verify failed: (.*?)(?: \(_ssl\.c:\d+\))?\W*$", reason, re.DOTALL)
    if verification:
        return NotDone(f"the API server's certificate does not verify: {shortened(verification[1])}")
    message = f"the API server ends the TLS handshake: {shortened(reason.splitlines()[-1] if reason else 'no reason')}"
    return Unreachable(message) if _HANGS_UP in reason else NotDone(message)


def status_line(status: int, body: bytes) -> str:
    """Return an error of the API server as text: the status, and the message of the `Status` object in the answer."""
    known = status in HTTPStatus._value2member_map_
    line = f"{status} {HTTPStatus(status).phrase}" if known else str(status)
    try:
        message = bounded_answers.parse(body)["message"]
    except (ValueError, KeyError, TypeError):
        message = body.decode(errors="replace").strip()
    return f"{line}: {shortened(str(message))}" if message else line


def shortened(text: str, characters: int = _SHOWN_CHARACTERS) -> str:
    """Return a text of the cluster on one line, shortened, because messages are stored with each poll."""
    one_line = " ".join(text.split())
    return one_line if len(one_line) <= characters else f"{one_line[:characters]}..."


def _sections(document: Json) -> tuple[Json, Json]:
    """Return the user and the cluster of a kubeconfig's current context."""

    def named(section: str, kind: str, name: str) -> Json:
        value: Json = next(entry[kind] for entry in document[section] if entry["name"] == name)
        return value

    context = named("contexts", "context", document["current-context"])
    return named("users", "user", context["user"]), named("clusters", "cluster", context["cluster"])


def _tls(user: Json, cluster: Json) -> ssl.SSLContext:
    """Return the TLS context of a kubeconfig: only its own authority, if it has one, and its client certificate.

    Its connections end with the deadline of the call.

    The standard library can read a key only from a file, so the key is in a private file for the duration of the call.
    The package itself would keep the file for the life of the process, and even after a crash.
    """
    authority = cluster.get("certificate-authority-data")
    context = bounded_answers.within_deadline(
        ssl.create_default_context(cadata=_text(authority) if authority else None)
    )
    if "client-certificate-data" not in user:
        return context
    with tempfile.NamedTemporaryFile("w", encoding="ascii", suffix=".pem") as pem:
        pem.write(_text(user["client-certificate-data"]) + _text(user["client-key-data"]))
        pem.flush()
        context.load_cert_chain(pem.name)
    return context


def _text(data: str) -> str:
    return base64.b64decode(data).decode("ascii").rstrip("\n") + "\n"
