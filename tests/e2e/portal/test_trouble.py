"""What the page does when something goes wrong: it says what happened and what to do, and loses nothing."""

import re
from typing import Any

import pytest

from tests.e2e.portal.browser import violations
from tests.e2e.portal.stand import Stand
from tests.product.unit.frontend.world import CLIENT_SECRET, CLUSTER

pytestmark = [pytest.mark.timeout(300)]
SUBNETS = f"{CLUSTER.partition('/providers')[0]}/providers/Microsoft.Network/virtualNetworks/vnet/subnets"
TYPED = {
    "Name": "C1",
    "Resource group": "Customer",
    "Domain": "c1",
    "Subnet of the masters (its id)": f"{SUBNETS}/master",
    "Subnet of the workers (its id)": f"{SUBNETS}/worker",
    "Application of the cluster (its id)": "11111111-0000-0000-0000-000000000001",
    "Secret of that application": CLIENT_SECRET,
}


@pytest.fixture
def form(stand: Stand) -> Stand:
    """Show the form of a create, filled in."""
    stand.open("#/create")
    for label, value in TYPED.items():
        stand.page.get_by_label(label, exact=True).fill(value)
    return stand


def expect_typed(stand: Stand) -> None:
    """Expect that the form still has everything."""
    for label, value in TYPED.items():
        assert stand.page.get_by_label(label, exact=True).input_value() == value


def ask_to_create(stand: Stand) -> Any:
    """Confirm the create; return the dialog."""
    stand.page.get_by_role("button", name="Create").click()
    dialog = stand.page.get_by_role("dialog")
    dialog.get_by_role("button", name="Create it").click()
    return dialog


def created(stand: Stand) -> bool:
    """Tell whether there is a cluster."""
    return bool(stand.world.cosmos["OpenShiftClusters"].documents)


def test_a_create_that_is_throttled_or_comes_too_early_is_sent_again(form: Stand) -> None:
    """The service says that it has not taken it; the page says so where the caller looks, and sends it once more."""
    form.failing += [429, 503]
    dialog = ask_to_create(form)
    dialog.get_by_text("has not taken the request. It is sent again in 1 s.").wait_for()
    assert violations(form.page) == []
    form.page.get_by_role("heading", level=1, name="C1 Creating").wait_for()
    assert form.asked.count(("PUT", CLUSTER)) == 3


@pytest.mark.parametrize("status", [500, 504, 0], ids=["failing", "slow", "away"])
def test_a_create_of_which_nobody_knows_is_sent_once(form: Stand, status: int) -> None:
    """Whether the service has it is not known. Everything is still there, also after Back."""
    form.failing.append(status)
    dialog = ask_to_create(form)
    dialog.locator(".problem").wait_for()
    assert form.asked.count(("PUT", CLUSTER)) == 1
    dialog.get_by_role("button", name="Back").click()
    expect_typed(form)
    assert not created(form)


def test_a_sign_in_that_ends_in_a_dialog_is_asked_for_there(form: Stand) -> None:
    """Nothing behind a dialog can be reached. Afterwards the create goes on by itself."""
    form.page.evaluate("globalThis.expired = true")
    dialog = ask_to_create(form)
    dialog.get_by_role("button", name="Sign in again").click()
    form.page.get_by_role("heading", level=1, name="C1 Creating").wait_for()


def test_a_sign_in_that_ends_is_asked_for_in_the_next_view_too(stand: Stand) -> None:
    """Also if the caller first goes elsewhere."""
    stand.create("C1")
    stand.open(f"#{CLUSTER}")
    page = stand.page
    page.get_by_role("heading", level=1, name="C1 Creating").wait_for()
    page.evaluate("globalThis.expired = true")
    page.get_by_role("button", name="Sign in again").wait_for()
    page.get_by_role("link", name="OpenShift clusters").click()
    page.get_by_role("heading", level=1, name="All clusters").wait_for()
    page.get_by_role("button", name="Sign in again").click()
    page.get_by_text("1 cluster.").wait_for()
    assert page.get_by_role("button", name="Sign in again").count() == 0


def test_a_role_that_is_taken_away_keeps_what_was_typed(form: Stand) -> None:
    """The answer names the missing action and who can give it; once it is back, the same dialog goes on."""
    form.world.rights.nothing = True
    dialog = ask_to_create(form)
    dialog.get_by_text("Ask an owner of the subscription").wait_for()
    assert violations(form.page) == []
    form.world.rights.nothing = False
    dialog.get_by_role("button", name="Create it").click()
    form.page.get_by_role("heading", level=1, name="C1 Creating").wait_for()


