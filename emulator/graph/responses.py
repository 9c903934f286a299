"""The wire format of Microsoft Graph v1.0: applications, service principals, the tenant."""

import json
from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from emulator.core.store import Document
from emulator.entra.models import Principal
from emulator.graph.exceptions import bad_request
from emulator.graph.models import FREE_MEMBERS, GraphModel
from emulator.graph.odata import Item, query, select

CONTEXT = "https://graph.microsoft.com/v1.0/$metadata#"
MAX_IDS = 1000
# The types of members in request bodies.
KINDS: dict[str, type] = {
    "accountEnabled": bool,
    "appId": str,
    "description": str,
    "displayName": str,
    "endDateTime": str,
    "identifierUris": list,
    "ids": list,
    "keyId": str,
    "notes": str,
    "passwordCredential": dict,
    "signInAudience": str,
    "startDateTime": str,
    "tags": list,
    "types": list,
}


class Responses:
    """The endpoints of one directory."""

    def __init__(self, model: GraphModel) -> None:
        self._model = model

    def _caller(self, request: Request) -> Principal:
        caller = self._model.authenticate(request.headers.get("authorization"))
        request.state.caller = caller.object_id
        return caller

    # Applications

    async def list_applications(self, request: Request) -> Response:
        """Answer `GET /applications`."""
        caller = self._caller(request)
        return _page(request, "applications", "Application", self._model.applications(caller), _application)

    async def get_application(self, request: Request) -> Response:
        """Answer `GET /applications/{id}`."""
        caller = self._caller(request)
        found = self._model.application(caller, request.path_params["id"])
        return _entity(request, "applications", _application(found))

    async def create_application(self, request: Request) -> Response:
        """Answer `POST /applications`."""
        caller = self._caller(request)
        body = await _body(request, {"displayName", *FREE_MEMBERS})
        name = body.pop("displayName", "")
        if not name:
            raise bad_request("A value is required for property 'displayName' of resource 'Application'.")
        created = self._model.create_application(caller, name, body)
        return _entity(request, "applications", _application(created), status_code=201)

    async def update_application(self, request: Request) -> Response:
        """Answer `PATCH /applications/{id}`."""
        caller = self._caller(request)
        changes = await _body(request, {"displayName", *FREE_MEMBERS})
        self._model.update_application(caller, request.path_params["id"], changes)
        return Response(status_code=204)

    async def delete_application(self, request: Request) -> Response:
        """Answer `DELETE /applications/{id}`."""
        self._model.delete_application(self._caller(request), request.path_params["id"])
        return Response(status_code=204)

    async def add_password(self, request: Request) -> Response:
        """Answer `POST /applications/{id}/addPassword`; an empty body is allowed."""
        caller = self._caller(request)
        wish = (await _body(request, {"passwordCredential"})).get("passwordCredential", {})
        wish = _checked(wish, {"displayName", "startDateTime", "endDateTime"})
        added = self._model.add_password(
            caller,
            request.path_params["id"],
            wish.get("displayName", ""),
            _time(wish.get("startDateTime")),
            _time(wish.get("endDateTime")),
        )
        shown = {"@odata.context": f"{CONTEXT}microsoft.graph.passwordCredential"} | _password(added)
        return JSONResponse(shown | {"secretText": added["secretText"]})

    async def remove_password(self, request: Request) -> Response:
        """Answer `POST /applications/{id}/removePassword`."""
        caller = self._caller(request)
        body = await _body(request, {"keyId"})
        self._model.remove_password(caller, request.path_params["id"], body.get("keyId", ""))
        return Response(status_code=204)

    # Service principals

    async def list_service_principals(self, request: Request) -> Response:
        """Answer `GET /servicePrincipals`."""
        caller = self._caller(request)
        found = self._model.service_principals(caller)
        return _page(request, "servicePrincipals", "ServicePrincipal", found, _service_principal)

    async def get_service_principal(self, request: Request) -> Response:
        """Answer `GET /servicePrincipals/{id}`."""
        caller = self._caller(request)
        found = self._model.service_principal(caller, request.path_params["id"])
        return _entity(request, "servicePrincipals", _service_principal(found))

    async def create_service_principal(self, request: Request) -> Response:
        """Answer `POST /servicePrincipals`."""
        caller = self._caller(request)
        body = await _body(request, {"appId", "accountEnabled"})
        if not body.get("appId"):
            raise bad_request("A value is required for property 'appId' of resource 'ServicePrincipal'.")
        enabled = body.get("accountEnabled", True)
        created = self._model.create_service_principal(caller, body["appId"], enabled=enabled)
        return _entity(request, "servicePrincipals", _service_principal(created), status_code=201)

    async def delete_service_principal(self, request: Request) -> Response:
        """Answer `DELETE /servicePrincipals/{id}`."""
        self._model.delete_service_principal(self._caller(request), request.path_params["id"])
        return Response(status_code=204)

    # The rest

    async def get_by_ids(self, request: Request) -> Response:
        """Answer `POST /directoryObjects/getByIds`, which gives the names of the principals in role assignments."""
        caller = self._caller(request)
        body = await _body(request, {"ids", "types"})
        ids = body.get("ids", [])
        if not 1 <= len(ids) <= MAX_IDS:
            raise bad_request(f"'ids' must hold 1 to {MAX_IDS} object ids.")
        wanted = {str(object_id).lower() for object_id in ids}
        kinds: tuple[tuple[str, Iterable[Document], Callable[[Document], Item]], ...] = (
            ("servicePrincipal", self._model.service_principals(caller), _service_principal),
            ("application", self._model.applications(caller), _application),
        )
        types = {str(kind).lower() for kind in body.get("types", [])}
        found = [
            {"@odata.type": f"#microsoft.graph.{kind}"} | show(document)
            for kind, documents, show in kinds
            if not types or kind.lower() in types or "directoryobject" in types
            for document in documents
            if document["objectId"] in wanted
        ]
        return JSONResponse({"@odata.context": f"{CONTEXT}directoryObjects", "value": found})

    async def organization(self, request: Request) -> Response:
        """Answer `GET /organization`."""
        tenant = self._model.tenant(self._caller(request))
        shown = {
            "id": tenant["tenantId"],
            "displayName": tenant["displayName"],
            "tenantType": "AAD",
            "verifiedDomains": [{"name": tenant["domain"], "isDefault": True, "isInitial": True, "type": "Managed"}],
        }
        return JSONResponse({"@odata.context": f"{CONTEXT}organization", "value": [shown]})

    async def me(self, request: Request) -> Response:
        """Refuse `GET /me`: all callers here are applications, for which Graph has no `me`."""
        self._caller(request)
        raise bad_request("/me request is only valid with delegated authentication flow.")


