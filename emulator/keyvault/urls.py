"""The operations that a vault answers, and the permission that each requires."""

from collections.abc import Awaitable, Callable

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from emulator.core.store import Document
from emulator.keyvault.certificate_responses import CertificateResponses
from emulator.keyvault.gate import Gate
from emulator.keyvault.responses import Responses

SecretWork = Callable[[Responses, Request, Document], Awaitable[Response]]
CertificateWork = Callable[[CertificateResponses, Request, Document], Awaitable[Response]]

# Literal paths come before those with a parameter in the same place.
SECRETS: tuple[tuple[str, str, str, SecretWork], ...] = (
    ("GET", "/secrets", "list", Responses.list_secrets),
    ("POST", "/secrets/restore", "set", Responses.refuse),
    ("PUT", "/secrets/{name}", "set", Responses.set_secret),
    ("DELETE", "/secrets/{name}", "delete", Responses.delete_secret),
    ("GET", "/secrets/{name}", "get", Responses.get_secret),
    ("GET", "/secrets/{name}/", "get", Responses.get_secret),
    ("GET", "/secrets/{name}/versions", "list", Responses.list_versions),
    ("GET", "/secrets/{name}/{version}", "get", Responses.get_secret),
    ("PATCH", "/secrets/{name}", "set", Responses.update_secret),
    ("PATCH", "/secrets/{name}/", "set", Responses.update_secret),
    ("PATCH", "/secrets/{name}/{version}", "set", Responses.update_secret),
    ("POST", "/secrets/{name}/backup", "get", Responses.refuse),
    ("GET", "/deletedsecrets", "list", Responses.list_deleted_secrets),
    ("GET", "/deletedsecrets/{name}", "get", Responses.get_deleted_secret),
    ("DELETE", "/deletedsecrets/{name}", "purge", Responses.purge_secret),
    ("POST", "/deletedsecrets/{name}/recover", "recover", Responses.recover_secret),
)
CERTIFICATES: tuple[tuple[str, str, str, CertificateWork], ...] = (
    ("GET", "/certificates", "list", CertificateResponses.list_all),
    ("GET", "/certificates/issuers", "listissuers", CertificateResponses.list_issuers),
    ("GET", "/certificates/issuers/{name}", "getissuers", CertificateResponses.get_issuer),
    ("PUT", "/certificates/issuers/{name}", "setissuers", CertificateResponses.set_issuer),
    ("PATCH", "/certificates/issuers/{name}", "setissuers", CertificateResponses.update_issuer),
    ("DELETE", "/certificates/issuers/{name}", "deleteissuers", CertificateResponses.delete_issuer),
    ("GET", "/certificates/contacts", "get", CertificateResponses.refuse),
    ("PUT", "/certificates/contacts", "update", CertificateResponses.refuse),
    ("DELETE", "/certificates/contacts", "update", CertificateResponses.refuse),
    ("POST", "/certificates/restore", "create", CertificateResponses.refuse),
    ("POST", "/certificates/{name}/create", "create", CertificateResponses.create),
    ("POST", "/certificates/{name}/import", "create", CertificateResponses.refuse),
    ("POST", "/certificates/{name}/backup", "get", CertificateResponses.refuse),
    ("POST", "/certificates/{name}/pending/merge", "update", CertificateResponses.refuse),
    ("GET", "/certificates/{name}/pending", "get", CertificateResponses.get_operation),
    ("PATCH", "/certificates/{name}/pending", "update", CertificateResponses.update_operation),
    ("DELETE", "/certificates/{name}/pending", "update", CertificateResponses.delete_operation),
    ("GET", "/certificates/{name}/policy", "get", CertificateResponses.get_policy),
    ("PATCH", "/certificates/{name}/policy", "update", CertificateResponses.update_policy),
    ("GET", "/certificates/{name}/versions", "list", CertificateResponses.list_versions),
    ("DELETE", "/certificates/{name}", "delete", CertificateResponses.delete),
    ("GET", "/certificates/{name}", "get", CertificateResponses.get),
    ("GET", "/certificates/{name}/", "get", CertificateResponses.get),
    ("GET", "/certificates/{name}/{version}", "get", CertificateResponses.get),
    ("PATCH", "/certificates/{name}", "update", CertificateResponses.update),
    ("PATCH", "/certificates/{name}/", "update", CertificateResponses.update),
    ("PATCH", "/certificates/{name}/{version}", "update", CertificateResponses.update),
    ("GET", "/deletedcertificates", "list", CertificateResponses.list_deleted),
    ("GET", "/deletedcertificates/{name}", "get", CertificateResponses.get_deleted),
    ("DELETE", "/deletedcertificates/{name}", "purge", CertificateResponses.purge),
    ("POST", "/deletedcertificates/{name}/recover", "recover", CertificateResponses.recover),
)


def routes(gate: Gate, secrets: Responses, certificates: CertificateResponses) -> list[Route]:
    """Return the routes of both tables.

    Args:
        gate: checks each request.
        secrets: the operations on secrets.
        certificates: the operations on certificates and issuers.
    """
    found = []
    for method, path, permission, secret_work in SECRETS:
        endpoint = gate.guarded(f"secrets {permission}", secret_work.__get__(secrets))
        found.append(Route(path, endpoint, methods=[method], name=f"{method} {path.strip('/')}"))
    for method, path, permission, work in CERTIFICATES:
        endpoint = gate.guarded(f"certificates {permission}", work.__get__(certificates))
        found.append(Route(path, endpoint, methods=[method], name=f"{method} {path.strip('/')}"))
    return found
