"""The wire format of Microsoft Graph v1.0: applications, service principals, the tenant. People are in `people_responses.py`."""

from datetime import datetime
from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from emulator.core.store import Document
from emulator.entra.models import Principal
from emulator.graph.exceptions import BAD_REQUEST
from emulator.graph.key_credentials import shown
from emulator.graph.members import (
    APPLICATION,
    APPLICATION_DEFAULTS,
    IDS,
    NEW_PASSWORD,
    NEW_SERVICE_PRINCIPAL,
    REMOVED_PASSWORD,
    completed,
)
from emulator.graph.models import GraphModel
from emulator.graph.odata import Item
from emulator.graph.people import PeopleModel
from emulator.graph.people_responses import show_group, show_user
from emulator.graph.wire import CONTEXT, body_of, by_app_id, entity, page

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

MAX_IDS = 1000


class Responses:
    """The endpoints of one directory."""

    def __init__(self, model: GraphModel, people: PeopleModel) -> None:
        self._model = model
        self._people = people

    def _caller(self, request: Request) -> Principal:
        caller = self._model.authenticate(request.headers.get("authorization"))
        request.state.caller = caller.object_id
        return caller

    # Applications

    def _application_id(self, caller: Principal, request: Request) -> str:
        """Return the object id that a path names, by itself or by the application id in parentheses."""
        name = str(request.path_params["id"])
        return self._model.application_id(caller, name) if by_app_id(request) else name

    async def list_applications(self, request: Request) -> Response:
        """Answer `GET /applications`."""
        caller = self._caller(request)
        return page(request, "applications", self._model.applications(caller), _application)

    async def get_application(self, request: Request) -> Response:
        """Answer `GET /applications/{id}`."""
        caller = self._caller(request)
        found = self._model.application(caller, self._application_id(caller, request))
        return entity(request, "applications", _application(found))

    async def create_application(self, request: Request) -> Response:
        """Answer `POST /applications`."""
        caller = self._caller(request)
        created = self._model.create_application(caller, await body_of(request, APPLICATION))
        return entity(request, "applications", _application(created), status_code=201)

    async def update_application(self, request: Request) -> Response:
        """Answer `PATCH /applications/{id}`."""
        caller = self._caller(request)
        object_id = self._application_id(caller, request)
        self._model.update_application(caller, object_id, await body_of(request, APPLICATION))
        return Response(status_code=204)

    async def delete_application(self, request: Request) -> Response:
        """Answer `DELETE /applications/{id}`."""
        self._model.delete_application(self._caller(request), request.path_params["id"])
        return Response(status_code=204)

    async def add_password(self, request: Request) -> Response:
        """Answer `POST /applications/{id}/addPassword`; an empty body is allowed."""
        caller = self._caller(request)
        wish = (await body_of(request, NEW_PASSWORD)).get("passwordCredential", {})
        added = self._model.add_password(
            caller,
            request.path_params["id"],
            wish.get("displayName") or "",
            _time(wish.get("startDateTime")),
            _time(wish.get("endDateTime")),
        )
        shown = {"@odata.context": f"{CONTEXT}microsoft.graph.passwordCredential"} | _password(added)
        return JSONResponse(shown | {"secretText": added["secretText"]})

    async def remove_password(self, request: Request) -> Response:
        """Answer `POST /applications/{id}/removePassword`."""
        caller = self._caller(request)
        body = await body_of(request, REMOVED_PASSWORD)
        self._model.remove_password(caller, request.path_params["id"], body.get("keyId", ""))
        return Response(status_code=204)

    # Service principals

    async def list_service_principals(self, request: Request) -> Response:
        """Answer `GET /servicePrincipals`."""
        caller = self._caller(request)
        found = self._model.service_principals(caller)
        return page(request, "servicePrincipals", found, self._service_principal)

    async def get_service_principal(self, request: Request) -> Response:
        """Answer `GET /servicePrincipals/{id}`."""
        caller = self._caller(request)
        name = str(request.path_params["id"])
        object_id = self._model.service_principal_id(caller, name) if by_app_id(request) else name
        found = self._model.service_principal(caller, object_id)
        return entity(request, "servicePrincipals", self._service_principal(found))

    async def create_service_principal(self, request: Request) -> Response:
        """Answer `POST /servicePrincipals`."""
        caller = self._caller(request)
        created = self._model.create_service_principal(caller, await body_of(request, NEW_SERVICE_PRINCIPAL))
        return entity(request, "servicePrincipals", self._service_principal(created), status_code=201)

    # The rest

    async def get_by_ids(self, request: Request) -> Response:
        """Answer `POST /directoryObjects/getByIds`, which gives the names of the principals in role assignments."""
        caller = self._caller(request)
        body = await body_of(request, IDS)
        ids = body.get("ids", [])
        if not 1 <= len(ids) <= MAX_IDS:
            raise BAD_REQUEST(f"'ids' must hold 1 to {MAX_IDS} object ids.")
        wanted = {str(object_id).lower() for object_id in ids}
        kinds: tuple[tuple[str, Iterable[Document], Callable[[Document], Item]], ...] = (
            ("servicePrincipal", self._model.service_principals(caller), self._service_principal),
            ("application", self._model.applications(caller), _application),
            ("user", self._people.users(caller), show_user),
            ("group", self._people.groups(caller), show_group),
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

    def _service_principal(self, document: Document) -> Item:
        return _service_principal(document, self._model.registration(document))


def _application(document: Document) -> Item:
    members: Item = document.get("members", {})
    return {
        "id": document["objectId"],
        "appId": document["clientId"],
        "displayName": document["displayName"],
        "createdDateTime": document["createdDateTime"],
        "keyCredentials": [shown(record) for record in document["certificates"]],
        "passwordCredentials": [_password(secret) | {"secretText": None} for secret in document["secrets"]],
    } | completed(members, APPLICATION_DEFAULTS)


def _password(secret: Document) -> Item:
    return {
        "customKeyIdentifier": None,
        "displayName": secret["displayName"] or None,
        "endDateTime": secret["endDateTime"],
        "hint": secret["hint"],
        "keyId": secret["keyId"],
        "startDateTime": secret["startDateTime"],
    }


def _service_principal(document: Document, registration: Document) -> Item:
    managed = document["managedIdentityOf"]
    own: Item = document.get("members", {})
    application = completed(registration.get("members", {}), APPLICATION_DEFAULTS)
    return {
        "id": document["objectId"],
        "appId": document["clientId"],
        "displayName": document["displayName"],
        "appDisplayName": document["displayName"],
        "appOwnerOrganizationId": registration["homeTenantId"] or None,
        "appRoleAssignmentRequired": False,
        "appRoles": application["appRoles"],
        "accountEnabled": document["accountEnabled"],
        "alternativeNames": ["isExplicit=True", managed] if managed else [],
        "createdDateTime": document["createdDateTime"],
        "description": None,
        "notes": None,
        "oauth2PermissionScopes": application["api"]["oauth2PermissionScopes"],
        "servicePrincipalNames": [document["clientId"], *application["identifierUris"]],
        "servicePrincipalType": "ManagedIdentity" if managed else "Application",
        "signInAudience": application["signInAudience"],
        "tags": [],
    } | own


def _time(text: str | None) -> datetime | None:
    if text is None:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        raise BAD_REQUEST(f"Invalid value '{text}' for a time.") from error
    if moment.tzinfo is None:
        raise BAD_REQUEST(f"Invalid value '{text}' for a time: it has no time zone.")
    return moment
