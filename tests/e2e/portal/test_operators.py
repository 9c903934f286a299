"""What the page shows operators: all clusters of a hosted service, and the sites of either."""

from pathlib import Path
from typing import Any

import pytest

from tests.e2e.portal.browser import violations
from tests.e2e.portal.stand import Stand, with_certificate
from tests.product.unit.blobs_fake import FakeBlobs
from tests.product.unit.frontend.admin.test_all_clusters import OTHER, copies
from tests.product.unit.frontend.sites.test_sites import SITE, send, stored
from tests.product.unit.frontend.world import CLUSTER, NOW, SUBSCRIPTION

pytestmark = [pytest.mark.timeout(300)]


def test_an_operator_sees_all_clusters_and_what_a_customer_does_not(hosted: Stand) -> None:
    """Nobody signs in: the browser has the certificate. What only a customer may do is not offered."""
    hosted.create("C1")
    hosted.step("validate_network", "Running", message="deployment 'network' of rp-internal is Running")
    copies(hosted.world, *[SUBSCRIPTION, OTHER] * 60)
    hosted.open()
    page = hosted.page
    page.get_by_text("121 clusters.").wait_for()
    page.get_by_text("Rows 1 to 100 of 121").wait_for()
    assert page.get_by_role("link", name="Create a cluster").count() == 0
    page.get_by_role("button", name="Next").click()
    page.get_by_text("Rows 101 to 121 of 121").wait_for()
    assert page.locator("tbody tr").count() == 21
    assert violations(page) == []
    page.get_by_label("Filter").fill(OTHER)
    page.get_by_text("60 of 121 clusters.").wait_for()
    page.get_by_label("Filter").fill("C1 Customer")
    page.get_by_role("button", name="Name").click()
    page.get_by_role("button", name="Name").click()
    page.get_by_role("link", name="C1", exact=True).click()
    page.get_by_text("deployment 'network' of rp-internal is Running").wait_for()
    offered = page.get_by_role("group", name="Actions").get_by_role("button").all_inner_texts()
    assert offered == ["Cancel"]
    assert violations(page) == []
    page.get_by_role("button", name="Cancel").click()
    page.get_by_role("dialog").get_by_role("button", name="Cancel").click()
    page.get_by_role("dialog").wait_for(state="detached")
    assert len([each for each in hosted.world.cosmos["OpenShiftClusters"].writes if each.get("canceling")]) == 1


def test_an_operator_renews_what_ends_in_a_cluster(hosted: Stand) -> None:
    """Below the operators' own path."""
    hosted.create("C1")
    hosted.world.finish()
    hosted.open(f"#{CLUSTER}")
    hosted.page.get_by_role("button", name="Renew").click()
    hosted.page.get_by_role("dialog").get_by_role("button", name="Renew").click()
    hosted.page.get_by_role("dialog").wait_for(state="detached")
    assert ("POST", f"/sre{CLUSTER}/renew") in hosted.asked


def test_a_browser_without_the_certificate_learns_what_is_missing(hosted: Stand) -> None:
    """And the page says what to do."""
    hosted.ask = with_certificate(hosted.world, b"")
    hosted.open()
    hosted.page.get_by_text("The client certificate of this request is not an operator's.").wait_for()
    hosted.page.get_by_text("a browser with the operators' certificate").wait_for()
    assert violations(hosted.page) == []


@pytest.fixture
def site(hosted: Stand, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Stand:
    """Give a site with a plan."""
    FakeBlobs().install(monkeypatch)
    assert send(hosted.world, "PUT", SITE, {"bundle": stored(hosted.world, tmp_path / "site")}).status == 201
    return hosted


def test_sites_show_their_plans_and_phases_and_what_would_change(site: Stand) -> None:
    """A dry run begins at once, and a run after a question; only one is at work at a time."""
    site.open("#/sites")
    page = site.page
    page.get_by_role("link", name="edge-1").wait_for()
    assert violations(page) == []
    page.get_by_role("link", name="edge-1").press("Enter")
    plans = page.get_by_role("table", name="Plans")
    plans.get_by_role("button", name="What would change").click()
    page.get_by_role("heading", level=2, name="Site: Running, 0 %").wait_for()
    operation: Any = next(iter(site.world.operations()))
    assert [row["executor"] for row in site.world.plan(operation["id"])["rows"]][:-1] == ["dry_run_phase"] * 2
    plans.get_by_role("button", name="Run", exact=True, disabled=True).wait_for()
    assert violations(page) == []
    page.get_by_role("button", name="Cancel").click()
    page.get_by_role("dialog").get_by_role("button", name="Cancel it").click()
    page.get_by_role("dialog").wait_for(state="detached")
    assert site.world.cosmos["Sites"].documents["edge-1", "edge-1"]["canceling"]


def test_a_plan_is_run_after_a_question(site: Stand) -> None:
    """It says what a run does."""
    site.open("#/sites/edge-1")
    page = site.page
    page.get_by_role("table", name="Plans").get_by_role("button", name="Run", exact=True).click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_text("First look at what would change.").wait_for()
    assert not site.world.operations()
    assert violations(page) == []
    dialog.get_by_role("button", name="Run").click()
    page.get_by_role("heading", level=2, name="Site: Running, 0 %").wait_for()


def test_a_site_whose_bundle_is_gone_says_why(site: Stand) -> None:
    """What its last operation was is shown all the same: here one that was refused."""
    site.open("#/sites/edge-1")
    page = site.page
    page.get_by_role("table", name="Plans").get_by_role("button", name="What would change").click()
    page.get_by_role("heading", level=2, name="Site: Running, 0 %").wait_for()
    document: Any = site.world.cosmos["Sites"].documents["edge-1", "edge-1"]
    operation = site.world.operation(document.pop("asyncOperationId"))
    error = {"code": "Conflict", "message": "1 refused: ConfigMap team/notice."}
    operation["asyncOperation"] |= {"status": "Failed", "endTime": NOW.isoformat(), "error": error}
    document["bundle"] = "0" * 64
    page.get_by_role("heading", level=2, name="Site: Failed after").wait_for()
    page.get_by_text("The site 'edge-1' cannot be read").wait_for()
    page.get_by_text("Conflict: 1 refused: ConfigMap team/notice.").wait_for()
    assert violations(page) == []


def test_a_site_that_does_not_exist_says_so(hosted: Stand) -> None:
    """And so does the list without one."""
    hosted.open("#/sites/none")
    hosted.page.get_by_text("There is no such site, or no longer.").wait_for()
    hosted.page.get_by_role("link", name="Sites").first.click()
    hosted.page.get_by_text("There is no site.").wait_for()
    assert violations(hosted.page) == []


def test_only_operators_are_shown_the_way_to_sites(stand: Stand) -> None:
    """In one's own subscription the token's app role says who is one."""
    stand.open()
    stand.page.get_by_text("There is no cluster that you may read.").wait_for()
    assert not stand.page.get_by_role("link", name="Sites").is_visible()
    stand.roles = ("Operator",)
    stand.page.reload()
    stand.page.get_by_role("button", name="Sign in").click()
    stand.page.get_by_role("link", name="Sites").wait_for()
