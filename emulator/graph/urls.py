"""The routes of the local Microsoft Graph."""

from starlette.routing import Route

from emulator.graph.people_responses import PeopleResponses
from emulator.graph.responses import Responses


def routes(responses: Responses, people: PeopleResponses) -> list[Route]:
    """Return the routes; a path may name an object by its object id, or by its application id in parentheses."""
    table = [
        ("GET", "/organization", responses.organization),
        ("GET", "/me", people.me),
        ("POST", "/directoryObjects/getByIds", responses.get_by_ids),
        ("GET", "/applications", responses.list_applications),
        ("POST", "/applications", responses.create_application),
        ("GET", "/applications(appId='{id}')", responses.get_application),
        ("GET", "/applications/{id}", responses.get_application),
        ("PATCH", "/applications(appId='{id}')", responses.update_application),
        ("PATCH", "/applications/{id}", responses.update_application),
        ("DELETE", "/applications/{id}", responses.delete_application),
        ("POST", "/applications/{id}/addPassword", responses.add_password),
        ("POST", "/applications/{id}/removePassword", responses.remove_password),
        ("GET", "/servicePrincipals", responses.list_service_principals),
        ("POST", "/servicePrincipals", responses.create_service_principal),
        ("GET", "/servicePrincipals(appId='{id}')", responses.get_service_principal),
        ("GET", "/servicePrincipals/{id}", responses.get_service_principal),
        ("GET", "/servicePrincipals/{id}/appRoleAssignedTo", people.list_assigned_to),
        ("POST", "/servicePrincipals/{id}/appRoleAssignedTo", people.assign_role),
        ("GET", "/users", people.list_users),
        ("POST", "/users", people.create_user),
        ("GET", "/users/{id}", people.get_user),
        ("DELETE", "/users/{id}", people.delete_user),
        ("GET", "/groups", people.list_groups),
        ("POST", "/groups", people.create_group),
        ("POST", "/groups/{id}/members/$ref", people.add_member),
        ("DELETE", "/groups/{id}/members/{member}/$ref", people.remove_member),
    ]
    return [
        Route(f"/v1.0{path}", endpoint, methods=[method], name=f"{method} {path[1:]}")
        for method, path, endpoint in table
    ]
