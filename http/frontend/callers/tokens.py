"""Access tokens of the service's tenant: which are believed, and whose they are.

A token must be for this service's registration, which asks for tokens of version 2.0. An id token of the same
registration has the same issuer, audience and signature, so everything that tells it from an access token is required.

Source: https://learn.microsoft.com/entra/identity-platform/access-token-claims-reference
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import Any

import jwt

from frontend.callers.rights import INCLUDED_IN, Role
from shared import cloud, durations, settings
from shared.arm.resource_id import is_uuid
from shared.azure.entra_keys import SigningKeys, signing_keys

# Entra's tokens have some 2 KB, and stay below 16 KB with 200 groups in them.
MAX_CHARACTERS = 16_384
LEEWAY_SECONDS = durations.TOKEN_LEEWAY.total_seconds()
SCOPE = "user_impersonation"
_VERSION = "2.0"
_COMPACT = re.compile(r"[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+")
_REQUIRED = ("exp", "nbf", "iat", "iss", "aud", "sub", "tid", "oid", "ver", "azp")
_MAX_NAME = 256

Claims = Mapping[str, Any]


class Kind(StrEnum):
    """What a caller is, in the words of `systemData`."""

    USER = "User"
    APPLICATION = "Application"


@dataclass(frozen=True)
class Principal:
    """A caller.

    Args:
        object_id: the object id of user or service principal; nothing else decides what the caller may do.
        kind: user or application.
        name: user name or application id, for people who read it. Users can change theirs.
        roles: the app roles of the token.
    """

    object_id: str
    kind: Kind
    name: str
    roles: frozenset[str] = frozenset()

    def has(self, role: Role) -> bool:
        """Tell whether the caller has an app role, or one that includes it."""
        return bool(self.roles & INCLUDED_IN[role])


class NotBelieved(Exception):  # noqa: N818 - an answer rather than an error
    """A token that is not believed. The message says why, and has nothing from the token."""


@dataclass(frozen=True)
class Verifier:
    """Verifies the tokens that one tenant issues for the service's registration.

    Args:
        authority: address of the tenant, such as `https://login.microsoftonline.com/<tenant id>`.
        tenant_id: the tenant.
        client_id: application id of the registration.
        keys: the tenant's keys.
    """

    authority: str
    tenant_id: str
    client_id: str
    keys: SigningKeys

    def principal_of(self, token: str) -> Principal:
        """Return the caller whose access token this is.

        Raises:
            NotBelieved: the token is not valid, or not for this service.
            CloudError: 503 if the keys of the tenant are not known.
        """
        claims = self._verified(token)
        for holds, why in _RULES:
            if not holds(claims, self):
                raise NotBelieved(why)
        roles = claims.get("roles")
        return Principal(
            object_id=claims["oid"].lower(),
            kind=Kind.USER if "scp" in claims else Kind.APPLICATION,
            name=_name(claims),
            roles=frozenset(str(role) for role in roles) if isinstance(roles, list) else frozenset(),
        )

    def _verified(self, token: str) -> Claims:
        """Return the claims of a token whose signature, issuer, audience and times are right."""
        if len(token) > MAX_CHARACTERS or not _COMPACT.fullmatch(token):
            raise NotBelieved("The token is not a signed JSON Web Token, or is too long.")
        try:
            key_id = jwt.get_unverified_header(token).get("kid")
            key = self.keys.find(key_id) if key_id else None
            if key is None:
                raise NotBelieved("The token is not signed with a key of this tenant.")
            claims: Claims = jwt.decode(
                token,
                key,
                algorithms=["RS256"],
                audience=self.client_id,
                issuer=f"{self.authority}/v{_VERSION}",
                leeway=LEEWAY_SECONDS,
                options={"require": list(_REQUIRED), "strict_aud": True},
            )
        except jwt.PyJWTError as error:
            raise NotBelieved(_WHY.get(type(error), _INVALID)) from error
        return claims


@cache
def verifier() -> Verifier:
    """Return the verifier of this process. A failure to read the cloud's endpoints is not cached.

    Raises:
        azure.core.exceptions.AzureError: if the endpoints of the cloud cannot be read.
    """
    ours, login = settings.load(), cloud.cloud_profile().login_endpoint.rstrip("/")
    return Verifier(f"{login}/{ours.tenant_id}", ours.tenant_id, ours.api_client_id, signing_keys())


_INVALID = "The token is invalid."
_WHY: dict[type[jwt.PyJWTError], str] = {
    jwt.ExpiredSignatureError: "The token has expired.",
    jwt.ImmatureSignatureError: "The token is not valid yet.",
    jwt.InvalidSignatureError: "The signature of the token is wrong.",
    jwt.InvalidAlgorithmError: "The token is not signed with RS256.",
    jwt.InvalidAudienceError: "The token is for another audience.",
    jwt.InvalidIssuerError: "The token is from another issuer.",
}


def _is_of_application(claims: Claims) -> bool:
    return "scp" not in claims and claims["sub"] == claims["oid"]


def _is_of_user(claims: Claims) -> bool:
    scopes = claims.get("scp")
    return isinstance(scopes, str) and SCOPE in scopes.split()


# What must hold for the claims of a valid token, and what is wrong if it does not.
_RULES: tuple[tuple[Callable[[Claims, Verifier], bool], str], ...] = (
    (lambda claims, _: claims["ver"] == _VERSION, "The token is not of version 2.0."),
    (lambda claims, ours: claims["tid"] == ours.tenant_id, "The token is of another tenant."),
    (lambda claims, _: isinstance(claims["oid"], str) and is_uuid(claims["oid"]), "The token names no object id."),
    (lambda claims, _: isinstance(claims["azp"], str) and is_uuid(claims["azp"]), "The token names no application."),
    (
        lambda claims, _: _is_of_user(claims) or _is_of_application(claims),
        f"The token is not an access token of a user with the scope '{SCOPE}', or of an application.",
    ),
)


def _name(claims: Claims) -> str:
    """Return what people call the caller: a user's name, or the id of an application."""
    name = claims.get("preferred_username") if "scp" in claims else claims["azp"]
    readable = isinstance(name, str) and 0 < len(name) <= _MAX_NAME and name.isprintable()
    return str(name if readable else claims["oid"])
