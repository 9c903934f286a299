"""The wire format of Microsoft Graph v1.0: users, groups, their members, and assignments of app roles."""

from starlette.requests import Request
from starlette.responses import Response

from emulator.core.store import Document
from emulator.entra.models import Principal
from emulator.graph.exceptions import BAD_REQUEST
from emulator.graph.members import NEW_GROUP, NEW_USER, ROLE_ASSIGNMENT
from emulator.graph.models import GraphModel
from emulator.graph.odata import Item
from emulator.graph.people import PeopleModel
from emulator.graph.role_assignments import RoleAssignmentModel
from emulator.graph.wire import body_of, entity, page, referred


class PeopleResponses:
    """The endpoints for people of one directory."""

    def __init__(self, applications: GraphModel, people: PeopleModel, roles: RoleAssignmentModel) -> None:
        self._applications = applications
        self._people = people
        self._roles = roles

    def _caller(self, request: Request) -> Principal:
        caller = self._applications.authenticate(request.headers.get("authorization"))
        request.state.caller = caller.object_id
        return caller

    # Users

    async def me(self, request: Request) -> Response:
        """Answer `GET /me`: the user who has signed in."""
        caller = self._caller(request)
        if not caller.is_user:
            raise BAD_REQUEST("/me request is only valid with delegated authentication flow.")
        return entity(request, "users", show_user(self._people.user(caller, caller.object_id)))

    async def list_users(self, request: Request) -> Response:
        """Answer `GET /users`."""
        return page(request, "users", self._people.users(self._caller(request)), show_user)

    async def get_user(self, request: Request) -> Response:
        """Answer `GET /users/{id}`."""
        found = self._people.user(self._caller(request), request.path_params["id"])
        return entity(request, "users", show_user(found))

    async def create_user(self, request: Request) -> Response:
        """Answer `POST /users`."""
        caller = self._caller(request)
        created = self._people.create_user(caller, await body_of(request, NEW_USER))
        return entity(request, "users", show_user(created), status_code=201)

    async def delete_user(self, request: Request) -> Response:
        """Answer `DELETE /users/{id}`."""
        self._people.delete_user(self._caller(request), request.path_params["id"])
        return Response(status_code=204)

    # Groups

    async def list_groups(self, request: Request) -> Response:
        """Answer `GET /groups`."""
        return page(request, "groups", self._people.groups(self._caller(request)), show_group)

    async def create_group(self, request: Request) -> Response:
        """Answer `POST /groups`."""
        caller = self._caller(request)
        created = self._people.create_group(caller, await body_of(request, NEW_GROUP))
        return entity(request, "groups", show_group(created), status_code=201)

    # Members

    async def add_member(self, request: Request) -> Response:
        """Answer `POST /groups/{id}/members/$ref`."""
        caller = self._caller(request)
        self._people.add_member(caller, request.path_params["id"], await referred(request))
        return Response(status_code=204)

    async def remove_member(self, request: Request) -> Response:
        """Answer `DELETE /groups/{id}/members/{member}/$ref`."""
        path = request.path_params
        self._people.remove_member(self._caller(request), path["id"], path["member"])
        return Response(status_code=204)

    # App roles

    async def list_assigned_to(self, request: Request) -> Response:
        """Answer `GET /servicePrincipals/{id}/appRoleAssignedTo`: who has the roles of its application."""
        found = self._roles.of_resource(self._caller(request), request.path_params["id"])
        return page(request, "appRoleAssignments", found, dict)

    async def assign_role(self, request: Request) -> Response:
        """Answer `POST …/appRoleAssignedTo` and `…/appRoleAssignments`; the body names both sides."""
        caller = self._caller(request)
        made = self._roles.assign(caller, await body_of(request, ROLE_ASSIGNMENT))
        return entity(request, "appRoleAssignments", made, status_code=201)


def show_user(document: Document) -> Item:
    """Return a user with the members that Graph shows unless others are selected."""
    return {
        "businessPhones": [],
        "displayName": document["displayName"],
        "givenName": None,
        "id": document["objectId"],
        "jobTitle": None,
        "mail": None,
        "mobilePhone": None,
        "officeLocation": None,
        "preferredLanguage": None,
        "surname": None,
        "userPrincipalName": document["userPrincipalName"],
    }


def show_group(document: Document) -> Item:
    """Return a group as Graph shows it."""
    members = document.get("members", {})
    return {
        "id": document["objectId"],
        "deletedDateTime": None,
        "createdDateTime": document["createdDateTime"],
        "description": members.get("description"),
        "displayName": document["displayName"],
        "groupTypes": [],
        "mail": None,
        "mailEnabled": False,
        "mailNickname": members.get("mailNickname"),
        "securityEnabled": True,
    }