def _page(
    request: Request, collection: str, kind: str, found: Iterable[Document], show: Callable[[Document], Item]
) -> Response:
    value = query((show(document) for document in found), request.query_params, kind)
    return JSONResponse({"@odata.context": f"{CONTEXT}{collection}", "value": value})


def _entity(request: Request, collection: str, item: Item, status_code: int = 200) -> Response:
    members = [member.strip() for member in request.query_params.get("$select", "").split(",") if member.strip()]
    body = {"@odata.context": f"{CONTEXT}{collection}/$entity"} | select(item, members)
    return JSONResponse(body, status_code=status_code)


def _application(document: Document) -> Item:
    members: Item = document.get("members", {})
    return {
        "id": document["objectId"],
        "appId": document["clientId"],
        "displayName": document["displayName"],
        "createdDateTime": document["createdDateTime"],
        "signInAudience": "AzureADMyOrg",
        "identifierUris": [],
        "tags": [],
        "keyCredentials": [
            {"customKeyIdentifier": known["sha1"].upper(), "type": "AsymmetricX509Cert", "usage": "Verify"}
            for known in document["certificates"]
        ],
        "passwordCredentials": [_password(secret) | {"secretText": None} for secret in document["secrets"]],
    } | members


def _password(secret: Document) -> Item:
    return {
        "customKeyIdentifier": None,
        "displayName": secret["displayName"] or None,
        "endDateTime": secret["endDateTime"],
        "hint": secret["hint"],
        "keyId": secret["keyId"],
        "startDateTime": secret["startDateTime"],
    }


def _service_principal(document: Document) -> Item:
    managed = document["managedIdentityOf"]
    return {
        "id": document["objectId"],
        "appId": document["clientId"],
        "displayName": document["displayName"],
        "appDisplayName": document["displayName"],
        "accountEnabled": document["accountEnabled"],
        "alternativeNames": ["isExplicit=True", managed] if managed else [],
        "createdDateTime": document["createdDateTime"],
        "servicePrincipalNames": [document["clientId"]],
        "servicePrincipalType": "ManagedIdentity" if managed else "Application",
        "tags": [],
    }


async def _body(request: Request, members: set[str]) -> dict[str, Any]:
    """Return the request's JSON object; an empty body is an empty object.

    Raises:
        ServiceError: 400 if it is not a JSON object, or a member is unknown or has a wrong type.
    """
    raw = await request.body()
    try:
        body = json.loads(raw) if raw.strip() else {}
        # JSON can escape half a surrogate pair, but no answer could contain it.
        json.dumps(body, ensure_ascii=False).encode()
    except ValueError as error:
        raise bad_request(f"Unable to read JSON request payload: {error}") from error
    if not isinstance(body, dict):
        raise bad_request("Unable to read JSON request payload: an object is expected.")
    return _checked(body, members)


def _checked(body: dict[str, Any], members: set[str]) -> dict[str, Any]:
    # The CLI sends null for members that it was not given.
    body = {name: value for name, value in body.items() if value is not None}
    unknown = sorted(body.keys() - members)
    if unknown:
        raise bad_request(f"The local Microsoft Graph does not have the property {', '.join(unknown)} here.")
    for name, value in body.items():
        if not isinstance(value, KINDS[name]):
            raise bad_request(f"Invalid value specified for property '{name}'.")
    return body


def _time(text: str | None) -> datetime | None:
    if text is None:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        raise bad_request(f"Invalid value '{text}' for a time.") from error
    if moment.tzinfo is None:
        raise bad_request(f"Invalid value '{text}' for a time: it has no time zone.")
    return moment
