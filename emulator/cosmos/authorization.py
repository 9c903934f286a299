"""Authenticates requests by the token in Cosmos DB's own Authorization format, and checks the principal's role."""

from urllib.parse import parse_qs, unquote

from starlette.requests import Request

from emulator.core.service_error import ServiceError
from emulator.cosmos.exceptions import (
    ACCOUNT_NOT_FOUND,
    KEYS_DISABLED,
    PERMISSION_MISSING,
    UNAUTHORIZED,
)
from emulator.cosmos.models import SUFFIX, CosmosModel
from emulator.entra import EntraModel


def account_of(request: Request) -> str:
    """Return the account that a request's host names."""
    return request.headers["host"].partition(":")[0].lower().removesuffix(SUFFIX)


class Authorization:
    """Checks tokens against the directory, and roles against the account."""

    def __init__(self, entra: EntraModel, cosmos: CosmosModel) -> None:
        """Keep the directory and the accounts."""
        self._entra = entra
        self._cosmos = cosmos

    def authenticate(self, request: Request) -> str:
        """Return the object id of the caller.

        Raises:
            ServiceError: 401, or 404 for an account that does not exist.
        """
        account = account_of(request)
        found = self._cosmos.account(account)
        if found is None:
            raise ACCOUNT_NOT_FOUND(account)
        token = _token(request)
        try:
            principal = self._entra.authenticate(
                f"Bearer {token}", (f"https://{account}{SUFFIX}", "https://cosmos.azure.com")
            )
        except ServiceError as error:
            raise UNAUTHORIZED(f"Request blocked by Auth {account} : {error.message}") from error
        request.state.caller = principal.object_id
        if principal.tenant_id != found["tenantId"]:
            raise UNAUTHORIZED(
                f"Request blocked by Auth {account} : The token is of tenant {principal.tenant_id}, the account of another."
            )
        return principal.object_id

    def authorize(self, request: Request, *actions: str) -> None:
        """Check that the caller may do all of these actions.

        Raises:
            ServiceError: as `authenticate`, or 403 with substatus 5301.
        """
        principal = self.authenticate(request)
        account = account_of(request)
        for action in actions:
            if not self._cosmos.roles.allow(account, principal, action):
                raise PERMISSION_MISSING(account=account, principal=principal, action=action)


def _token(request: Request) -> str:
    """Return the token of `type=aad&ver=1.0&sig=<token>`, which clients may percent-encode.

    Raises:
        ServiceError: 401 if the credential is absent or of another kind; account keys are disabled.
    """
    header = request.headers.get("authorization")
    if not header:
        raise UNAUTHORIZED("Required Header authorization is missing. Ensure a valid Authorization token is passed.")
    text = header if "&" in header else unquote(header)
    fields = {name: values[0] for name, values in parse_qs(text).items()}
    if fields.get("type") in ("master", "resource"):
        raise KEYS_DISABLED()
    if fields.get("type") != "aad" or fields.get("ver") != "1.0" or "sig" not in fields:
        raise UNAUTHORIZED("The format of the Authorization header is invalid: it is type=aad&ver=1.0&sig=<token>.")
    return fields["sig"]
