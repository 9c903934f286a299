"""The caller's identity where callers have tokens of Entra ID. Nothing else in the request is read before it."""

import re
from dataclasses import replace

from frontend.callers.caller import Caller
from frontend.callers.rights import Role
from frontend.callers.tokens import NotBelieved, Verifier
from frontend.messages import Call, Handler, Reply, error_reply
from frontend.middleware.authentication import required_caller
from shared.arm.errors import forbidden, unauthorized

_BEARER = re.compile(r"bearer +(?P<token>\S+)", re.IGNORECASE)
_MISSING = "The request has no token. Send 'Authorization: Bearer <token>' with an access token for this service."


def sign_in(call: Call, handle: Handler) -> Reply:
    """Pass on whose token the request has. Answer 401 if it has none that is valid.

    Routes of operators, and `api-version=admin` on all others, also require the app role `Operator`.

    Raises:
        CloudError: 403 `Forbidden`; 503 if the keys of the tenant are not known.
    """
    wanted = required_caller(call)
    if wanted is Caller.ANY:
        # Probes are answered even without the settings that say which tenant is right.
        return handle(call)
    verifier, header = call.services.verifier, call.request.headers.get("authorization", "")
    if not header:
        return _challenge(verifier, _MISSING)
    try:
        principal = verifier.principal_of(_token(header))
    except NotBelieved as error:
        return _challenge(verifier, str(error), f', error="invalid_token", error_description="{error}"')
    call.identity.text = f"{principal.kind} {principal.object_id}"
    if wanted is Caller.ADMIN and not principal.has(Role.OPERATOR):
        raise forbidden(f"The token of this request does not have the app role '{Role.OPERATOR}'.")
    return handle(replace(call, signed_in=principal))


def _token(header: str) -> str:
    match = _BEARER.fullmatch(header)
    if match is None:
        raise NotBelieved("The header 'Authorization' has no bearer token.")
    return match["token"]


def _challenge(verifier: Verifier, message: str, error: str = "") -> Reply:
    """Return the 401 with what a caller needs to sign in: where, and what for (RFC 6750, section 3).

    `resource` is what Key Vault calls it, so a client that knows only the service's address can ask for its token.
    """
    challenge = f'Bearer authorization_uri="{verifier.authority}", resource="api://{verifier.client_id}"{error}'
    return error_reply(unauthorized(message), {"WWW-Authenticate": challenge})
