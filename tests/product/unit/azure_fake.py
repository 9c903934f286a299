"""An in-memory Azure at the HTTP level: resources by path, tokens, and scripted answers for single paths.

It replaces the transport of `requests`, so the product's SDK clients run unchanged, with their pipelines.
"""

import base64
import io
import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlsplit

import requests
import requests.adapters
import urllib3

Reply = tuple[int, Any, dict[str, str]]
Handler = Callable[["Request"], Reply]

METADATA = {
    "authentication": {
        "loginEndpoint": "https://login.microsoftonline.com",
        "audiences": ["https://management.azure.com"],
    },
    "microsoftGraphResourceId": "https://graph.microsoft.com/",
    "suffixes": {"keyVaultDns": "vault.azure.net", "storage": "core.windows.net", "acrLoginServer": "azurecr.io"},
}


@dataclass(frozen=True)
class Request:
    """One call, as the product sent it."""

    method: str
    host: str
    path: str
    query: dict[str, list[str]]
    headers: dict[str, str]
    text: str

    @property
    def json(self) -> Any:
        """The body."""
        return json.loads(self.text)


@dataclass
class FakeAzure:
    """Resources by lower-cased path, and all calls that were made."""

    resources: dict[str, Any] = field(default_factory=dict)
    calls: list[Request] = field(default_factory=list)
    token_claims: dict[str, Any] = field(default_factory=lambda: {"oid": "object-1"})
    token_error: dict[str, Any] | None = None
    token_status: int = 401
    _scripts: list[tuple[str, str, Handler]] = field(default_factory=list)

    def on(self, method: str, path: str, handler: Handler) -> None:
        """Answer calls whose path matches an expression with a handler, which takes precedence over everything else.

        Args:
            method: HTTP method.
            path: regular expression for the path.
            handler: answers the call.
        """
        self._scripts.insert(0, (method, path, handler))

    def fails(
        self, method: str, path: str, status: int, code: str, message: str = "It failed.", **headers: str
    ) -> None:
        """Answer calls with an ARM error.

        Args:
            method: HTTP method.
            path: regular expression for the path.
            status: HTTP status.
            code: code of the error.
            message: message of the error.
            **headers: headers of the answer.
        """
        body = {"error": {"code": code, "message": message}}
        self.on(method, path, lambda _request: (status, body, headers))

    def changes(self) -> list[str]:
        """Return every call that changes something, as `METHOD last-two-segments`."""
        return [
            f"{request.method} {'/'.join(request.path.split('/')[-2:])}"
            for request in self.calls
            if request.method != "GET" and "login" not in request.host
        ]

    def answer(self, prepared: requests.PreparedRequest) -> Reply:
        """Answer one call."""
        url = urlsplit(str(prepared.url))
        body = prepared.body
        text = body.decode() if isinstance(body, bytes) else str(body or "")
        headers = {name.lower(): value for name, value in prepared.headers.items()}
        request = Request(str(prepared.method), url.netloc, url.path, parse_qs(url.query), headers, text)
        self.calls.append(request)
        for method, path, handler in self._scripts:
            if method == request.method and re.search(path, request.path, re.IGNORECASE):
                return handler(request)
        if request.host == "login.microsoftonline.com":
            return self._login(request)
        if request.path == "/metadata/endpoints":
            return 200, METADATA, {}
        return self._resource(request)

    def _login(self, request: Request) -> Reply:
        tenant = request.path.split("/")[1]
        base = f"https://login.microsoftonline.com/{tenant}"
        if request.path.endswith("openid-configuration"):
            endpoints = {"token_endpoint": f"{base}/oauth2/v2.0/token", "authorization_endpoint": f"{base}/authorize"}
            return 200, endpoints | {"issuer": f"{base}/v2.0"}, {}
        if self.token_error:
            return self.token_status, self.token_error, {}
        claims = base64.urlsafe_b64encode(json.dumps(self.token_claims).encode()).decode().rstrip("=")
        return 200, {"access_token": f"e30.{claims}.c2ln", "expires_in": 3600, "token_type": "Bearer"}, {}

    def _resource(self, request: Request) -> Reply:
        key = request.path.lower()
        if request.method == "GET":
            if key in self.resources:
                return 200, self.resources[key], {}
            return 404, {"error": {"code": "ResourceNotFound", "message": f"{request.path} was not found."}}, {}
        if request.method == "DELETE":
            return (200 if self.resources.pop(key, None) else 204), None, {}
        if request.method != "PUT":
            raise AssertionError(f"nobody answers {request.method} {request.path}")
        existed = key in self.resources
        if request.headers.get("if-none-match") == "*" and existed:
            return 412, {"error": {"code": "PreconditionFailed", "message": "It exists."}}, {}
        stored = request.json
        stored.setdefault("properties", {})["provisioningState"] = "Succeeded"
        self.resources[key] = {"id": request.path, "name": request.path.rsplit("/", 1)[-1], "etag": "e1"} | stored
        return (200 if existed else 201), self.resources[key], {}


def send(azure: FakeAzure, prepared: requests.PreparedRequest) -> requests.Response:
    """Answer what `requests` would send over a socket."""
    status, body, headers = azure.answer(prepared)
    content = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
    raw = urllib3.HTTPResponse(
        io.BytesIO(content),
        headers={"Content-Type": "application/json", "Content-Length": str(len(content))} | headers,
        status=status,
        preload_content=False,
        request_method=prepared.method,
    )
    return requests.adapters.HTTPAdapter().build_response(prepared, raw)
