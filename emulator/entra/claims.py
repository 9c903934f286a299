"""The claims of access and id tokens, and what services read from them."""

import base64
import hashlib
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from emulator.core.store import Document
from emulator.entra.apis import Api
from emulator.entra.exceptions import unauthorized, wrong_audience
from emulator.entra.resources import normal, same_audience

Claims = dict[str, Any]

# Entra ID and its clients tolerate clocks that differ by five minutes.
CLOCK_SKEW = timedelta(minutes=5)
# How a client proved who it is: not at all, by a secret, by a certificate or as a managed identity.
PUBLIC, BY_SECRET, BY_CERTIFICATE = "0", "1", "2"
V2 = 2


@dataclass(frozen=True)
class Principal:
    """Who sent a request.

    Args:
        object_id: object id of the user or service principal in its tenant, which role assignments and access policies
            name.
        client_id: client id of the application; for a user, of the one that signed the user in.
        tenant_id: the tenant that issued the token.
        name: display name of the application, or the user's `userPrincipalName`.
        audience: the service that the token is for.
        claims: all claims of the token.
        is_user: whether it is a user.
    """

    object_id: str
    client_id: str
    tenant_id: str
    name: str
    audience: str
    claims: dict[str, Any] = field(compare=False, repr=False)
    is_user: bool = False

    @property
    def shown(self) -> str:
        """What errors call the client: a user by name, an application by client id."""
        return self.name if self.is_user else self.client_id


@dataclass(frozen=True)
class Issue:
    """What an access token says besides whom it is about.

    Args:
        api: what the token is for.
        audience: that, as the client asked for it.
        client_id: client id of the application that asked.
        client_name: its display name.
        proof: how the application proved who it is: `PUBLIC`, `BY_SECRET` or `BY_CERTIFICATE`.
        now: the time of issue.
        lifetime_seconds: seconds from now to the expiry; negative for a token that has expired.
        roles: names of the application's roles that the principal has.
    """

    api: Api
    audience: str
    client_id: str
    client_name: str
    proof: str
    now: datetime
    lifetime_seconds: int
    roles: Sequence[str]


def application_claims(principal: Document, issue: Issue) -> Claims:
    """Return the claims of an access token of a service principal."""
    claims = _access_claims(principal, issue, principal["objectId"])
    if issue.api.is_azure or issue.api.wants_claim("idtyp"):
        claims["idtyp"] = "app"
    if principal.get("directoryRoles"):
        claims["wids"] = principal["directoryRoles"]
    if principal["managedIdentityOf"]:
        claims["xms_mirid"] = principal["managedIdentityOf"]
    return claims


def user_claims(user: Document, issue: Issue, scopes: Sequence[str]) -> Claims:
    """Return the claims of an access token of a user."""
    name = user["userPrincipalName"]
    claims = _access_claims(user, issue, _pairwise(user, issue.api.app_id))
    claims |= {"name": user["displayName"], "scp": " ".join(scopes)}
    if issue.api.version == V2:
        return claims | {"preferred_username": name}
    claims |= {"acr": "1", "amr": ["pwd"], "unique_name": name, "upn": name}
    return claims | ({"idtyp": "user"} if issue.api.is_azure else {})


def id_claims(user: Document, client_id: str, now: datetime, lifetime_seconds: int, nonce: str = "") -> Claims:
    """Return the claims of an id token, which tells a client who has signed in."""
    claims = _times(now, lifetime_seconds) | {
        "aud": client_id,
        "iss": issuer(user["tenantId"], V2),
        "name": user["displayName"],
        "oid": user["objectId"],
        "preferred_username": user["userPrincipalName"],
        "rh": secrets.token_urlsafe(20),
        "sub": _pairwise(user, client_id),
        "tid": user["tenantId"],
        "uti": secrets.token_urlsafe(16),
        "ver": "2.0",
    }
    return claims | ({"nonce": nonce} if nonce else {})


def issuer(tenant_id: str, version: int) -> str:
    """Return the issuer of a tenant's tokens of a version."""
    if version == V2:
        return f"https://login.microsoftonline.com/{tenant_id}/v2.0"
    return f"https://sts.windows.net/{tenant_id}/"


def _access_claims(about: Document, issue: Issue, subject: str) -> Claims:
    """Return the claims that access tokens of users and service principals have in common."""
    claims = _times(issue.now, issue.lifetime_seconds) | {
        "aio": secrets.token_urlsafe(27),
        "iss": issuer(about["tenantId"], issue.api.version),
        "oid": about["objectId"],
        "rh": secrets.token_urlsafe(20),
        "sub": subject,
        "tid": about["tenantId"],
        "uti": secrets.token_urlsafe(16),
        "ver": f"{issue.api.version}.0",
    }
    if issue.roles:
        claims["roles"] = list(issue.roles)
    if issue.api.version == V2:
        return claims | {"aud": issue.api.app_id, "azp": issue.client_id, "azpacr": issue.proof}
    return claims | {
        "aud": issue.audience,
        "appid": issue.client_id,
        "appidacr": issue.proof,
        "app_displayname": issue.client_name,
        "idp": issuer(about["tenantId"], 1),
    }


def _times(now: datetime, lifetime_seconds: int) -> Claims:
    issued = int(now.timestamp())
    return {"iat": issued, "nbf": issued, "exp": issued + lifetime_seconds}


def _pairwise(user: Document, app_id: str) -> str:
    """Return the name of a user that only one application knows."""
    digest = hashlib.sha256(f"{user['objectId']}/{app_id}".encode()).digest()
    return base64.urlsafe_b64encode(digest).decode().rstrip("=")


def principal_of(claims: Claims) -> Principal:
    """Return the principal that a verified access token names."""
    is_user = "scp" in claims
    return Principal(
        object_id=claims["oid"],
        client_id=claims["appid"],
        tenant_id=claims["tid"],
        name=claims["upn"] if is_user else claims["app_displayname"],
        audience=claims["aud"],
        claims=claims,
        is_user=is_user,
    )


def check_times(claims: Claims, now: datetime) -> None:
    """Refuse a token that has expired or is not valid yet.

    Raises:
        ServiceError: 401 `ExpiredAuthenticationToken`, `InvalidAuthenticationToken`.
    """
    if claims["exp"] <= now.timestamp():
        expired = datetime.fromtimestamp(claims["exp"], tz=now.tzinfo)
        raise unauthorized(
            "ExpiredAuthenticationToken",
            f"The access token expiry UTC time '{expired:%m/%d/%Y %I:%M:%S %p}' is earlier than current UTC time "
            f"'{now:%m/%d/%Y %I:%M:%S %p}'.",
            claims["tid"],
        )
    if claims["nbf"] > (now + CLOCK_SKEW).timestamp():
        raise unauthorized("InvalidAuthenticationToken", "The access token is not valid yet.", claims["tid"])


def check_audience(claims: Claims, accepted: tuple[str, ...]) -> None:
    """Refuse a token for another service.

    Raises:
        WrongAudienceError: 401 `InvalidAuthenticationTokenAudience`.
    """
    if not same_audience(claims["aud"], accepted):
        raise wrong_audience(claims["aud"], [normal(audience) for audience in accepted], claims["tid"])
