"""The service and Azure Resource Manager as the command meets them: a table of answers behind the true HTTP client."""

import io
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import requests
from azure.core.credentials import AccessToken
from azure.core.exceptions import ClientAuthenticationError
from azure.core.pipeline.transport import RequestsTransport
from requests.adapters import BaseAdapter

Json = dict[str, Any]

HOST = "https://service.example"
ARM = "https://management.azure.com"
SUBSCRIPTION = "5aaaaaaa-0000-4000-8000-000000000005"
GROUP = "group"
PROVIDER = "Microsoft.RedHatOpenShift"
CLUSTERS = f"/subscriptions/{SUBSCRIPTION}/resourceGroups/{GROUP}/providers/{PROVIDER}/openShiftClusters"
CLUSTER = f"{CLUSTERS}/c1"
LOCATIONS = f"/subscriptions/{SUBSCRIPTION}/providers/{PROVIDER}/locations/eastus"
OPERATION = "0b000000-0000-4000-8000-00000000000b"
STATUS = f"{LOCATIONS}/operationsstatus/{OPERATION}"
VNET = f"/subscriptions/{SUBSCRIPTION}/resourceGroups/{GROUP}/providers/Microsoft.Network/virtualNetworks/net"
BEGUN = {"Azure-AsyncOperation": f"{HOST}{STATUS}?api-version=2026-12-01-preview", "Retry-After": "7"}


@dataclass(frozen=True)
class Reply:
    """An answer: its status, body and headers."""

    status: int = 200
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Sent:
    """A request that was sent."""

    method: str
    path: str
    query: str
    body: Any
    headers: Mapping[str, str]


Answer = Reply | Exception | Callable[[], Reply]


class FakeService(BaseAdapter):
    """Answers requests from a table. Its clock is moved by whoever waits."""

    def __init__(self) -> None:
        super().__init__()
        self._table: dict[tuple[str, str], list[Answer]] = {}
        self.sent: list[Sent] = []
        self.slept: list[float] = []
        self.signed_in = True
        self.on_sleep: Callable[[], None] = lambda: None

    def on(self, method: str, path: str, *answers: Answer) -> None:
        """Answer a path, one after the other; the last one stays. A path alone is one of the service."""
        self._table[method, path if path.startswith("https:") else f"{HOST}{path}"] = list(answers)

    def bodies(self, method: str) -> list[Any]:
        """Return the bodies of all requests of a method."""
        return [each.body for each in self.sent if each.method == method]

    def send(self, request: requests.PreparedRequest, *_: Any, **__: Any) -> requests.Response:
        """Answer a request."""
        parts = urlsplit(str(request.url))
        text = request.body.decode() if isinstance(request.body, bytes) else request.body
        body = json.loads(text) if text else None
        self.sent.append(Sent(str(request.method), parts.path, parts.query, body, dict(request.headers)))
        answers = self._table.get((str(request.method), f"{parts.scheme}://{parts.netloc}{parts.path}"))
        if answers is None:
            return _response(request, refusal(404, "NotFound", f"There is no {request.method} {parts.path}."))
        answer = answers.pop(0) if len(answers) > 1 else answers[0]
        if isinstance(answer, Exception):
            raise answer
        return _response(request, answer if isinstance(answer, Reply) else answer())

    def close(self) -> None:
        """Do nothing: there is no connection."""

    def transport(self) -> "FakeTransport":
        """Return the HTTP client that leads here."""
        session = requests.Session()
        session.mount("https://", self)
        return FakeTransport(session, self)

    # The credential

    def get_token(self, *scopes: str, **_: Any) -> AccessToken:
        """Return a token, or none to whoever is not signed in. It ends at once, so each request asks for it."""
        if not self.signed_in:
            raise ClientAuthenticationError("Please run 'az login' to setup account.")
        return AccessToken(f"token for {scopes[0]}", 0)


