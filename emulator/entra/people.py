"""Users and groups of the tenants, and the members of the groups: users, service principals and other groups."""

import hashlib
import hmac
import secrets
from collections.abc import Iterator
from uuid import uuid4

from emulator.core.clock import rfc3339
from emulator.core.platform import Platform
from emulator.core.store import Document

# The kinds of objects, in the words of Graph's `@odata.type` and, with a capital, of `principalType` in ARM.
USER, GROUP, SERVICE_PRINCIPAL = "user", "group", "servicePrincipal"
_SCRYPT = {"n": 2**12, "r": 8, "p": 1}


class People:
    """The users and groups of all tenants."""

    def __init__(self, platform: Platform) -> None:
        self._clock = platform.clock
        self._store = platform.store
        self._access_changed = platform.access_changed
        self._users = platform.store.table("entra_users")
        self._groups = platform.store.table("entra_groups")
        # Key: id of the member, id of the group. A member's groups are one scan, as access checks need them.
        self._memberships = platform.store.table("entra_memberships")

    # Users

    def add_user(self, tenant_id: str, name: str, password: str, display_name: str = "") -> Document:
        """Add a user; return its document.

        Args:
            tenant_id: the tenant.
            name: `userPrincipalName`, which must be free.
            password: the password in clear text; only its hash is stored.
            display_name: what people see; the part of the name before the @ if empty.
        """
        user: Document = {
            "objectId": str(uuid4()),
            "tenantId": tenant_id.lower(),
            "userPrincipalName": name,
            "displayName": display_name or name.partition("@")[0],
            "accountEnabled": True,
            "createdDateTime": rfc3339(self._clock.now()),
            **self._password(password),
        }
        self._users.put(user["objectId"], user)
        return user

    def users(self, tenant_id: str) -> Iterator[Document]:
        """Yield the users of a tenant."""
        return _of_tenant(self._users.scan(), tenant_id)

    def user(self, object_id: str) -> Document | None:
        """Return a user by object id, or None."""
        return self._users.get(object_id.lower())

    def user_named(self, tenant_id: str, name: str) -> Document | None:
        """Return the user of a tenant with this `userPrincipalName`, in any case, or None."""
        wanted = name.lower()
        return next((user for user in self.users(tenant_id) if user["userPrincipalName"].lower() == wanted), None)

    def change_user(self, object_id: str, changes: Document, password: str = "") -> Document:
        """Replace members of a user, and its password if one is given; return the user.

        Raises:
            LookupError: the user does not exist.
        """
        found = self.user(object_id)
        if found is None:
            raise LookupError(f"there is no user {object_id}")
        changed = found | changes | (self._password(password) if password else {})
        self._users.put(object_id.lower(), changed)
        return changed

    def delete_user(self, object_id: str) -> None:
        """Remove a user from the tenant and from its groups."""
        with self._store.transaction():
            self._users.delete(object_id.lower())
            self.forget(object_id)

    def _password(self, password: str) -> Document:
        salt = secrets.token_hex(16)
        # Sign-ins with an older password end: refresh tokens from before this time are refused.
        return {"salt": salt, "hash": _hashed(password, salt), "tokensValidFrom": rfc3339(self._clock.now())}

    # Groups

    def add_group(self, tenant_id: str, display_name: str, owner: str = "") -> Document:
        """Add a security group; return its document."""
        group: Document = {
            "objectId": str(uuid4()),
            "tenantId": tenant_id.lower(),
            "displayName": display_name,
            "owners": [owner] if owner else [],
            "createdDateTime": rfc3339(self._clock.now()),
        }
        self._groups.put(group["objectId"], group)
        return group

    def groups(self, tenant_id: str) -> Iterator[Document]:
        """Yield the groups of a tenant."""
        return _of_tenant(self._groups.scan(), tenant_id)

    def group(self, object_id: str) -> Document | None:
        """Return a group by object id, or None."""
        return self._groups.get(object_id.lower())

    def change_group(self, object_id: str, changes: Document) -> None:
        """Replace members of a group's document.

        Raises:
            LookupError: the group does not exist.
        """
        found = self.group(object_id)
        if found is None:
            raise LookupError(f"there is no group {object_id}")
        self._groups.put(object_id.lower(), found | changes)

    # Members

    def add_member(self, group_id: str, kind: str, member_id: str) -> bool:
        """Add a member to a group; tell whether it was none before."""
        key = _membership_key(member_id, group_id)
        if self._memberships.get(key) is not None:
            return False
        self._memberships.put(key, {"groupId": group_id.lower(), "kind": kind, "memberId": member_id.lower()})
        self._access_changed(member_id)
        return True

    def remove_member(self, group_id: str, member_id: str) -> bool:
        """Remove a member from a group; tell whether it was one."""
        removed = self._memberships.delete(_membership_key(member_id, group_id))
        self._access_changed(member_id)
        return removed

    def groups_of(self, member_id: str) -> set[str]:
        """Return the object ids of the groups of which a principal is a direct member."""
        return {found["groupId"] for _, found in self._memberships.scan(f"{member_id.lower()}/")}

    def all_groups_of(self, member_id: str) -> set[str]:
        """Return the object ids of the groups of which a principal is a member, directly or through other groups."""
        found: set[str] = set()
        wave = self.groups_of(member_id)
        while wave:
            found |= wave
            wave = {outer for group_id in wave for outer in self.groups_of(group_id)} - found
        return found

    def forget(self, member_id: str) -> None:
        """Remove a principal from all groups."""
        for group_id in self.groups_of(member_id):
            self._memberships.delete(_membership_key(member_id, group_id))


def password_matches(user: Document, password: str) -> bool:
    """Tell whether this is the user's password."""
    return hmac.compare_digest(user["hash"], _hashed(password, user["salt"]))


def _of_tenant(scanned: Iterator[tuple[str, Document]], tenant_id: str) -> Iterator[Document]:
    return (document for _, document in scanned if document["tenantId"] == tenant_id.lower())


def _membership_key(member_id: str, group_id: str) -> str:
    return f"{member_id}/{group_id}".lower()


def _hashed(password: str, salt: str) -> str:
    return hashlib.scrypt(password.encode(), salt=salt.encode(), **_SCRYPT).hex()
