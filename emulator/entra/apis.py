"""What a token may be for: an Azure service, or an application that a tenant has registered."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from emulator.core.store import Document
from emulator.entra.resources import GRAPH, Resource, normal

USER_IMPERSONATION = "user_impersonation"


@dataclass(frozen=True)
class Client:
    """A public client of Microsoft that exists in every tenant, and that Azure's services trust.

    Args:
        client_id: its public application id.
        name: display name.
        scopes: the permissions that it has been given, by application id of the service; where none are listed, it has
            `user_impersonation`.
    """

    client_id: str
    name: str
    scopes: Mapping[str, tuple[str, ...]]


# The scopes for Graph are from memory.
AZURE_CLI = Client(
    "04b07795-8ddb-461a-bbee-02f9e1bf7b46",
    "Microsoft Azure CLI",
    {
        GRAPH.app_id: (
            "Application.ReadWrite.All",
            "AppRoleAssignment.ReadWrite.All",
            "AuditLog.Read.All",
            "DelegatedPermissionGrant.ReadWrite.All",
            "Directory.AccessAsUser.All",
            "email",
            "Group.ReadWrite.All",
            "openid",
            "profile",
            "User.Read.All",
            "User.ReadWrite.All",
        )
    },
)
CLIENTS = {AZURE_CLI.client_id: AZURE_CLI}


@dataclass(frozen=True)
class Api:
    """What a token is for.

    Args:
        app_id: its application id.
        name: display name.
        principal_id: object id of its service principal in the tenant; "" for an Azure service.
        assigned_only: whether only principals with an app role get tokens.
        members: the members of its registration, as Graph stores them; empty for an Azure service.
    """

    app_id: str
    name: str
    principal_id: str = ""
    assigned_only: bool = False
    members: Document = field(default_factory=dict)

    @property
    def is_azure(self) -> bool:
        """Whether it is an Azure service."""
        return not self.principal_id

    @property
    def version(self) -> int:
        """The version of its access tokens, which it chooses itself, whichever endpoint the client uses."""
        return self.members.get("api", {}).get("requestedAccessTokenVersion") or 1

    def scopes(self) -> set[str]:
        """Return the names of the permissions that its registration offers to clients of users."""
        return {scope["value"] for scope in self.members.get("api", {}).get("oauth2PermissionScopes", ()) if _on(scope)}

    def granted(self, client_id: str) -> tuple[str, ...]:
        """Return the names of the permissions that a client has without asking the user for consent."""
        if self.is_azure:
            client = CLIENTS.get(client_id)
            return () if client is None else client.scopes.get(self.app_id, (USER_IMPERSONATION,))
        # From memory: an application needs no consent for itself.
        if self.app_id == client_id:
            return tuple(sorted(self.scopes()))
        known = self.members.get("api", {})
        ids = {
            permission.lower()
            for application in known.get("preAuthorizedApplications", ())
            if application["appId"].lower() == client_id
            for permission in application["delegatedPermissionIds"]
        }
        return tuple(
            sorted(
                scope["value"]
                for scope in known.get("oauth2PermissionScopes", ())
                if scope["id"].lower() in ids and _on(scope)
            )
        )

    def role_names(self, role_ids: set[str]) -> list[str]:
        """Return the names of its app roles with these ids, as a token's `roles` has them."""
        return sorted(
            role["value"]
            for role in self.members.get("appRoles", ())
            if role["id"].lower() in role_ids and role.get("value") and _on(role)
        )

    def wants_claim(self, name: str) -> bool:
        """Tell whether its registration asks for an optional claim in access tokens."""
        wanted = (self.members.get("optionalClaims") or {}).get("accessToken", ())
        return any(claim.get("name") == name for claim in wanted)


def of_azure(resource: Resource) -> Api:
    """Return an Azure service as what a token is for."""
    return Api(resource.app_id, resource.name)


def of_registration(application: Document, principal: Document) -> Api:
    """Return an application as what a token is for, from its registration and its service principal in the tenant."""
    return Api(
        app_id=application["clientId"],
        name=application["displayName"],
        principal_id=principal["objectId"],
        assigned_only=bool(principal.get("members", {}).get("appRoleAssignmentRequired")),
        members=application.get("members", {}),
    )


def is_named(application: Document, identifier: str) -> bool:
    """Tell whether this is an application's id, or one of its identifier URIs with or without a trailing slash."""
    names = (application["clientId"], *application.get("members", {}).get("identifierUris", ()))
    return normal(identifier) in {normal(name) for name in names}


def _on(entry: Document) -> bool:
    return bool(entry.get("isEnabled"))