class FakeTransport(RequestsTransport):  # type: ignore[misc]  # azure-core loads it lazily, without a type
    """The HTTP client of azure-core, without a network and without waiting."""

    def __init__(self, session: requests.Session, service: FakeService) -> None:
        super().__init__(session=session, session_owner=False)
        self._service = service

    def sleep(self, duration: float) -> None:
        """Note that somebody waits."""
        self._service.slept.append(duration)
        self._service.on_sleep()


def _response(request: requests.PreparedRequest, reply: Reply) -> requests.Response:
    made = requests.Response()
    made.request, made.url, made.status_code = request, str(request.url), reply.status
    made.headers.update({"Content-Type": "application/json", **reply.headers})
    made.raw = io.BytesIO(b"" if reply.body is None else json.dumps(reply.body).encode())
    return made


def refusal(
    status: int,
    code: str,
    message: str,
    details: list[Json] | None = None,
    headers: Mapping[str, str] | None = None,
) -> Reply:
    """Return an error of the service."""
    error = {"code": code, "message": message} | ({"details": details} if details else {})
    return Reply(status, {"error": error}, headers or {})


def cluster(state: str = "Succeeded", **properties: Any) -> Json:
    """Return the cluster as GET answers it."""
    return {
        "id": CLUSTER,
        "name": "c1",
        "type": f"{PROVIDER}/openShiftClusters",
        "location": "eastus",
        "tags": {"team": "payments"},
        "systemData": {"createdBy": "ada@example.com", "createdAt": "2026-03-01T12:00:00Z"},
        "properties": {
            "provisioningState": state,
            "clusterProfile": {
                "domain": "c1.example.com",
                "version": "4.19.24",
                "resourceGroupId": f"/subscriptions/{SUBSCRIPTION}/resourceGroups/aro-c1",
                "fipsValidatedModules": "Disabled",
            },
            "consoleProfile": {"url": "https://console-openshift-console.apps.c1.example.com/"},
            "servicePrincipalProfile": {"clientId": "11111111-0000-4000-8000-000000000001"},
            "networkProfile": {"podCidr": "10.128.0.0/14", "serviceCidr": "172.30.0.0/16"},
            "masterProfile": {"vmSize": "Standard_D8s_v5", "subnetId": f"{VNET}/subnets/master"},
            "apiserverProfile": {"visibility": "Public", "url": "https://api.c1.example.com:6443/", "ip": "192.0.2.1"},
            "workerProfiles": [{"name": "worker", "vmSize": "Standard_D4s_v5", "count": 3}],
            "ingressProfiles": [{"name": "default", "visibility": "Public", "ip": "192.0.2.2"}],
            **properties,
        },
    }


def status(state: str, **more: Any) -> Reply:
    """Return the answer of a poll; one that has not ended says when to ask again."""
    body = {"id": STATUS, "name": OPERATION, "status": state, "startTime": "2026-03-01T12:00:00Z", **more}
    return Reply(200, body, {"Retry-After": "7"} if state == "Running" else {})


def step(name: str, state: str, begin: int = 0, lasted: float = 0.0, **more: Any) -> Json:
    """Return a step of an operation."""
    plain = {"name": name, "phase": "machines", "kind": "action", "status": state, "needs": []}
    begun = {"startTime": f"2026-03-01T12:00:{begin:02}Z", "durationSeconds": lasted}
    return plain | ({} if state == "NotStarted" else begun) | more


def operation(state: str, *steps: Json, **more: Any) -> Reply:
    """Return an operation with its steps, all in one phase."""
    phase = {"name": "machines", "status": state, "startTime": "2026-03-01T12:00:00Z", "durationSeconds": 12.0}
    properties = {
        "status": state,
        "plan": "create",
        "startTime": "2026-03-01T12:00:00Z",
        "durationSeconds": 12.0,
        "percentComplete": 100 if state == "Succeeded" else 40,
        "attempt": 1,
        "begunBy": {"objectId": "0c", "kind": "User", "at": "2026-03-01T12:00:00Z"},
        "correlationId": "c0ffee",
        "phases": [phase],
        "steps": list(steps),
        **more,
    }
    return Reply(200, {"id": f"{CLUSTER}/operations/{OPERATION}", "name": OPERATION, "properties": properties})
