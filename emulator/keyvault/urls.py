"""The operations that a vault answers, each with the permission and the data action that it requires."""

from collections.abc import Awaitable, Callable, Iterable, Iterator
from functools import partial
from typing import TypeVar

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from emulator.core.store import Document
from emulator.keyvault.certificate_responses import CertificateResponses as Certificates
from emulator.keyvault.responses import Responses as Secrets
from emulator.keyvault.rights import Right
from emulator.keyvault.vault_requests import Gate

Answers = TypeVar("Answers", Secrets, Certificates)
# Method, path, permission in an access policy, data action of a role, and the method of `Answers` that does the work.
Operation = tuple[str, str, str, str, Callable[[Answers, Request, Document], Awaitable[Response]]]

# In both tables, literal paths come before those with a parameter in the same place.
SECRETS: tuple[Operation[Secrets], ...] = (
    ("GET", "/secrets", "list", "secrets/readMetadata/action", Secrets.list_secrets),
    ("PUT", "/secrets/{name}", "set", "secrets/setSecret/action", Secrets.set_secret),
    ("DELETE", "/secrets/{name}", "delete", "secrets/delete", Secrets.delete_secret),
    ("GET", "/secrets/{name}", "get", "secrets/getSecret/action", Secrets.get_secret),
    ("GET", "/secrets/{name}/", "get", "secrets/getSecret/action", Secrets.get_secret),
    ("GET", "/secrets/{name}/versions", "list", "secrets/readMetadata/action", Secrets.list_versions),
    ("GET", "/secrets/{name}/{version}", "get", "secrets/getSecret/action", Secrets.get_secret),
    ("PATCH", "/secrets/{name}", "set", "secrets/update/action", Secrets.update_secret),
    ("PATCH", "/secrets/{name}/", "set", "secrets/update/action", Secrets.update_secret),
    ("PATCH", "/secrets/{name}/{version}", "set", "secrets/update/action", Secrets.update_secret),
    ("GET", "/deletedsecrets/{name}", "get", "secrets/readMetadata/action", Secrets.get_deleted_secret),
)
CERTIFICATES: tuple[Operation[Certificates], ...] = (
    ("PUT", "/certificates/issuers/{name}", "setissuers", "certificatecas/write", Certificates.set_issuer),
    ("POST", "/certificates/{name}/create", "create", "certificates/create/action", Certificates.create),
    ("GET", "/certificates/{name}/pending", "get", "certificates/read", Certificates.get_operation),
    ("DELETE", "/certificates/{name}", "delete", "certificates/delete", Certificates.delete),
    ("GET", "/certificates/{name}", "get", "certificates/read", Certificates.get),
    ("GET", "/certificates/{name}/", "get", "certificates/read", Certificates.get),
    ("GET", "/certificates/{name}/{version}", "get", "certificates/read", Certificates.get),
    ("GET", "/deletedcertificates/{name}", "get", "certificates/read", Certificates.get_deleted),
    ("POST", "/deletedcertificates/{name}/recover", "recover", "certificates/recover/action", Certificates.recover),
)


def routes(gate: Gate, secrets: Secrets, certificates: Certificates) -> list[Route]:
    """Return the routes of both tables."""
    return [
        *_routes(gate, "secrets", SECRETS, secrets),
        *_routes(gate, "certificates", CERTIFICATES, certificates),
    ]


def _routes(gate: Gate, kind: str, operations: Iterable[Operation[Answers]], answers: Answers) -> Iterator[Route]:
    for method, path, permission, data_action, work in operations:
        endpoint = gate.guarded(Right(f"{kind} {permission}", data_action), partial(work, answers))
        yield Route(path, endpoint, methods=[method], name=f"{method} {path.strip('/')}")
