"""Wire format of App Service's identity endpoint, api-version 2019-08-01."""

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from emulator.managed_identity.exceptions import BAD_PARAMETER
from emulator.managed_identity.models import ManagedIdentityModel

API_VERSION = "2019-08-01"


class Responses:
    """The endpoint, for the identities of all apps."""

    def __init__(self, model: ManagedIdentityModel) -> None:
        self._model = model

    async def token(self, request: Request) -> Response:
        """Answer `GET /msi/token`."""
        identities = self._model.identities_of(request.headers.get("x-identity-header", ""))
        query = request.query_params
        if query.get("api-version") != API_VERSION:
            raise BAD_PARAMETER(name="api-version", value=query.get("api-version", ""), allowed=API_VERSION)
        resource = query.get("resource", "")
        if not resource:
            raise BAD_PARAMETER(name="resource", value="", allowed="the identifier of a resource")
        identity = self._model.choose(
            identities,
            client_id=query.get("client_id", ""),
            object_id=query.get("principal_id", "") or query.get("object_id", ""),
            resource_id=query.get("mi_res_id", ""),
        )
        request.state.caller = identity.object_id
        token, expires_on = self._model.token(identity, resource)
        return JSONResponse(
            {
                "access_token": token,
                "expires_on": str(expires_on),
                "resource": resource,
                "token_type": "Bearer",
                "client_id": identity.client_id.upper(),
            }
        )
