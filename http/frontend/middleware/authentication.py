"""The caller's identity. Only the client certificate decides it, before anything else in the request is read."""

from collections.abc import Callable
from enum import Enum

from cryptography.x509 import Certificate

from frontend.messages import Call, Handler, Reply
from frontend.middleware import client_certificates
from frontend.services import Services
from shared.arm.errors import forbidden


class Caller(Enum):
    """The callers that a route may require."""

    ARM = "Azure Resource Manager's"
    ADMIN = "an operator's"
    ANY = "any"


HEADER = "x-arr-clientcert"

_IS: dict[Caller, Callable[[Certificate | None, Services], bool]] = {
    Caller.ARM: client_certificates.is_arm,
    Caller.ADMIN: client_certificates.is_admin,
    Caller.ANY: lambda _certificate, _services: True,
}


def authenticate(call: Call, handle: Handler) -> Reply:
    """Refuse a caller whose certificate is not the one that the route requires.

    On every route, `api-version=admin` is reserved for operators.

    Raises:
        CloudError: 403 `Forbidden`.
    """
    wanted = call.route.caller
    if wanted is Caller.ARM and call.request.query.get("api-version", "").lower() == "admin":
        wanted = Caller.ADMIN
    certificate = client_certificates.decode(call.request.headers.get(HEADER, ""))
    if not _IS[wanted](certificate, call.services):
        raise forbidden(f"The client certificate of this request is not {wanted.value}.")
    return handle(call)
