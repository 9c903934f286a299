"""Sign-in of users without a browser: by password, and again by refresh token.

Entra ID has more ways; these are the ones that clients without a browser and a person can use.
"""

import hashlib
import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta

from emulator.core.clock import Clock, rfc3339
from emulator.core.store import Document, Table
from emulator.entra.exceptions import aadsts
from emulator.entra.people import People, password_matches

REFRESH_DAYS = 90


@dataclass(frozen=True)
class SignIns:
    """The sign-ins of all tenants.

    Args:
        people: the users.
        clock: the time.
        grants: the refresh tokens that were issued, by hash.
    """

    people: People
    clock: Clock
    grants: Table

    def by_password(self, tenant: Document, name: str, password: str) -> Document:
        """Return the user with this name and password.

        Raises:
            ServiceError: AADSTS50034 unknown user; 50126 wrong password; 50055 a password that has to be changed;
                50057 disabled.
        """
        user = self.people.user_named(tenant["tenantId"], name)
        if user is None:
            raise aadsts(50034, tenant=tenant["displayName"])
        if not password_matches(user, password):
            raise aadsts(50126)
        if user.get("changesPassword"):
            raise aadsts(50055)
        return _usable(user)

    def by_refresh_token(self, tenant: Document, client_id: str, token: str) -> Document:
        """Return the user for whom a refresh token was issued.

        Raises:
            ServiceError: AADSTS9002313 for a token that this client did not get; 700082 expired; 50173 from before a
                change of the password; 50020 for a user of another tenant; 50057 disabled.
        """
        grant = self.grants.get(_key(token))
        user = None if grant is None or grant["clientId"] != client_id else self.people.user(grant["userId"])
        if grant is None or user is None:
            raise aadsts(9002313)
        issued = datetime.fromisoformat(grant["issuedAt"])
        if self.clock.now() > issued + timedelta(days=REFRESH_DAYS):
            raise aadsts(700082, issued=grant["issuedAt"])
        if grant["issuedAt"] < user["tokensValidFrom"]:
            raise aadsts(50173, issued=grant["issuedAt"], valid_from=user["tokensValidFrom"])
        if user["tenantId"] != tenant["tenantId"]:
            raise aadsts(50020, tenant=tenant["displayName"])
        return _usable(user)

    def home_of(self, token: str) -> str:
        """Return the tenant of the user for whom a refresh token was issued.

        Raises:
            ServiceError: AADSTS9002313.
        """
        grant = self.grants.get(_key(token))
        user = None if grant is None else self.people.user(grant["userId"])
        if user is None:
            raise aadsts(9002313)
        return str(user["tenantId"])

    def refresh_token(self, user: Document, client_id: str) -> str:
        """Return a new refresh token of a user for a client. As in Entra ID, older ones stay valid."""
        token = f"1.{secrets.token_urlsafe(64)}"
        issued = rfc3339(self.clock.now())
        self.grants.put(_key(token), {"userId": user["objectId"], "clientId": client_id, "issuedAt": issued})
        return token


def _usable(user: Document) -> Document:
    if not user["accountEnabled"]:
        raise aadsts(50057)
    return user


def _key(token: str) -> str:
    # A random token of 512 bits does not need a slow hash.
    return hashlib.sha256(token.encode()).hexdigest()
