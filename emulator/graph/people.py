"""The operations of Graph on users and groups, and who may do them.

Every principal of a tenant reads its users and groups, makes groups, and changes those that it owns. Only user
administrators change the others, and users. The messages of refusals are from memory.
"""

from collections.abc import Iterator

from emulator.core.store import Document
from emulator.entra.models import USER_ADMINISTRATOR, EntraModel, Principal
from emulator.entra.people import GROUP, SERVICE_PRINCIPAL, USER
from emulator.graph.exceptions import BAD_REQUEST, DENIED, NOT_SUPPORTED, OBJECT_NOT_FOUND


class PeopleModel:
    """Users and groups of the caller's tenant."""

    def __init__(self, entra: EntraModel) -> None:
        self._entra = entra
        self._people = entra.people

    # Users

    def users(self, caller: Principal) -> Iterator[Document]:
        """Yield the tenant's users."""
        return self._people.users(caller.tenant_id)

    def user(self, caller: Principal, id_or_name: str) -> Document:
        """Return a user by object id or `userPrincipalName`.

        Raises:
            ServiceError: 404.
        """
        found = self._people.user(id_or_name) or self._people.user_named(caller.tenant_id, id_or_name)
        if found is None or found["tenantId"] != caller.tenant_id:
            raise OBJECT_NOT_FOUND(id_or_name)
        return found

    def create_user(self, caller: Principal, members: Document) -> Document:
        """Add a user.

        Raises:
            ServiceError: 400 for a member that is missing or wrong, or a name that is taken; 403.
        """
        _check_administers(caller)
        profile = members.get("passwordProfile", {})
        for name in ("displayName", "mailNickname", "userPrincipalName", "accountEnabled", "passwordProfile"):
            if name not in members:
                raise BAD_REQUEST(f"A value is required for property '{name}' of resource 'User'.")
        name = members["userPrincipalName"]
        if name.partition("@")[2].lower() != self._entra.tenant(caller.tenant_id)["domain"]:
            raise BAD_REQUEST(
                "The domain portion of the userPrincipalName property is invalid. You must use one of the verified domain "
                "names in your organization."
            )
        if self._people.user_named(caller.tenant_id, name) is not None:
            raise BAD_REQUEST("Another object with the same value for property userPrincipalName already exists.")
        user = self._people.add_user(caller.tenant_id, name, profile["password"], members["displayName"])
        kept = {
            "accountEnabled": members["accountEnabled"],
            "changesPassword": profile.get("forceChangePasswordNextSignIn", False),
            "mailNickname": members["mailNickname"],
        }
        return self._people.change_user(user["objectId"], kept)

    def delete_user(self, caller: Principal, id_or_name: str) -> None:
        """Remove a user."""
        user = self.user(caller, id_or_name)
        _check_administers(caller)
        self._entra.app_roles.forget(user["objectId"])
        self._people.delete_user(user["objectId"])

    # Groups

    def groups(self, caller: Principal) -> Iterator[Document]:
        """Yield the tenant's groups."""
        return self._people.groups(caller.tenant_id)

    def group(self, caller: Principal, object_id: str) -> Document:
        """Return a group.

        Raises:
            ServiceError: 404.
        """
        found = self._people.group(object_id)
        if found is None or found["tenantId"] != caller.tenant_id:
            raise OBJECT_NOT_FOUND(object_id)
        return found

    def create_group(self, caller: Principal, members: Document) -> Document:
        """Add a security group that the caller owns.

        Raises:
            ServiceError: 400 for a member that is missing, or a group that is not a security group.
        """
        for name in ("displayName", "mailEnabled", "mailNickname", "securityEnabled"):
            if name not in members:
                raise BAD_REQUEST(f"A value is required for property '{name}' of resource 'Group'.")
        if members["mailEnabled"] or not members["securityEnabled"]:
            raise NOT_SUPPORTED("groups with mail, and groups that are not security groups")
        group = self._people.add_group(caller.tenant_id, members["displayName"], caller.object_id)
        self._people.change_group(group["objectId"], {"members": members})
        return self.group(caller, group["objectId"])

    # Members

    def add_member(self, caller: Principal, group_id: str, member_id: str) -> None:
        """Add a user, a group or a service principal to a group.

        Raises:
            ServiceError: 400 if it is a member already, or the group itself; 403, 404.
        """
        group = self._owned(caller, group_id)
        kind, member = self.object(caller, member_id)
        if member["objectId"] == group["objectId"] or not self._people.add_member(
            group["objectId"], kind, member["objectId"]
        ):
            raise BAD_REQUEST(
                "One or more added object references already exist for the following modified properties: 'members'."
            )

    def remove_member(self, caller: Principal, group_id: str, member_id: str) -> None:
        """Remove a member from a group.

        Raises:
            ServiceError: 404 if it is none; 403.
        """
        group = self._owned(caller, group_id)
        if not self._people.remove_member(group["objectId"], member_id):
            raise OBJECT_NOT_FOUND(member_id)

    def object(self, caller: Principal, object_id: str) -> tuple[str, Document]:
        """Return the kind and the document of a user, a group or a service principal.

        Raises:
            ServiceError: 404.
        """
        kinds = (
            (USER, self._people.user),
            (GROUP, self._people.group),
            (SERVICE_PRINCIPAL, self._entra.find_principal),
        )
        for kind, find in kinds:
            found = find(object_id)
            if found is not None and found["tenantId"] == caller.tenant_id:
                return kind, found
        raise OBJECT_NOT_FOUND(object_id)

    def _owned(self, caller: Principal, object_id: str) -> Document:
        group = self.group(caller, object_id)
        if caller.object_id not in group["owners"]:
            _check_administers(caller)
        return group


def _check_administers(caller: Principal) -> None:
    if USER_ADMINISTRATOR not in caller.claims.get("wids", ()):
        raise DENIED()
