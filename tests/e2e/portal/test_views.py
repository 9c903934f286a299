"""What the page shows and does, in a browser, with the frontend in this process behind it."""

import base64
import re
from datetime import timedelta
from typing import Any

import pytest

from bench.page import ADDRESS, serve
from tests.e2e.portal.browser import eventually, violations
from tests.e2e.portal.stand import Stand
from tests.product.unit.frontend.world import CLIENT_SECRET, CLUSTER

pytestmark = [pytest.mark.timeout(300)]
HOSTILE = "<img src=x onerror=\"document.title='owned'\"><script>document.title='owned'</script>"


def test_an_empty_list_says_so(stand: Stand) -> None:
    """Nothing is wrong with it."""
    stand.open()
    stand.page.get_by_text("There is no cluster that you may read.").wait_for()
    assert violations(stand.page) == []


def test_the_list_is_filtered_sorted_and_kept_when_one_comes_back(stand: Stand) -> None:
    """By keyboard, too; what was chosen stays."""
    stand.create("C1")
    stand.world.finish()
    stand.copies(3)
    stand.open()
    page = stand.page
    page.get_by_text("4 clusters.").wait_for()
    assert violations(page) == []
    names = page.locator("tbody th")
    assert names.all_inner_texts() == ["C1", "copy-0", "copy-1", "copy-2"]
    page.get_by_role("button", name="Name").press("Enter")
    assert names.all_inner_texts() == ["copy-2", "copy-1", "copy-0", "C1"]
    assert page.locator("th[aria-sort]").get_attribute("aria-sort") == "descending"
    page.get_by_label("Filter").fill("copy succeeded")
    page.get_by_text("3 of 4 clusters.").wait_for()
    page.get_by_role("link", name="copy-1").press("Enter")
    page.get_by_role("heading", level=1, name="copy-1 Succeeded").wait_for()
    page.go_back()
    page.get_by_text("3 of 4 clusters.").wait_for()
    assert page.get_by_label("Filter").input_value() == "copy succeeded"


def test_a_create_is_followed_live_and_its_failure_has_a_remedy(stand: Stand) -> None:
    """The view changes by itself; who began it is there, and what each wait waits for."""
    stand.create("C1")
    stand.step("validate_network", "Running", polls=2)
    stand.open(f"#{CLUSTER}")
    page = stand.page
    page.get_by_role("heading", level=2, name=re.compile("Create: Creating, 0 %")).wait_for()
    page.get_by_text("Begun by User").wait_for()
    page.get_by_role("rowheader", name="◆ Validate network (decided the end)", exact=True).wait_for()
    assert violations(page) == []
    stand.fail(HOSTILE)
    page.get_by_role("heading", level=2, name=re.compile("Create: Failed after")).wait_for()
    assert page.get_by_role("status").filter(has_text="create: Failed").count() == 1
    page.get_by_text("what to do: Give the role back.").first.wait_for()
    # A stranger's text stays text.
    assert HOSTILE in page.locator(".operation .problem").inner_text()
    assert "owned" not in page.title()
    assert violations(page) == []


def test_what_asks_for_attention_is_in_the_list_and_in_the_view(stand: Stand) -> None:
    """In the words of the service; a stranger's text stays text."""
    stand.create("C1")
    stand.world.finish()
    # This one is good when it is true.
    stand.condition("HibernationPossible", "True", "No webhook would keep the cluster from starting.")
    stand.condition("Degraded", "True", HOSTILE)
    stand.open()
    page = stand.page
    page.get_by_role("cell", name="Degraded", exact=True).wait_for()
    page.get_by_role("link", name="C1").click()
    page.get_by_role("heading", level=2, name="Conditions").wait_for()
    assert page.get_by_text(HOSTILE).count() == 2
    assert "owned" not in page.title()
    assert violations(page) == []


def test_a_failed_create_is_resumed_after_a_confirmation(stand: Stand) -> None:
    """It says what will happen; until then nothing is sent."""
    stand.create("C1")
    stand.fail("The subnet is gone.")
    stand.open(f"#{CLUSTER}")
    page = stand.page
    page.get_by_role("button", name="Resume").click()
    page.get_by_role("dialog").get_by_text("What is done is not repeated").wait_for()
    assert violations(page) == []
    page.keyboard.press("Escape")
    assert ("PUT", CLUSTER) not in stand.asked
    # The newest operation is shown, and of two that begin at the same time neither is.
    stand.world.now += timedelta(minutes=1)
    page.get_by_role("button", name="Resume").click()
    page.get_by_role("dialog").get_by_role("button", name="Resume").click()
    page.get_by_role("heading", level=2, name=re.compile("Create: Creating")).wait_for()
    assert ("PUT", CLUSTER) in stand.asked


