"""Assignments of an application's roles to users, groups and service principals, which tokens carry as `roles`."""

from collections.abc import Iterator
from uuid import uuid4

from emulator.core.clock import rfc3339
from emulator.core.platform import Platform
from emulator.core.store import Document
from emulator.entra.people import SERVICE_PRINCIPAL, People

# Stands for being assigned to an application without any of its roles.
DEFAULT_ACCESS = "00000000-0000-0000-0000-000000000000"


class AppRoles:
    """The assignments of all tenants."""

    def __init__(self, platform: Platform, people: People) -> None:
        self._clock = platform.clock
        self._people = people
        self._table = platform.store.table("entra_app_role_assignments")

    def assign(self, resource_id: str, role_id: str, kind: str, principal_id: str) -> Document:
        """Assign a role; return the assignment."""
        assignment = {
            "id": str(uuid4()),
            "appRoleId": role_id.lower(),
            "createdDateTime": rfc3339(self._clock.now()),
            "kind": kind,
            "principalId": principal_id.lower(),
            "resourceId": resource_id.lower(),
        }
        self._table.put(f"{resource_id.lower()}/{assignment['id']}", assignment)
        return assignment

    def of_resource(self, resource_id: str) -> Iterator[Document]:
        """Yield the assignments of an application's roles."""
        for _, assignment in self._table.scan(f"{resource_id.lower()}/"):
            yield assignment

    def to_principal(self, principal_id: str) -> list[Document]:
        """Return the assignments to a principal itself."""
        return [found for _, found in self._table.scan() if found["principalId"] == principal_id.lower()]

    def remove(self, resource_id: str, assignment_id: str) -> bool:
        """Remove an assignment; tell whether it existed."""
        return self._table.delete(f"{resource_id}/{assignment_id}".lower())

    def forget(self, object_id: str) -> None:
        """Remove the assignments to a principal, and of its application's roles."""
        for found in [*self.to_principal(object_id), *self.of_resource(object_id)]:
            self.remove(found["resourceId"], found["id"])

    def role_ids(self, resource_id: str, kind: str, principal_id: str) -> set[str]:
        """Return the ids of the roles that tokens of a principal carry; `DEFAULT_ACCESS` is one of them.

        A user has the roles of the groups of which it is a direct member, and not of those around them. A service
        principal has only its own: Entra ID does not add those of its groups.
        """
        holders = {principal_id.lower()}
        if kind != SERVICE_PRINCIPAL:
            holders |= self._people.groups_of(principal_id)
        return {found["appRoleId"] for found in self.of_resource(resource_id) if found["principalId"] in holders}
