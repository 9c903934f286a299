"""`infra/registration.json`: what callers' tokens of one's own service are for."""

import json
from pathlib import Path
from typing import Any

from frontend.callers.rights import Role

REGISTRATION: Any = json.loads(
    (Path(__file__).resolve().parents[4] / "infra" / "registration.json").read_text(encoding="utf-8")
)


def test_the_registration_has_the_roles_that_the_service_asks_for() -> None:
    """People and programs can have them."""
    roles = {role["value"]: role for role in REGISTRATION["appRoles"]}
    assert roles.keys() == set(Role)
    assert all(role["isEnabled"] for role in roles.values())
    assert all(role["allowedMemberTypes"] == ["User", "Application"] for role in roles.values())


def test_tokens_have_the_version_and_the_scope_that_the_service_accepts() -> None:
    """Tokens of version 1 have another issuer, and the service refuses them."""
    api = REGISTRATION["api"]
    assert api["requestedAccessTokenVersion"] == 2
    assert [scope["value"] for scope in api["oauth2PermissionScopes"]] == ["user_impersonation"]


def test_no_two_ids_are_the_same() -> None:
    """Graph refuses a scope that has the id of a role."""
    ids = [each["id"] for each in [*REGISTRATION["appRoles"], *REGISTRATION["api"]["oauth2PermissionScopes"]]]
    assert len(ids) == len(set(ids))
