"""The operations that a vault answers, each with the data action that it requires."""

from collections.abc import Awaitable, Callable, Iterable, Iterator
from functools import partial
from typing import TypeVar

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from emulator.core.store import Document
from emulator.keyvault.certificate_responses import CertificateResponses as Certificates
from emulator.keyvault.responses import Responses as Secrets
from emulator.keyvault.vault_requests import Gate

Answers = TypeVar("Answers", Secrets, Certificates)
# Method, path, data action of a role, and the method of `Answers` that does the work.
Operation = tuple[str, str, str, Callable[[Answers, Request, Document], Awaitable[Response]]]

# In both tables, literal paths come before those with a parameter in the same place.
SECRETS: tuple[Operation[Secrets], ...] = (
    ("GET", "/secrets", "secrets/readMetadata/action", Secrets.list_secrets),
    ("PUT", "/secrets/{name}", "secrets/setSecret/action", Secrets.set_secret),
    ("DELETE", "/secrets/{name}", "secrets/delete", Secrets.delete_secret),
    ("GET", "/secrets/{name}", "secrets/getSecret/action", Secrets.get_secret),
    ("GET", "/secrets/{name}/", "secrets/getSecret/action", Secrets.get_secret),
    ("GET", "/secrets/{name}/versions", "secrets/readMetadata/action", Secrets.list_versions),
    ("GET", "/secrets/{name}/{version}", "secrets/getSecret/action", Secrets.get_secret),
    ("PATCH", "/secrets/{name}", "secrets/update/action", Secrets.update_secret),
    ("PATCH", "/secrets/{name}/", "secrets/update/action", Secrets.update_secret),
    ("PATCH", "/secrets/{name}/{version}", "secrets/update/action", Secrets.update_secret),
    ("GET", "/deletedsecrets/{name}", "secrets/readMetadata/action", Secrets.get_deleted_secret),
)
CERTIFICATES: tuple[Operation[Certificates], ...] = (
    ("PUT", "/certificates/issuers/{name}", "certificatecas/write", Certificates.set_issuer),
    ("POST", "/certificates/{name}/create", "certificates/create/action", Certificates.create),
    ("GET", "/certificates/{name}/pending", "certificates/read", Certificates.get_operation),
    ("DELETE", "/certificates/{name}", "certificates/delete", Certificates.delete),
    ("GET", "/certificates/{name}", "certificates/read", Certificates.get),
    ("GET", "/certificates/{name}/", "certificates/read", Certificates.get),
    ("GET", "/certificates/{name}/{version}", "certificates/read", Certificates.get),
    ("GET", "/deletedcertificates/{name}", "certificates/read", Certificates.get_deleted),
    ("POST", "/deletedcertificates/{name}/recover", "certificates/recover/action", Certificates.recover),
)


def routes(gate: Gate, secrets: Secrets, certificates: Certificates) -> list[Route]:
    """Return the routes of both tables."""
    return [
        *_routes(gate, SECRETS, secrets),
        *_routes(gate, CERTIFICATES, certificates),
    ]


def _routes(gate: Gate, operations: Iterable[Operation[Answers]], answers: Answers) -> Iterator[Route]:
    for method, path, data_action, work in operations:
        endpoint = gate.guarded(data_action, partial(work, answers))
        yield Route(path, endpoint, methods=[method], name=f"{method} {path.strip('/')}")
