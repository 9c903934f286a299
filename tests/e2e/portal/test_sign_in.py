"""The page on the local Azure, with everything that it has for people: Entra's sign-in by Microsoft's own library."""

import random
import re
from typing import Any

import pytest

from tests.e2e.portal.browser import AXE, complaints, violations
from tests.entra_azure import EntraAzure
from tests.local_azure import unique, wait_for
from tests.product.integration.own.stage import prepare

pytestmark = [pytest.mark.slow(120), pytest.mark.timeout(900)]
# A create takes some twenty seconds of this platform's time, and a busy machine's own work.
END_MILLISECONDS = 600_000


@pytest.fixture
def page(entra_azure: EntraAzure, chromium: Any) -> Any:
    """Give a window whose internet is the local Azure."""
    window = chromium.new_context(proxy={"server": entra_azure.endpoints["proxy"]}, ignore_https_errors=True)
    page = window.new_page()
    page.set_default_timeout(60_000)
    page.add_init_script(path=AXE)
    yield page
    window.close()


def sign_in(page: Any, azure: EntraAzure, name: str) -> None:
    """Open the page, and choose a user in the window of Entra."""
    page.goto(f"{azure.endpoints['service']}/portal")
    with page.expect_popup() as popup:
        page.get_by_role("button", name="Sign in").click()
    popup.value.get_by_role("link", name=re.compile(f"^{name}@")).click()
    page.get_by_role("heading", level=1, name="All clusters").wait_for()


def test_a_user_signs_in_and_follows_a_create_to_its_end(
    entra_azure: EntraAzure, page: Any, rng: random.Random
) -> None:
    """Somebody has begun it elsewhere; the page finds it, and shows each step until all are done."""
    azure, name = entra_azure, unique(rng)
    user = azure.user(name)
    owner = prepare(azure, name, user)
    begun = user.send("PUT", owner.cluster_id, owner.body())
    assert begun.status_code == 201, begun.text
    met = complaints(page)

    sign_in(page, azure, name)
    page.get_by_label("Filter").fill(name)
    page.get_by_role("link", name=name).click()
    page.get_by_text(f"Begun by User {user.object_id}").wait_for()
    page.get_by_role("heading", level=2, name=re.compile("Create: Creating, [1-9]")).wait_for()
    assert violations(page) == []
    ended = page.get_by_role("heading", level=2, name=re.compile("Create: Succeeded after"))
    ended.wait_for(timeout=END_MILLISECONDS)
    page.get_by_role("heading", level=1, name=f"{name} Succeeded").wait_for()
    assert page.get_by_text("◆").count() > 3
    assert violations(page) == []

    page.get_by_role("button", name="Get a kubeconfig", exact=True).click()
    with page.expect_download() as download:
        page.get_by_role("dialog").get_by_role("button", name="Get a kubeconfig", exact=True).click()
    assert "client-certificate-data" in download.value.path().read_text()

    page.get_by_role("button", name="Delete").click()
    page.get_by_role("dialog").get_by_label(f"Type {name} to go on").fill(name)
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    page.get_by_text("There is no such cluster, or no longer.").wait_for(timeout=END_MILLISECONDS)
    wait_for(lambda: user.send("GET", owner.cluster_id).status_code == 404, "the end of the delete")
    assert met == []


def test_somebody_without_rights_signs_in_and_sees_none(entra_azure: EntraAzure, page: Any, rng: random.Random) -> None:
    """Signed in is not enough."""
    name = unique(rng, "x")
    entra_azure.user(name)
    sign_in(page, entra_azure, name)
    page.get_by_text("There is no cluster that you may read.").wait_for()


def test_a_page_of_another_site_gets_nothing(entra_azure: EntraAzure, page: Any) -> None:
    """It cannot frame the page, and cannot read what the service answers."""
    service = entra_azure.endpoints["service"]
    frame = f"<iframe src='{service}/portal'></iframe>"
    page.route("https://evil.example/", lambda route: route.fulfill(content_type="text/html", body=frame))
    page.goto("https://evil.example/")
    wait_for(lambda: len(page.frames) > 1, "the frame")
    assert page.frames[1].locator("#sign-in").count() == 0
    read = "address => fetch(address).then(() => 'read', () => 'refused')"
    assert page.evaluate(read, f"{service}/portal/config.json") == "refused"
