"""Identities of resources: principals that come and go with them, and user-assigned ones."""

from typing import Any

from emulator.entra.models import EntraModel
from emulator.identities.resource_identity import BOTH_CLOSE
from emulator.json_object import Json
from tests.emulator.unit.providers import WORLD, Azure

ACCOUNT, VERSION = "Microsoft.DocumentDB/databaseAccounts/account", "2024-05-15"
IDENTITY = "Microsoft.ManagedIdentity/userAssignedIdentities/one"
BODY: Json = {
    "location": "eastus",
    "properties": {"databaseAccountOfferType": "Standard", "locations": [{"locationName": "eastus"}]},
}
SYSTEM: Json = {"type": "SystemAssigned"}


def _make(azure: Azure, **members: Any) -> Json:
    return azure.make(ACCOUNT, VERSION, BODY | members)


def _exists(azure: Azure, object_id: str) -> bool:
    return azure.platform.model(EntraModel).find_principal(object_id) is not None


def test_a_system_assigned_identity_is_a_principal_that_lives_as_long_as_its_resource(azure: Azure) -> None:
    """A later PUT keeps it, with the member and without; the deletion of the resource removes it."""
    shown = _make(azure, identity=SYSTEM)["identity"]
    assert (shown["type"], shown["tenantId"]) == ("SystemAssigned", WORLD.tenant_id)
    assert _exists(azure, shown["principalId"])
    for again in ({"identity": SYSTEM}, {"tags": {"a": "b"}}, {"identity": shown}):
        assert _make(azure, **again)["identity"] == shown
    azure.delete(ACCOUNT, VERSION)
    assert not _exists(azure, shown["principalId"])


def test_a_system_assigned_identity_that_is_taken_away_is_gone(azure: Azure) -> None:
    """The next one is another principal."""
    before = _make(azure, identity=SYSTEM)["identity"]["principalId"]
    assert "identity" not in _make(azure, identity={"type": "None"})
    assert not _exists(azure, before)
    assert _make(azure, identity=SYSTEM)["identity"]["principalId"] != before


def test_a_resource_may_have_both_kinds(azure: Azure) -> None:
    """Each user-assigned identity is shown with its own ids."""
    one = azure.make(IDENTITY, "2024-11-30", {"location": "eastus"})["properties"]
    wanted = {"type": BOTH_CLOSE, "userAssignedIdentities": {azure.id(IDENTITY): {}}}
    shown = _make(azure, identity=wanted)["identity"]
    assert shown["type"] == BOTH_CLOSE
    assert shown["principalId"] != one["principalId"]
    ids = {name: one[name] for name in ("principalId", "clientId")}
    assert shown["userAssignedIdentities"] == {azure.id(IDENTITY): ids}
