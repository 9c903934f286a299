"""The members of objects in request bodies, and what an application has unless its registration says otherwise."""

from typing import Any

APPLICATION_DEFAULTS: dict[str, Any] = {
    "api": {
        "acceptMappedClaims": None,
        "knownClientApplications": [],
        "oauth2PermissionScopes": [],
        "preAuthorizedApplications": [],
        "requestedAccessTokenVersion": None,
    },
    "appRoles": [],
    "description": None,
    "groupMembershipClaims": None,
    "identifierUris": [],
    "isFallbackPublicClient": None,
    "notes": None,
    "optionalClaims": None,
    "publicClient": {"redirectUris": []},
    "requiredResourceAccess": [],
    "serviceManagementReference": None,
    "signInAudience": "AzureADMyOrg",
    "spa": {"redirectUris": []},
    "tags": [],
    "web": {
        "homePageUrl": None,
        "implicitGrantSettings": {"enableAccessTokenIssuance": False, "enableIdTokenIssuance": False},
        "logoutUrl": None,
        "redirectUris": [],
    },
}
APPLICATION = (*APPLICATION_DEFAULTS, "displayName", "keyCredentials")
NEW_SERVICE_PRINCIPAL = ("accountEnabled", "appId", "appRoleAssignmentRequired", "description", "notes", "tags")
NEW_PASSWORD = ("passwordCredential",)
REMOVED_PASSWORD = ("keyId",)
ROLE_ASSIGNMENT = ("appRoleId", "principalId", "resourceId")
NEW_USER = ("accountEnabled", "displayName", "mailNickname", "passwordProfile", "userPrincipalName")
NEW_GROUP = ("description", "displayName", "groupTypes", "mailEnabled", "mailNickname", "securityEnabled")
IDS = ("ids", "types")


def completed(members: dict[str, Any], defaults: dict[str, Any]) -> dict[str, Any]:
    """Return members with the defaults of those that are missing, at any depth."""
    return defaults | {
        name: completed(value, defaults[name])
        if isinstance(value, dict) and isinstance(defaults[name], dict)
        else value
        for name, value in members.items()
    }
