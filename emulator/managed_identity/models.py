"""The resource provider's managed identity, and the secret that keeps other processes from using it."""

import hmac
import secrets

from emulator.core.platform import Platform
from emulator.entra.models import TOKEN_SECONDS, EntraModel
from emulator.managed_identity.exceptions import no_identity, wrong_header

SECRET = "header"  # noqa: S105 - the key under which it is stored


class ManagedIdentityModel:
    """One function app's identity endpoint.

    The function app has one identity. Callers get it if they name no identity, as with a system-assigned identity, or
    if they name it.
    """

    def __init__(self, platform: Platform, entra: EntraModel) -> None:
        self._entra = entra
        self._secrets = platform.store.table("managed_identity")
        world = platform.world
        self._tenant_id = world.rp_tenant_id
        self.client_id = world.rp_identity_client_id
        self.resource_id = (
            f"/subscriptions/{world.rp_subscription_id}/resourceGroups/{world.rp_resource_group}"
            f"/providers/Microsoft.ManagedIdentity/userAssignedIdentities/aro-rp-{world.location}"
        )
        entra.ensure_application(self.client_id, f"aro-rp-{world.location}", tenant_id=self._tenant_id)
        self.object_id = entra.ensure_service_principal(
            self._tenant_id, self.client_id, managed_identity_of=self.resource_id
        )

    def header(self) -> str:
        """Return the required value of `X-IDENTITY-HEADER`: the function app's setting `IDENTITY_HEADER`."""
        stored = self._secrets.get(SECRET)
        if stored is None:
            stored = {"value": secrets.token_hex(16).upper()}
            self._secrets.put(SECRET, stored)
        return str(stored["value"])

    def check_header(self, value: str) -> None:
        """Refuse a caller that does not hold the app's secret.

        Raises:
            ServiceError: 401.
        """
        if not hmac.compare_digest(value.encode(), self.header().encode()):
            raise wrong_header()

    def token(self, resource: str, *, client_id: str, object_id: str, resource_id: str) -> tuple[str, int]:
        """Return (token, its expiry in Unix seconds).

        Args:
            resource: identifier of the resource that the token is for.
            client_id: client id of the identity; "" if the caller does not name it.
            object_id: object id of the identity, likewise.
            resource_id: resource id of the identity, likewise.

        Raises:
            ServiceError: 400 for another identity or an unknown resource.
        """
        named = ((client_id, self.client_id), (object_id, self.object_id), (resource_id, self.resource_id))
        if any(given and given.lower() != own.lower() for given, own in named):
            raise no_identity()
        token = self._entra.issue_token(self._tenant_id, self.client_id, resource)
        return token, int(self._entra.now().timestamp()) + TOKEN_SECONDS
