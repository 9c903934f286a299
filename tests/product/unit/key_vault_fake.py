"""Certificates of a vault at the HTTP level, in memory; tests fulfil or refuse the orders."""

import base64
from functools import partial
from typing import Any

from tests.product.unit.azure_fake import FakeAzure, Handler, Reply, Request

LATER = 4_000_000_000
TOKEN = {
    "access_token": "e30.e30.c2ln",
    "expires_in": 86400,
    "resource": "https://vault.azure.net",
    "token_type": "Bearer",
}
CHALLENGE = 'Bearer authorization="https://login.microsoftonline.com/tenant", resource="https://vault.azure.net"'


class FakeCertificates:
    """The certificates of one vault, by name. A certificate stays on order until a test decides otherwise."""

    def __init__(self, azure: FakeAzure, vault: str = "https://rp-cls.vault.azure.net") -> None:
        """Answer for the vault."""
        self._vault = vault
        self.orders: dict[str, dict[str, Any]] = {}
        self.certificates: dict[str, dict[str, Any]] = {}
        self.deleted: dict[str, dict[str, Any]] = {}
        self.ordered: list[tuple[str, dict[str, Any]]] = []
        azure.on("GET", r"^/metadata/identity/oauth2/token$", lambda _request: (200, TOKEN, {}))
        for method, path, handler in (
            ("GET", r"^/certificates/[^/]+/$", self._get),
            ("GET", r"^/certificates/[^/]+/pending$", self._pending),
            ("POST", r"^/certificates/[^/]+/create$", self._create),
            ("POST", r"^/deletedcertificates/[^/]+/recover$", self._recover),
            ("DELETE", r"^/certificates/[^/]+$", self._delete),
        ):
            azure.on(method, path, partial(_challenged, handler))

    def issue(self, name: str, **attributes: Any) -> None:
        """Fulfil an order."""
        self.orders[name]["status"] = "completed"
        self.certificates[name] |= {
            "cer": base64.b64encode(b"certificate").decode(),
            "attributes": {"enabled": True, "exp": LATER} | attributes,
        }

    def refuse(self, name: str, code: str, message: str) -> None:
        """Let an order fail."""
        self.orders[name] |= {"status": "failed", "error": {"code": code, "message": message}}

    def _create(self, request: Request) -> Reply:
        name = _name(request)
        if name in self.deleted:
            inner = {"code": "ObjectIsDeletedButRecoverable"}
            return 409, {"error": {"code": "Conflict", "message": "It is deleted.", "innererror": inner}}, {}
        self.ordered.append((name, request.json["policy"]))
        self.orders[name] = {
            "id": f"{self._vault}/certificates/{name}/pending",
            "status": "inProgress",
            "status_details": "Please check again later.",
            "issuer": request.json["policy"]["issuer"],
        }
        self.certificates[name] = {
            "id": f"{self._vault}/certificates/{name}/v{len(self.ordered)}",
            "attributes": {"enabled": False},
            "policy": request.json["policy"],
        }
        return 202, self.orders[name], {}

    def _pending(self, request: Request) -> Reply:
        return _found(self.orders, _name(request), "PendingCertificateNotFound")

    def _get(self, request: Request) -> Reply:
        return _found(self.certificates, _name(request), "CertificateNotFound")

    def _delete(self, request: Request) -> Reply:
        name = _name(request)
        status, body, headers = _found(self.certificates, name, "CertificateNotFound")
        if name in self.certificates:
            self.deleted[name] = self.certificates.pop(name)
            self.orders.pop(name, None)
        return status, body, headers

    def _recover(self, request: Request) -> Reply:
        self.certificates[_name(request)] = self.deleted.pop(_name(request))
        return 200, self.certificates[_name(request)], {}


def _challenged(handler: Handler, request: Request) -> Reply:
    """Answer a call without a token as every vault does; the client sends its body only after that."""
    if "authorization" not in request.headers:
        return 401, {"error": {"code": "Unauthorized", "message": "No token."}}, {"WWW-Authenticate": CHALLENGE}
    return handler(request)


def _name(request: Request) -> str:
    return request.path.split("/")[2]


def _found(documents: dict[str, dict[str, Any]], name: str, code: str) -> Reply:
    if name not in documents:
        return 404, {"error": {"code": code, "message": f"{name} was not found."}}, {}
    return 200, documents[name], {}
