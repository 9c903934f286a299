"""The identity data plane: certificates with which the resource provider acts as the identities of one of its resources.

Source: https://github.com/Azure/msi-dataplane, and the lifetimes in its mock.
"""

import asyncio
import base64
from collections.abc import Callable
from datetime import timedelta
from typing import Any, Protocol

from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, pkcs12
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from emulator.core.clock import rfc3339
from emulator.core.platform import Platform, Service
from emulator.entra.models import EntraModel
from emulator.entra.resources import IDENTITY
from emulator.managed_identity.exceptions import BAD_PARAMETER, CHALLENGE, NOT_ATTACHED, NOT_THE_PROVIDER
from emulator.managed_identity.models import Identity, ManagedIdentityModel

API_VERSION = "2024-01-01"
LOGIN = "https://login.microsoftonline.com/"
# Days until each moment in the life of a certificate.
DAYS = {"not_before": 0, "renew_after": 45, "not_after": 90, "cannot_renew_after": 450}


class Attached(Protocol):
    """What ARM knows of the provider's resources."""

    host: str

    def of(self, resource_id: str) -> list[str]:
        """Return the ids of a resource's identities, in lower case."""

    def query(self, resource_id: str) -> dict[str, str]:
        """Return the parameters that the provider must send back with each call for a resource."""


def create(platform: Platform, attached: Attached, is_provider: Callable[[str], bool]) -> Service:
    """Create the service.

    Args:
        platform: the platform.
        attached: the identities of resources.
        is_provider: tells whether an application, by its client id, is the resource provider.
    """
    model, entra = platform.model(ManagedIdentityModel), platform.model(EntraModel)

    async def credentials(request: Request) -> Response:
        resource_id = f"/{request.path_params['resource']}"
        known = {name: found for name in attached.of(resource_id) if (found := model.find(name)) is not None}
        if "authorization" not in request.headers:
            raise CHALLENGE(next((found.tenant_id for found in known.values()), platform.world.tenant_id))
        caller = entra.authenticate(request.headers["authorization"], IDENTITY.identifiers)
        request.state.caller = caller.client_id
        if not is_provider(caller.client_id):
            raise NOT_THE_PROVIDER(caller.client_id)
        query = dict(request.query_params)
        if query.pop("api-version", "") != API_VERSION:
            raise BAD_PARAMETER(name="api-version", value=request.query_params.get("api-version"), allowed=API_VERSION)
        try:
            wanted = [str(name) for name in (await request.json())["identityIds"]]
        except (ValueError, TypeError, LookupError) as error:
            raise BAD_PARAMETER(name="identityIds", value="", allowed="a list of ids in a JSON object") from error
        missing = [name for name in wanted if name.lower() not in known]
        if missing or query != attached.query(resource_id):
            raise NOT_ATTACHED(resource=resource_id, names=missing)
        issued = [await _issue(known[name.lower()]) for name in wanted]
        return JSONResponse({"client_id": None, "explicit_identities": issued}, headers={"Cache-Control": "no-store"})

    async def _issue(identity: Identity) -> dict[str, Any]:
        """Make a certificate, which Entra ID then knows, and return it with what the provider needs for its use."""
        issue = platform.authority.issue
        certificate, key = await asyncio.to_thread(
            issue, identity.client_id, client=True, rsa_key=True, days=DAYS["not_after"]
        )
        entra.add_certificate(identity.client_id, certificate.public_bytes(Encoding.DER))
        secret = pkcs12.serialize_key_and_certificates(b"identity", key, certificate, None, NoEncryption())
        moments = {name: certificate.not_valid_before_utc + timedelta(days=days) for name, days in DAYS.items()}
        return {
            **{name: rfc3339(moment) for name, moment in moments.items()},
            "client_id": identity.client_id,
            "object_id": identity.object_id,
            "tenant_id": identity.tenant_id,
            "resource_id": identity.resource_id,
            "client_secret": base64.b64encode(secret).decode(),
            "authentication_endpoint": LOGIN,
            "mtls_authentication_endpoint": LOGIN,
            "custom_claims": {},
        }

    return Service(
        name="identity-data-plane",
        hosts=(attached.host,),
        routes=[
            Route("/{resource:path}/credentials/v2/identities", credentials, methods=["POST"], name="POST identities")
        ],
        render=lambda _request, error: JSONResponse(
            {"error": {"code": error.code, "message": error.message}}, error.status_code, error.headers
        ),
    )