def test_a_view_that_was_refused_is_tried_again(stand: Stand) -> None:
    """Without a reload, which would ask to sign in."""
    stand.create("C1")
    stand.open(f"#{CLUSTER}")
    page = stand.page
    page.get_by_role("heading", level=1, name="C1 Creating").wait_for()
    stand.world.rights.nothing = True
    page.get_by_text("AuthorizationFailed").wait_for()
    stand.world.rights.nothing = False
    page.get_by_role("button", name="Try again").click()
    page.get_by_role("heading", level=1, name="C1 Creating").wait_for()


def test_a_form_that_was_left_has_everything_but_secrets(form: Stand) -> None:
    """What was typed is in the page's memory; a secret is in its field alone."""
    page = form.page
    page.get_by_role("link", name="OpenShift clusters").click()
    page.get_by_text("There is no cluster that you may read.").wait_for()
    page.go_back()
    page.get_by_label("Domain").wait_for()
    for label, value in TYPED.items():
        want = "" if label.startswith("Secret") else value
        assert page.get_by_label(label, exact=True).input_value() == want


def test_a_service_that_is_slow_is_waited_for(stand: Stand) -> None:
    """The page says so, and keeps what it shows."""
    stand.create("C1")
    stand.page.clock.install()
    stand.open(f"#{CLUSTER}")
    page = stand.page
    page.get_by_role("heading", level=1, name="C1 Creating").wait_for()
    stand.held.add(("GET", "/openShiftClusters/C1"))
    page.clock.run_for(10_000)
    page.get_by_text("The service is slow.").wait_for()
    assert page.get_by_role("heading", level=1, name="C1 Creating").is_visible()
    assert violations(page) == []


def test_a_dry_run_tells_row_by_row_what_would_be_refused(form: Stand) -> None:
    """It changes nothing, and its result comes when the service has it; what was typed stays."""
    page, answers = (
        form.page,
        [
            (202, {}),
            (
                200,
                {
                    "refused": ["validate_network"],
                    "rows": [
                        {"row": "validate_network", "verdict": "refused", "message": "The subnet is too small."},
                        {"row": "create_dns", "verdict": "would change"},
                    ],
                },
            ),
        ],
    )

    def answer(route: Any) -> None:
        status, content = answers.pop(0)
        route.fulfill(
            status=status, json=content, headers={"Location": f"{CLUSTER}/dryRuns/create-1", "Retry-After": "1"}
        )

    page.route(re.compile("/dryRuns?[/?]"), answer)
    page.get_by_role("button", name="Try it (dry run)").click()
    page.get_by_text("The create would fail: validate_network would be refused.").wait_for()
    page.get_by_role("cell", name="The subnet is too small.").wait_for()
    assert violations(page) == []
    assert not created(form)
    expect_typed(form)


def test_a_create_by_keyboard_alone(stand: Stand) -> None:
    """From the list to the running create: Tab reaches each field, and the dialog takes and gives back the focus."""
    stand.open()
    page, keyboard = stand.page, stand.page.keyboard
    page.get_by_text("There is no cluster that you may read.").wait_for()
    _tab_to(page, "Create a cluster")
    keyboard.press("Enter")
    page.get_by_label("Resource group").wait_for()
    for label, value in TYPED.items():
        _tab_to(page, label)
        keyboard.type(value)
    _tab_to(page, "Create")
    keyboard.press("Enter")
    page.get_by_role("dialog").wait_for()
    keyboard.press("Escape")
    page.get_by_role("dialog").wait_for(state="detached")
    assert _focused(page) == "Create"
    keyboard.press("Enter")
    page.get_by_role("dialog").wait_for()
    _tab_to(page, "Create it")
    keyboard.press("Enter")
    page.get_by_role("heading", level=1, name="C1 Creating").wait_for()


def _focused(page: Any) -> str:
    """Return the name of what has the focus: its label, or its text."""
    return str(page.evaluate("(document.activeElement.labels?.[0] ?? document.activeElement).textContent"))


def _tab_to(page: Any, name: str) -> None:
    for _ in range(40):
        if _focused(page) == name:
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"Tab does not lead to {name}")
