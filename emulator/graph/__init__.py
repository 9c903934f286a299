"""Microsoft Graph: applications, service principals, users and groups of the directory that `emulator/entra` keeps."""

from emulator.core.platform import Platform, Service
from emulator.entra.models import EntraModel
from emulator.graph.exceptions import not_found, render
from emulator.graph.models import GraphModel
from emulator.graph.people import PeopleModel
from emulator.graph.people_responses import PeopleResponses
from emulator.graph.responses import Responses
from emulator.graph.role_assignments import RoleAssignmentModel
from emulator.graph.urls import routes

__all__ = ["GraphModel", "create"]


def create(platform: Platform) -> Service:
    """Create the service; Entra ID, whose directory it shows, must be registered before it."""
    entra = platform.model(EntraModel)
    model = GraphModel(entra)
    platform.register(model)
    people = PeopleModel(entra)
    return Service(
        name="graph",
        hosts=("graph.microsoft.com",),
        routes=routes(
            Responses(model, people), PeopleResponses(model, people, RoleAssignmentModel(entra, model, people))
        ),
        render=render,
        not_found=not_found,
    )