def test_a_running_create_is_canceled_and_deleted(stand: Stand) -> None:
    """A delete wants the name typed."""
    stand.create("C1")
    stand.open(f"#{CLUSTER}")
    page = stand.page
    page.get_by_role("button", name="Cancel").click()
    page.get_by_role("dialog").get_by_role("button", name="Cancel").click()
    page.get_by_role("dialog").wait_for(state="detached")
    assert stand.world.document["canceling"]
    stand.world.now += timedelta(minutes=1)
    page.get_by_role("button", name="Delete").click()
    dialog = page.get_by_role("dialog")
    assert dialog.get_by_role("button", name="Delete").is_disabled()
    dialog.get_by_label("Type C1 to go on").fill("C1")
    dialog.get_by_role("button", name="Delete").click()
    page.get_by_role("heading", level=2, name=re.compile("Delete: Deleting")).wait_for()


def test_a_cluster_is_stopped_and_started(stand: Stand) -> None:
    """And nothing offers what its state does not allow."""
    stand.create("C1")
    stand.world.finish()
    stand.world.now += timedelta(days=2)
    stand.open(f"#{CLUSTER}")
    page = stand.page
    page.get_by_role("button", name="Stop").click()
    assert page.get_by_role("button", name="Start").count() == 0
    page.get_by_role("dialog").get_by_text("Start it again within 90 days").wait_for()
    page.get_by_role("dialog").get_by_role("button", name="Stop").click()
    page.get_by_role("dialog").wait_for(state="detached")
    assert ("POST", f"{CLUSTER}/stop") in stand.asked
    page.locator("#action-stop").wait_for(state="detached")
    stand.world.finish()
    stand.world.document["openShiftCluster"]["properties"]["powerState"] = "Stopped"
    stand.world.cosmos["OpenShiftClusters"].upsert_item(stand.world.document)
    stand.world.now += timedelta(days=1)
    page.get_by_role("button", name="Start").click()
    page.get_by_role("dialog").get_by_text("Its machines start").wait_for()
    page.get_by_role("dialog").get_by_role("button", name="Start").click()
    page.get_by_role("heading", level=2, name=re.compile("Start: Updating")).wait_for()
    assert ("POST", f"{CLUSTER}/start") in stand.asked


def test_what_ends_is_shown_with_its_date_and_who_renews_it(stand: Stand) -> None:
    """By the members that the service itself answers."""
    stand.create()
    stand.world.finish()
    stand.ends(user_kubeconfig=timedelta(days=300, hours=1))
    stand.open(f"#{CLUSTER}")
    table = stand.page.get_by_role("table", name="Certificates and credentials")
    table.get_by_text("300 days").wait_for()
    assert "Service" in table.inner_text()


def test_a_kubeconfig_is_saved_and_not_kept(stand: Stand) -> None:
    """The browser saves the file; the page has nothing of it."""
    stand.create("C1")
    stand.world.finish()
    document = stand.world.document
    document["openShiftCluster"]["properties"]["apiserverProfile"]["url"] = "https://api.c1.example.com:6443/"
    stand.world.cosmos["OpenShiftClusters"].upsert_item(document)
    stand.open(f"#{CLUSTER}")
    page = stand.page
    secret = base64.b64encode(b"clusters: []\n").decode()
    page.route("**/listAdminCredentials*", lambda route: route.fulfill(json={"kubeconfig": secret}))
    page.get_by_role("button", name="Get a kubeconfig", exact=True).click()
    with page.expect_download() as download:
        page.get_by_role("dialog").get_by_role("button", name="Get a kubeconfig", exact=True).click()
    assert download.value.suggested_filename == "C1.kubeconfig"
    assert download.value.path().read_bytes() == b"clusters: []\n"
    kept = page.evaluate("[Object.keys(localStorage), Object.keys(sessionStorage), document.cookie]")
    assert kept == [[], [], ""]


def test_a_create_shows_its_body_without_secrets_and_begins(stand: Stand) -> None:
    """What is shown is what is sent; the page then follows it."""
    stand.open("#/create")
    page = stand.page
    page.get_by_label("Resource group").wait_for()
    assert violations(page) == []
    network = f"{CLUSTER.partition('/providers')[0]}/providers/Microsoft.Network/virtualNetworks/vnet/subnets"
    for label, value in {
        "Name": "C1",
        "Resource group": "Customer",
        "Domain": "c1",
        "Subnet of the masters (its id)": f"{network}/master",
        "Subnet of the workers (its id)": f"{network}/worker",
        "Application of the cluster (its id)": "11111111-0000-0000-0000-000000000001",
        "Secret of that application": CLIENT_SECRET,
    }.items():
        page.get_by_label(label, exact=True).fill(value)
    shown = page.locator("#body").inner_text()
    assert shown.startswith(f"PUT {CLUSTER}\n")
    assert CLIENT_SECRET not in shown
    page.get_by_role("button", name="Create").click()
    page.get_by_role("dialog").get_by_role("button", name="Create it").click()
    page.get_by_role("heading", level=1, name="C1 Creating").wait_for()


