"""Authorizes requests by the account's key, by a SAS, or by a principal's role."""

from typing import Protocol

from starlette.requests import Request

from emulator.blobs import exceptions, sas, shared_key
from emulator.blobs.models import SUFFIX, StorageAccounts
from emulator.blobs.operations import Operation, Target
from emulator.core.clock import Clock
from emulator.core.service_error import ServiceError
from emulator.entra import EntraModel, Principal
from emulator.entra.exceptions import WrongAudienceError

EVERYTHING = "rwdlac"
# https://learn.microsoft.com/rest/api/storageservices/authorize-with-azure-active-directory
_FIRST_WITH_TOKENS = "2017-11-09"
_FIRST_WITH_CHALLENGE = "2019-12-12"


class Roles(Protocol):
    """What the blob service asks of ARM: whether a principal's roles allow an action on a resource id."""

    def allowed(self, caller: Principal, action: str, scope: str) -> bool:
        """Tell whether the caller may perform an action, such as creating a container."""

    def data_allowed(self, caller: Principal, data_action: str, scope: str) -> bool:
        """Tell whether the caller may perform an action on blobs."""


class Authorization:
    """Checks the credential of a request and what it allows."""

    def __init__(self, entra: EntraModel, accounts: StorageAccounts, roles: Roles, clock: Clock) -> None:
        """Keep the sources that the checks need."""
        self._entra = entra
        self._accounts = accounts
        self._roles = roles
        self._clock = clock

    def check(self, request: Request, query: dict[str, str], target: Target, operation: Operation, tenant: str) -> str:
        """Authorize a request and return its SAS permissions; a key or a role gives all of them.

        Raises:
            ServiceError: 401, 403, or 409 for anonymous access, in the service's words.
        """
        authorization = request.headers.get("authorization", "")
        if authorization.lower().startswith("bearer "):
            if request.headers.get("x-ms-version", "") < _FIRST_WITH_TOKENS:
                raise exceptions.AUTHENTICATION_FAILED("Authentication scheme Bearer is not supported in this version.")
            self._check_role(request, authorization, target, operation, tenant)
            return EVERYTHING
        is_signed = not sas.SIGNED.isdisjoint(query)
        if (authorization or (is_signed and "skoid" not in query)) and not self._accounts.allows_keys(target.account):
            raise exceptions.KEYS_NOT_PERMITTED()
        if authorization:
            request.state.caller = f"key of {target.account}"
            self._check_key(request, authorization, query, target)
            return EVERYTHING
        if is_signed:
            request.state.caller = f"SAS of {target.account}"
            address = request.client.host if request.client else ""
            caller = sas.Caller(request.url.scheme, address, self._clock.now())
            granted = sas.check(query, target, operation, self._accounts.keys(target.account), caller)
            if "skoid" in query:
                # It gives no more than whoever signed it may do by now.
                self._require(Principal(query["skoid"], "", query["sktid"], "", "", {}), target, operation)
            return granted
        if request.headers.get("x-ms-version", "") < _FIRST_WITH_CHALLENGE:
            raise exceptions.PUBLIC_ACCESS_NOT_PERMITTED()
        raise exceptions.NO_CREDENTIAL(tenant)

    def _check_key(self, request: Request, authorization: str, query: dict[str, str], target: Target) -> None:
        headers = dict(request.headers)
        path = request.scope["raw_path"].decode("ascii", "replace").partition("?")[0]
        texts = shared_key.strings_to_sign(request.method, target.account, path, query, headers)
        date = headers.get("x-ms-date") or headers.get("date", "")
        keys = self._accounts.keys(target.account)
        shared_key.check(authorization, target.account, keys, texts, date=date, now=self._clock.now())

    def _check_role(
        self, request: Request, authorization: str, target: Target, operation: Operation, tenant: str
    ) -> None:
        audiences = ("https://storage.azure.com", f"https://{target.account}{SUFFIX}")
        try:
            principal = self._entra.authenticate(authorization, audiences)
        except WrongAudienceError as error:
            raise exceptions.WRONG_AUDIENCE(tenant) from error
        except ServiceError as error:
            raise exceptions.INVALID_TOKEN(error) from error
        request.state.caller, request.state.tenant_id = principal.object_id, principal.tenant_id
        self._require(principal, target, operation)

    def _require(self, principal: Principal, target: Target, operation: Operation) -> None:
        scope = self._accounts.resource_id(target.account)
        if target.container:
            # Roles can be assigned on a single container.
            scope += f"/blobServices/default/containers/{target.container}"
        allowed = self._roles.data_allowed if operation.on_data else self._roles.allowed
        if not allowed(principal, operation.action, scope):
            raise exceptions.PERMISSION_MISMATCH()
