"""Managed identities at the HTTP level, in memory: the provider, its federated credentials, and the data plane."""

import base64
import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import NAMESPACE_DNS, uuid5

from tests.product.unit.azure_fake import FakeAzure, Reply, Request
from tests.product.unit.product_world import CUSTOMER_TENANT, FIRST_PARTY_CERTIFICATE

URL = "https://eastus.identity.example.net/credentials/doc?tid=tenant&arpid=a%2Fb"
CHALLENGE = f'Bearer authorization="https://login.example.net/{CUSTOMER_TENANT}"'
LIMIT = 20
# Answers a write before the identities do, or not.
Before = Callable[[Request], Reply | None]


def object_id(name: str) -> str:
    """Return the object id of an identity by its name."""
    return str(uuid5(NAMESPACE_DNS, name))


class FakeIdentities:
    """The identities of one subscription, by lower-cased id, and what each trusts."""

    def __init__(self, azure: FakeAzure, *identities: str) -> None:
        """Answer for these identities.

        Args:
            azure: answers everything else.
            identities: their ids.
        """
        self._azure = azure
        self.known = {identity.lower(): identity.rpartition("/")[2] for identity in identities}
        self.federated: dict[str, dict[str, Any]] = {identity: {} for identity in self.known}
        self.refused: set[str] = set()
        self.issued: list[Any] = []
        self.element: dict[str, Any] = {}
        self.before_write: Before = lambda _request: None
        path = "/Microsoft.ManagedIdentity/userAssignedIdentities/[^/]+"
        for method, tail, handler in (
            ("GET", "$", self._get),
            ("GET", "/federatedIdentityCredentials$", self._list),
            ("PUT", "/federatedIdentityCredentials/[^/]+$", self._put),
            ("DELETE", "/federatedIdentityCredentials/[^/]+$", self._delete),
        ):
            azure.on(method, path + tail, handler)
        azure.on("POST", "^/credentials/doc$", self._issue)

    def add(self, identity: str) -> None:
        """Make an identity."""
        self.known[identity.lower()] = identity.rpartition("/")[2]
        self.federated[identity.lower()] = {}

    def forget(self, identity: str) -> None:
        """Delete an identity, with what it trusts."""
        del self.known[identity.lower()]
        del self.federated[identity.lower()]

    def subjects(self, identity: str) -> list[str]:
        """Return the subjects that an identity trusts."""
        return [each["properties"]["subject"] for each in self.federated[identity.lower()].values()]

    def trust(self, identity: str, name: str, issuer: str, subject: str = "s", audience: str = "openshift") -> None:
        """Give an identity a federated credential."""
        properties = {"issuer": issuer, "subject": subject, "audiences": [audience]}
        self.federated[identity.lower()][name] = {"name": name, "properties": properties}

    def _found(self, request: Request) -> tuple[str, Reply | None]:
        assert request.query["api-version"] == ["2024-11-30"]
        identity = request.path.partition("/federatedIdentityCredentials")[0].lower()
        if identity in self.refused:
            return identity, _error(403, "AuthorizationFailed")
        return identity, None if identity in self.known else _error(404, "ResourceNotFound")

    def _get(self, request: Request) -> Reply:
        identity, wrong = self._found(request)
        name = self.known.get(identity, "")
        return wrong or (200, {"properties": {"clientId": f"client-{name}", "principalId": object_id(name)}}, {})

    def _list(self, request: Request) -> Reply:
        identity, wrong = self._found(request)
        return wrong or (200, {"value": list(self.federated[identity].values())}, {})

    def _put(self, request: Request) -> Reply:
        identity, wrong = self._found(request)
        if wrong := wrong or self.before_write(request):
            return wrong
        name, body = request.path.rpartition("/")[2], request.json
        others = [each for other, each in self.federated[identity].items() if other != name]
        unique = ("issuer", "subject")
        if any(all(each["properties"][one] == body["properties"][one] for one in unique) for each in others):
            return _error(409, "Conflict")
        if len(others) >= LIMIT:
            return _error(400, "BadRequest")
        existed = name in self.federated[identity]
        self.federated[identity][name] = {"name": name, **body}
        return 200 if existed else 201, self.federated[identity][name], {}

    def _delete(self, request: Request) -> Reply:
        identity, wrong = self._found(request)
        if wrong := wrong or self.before_write(request):
            return wrong
        return 200 if self.federated[identity].pop(request.path.rpartition("/")[2], None) else 204, None, {}

    def _issue(self, request: Request) -> Reply:
        if "authorization" not in request.headers:
            return 401, {"error": {"code": "Unauthorized", "message": "No token."}}, {"WWW-Authenticate": CHALLENGE}
        self.issued.append(request)
        (identity,) = request.json["identityIds"]
        if identity.lower() not in self.known:
            return _error(404, "NotFound")
        return 200, reply(identity, **self.element), {}


def reply(identity: str, **more: Any) -> dict[str, Any]:
    """Return what the data plane issues for an identity."""
    now, name = datetime.now(UTC), identity.rpartition("/")[2]
    times = {"not_before": -1 / 24, "renew_after": 45, "not_after": 90, "cannot_renew_after": 450}
    element = {
        "client_id": f"client-{name}",
        "object_id": object_id(name),
        "tenant_id": CUSTOMER_TENANT,
        "resource_id": identity,
        "client_secret": base64.b64encode(b"no certificate").decode(),
        "authentication_endpoint": "https://login.microsoftonline.com/",
        **{member: (now + timedelta(days=days)).isoformat() for member, days in times.items()},
    }
    return {"client_id": None, "explicit_identities": [element | {"client_secret": FIRST_PARTY_CERTIFICATE} | more]}


def _error(status: int, code: str) -> Reply:
    return status, {"error": {"code": code, "message": json.dumps({"was": code})}}, {}