def test_a_refused_create_says_why_and_what_was_typed_stays(stand: Stand) -> None:
    """In the service's words."""
    stand.open("#/create")
    page = stand.page
    for field in page.locator("form input[required]").all():
        if not field.input_value():
            field.fill("x")
    page.get_by_role("button", name="Create").click()
    page.get_by_role("dialog").get_by_role("button", name="Create it").click()
    page.get_by_role("dialog").locator(".problem").wait_for()
    assert "masterProfile.subnetId' is not the id of a resource" in page.get_by_role("dialog").inner_text()
    page.keyboard.press("Escape")
    assert page.get_by_label("Domain").input_value() == "x"


def test_a_service_that_is_away_or_throttles_is_asked_again(stand: Stand) -> None:
    """The page says so, and shows what it knows."""
    stand.create("C1")
    stand.failing += [503, 429]
    stand.open()
    page = stand.page
    page.get_by_text("Asking again in 1 s").wait_for()
    page.get_by_text("1 cluster.").wait_for()
    assert page.get_by_text("Asking again").count() == 0


def test_a_sign_in_that_ends_is_asked_for_again(stand: Stand) -> None:
    """The view stays, and goes on afterwards."""
    stand.create("C1")
    stand.open(f"#{CLUSTER}")
    page = stand.page
    page.get_by_role("heading", level=1, name="C1 Creating").wait_for()
    page.evaluate("globalThis.expired = true")
    page.get_by_role("button", name="Sign in again").wait_for()
    assert page.get_by_role("heading", level=1, name="C1 Creating").is_visible()
    stand.world.finish()
    page.get_by_role("button", name="Sign in again").click()
    page.get_by_role("heading", level=1, name="C1 Succeeded").wait_for()


def test_a_caller_without_a_role_learns_which_one_is_missing(stand: Stand) -> None:
    """Also if it is taken away while the page is open."""
    stand.create("C1")
    stand.open(f"#{CLUSTER}")
    page = stand.page
    page.get_by_role("heading", level=1, name="C1 Creating").wait_for()
    stand.world.rights.nothing = True
    page.get_by_text("AuthorizationFailed").wait_for()
    page.get_by_text("Ask an owner of the subscription").wait_for()
    assert violations(page) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_phone_has_no_second_scroll_bar(stand: Stand, scheme: Any) -> None:
    """Wide tables scroll inside themselves; both schemes have enough contrast."""
    stand.create("C1")
    stand.step("validate_network", "Running")
    stand.page.set_viewport_size({"width": 360, "height": 740})
    stand.page.emulate_media(color_scheme=scheme)
    stand.open(f"#{CLUSTER}")
    stand.page.get_by_role("rowheader", name="Validate network").wait_for()
    assert stand.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert violations(stand.page) == []


def ends(urls: list[str]) -> set[str]:
    """Return the clusters that were asked for what ends in them."""
    return {url for url in urls if "/expirations?" in url}


def test_many_clusters_do_not_break_the_page(chromium: Any) -> None:
    """The first are seen before all have come, one can turn the pages, and the filter finds the last at once."""
    page, asked = chromium.new_page(), list[str]()
    page.on("request", lambda sent: asked.append(sent.url))
    serve(page, 5000, 500)
    page.goto(f"{ADDRESS}/portal")
    page.get_by_role("button", name="Sign in").click()
    page.get_by_text("5000 clusters.", exact=True).wait_for()
    page.get_by_text("Rows 1 to 100 of 5000").wait_for()
    whole = max(index for index, url in enumerate(asked) if "/openShiftClusters?" in url)
    # What ends is asked for once all have come, only of the rows that are shown, and so they are not sorted by it.
    eventually(page, lambda: len(ends(asked)) == 100)
    assert not ends(asked[:whole])
    assert page.get_by_role("button", name="Ends next").count() == 0
    page.get_by_role("button", name="Next").click()
    page.get_by_text("Rows 101 to 200 of 5000").wait_for()
    eventually(page, lambda: len(ends(asked)) == 200)
    page.get_by_role("button", name="Version").click()
    page.get_by_text("Rows 1 to 100 of 5000").wait_for()
    page.get_by_label("Filter").fill("cluster-4999")
    page.get_by_role("link", name="cluster-4999").wait_for()
    assert page.locator("tbody tr").count() == 1
    page.close()
