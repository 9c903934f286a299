"""What ARM says about a scope: group, locks, subscription."""

from typing import Any

import pytest

from shared.arm.errors import CloudError
from shared.azure import scopes
from shared.azure.arm_reads import ArmRefused
from shared.azure.scopes import Lock
from tests.product.unit.azure.arm_stand_in import GROUP, SUBSCRIPTION, Arm, arm

__all__ = ["arm"]

SUBSCRIPTION_ID = SUBSCRIPTION.rpartition("/")[2]
LOCKS = "/providers/Microsoft.Authorization/locks"


def lock(scope: str, level: Any = "CanNotDelete", name: Any = "keep") -> dict[str, Any]:
    """Return a lock as ARM lists it."""
    return {"id": f"{scope}{LOCKS}/{name}", "name": name, "properties": {"level": level, "notes": "mine"}}


def test_a_group_is_found(arm: Arm) -> None:
    """Its document says who manages it."""
    arm.azure.resources[GROUP.lower()] = {"id": GROUP, "managedBy": "somebody"}
    assert scopes.find_group(arm.reads, SUBSCRIPTION_ID, "desk") == {"id": GROUP, "managedBy": "somebody"}


@pytest.mark.parametrize("name", ["other", "", "desk/x", "desk/providers/Microsoft.Network/virtualNetworks/vnet"])
def test_a_group_that_does_not_exist_is_none(arm: Arm, name: str) -> None:
    """Neither does one with the name of something else."""
    arm.azure.on("GET", "virtualNetworks", lambda _: (200, {}, {}))
    assert scopes.find_group(arm.reads, SUBSCRIPTION_ID, name) is None


def test_the_locks_of_a_scope_are_its_own_and_those_above(arm: Arm) -> None:
    """ARM lists both."""
    found = [lock(GROUP), lock(SUBSCRIPTION.upper(), "ReadOnly", "audit")]
    arm.azure.on("GET", f"/resourceGroups/desk{LOCKS}$", lambda _: (200, {"value": found}, {}))
    assert scopes.locks(arm.reads, GROUP) == [
        Lock(f"{GROUP}{LOCKS}/keep", "keep", "CanNotDelete"),
        Lock(f"{SUBSCRIPTION.upper()}{LOCKS}/audit", "audit", "ReadOnly"),
    ]
    assert arm.azure.calls[0].query == {"api-version": ["2020-05-01"], "$filter": ["atScope()"]}


def test_a_lock_elsewhere_does_not_hold(arm: Arm) -> None:
    """One on a resource of the group protects that resource alone."""
    found = [lock(f"{GROUP}2"), lock(f"{GROUP}/providers/Microsoft.Storage/storageAccounts/a")]
    arm.azure.on("GET", LOCKS, lambda _: (200, {"value": found}, {}))
    assert scopes.locks(arm.reads, GROUP) == []


def test_a_lock_whose_id_has_no_scope_holds(arm: Arm) -> None:
    """ARM listed it for this scope."""
    arm.azure.on("GET", LOCKS, lambda _: (200, {"value": [lock(""), lock("") | {"id": "keep"}]}, {}))
    assert len(scopes.locks(arm.reads, GROUP)) == 2


@pytest.mark.parametrize(
    ("level", "holds"),
    [("cannotdelete", "CanNotDelete"), ("readonly", "ReadOnly"), ("NotSpecified", "ReadOnly"), ("New", "ReadOnly")],
)
def test_a_level_that_is_not_known_is_the_strictest(arm: Arm, level: str, holds: str) -> None:
    """Somebody wanted to protect the scope."""
    arm.azure.on("GET", LOCKS, lambda _: (200, {"value": [lock(GROUP, level)]}, {}))
    assert [each.level for each in scopes.locks(arm.reads, GROUP)] == [holds]


@pytest.mark.parametrize("broken", [{}, {"id": GROUP, "name": "x"}, lock(GROUP, None), lock(GROUP) | {"name": None}])
def test_a_lock_of_another_form_is_not_ignored(arm: Arm, broken: Any) -> None:
    """It might protect the scope."""
    arm.azure.on("GET", LOCKS, lambda _: (200, {"value": [lock(GROUP), broken]}, {}))
    with pytest.raises(ArmRefused):
        scopes.locks(arm.reads, GROUP)


def test_a_group_that_does_not_exist_has_the_locks_of_its_subscription(arm: Arm) -> None:
    """A cluster whose group somebody deleted is as protected as its subscription."""
    arm.azure.on("GET", f"^{SUBSCRIPTION}{LOCKS}$", lambda _: (200, {"value": [lock(SUBSCRIPTION)]}, {}))
    assert [each.name for each in scopes.locks(arm.reads, GROUP)] == ["keep"]


@pytest.mark.parametrize("scope", ["desk", "/", "", "/subscriptions"])
def test_a_text_that_is_no_scope_has_no_known_locks(arm: Arm, scope: str) -> None:
    """So nobody may take them for none."""
    with pytest.raises(ArmRefused):
        scopes.locks(arm.reads, scope)


@pytest.mark.parametrize(
    ("state", "want"),
    [
        ("Enabled", "Registered"),
        ("PastDue", "Registered"),
        ("Warned", "Warned"),
        ("Disabled", "Suspended"),
        ("Deleted", "Deleted"),
        ("enabled", "Registered"),
        ("Unheard", None),
        (None, None),
        ({}, None),
    ],
)
def test_a_subscription_has_the_state_that_arm_would_report(arm: Arm, state: Any, want: str | None) -> None:
    """An unknown state allows nothing."""
    arm.azure.resources[SUBSCRIPTION] = {"id": SUBSCRIPTION, "state": state}
    assert scopes.subscription_state(arm.reads, SUBSCRIPTION_ID) == want


@pytest.mark.parametrize("status", [401, 403, 404])
def test_a_subscription_that_the_app_cannot_see_has_no_state(arm: Arm, status: int) -> None:
    """It is not this service's."""
    arm.azure.fails("GET", f"^{SUBSCRIPTION}$", status, "SubscriptionNotFound")
    assert scopes.subscription_state(arm.reads, SUBSCRIPTION_ID) is None


def test_while_arm_is_away_nothing_is_known_of_a_subscription(arm: Arm) -> None:
    """It must not look like one that is gone."""
    arm.azure.fails("GET", f"^{SUBSCRIPTION}$", 503, "ServerBusy")
    with pytest.raises(CloudError) as away:
        scopes.subscription_state(arm.reads, SUBSCRIPTION_ID)
    assert away.value.status_code == 503
