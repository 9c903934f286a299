"""Who has nothing in a subscription costs next to no reads of ARM, however often he asks."""

import pytest

from shared.azure.rights import holders
from tests.product.unit.azure.arm_stand_in import CALLER, GROUP, SUBNET, SUBSCRIPTION, Arm, arm
from tests.product.unit.azure_fake import Request

__all__ = ["arm"]

OTHER = "/subscriptions/dddddddd-0000-0000-0000-000000000002"
ROLE = f"{SUBSCRIPTION}/providers/Microsoft.Authorization/roleDefinitions/acdd72a7-3385-48ef-bd42-f606fba81ae7"


@pytest.fixture
def served(arm: Arm) -> list[str]:
    """Give the subscriptions that the app sees, to change."""
    seen = [SUBSCRIPTION]

    def listed(_request: Request) -> tuple[int, object, dict[str, str]]:
        return 200, {"value": [{"subscriptionId": each.rpartition("/")[2].upper()} for each in seen]}, {}

    arm.azure.on("GET", "^/subscriptions$", listed)
    return seen


def paths(arm: Arm) -> list[str]:
    """Return what was read."""
    return [request.path for request in arm.azure.calls]


def test_who_has_nothing_is_asked_about_once_a_minute(arm: Arm, served: list[str]) -> None:
    """One list of the subscription serves for all of its groups, as they are named by whoever asks."""
    assert served
    rights = arm.rights()
    for number in range(20):
        assert not rights.holds(CALLER, f"{SUBSCRIPTION}/resourceGroups/{number}")
    assert paths(arm) == ["/subscriptions", f"{SUBSCRIPTION}/providers/Microsoft.Authorization/roleAssignments"]
    arm.now = 61
    arm.assign(ROLE, GROUP)
    assert rights.holds(CALLER, GROUP)


def test_a_subscription_that_the_service_does_not_serve_costs_no_read(arm: Arm, served: list[str]) -> None:
    """Only the list of those it serves is read, some times a minute: one may have been added."""
    rights = arm.rights()
    for number in range(100, 200):
        assert not rights.holds(CALLER, f"/subscriptions/dddddddd-0000-0000-0000-{number:012}/resourceGroups/x")
    assert paths(arm) == ["/subscriptions"]
    arm.now, arm.assignments = holders.AGAIN_SECONDS + 1, []
    served.append(OTHER)
    arm.assign(ROLE, OTHER)
    assert rights.holds(CALLER, f"{OTHER}/resourceGroups/x")


def test_a_caller_is_told_the_served_subscriptions_in_which_it_has_a_role(arm: Arm, served: list[str]) -> None:
    """Not the others, and nobody but a principal of Entra ID."""
    served.append(OTHER)
    arm.assign(ROLE, f"{OTHER}/resourceGroups/x")
    rights = arm.rights()
    assert rights.subscriptions(CALLER) == [OTHER.rpartition("/")[2]]
    assert rights.subscriptions("nobody") == []


@pytest.mark.parametrize(
    ("held", "asked", "want"),
    [
        pytest.param(GROUP, GROUP, True, id="there"),
        pytest.param(SUBSCRIPTION, GROUP, True, id="above"),
        pytest.param("/providers/Microsoft.Management/managementGroups/m", GROUP, True, id="far above"),
        pytest.param(SUBNET, GROUP, True, id="below"),
        pytest.param(GROUP.upper(), GROUP, True, id="in another case"),
        pytest.param(GROUP, f"{SUBSCRIPTION}/resourceGroups/other", False, id="elsewhere"),
        pytest.param(GROUP, SUBSCRIPTION, True, id="in one of the groups"),
    ],
)
def test_an_assignment_counts_where_it_may_give_a_right(
    arm: Arm, served: list[str], held: str, asked: str, want: bool
) -> None:
    """Somebody with a role elsewhere costs no more than somebody without any."""
    assert served
    arm.assign(ROLE, held)
    assert arm.rights().holds(CALLER, asked) is want


@pytest.mark.parametrize("path", ["^/subscriptions$", "roleAssignments$"])
def test_what_arm_does_not_show_is_asked_where_it_matters(arm: Arm, served: list[str], path: str) -> None:
    """The app may have its rights at groups only. A refusal is kept like every other answer."""
    assert served
    arm.azure.fails("GET", path, 403, "AuthorizationFailed")
    arm.assign(ROLE, GROUP)
    assert arm.rights().holds(CALLER, GROUP)


@pytest.mark.parametrize("scope", ["", "nothing", "/providers/x"])
def test_what_is_no_scope_holds_nothing(arm: Arm, scope: str) -> None:
    """It costs nothing either."""
    assert not arm.rights().holds(CALLER, scope)
    assert arm.azure.calls == []
