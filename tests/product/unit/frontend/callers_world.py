"""The frontend where callers have tokens: a tenant that signs them, and an Azure RBAC that notes what it is asked."""

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, cast

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa
from jwt.algorithms import RSAAlgorithm

from frontend.callers.tokens import Verifier
from frontend.messages import Reply, Request
from frontend.middleware.chain import respond
from shared import settings
from shared.azure import dependencies
from shared.azure.arm_reads import ArmRefused
from shared.azure.entra_keys import SigningKeys
from shared.azure.rights import Ask
from tests.product.unit.frontend.world import NEW, SUBSCRIPTION, World, match
from tests.product.unit.product_world import ENVIRONMENT

TENANT = ENVIRONMENT["AZURE_TENANT_ID"]
API = "22222222-0000-4000-8000-000000000002"
CLI = "04b07795-8ddb-461a-bbee-02f9e1bf7b46"
USER = "33333333-0000-4000-8000-000000000003"
APPLICATION = "44444444-0000-4000-8000-000000000004"
AUTHORITY = f"https://login.microsoftonline.com/{TENANT}"
PUBLIC_URL = "https://clusters.example.com"
KEY_ID = "key-1"
OWN = {"CALLERS": "entra", "API_CLIENT_ID": API, "PUBLIC_URL": PUBLIC_URL, "TIME_SCALE": "1"}


@cache
def key(name: str = KEY_ID) -> rsa.RSAPrivateKey:
    """Return a key of the tenant."""
    assert name
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


def jwks(*names: str) -> dict[str, Any]:
    """Return the tenant's answer about its keys."""
    return {"keys": [{"use": "sig", "kid": name, **_public(name)} for name in names]}


def _public(name: str) -> dict[str, Any]:
    return dict(RSAAlgorithm.to_jwk(key(name).public_key(), as_dict=True))


def claims(**changes: Any) -> dict[str, Any]:
    """Return the claims of a user's access token; `...` leaves a claim out."""
    now = int(time.time())
    user = {
        "ver": "2.0",
        "iss": f"{AUTHORITY}/v2.0",
        "aud": API,
        "tid": TENANT,
        "oid": USER,
        "sub": "pairwise",
        "azp": CLI,
        "scp": "user_impersonation",
        "preferred_username": "ann@example.com",
        "iat": now - 60,
        "nbf": now - 60,
        "exp": now + 3600,
    }
    return {name: value for name, value in (user | changes).items() if value is not ...}


def token(key_id: str = KEY_ID, /, **changes: Any) -> str:
    """Return a user's access token."""
    return jwt.encode(claims(**changes), key(key_id), "RS256", headers={"kid": key_id})


def application_token(**changes: Any) -> str:
    """Return the access token of an application, which no user signed in to."""
    own = {"oid": APPLICATION, "sub": APPLICATION, "azp": APPLICATION, "scp": ..., "preferred_username": ...}
    return token(**(own | changes))


@dataclass
class FakeRights:
    """Azure RBAC: allows everything but what a test takes away."""

    denied: set[tuple[str, str]] = field(default_factory=set)
    asked: list[tuple[str, str]] = field(default_factory=list)
    fresh: list[bool] = field(default_factory=list)
    nothing: bool = False
    stranger: bool = False
    is_away: bool = False

    def holds(self, principal_id: str, _scope: str) -> bool:
        assert principal_id in (USER, APPLICATION)
        return not self.stranger

    def subscriptions(self, principal_id: str) -> list[str]:
        return [SUBSCRIPTION] if self.holds(principal_id, "") else []

    def may(self, principal_id: str, ask: Ask, *, fresh: bool = False) -> bool:
        return self.may_each(principal_id, [ask], fresh=fresh)[0]

    def may_each(self, principal_id: str, asks: Sequence[Ask], *, fresh: bool = False) -> list[bool]:
        assert principal_id in (USER, APPLICATION, ENVIRONMENT["RP_OBJECT_ID"])
        self.asked += [(ask.action, ask.scope) for ask in asks]
        self.fresh += [fresh for _ in asks]
        if self.is_away:
            raise dependencies.away(dependencies.ARM)
        return [not self.nothing and (ask.action, ask.scope.lower()) not in self.denied for ask in asks]

    def deny(self, action: str, scope: str) -> None:
        self.denied.add((action, scope.lower()))


@dataclass
class FakeArm:
    """What ARM says about groups, locks and subscriptions."""

    groups: dict[str, dict[str, Any]] = field(default_factory=dict)
    locks: dict[str, str] = field(default_factory=dict)
    states: dict[str, str] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    is_away: bool = False
    refuses: bool = False

    def get(self, path: str, _api_version: str) -> dict[str, Any] | None:
        self._note(path)
        if "/resourceGroups/" in path:
            return self.groups.get(path.rpartition("/")[2].lower())
        state = self.states.get(path.rpartition("/")[2])
        return {"state": state} if state else None

    def list(self, path: str, _api_version: str, query: Mapping[str, str]) -> list[dict[str, Any]]:
        self._note(path)
        assert query == {"$filter": "atScope()"}
        marker = "/providers/Microsoft.Authorization/locks"
        return [
            {"id": f"{scope}{marker}/{level}", "name": level, "properties": {"level": level}}
            for scope, level in self.locks.items()
            if path.endswith(marker) and path.lower().startswith(f"{scope.lower()}/")
        ]

    def _note(self, path: str) -> None:
        self.asked.append(path)
        if self.is_away:
            raise dependencies.away(dependencies.ARM)
        if self.refuses:
            raise ArmRefused("The app has no role.")


class CallersWorld(World):
    """The frontend whose callers have tokens."""

    def __init__(self) -> None:
        super().__init__()
        self.published = [KEY_ID]
        self.fetched = 0
        self.entra_is_away = False
        self.clock = 0.0
        self.rights = FakeRights()
        self.arm = FakeArm({"customer": {"name": "Customer"}}, states={SUBSCRIPTION: "Enabled"})
        self.verifier = Verifier(AUTHORITY, TENANT, API, SigningKeys(self._fetch, lambda: self.clock))
        self.services = replace(
            self.services,
            settings=settings.parse(ENVIRONMENT | OWN),
            open_verifier=lambda: self.verifier,
            open_rights=lambda: cast("Any", self.rights),
            open_arm=lambda: cast("Any", self.arm),
        )

    def _fetch(self) -> dict[str, Any]:
        self.fetched += 1
        if self.entra_is_away:
            raise ConnectionError
        return jwks(*self.published)

    def call(
        self,
        method: str,
        path: str,
        content: Any = None,
        *,
        token: str | None = None,
        api_version: str = NEW,
        query: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Reply:
        """Send a request as a user, with another token, or with none (`""`)."""
        sent = {"authorization": f"Bearer {user_token() if token is None else token}"} if token != "" else {}
        raw = b"" if content is None else json.dumps(content).encode()
        sent |= {"content-type": "application/json"} if raw else {}
        route, parameters = match(path)
        asked = ({"api-version": api_version} if api_version else {}) | dict(query or {})
        request = Request(method, "http", {**sent, **(headers or {})}, asked, parameters, raw)
        return respond(route, request, lambda: self.services)


@cache
def user_token() -> str:
    """Return a user's access token."""
    return token()
