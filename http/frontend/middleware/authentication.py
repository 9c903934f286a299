"""ARM's and operators' identity. Only the client certificate decides it, before anything else is read."""

from collections.abc import Callable

from cryptography.x509 import Certificate

from frontend.callers.caller import Caller
from frontend.messages import Call, Handler, Reply
from frontend.middleware import client_certificates
from frontend.services import Services
from shared.arm.errors import forbidden
from shared.clusters.api_versions import ADMIN

HEADER = "x-arr-clientcert"

_IS: dict[Caller, Callable[[Certificate | None, Services], bool]] = {
    Caller.ARM: client_certificates.is_arm,
    Caller.ADMIN: client_certificates.is_admin,
}


def authenticate(call: Call, handle: Handler) -> Reply:
    """Refuse a caller whose certificate is not the one that the route requires.

    Raises:
        CloudError: 403 `Forbidden`.
    """
    wanted = required_caller(call)
    if wanted is Caller.ANY:
        # Probes are answered even without the settings that say whose certificate is right.
        return handle(call)
    certificate = client_certificates.decode(call.request.headers.get(HEADER, ""))
    call.identity.text = client_certificates.name(certificate)
    if not _IS[wanted](certificate, call.services):
        raise forbidden(f"The client certificate of this request is not {wanted.value}.")
    return handle(call)


def required_caller(call: Call) -> Caller:
    """Return the caller that a request requires. On every route, `api-version=admin` is reserved for operators."""
    if call.route.caller is Caller.ARM and call.request.query.get("api-version", "").lower() == ADMIN.name:
        return Caller.ADMIN
    return call.route.caller
