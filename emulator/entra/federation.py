"""Federated assertions: tokens that another issuer signed, such as a cluster, and that a credential of the client names.

The keys are those that the issuer publishes, on the internet: whoever wants to prove something with its tokens must
publish them under the very URL that is in the tokens.
"""

import ssl
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

import httpx
import jwt

from emulator.core.platform import Platform
from emulator.core.store import Document
from emulator.entra.assertions import check_validity
from emulator.entra.exceptions import aadsts
from emulator.entra.tokens import SIGNATURE_ONLY

TIMEOUT_SECONDS = 5


class Federation:
    """Checks federated assertions, and asks their issuers for keys, each time: no cache hides what is not there."""

    def __init__(self, platform: Platform) -> None:
        self._platform = platform

    async def check(self, application: Document, assertion: str, now: datetime, skew: timedelta) -> None:
        """Check that a federated credential of the application names an assertion, and that its issuer signed it.

        Raises:
            ServiceError: AADSTS70021 no credential; 700211, 700212 or 700213 another issuer, audience or subject; 50166
                the issuer does not publish its keys; 7000272 another key; 50013 wrong signature; 700024 not valid now.
        """
        claims: dict[str, Any] = jwt.decode(assertion, options={"verify_signature": False})
        issuer, key_id = str(claims["iss"]), str(jwt.get_unverified_header(assertion).get("kid"))
        _require_record(application.get("federatedCredentials", ()), claims)
        key = next((key for key in await self._keys(issuer) if key.key_id == key_id), None)
        if key is None:
            raise aadsts(7000272, key_id=key_id, issuer=issuer)
        try:
            jwt.decode(assertion, key, algorithms=["RS256"], options={**SIGNATURE_ONLY, "require": ["exp"]})
        except jwt.PyJWTError as error:
            raise aadsts(50013, reason=str(error)) from error
        check_validity(claims, now, skew)

    async def _keys(self, issuer: str) -> list[jwt.PyJWK]:
        """Return the keys that an issuer publishes, found as OpenID Connect Discovery says."""
        context = ssl.create_default_context(cadata=self._platform.authority.pem().decode())
        proxy = f"http://127.0.0.1:{self._platform.ports['proxy']}"
        try:
            async with httpx.AsyncClient(
                proxy=proxy, verify=context, timeout=TIMEOUT_SECONDS, trust_env=False
            ) as client:
                found = await _read(client, f"{issuer.rstrip('/')}/.well-known/openid-configuration")
                # A document that names another issuer counts as none.
                url = {found["issuer"]: found["jwks_uri"]}[issuer]
                return jwt.PyJWKSet.from_dict(await _read(client, url)).keys
        except (httpx.HTTPError, httpx.InvalidURL, ValueError, LookupError, TypeError, jwt.PyJWTError) as error:
            raise aadsts(50166) from error


async def _read(client: httpx.AsyncClient, url: str) -> dict[str, Any]:
    reply = await client.get(url)
    return dict(reply.raise_for_status().json())


def is_federated(assertion: str) -> bool:
    """Tell whether an assertion is a token of another issuer, not one that the client signed with a certificate's key."""
    try:
        return str(jwt.decode(assertion, options={"verify_signature": False}).get("iss")).startswith("https://")
    except jwt.PyJWTError:
        return False


def _require_record(credentials: Sequence[Document], claims: dict[str, Any]) -> None:
    """Check that one credential has exactly the issuer, the subject and an audience of a token."""
    given = claims.get("aud")
    issuer, subject = claims["iss"], claims.get("sub")
    audiences = set(given if isinstance(given, list) else [given])
    told = {"issuer": str(issuer), "subject": str(subject), "audience": ", ".join(map(str, audiences))}
    if not credentials:
        raise aadsts(70021, **told)
    of_issuer = [known for known in credentials if known["issuer"] == issuer]
    if not of_issuer:
        raise aadsts(700211, **told)
    of_subject = [known for known in of_issuer if known["subject"] == subject]
    if not of_subject:
        raise aadsts(700213, **told)
    if audiences.isdisjoint(audience for known in of_subject for audience in known["audiences"]):
        raise aadsts(700212, **told)
