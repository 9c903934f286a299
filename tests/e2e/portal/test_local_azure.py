"""The local Azure's own page, in a browser with the options of `python -m emulator browse`."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from emulator.arm.models import ArmModel
from emulator.control import ControlModel
from emulator.core.faults import Fault
from emulator.core.platform import Platform
from emulator.core.world import World
from emulator.run.azure import make_platform
from emulator.run.commands import browse
from emulator.run.seed import seed
from emulator.run.state import PORTS
from tests.e2e.portal import browser
from tests.e2e.portal.browser import AXE, complaints, violations
from tests.emulator.groups import ensure_group
from tests.platform_server import free_port, listening

pytestmark = [pytest.mark.timeout(300)]
ASKS_NOBODY = "--disable-features=LocalNetworkAccessChecks"
HOSTILE = "<img src=x onerror=\"document.title='owned'\">"


@dataclass
class Console:
    """The page, the platform that it shows, and what the browser has complained about."""

    page: Any
    platform: Platform
    address: str
    complaints: list[str]

    def open(self, view: str, heading: str) -> None:
        """Open a view, and look for what axe finds wrong with it."""
        self.page.goto(f"{self.address}/#/{view}")
        self.page.get_by_role("heading", level=1, name=heading).wait_for()

    def faults(self) -> list[Fault]:
        """Return the faults in force."""
        return self.platform.faults.list()


@pytest.fixture(scope="module")
def window(driver: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Any, Platform, str]]:
    """Run the services of a local Azure, without its processes, and give a browser that reaches them."""
    root = tmp_path_factory.mktemp("state")
    ports = {name: free_port() for name in PORTS}
    world = World()
    platform = make_platform(root, ports, time_scale=1000, world=world)
    seed(platform)
    arm = platform.model(ArmModel)
    for name in ("one", "two"):
        group = ensure_group(arm, world.subscription_id, name, "eastus")
        zone = {"name": f"{name}.example", "type": "Microsoft.Network/dnsZones", "location": "global", "etag": "1"}
        identifier = f"{group}/providers/{zone['type']}/{zone['name']}"
        arm.documents.put({"id": identifier, "properties": {}, **zone})
    with listening(platform, {ports["arm"]: True, ports["control"]: False}) as local:
        platform.model(ControlModel).ready = True
        # A browser of today asks its user before a page of another site may ask this machine. Not all do.
        options = (*browse.options(local.proxy, platform.authority.certificate_path), ASKS_NOBODY)
        with browser.chromium(driver, *options) as found:
            yield found, platform, f"http://localhost:{ports['control']}"


@pytest.fixture
def console(window: tuple[Any, Platform, str]) -> Iterator[Console]:
    """Give a window of its own, on a phone."""
    found, platform, address = window
    context = found.new_context(viewport={"width": 380, "height": 760})
    page = context.new_page()
    page.set_default_timeout(30_000)
    page.add_init_script(path=AXE)
    met = complaints(page)
    yield Console(page, platform, address, met)
    context.close()
    platform.faults.clear()
    assert met == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_view_is_accessible_and_fits_a_phone(console: Console, scheme: str) -> None:
    """With data, and in both colours; nothing needs to be moved sideways but a table."""
    console.page.emulate_media(color_scheme=scheme)
    console.platform.faults.add(Fault(service="cosmos", operation="query", count=3))
    views = (
        ("", "Overview", "Faster than"),
        ("resources", "Resources", "Microsoft."),
        ("journal", "Journal", "calls, the"),
    )
    for view, heading, text in (*views, ("faults", "Faults", "Other faults")):
        console.open(view, heading)
        console.page.get_by_text(text).first.wait_for()
        assert violations(console.page) == [], view
        assert console.page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0, view
    assert console.page.get_by_role("link", name="Faults").get_attribute("aria-current") == "page"


def test_a_switch_makes_a_service_fail_until_it_is_switched_off(console: Console) -> None:
    """By keyboard, and the focus stays; faults that somebody else has put in force are lifted one by one."""
    console.platform.faults.add(Fault(service="arm", operation="PUT .*", kind="reset", count=3))
    console.open("faults", "Faults")
    page = console.page
    page.get_by_label("A service that is switched on").select_option("throttles: 429")
    switch = page.get_by_role("switch", name="keyvault fails")
    switch.press("Space")
    page.get_by_role("switch", name="keyvault fails", checked=True).wait_for()
    assert page.evaluate("document.activeElement.id") == "switch-keyvault"
    (own,) = (fault for fault in console.faults() if fault.service == "keyvault")
    assert (own.kind, own.status_code, own.retry_after) == ("status", 429, 1)
    switch.press("Space")
    page.get_by_role("switch", name="keyvault fails", checked=False).wait_for()
    assert [fault.service for fault in console.faults()] == ["arm"]
    page.get_by_role("button", name="Lift the fault of arm").press("Enter")
    page.get_by_text("has more kinds").wait_for()
    assert console.faults() == []


def test_the_journal_is_filtered_and_a_strangers_text_stays_text(console: Console) -> None:
    """A call under Azure's name is trusted by the authority's key; what belongs together is one press away."""
    page = console.page
    answer = page.goto(f"https://management.azure.com/{HOSTILE}?api-version=2022-09-01")
    assert answer.status >= 400
    page.goto("https://management.azure.com/metadata/endpoints?api-version=2022-09-01")
    console.open("journal", "Journal")
    page.get_by_label("Filter by any text").fill("onerror")
    page.get_by_text("1 calls").wait_for()
    page.get_by_label("Filter by any text").fill("metadata/endpoints")
    page.get_by_text("200", exact=True).first.wait_for()
    page.get_by_label("Only what failed").check()
    page.get_by_text("0 calls").wait_for()
    assert page.title().startswith("Journal")


def test_resources_are_grouped_by_service_and_filtered(console: Console) -> None:
    """By what a name, a type, a group or a state has."""
    console.open("resources", "Resources")
    page = console.page
    page.get_by_role("heading", level=2, name="Microsoft.Network (2)").wait_for()
    assert page.get_by_role("heading", level=2, name="Microsoft.Authorization").count() == 1
    page.get_by_label("Filter").fill("TWO.EXAMPLE")
    page.get_by_text("1 of").wait_for()
    assert page.get_by_role("cell", name="two.example").count() == 1
    assert page.get_by_role("heading", level=2).all_inner_texts() == ["Microsoft.Network (1)"]


def test_another_site_switches_and_reads_nothing(console: Console) -> None:
    """Not even one of this machine, by a request that needs no leave; and it cannot frame the page."""
    page, other = console.page, f"http://localhost:{free_port()}/"
    page.route(other, lambda route: route.fulfill(content_type="text/html", body="<iframe></iframe>"))
    page.goto(other)
    read = page.evaluate(
        """async (address) => {
          const fault = JSON.stringify({ service: "arm", count: 9 });
          await fetch(`${address}/faults`, { method: "POST", mode: "no-cors", body: fault });
          document.querySelector("iframe").src = address;
          return fetch(`${address}/journal`).then(() => "read", () => "refused");
        }""",
        console.address,
    )
    assert read == "refused"
    assert console.faults() == []
    refused = [call for call in console.platform.journal.entries(service="control") if call.error == "AnotherSite"]
    assert [call.operation for call in refused] == ["POST faults", "GET journal"]
    page.wait_for_function("document.querySelector('iframe').contentDocument === null")
    assert any("frame" in text for text in console.complaints)
    console.complaints.clear()
