"""The claims of access tokens, and what services read from them."""

import secrets
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from emulator.core.store import Document
from emulator.entra.exceptions import unauthorized
from emulator.entra.resources import normal, same_audience

Claims = dict[str, Any]

# Entra ID and its clients tolerate clocks that differ by five minutes.
CLOCK_SKEW = timedelta(minutes=5)


@dataclass(frozen=True)
class Principal:
    """Who sent a request.

    Args:
        object_id: object id of the service principal in its tenant, which role assignments and access policies name.
        client_id: client id of the application.
        tenant_id: the tenant that issued the token.
        name: display name.
        audience: the service that the token is for.
        claims: all claims of the token.
    """

    object_id: str
    client_id: str
    tenant_id: str
    name: str
    audience: str
    claims: dict[str, Any] = field(compare=False, repr=False)


def new_claims(
    principal: Document, audience: str, now: datetime, lifetime_seconds: int, *, by_certificate: bool
) -> Claims:
    """Return the claims of a v1 access token, the kind that Azure's services use whichever endpoint issues it.

    Args:
        principal: document of the service principal.
        audience: the service that the token is for, as the client asked for it.
        now: the time of issue.
        lifetime_seconds: seconds from now to the expiry; negative for a token that has expired.
        by_certificate: whether the application presented a certificate instead of a secret.
    """
    issued = int(now.timestamp())
    issuer = f"https://sts.windows.net/{principal['tenantId']}/"
    claims: Claims = {
        "aud": audience,
        "iss": issuer,
        "iat": issued,
        "nbf": issued,
        "exp": issued + lifetime_seconds,
        "aio": secrets.token_urlsafe(27),
        "appid": principal["clientId"],
        "appidacr": "2" if by_certificate or principal["managedIdentityOf"] else "1",
        "app_displayname": principal["displayName"],
        "idp": issuer,
        "idtyp": "app",
        "oid": principal["objectId"],
        "rh": secrets.token_urlsafe(20),
        "sub": principal["objectId"],
        "tid": principal["tenantId"],
        "uti": secrets.token_urlsafe(16),
        "ver": "1.0",
    }
    if principal["roles"]:
        claims["roles"] = principal["roles"]
    if principal["managedIdentityOf"]:
        claims["xms_mirid"] = principal["managedIdentityOf"]
    return claims


def principal_of(claims: Claims) -> Principal:
    """Return the principal that a verified token names."""
    return Principal(
        object_id=claims["oid"],
        client_id=claims["appid"],
        tenant_id=claims["tid"],
        name=claims["app_displayname"],
        audience=claims["aud"],
        claims=claims,
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
        ServiceError: 401 `InvalidAuthenticationTokenAudience`.
    """
    if same_audience(claims["aud"], accepted):
        return
    allowed = ",".join(f"'{normal(audience)}'" for audience in accepted)
    raise unauthorized(
        "InvalidAuthenticationTokenAudience",
        f"The access token has been obtained for wrong audience or resource '{claims['aud']}'. It should exactly match "
        f"with one of the allowed audiences {allowed}.",
        claims["tid"],
    )
