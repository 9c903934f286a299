"""The members of applications and service principals in request bodies, with their shapes; others are refused.

A shape is a type, a list with the shape of its entries, or an object with the shapes of its members.
"""

from typing import Any

from emulator.graph.exceptions import BAD_REQUEST, NOT_SUPPORTED

Shape = type | list[Any] | dict[str, Any]

SCOPE = {
    "id": str,
    "adminConsentDescription": str,
    "adminConsentDisplayName": str,
    "isEnabled": bool,
    "type": str,
    "userConsentDescription": str,
    "userConsentDisplayName": str,
    "value": str,
}
APP_ROLE = {
    "id": str,
    "allowedMemberTypes": [str],
    "description": str,
    "displayName": str,
    "isEnabled": bool,
    "origin": str,
    "value": str,
}
KEY_CREDENTIAL = {
    "customKeyIdentifier": str,
    "displayName": str,
    "endDateTime": str,
    "hasExtendedValue": bool,
    "key": str,
    "keyId": str,
    "startDateTime": str,
    "type": str,
    "usage": str,
}
CLAIM = {"additionalProperties": [str], "essential": bool, "name": str, "source": str}
APPLICATION: dict[str, Shape] = {
    "api": {
        "acceptMappedClaims": bool,
        "knownClientApplications": [str],
        "oauth2PermissionScopes": [SCOPE],
        "preAuthorizedApplications": [{"appId": str, "delegatedPermissionIds": [str]}],
        "requestedAccessTokenVersion": int,
    },
    "appRoles": [APP_ROLE],
    "description": str,
    "displayName": str,
    "groupMembershipClaims": str,
    "identifierUris": [str],
    "isFallbackPublicClient": bool,
    "keyCredentials": [KEY_CREDENTIAL],
    "notes": str,
    "optionalClaims": {"accessToken": [CLAIM], "idToken": [CLAIM], "saml2Token": [CLAIM]},
    "publicClient": {"redirectUris": [str]},
    "requiredResourceAccess": [{"resourceAppId": str, "resourceAccess": [{"id": str, "type": str}]}],
    "serviceManagementReference": str,
    "signInAudience": str,
    "tags": [str],
    "web": {
        "homePageUrl": str,
        "implicitGrantSettings": {"enableAccessTokenIssuance": bool, "enableIdTokenIssuance": bool},
        "logoutUrl": str,
        "redirectUris": [str],
    },
}
# What an application has unless its registration says otherwise.
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
    "tags": [],
    "web": {
        "homePageUrl": None,
        "implicitGrantSettings": {"enableAccessTokenIssuance": False, "enableIdTokenIssuance": False},
        "logoutUrl": None,
        "redirectUris": [],
    },
}
SERVICE_PRINCIPAL_CHANGES: dict[str, Shape] = {
    "accountEnabled": bool,
    "appRoleAssignmentRequired": bool,
    "description": str,
    "notes": str,
    "tags": [str],
}
NEW_SERVICE_PRINCIPAL: dict[str, Shape] = SERVICE_PRINCIPAL_CHANGES | {"appId": str}
PASSWORD: dict[str, Shape] = {"displayName": str, "startDateTime": str, "endDateTime": str}
NEW_PASSWORD: dict[str, Shape] = {"passwordCredential": PASSWORD}
REMOVED_PASSWORD: dict[str, Shape] = {"keyId": str}
ROLE_ASSIGNMENT: dict[str, Shape] = {"appRoleId": str, "principalId": str, "resourceId": str}
PASSWORD_PROFILE = {"forceChangePasswordNextSignIn": bool, "password": str}
USER_CHANGES: dict[str, Shape] = {
    "accountEnabled": bool,
    "displayName": str,
    "mailNickname": str,
    "passwordProfile": PASSWORD_PROFILE,
}
NEW_USER: dict[str, Shape] = USER_CHANGES | {"userPrincipalName": str}
NEW_GROUP: dict[str, Shape] = {
    "description": str,
    "displayName": str,
    "groupTypes": [str],
    "mailEnabled": bool,
    "mailNickname": str,
    "securityEnabled": bool,
}
MEMBER_GROUPS: dict[str, Shape] = {"securityEnabledOnly": bool}
WANTED_GROUPS: dict[str, Shape] = {"groupIds": [str]}
IDS: dict[str, Shape] = {"ids": [str], "types": [str]}


def check(value: Any, shape: Shape, name: str = "") -> None:
    """Check a value of a request body; null is allowed anywhere.

    Raises:
        ServiceError: 400 that names the member: `Request_BadRequest` for its value, `NotSupportedByLocalAzure` for a
            member that the local Microsoft Graph lacks.
    """
    if value is None:
        return
    if isinstance(shape, dict):
        _check_object(value, shape, name)
    elif isinstance(shape, list):
        if not isinstance(value, list):
            raise _invalid(name)
        for entry in value:
            check(entry, shape[0], name)
    # True is an int in Python, and no number in JSON.
    elif type(value) is not shape:
        raise _invalid(name)


def _check_object(value: Any, shape: dict[str, Any], name: str) -> None:
    if not isinstance(value, dict):
        raise _invalid(name)
    members = {member: found for member, found in value.items() if not member.startswith("@odata.")}
    unknown = sorted(members.keys() - shape)
    if unknown:
        raise NOT_SUPPORTED(f"the property {', '.join(unknown)} in bodies of Microsoft Graph")
    for member, found in members.items():
        check(found, shape[member], member)


def _invalid(name: str) -> Exception:
    return BAD_REQUEST(f"Invalid value specified for property '{name}'.")


def completed(members: dict[str, Any], defaults: dict[str, Any]) -> dict[str, Any]:
    """Return members with the defaults of those that are missing, at any depth."""
    return defaults | {
        name: completed(value, defaults[name])
        if isinstance(value, dict) and isinstance(defaults[name], dict)
        else value
        for name, value in members.items()
    }
