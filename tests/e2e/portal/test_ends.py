"""What ends next in each cluster of the list: certificates and credentials, in words."""

from datetime import timedelta
from typing import Any

import pytest

from tests.e2e.portal.browser import eventually, violations
from tests.e2e.portal.stand import Stand

pytestmark = [pytest.mark.timeout(300)]
ENDS = "/expirations"
NEXT = "in 12 days: secret of the cluster's service principal"
SECRET = {"service_principal": timedelta(days=12, hours=12)}


def asked(stand: Stand) -> int:
    """Return how often the service was asked for what ends in a cluster."""
    return sum(path.endswith(ENDS) for _, path in stand.asked)


def clusters(stand: Stand, number: int, **ends: timedelta) -> Any:
    """Open the list of some clusters in which something ends, with a clock that a test can set; return the page."""
    stand.create("C1")
    stand.world.finish()
    stand.copies(number - 1)
    stand.ends(**ends)
    stand.page.clock.install()
    stand.open()
    stand.page.get_by_text(f"{number} cluster").wait_for()
    return stand.page


@pytest.mark.parametrize(
    ("ends", "words"),
    [
        (SECRET | {"registry_token": timedelta(days=40)}, NEXT),
        (SECRET | {"user_kubeconfig": timedelta(days=-3, hours=-1)}, "ended 3 days ago: admin kubeconfig that"),
        # A cluster renews the first each month, and has not renewed the second.
        (SECRET | {"csr_signer": timedelta(days=3)}, NEXT),
        (SECRET | {"etcd": timedelta(days=3, hours=1)}, "in 3 days: etcd's certificates"),
    ],
    ids=["nearest", "ended", "renewed", "not renewed"],
)
def test_the_nearest_end_is_told_in_words(stand: Stand, ends: dict[str, timedelta], words: str) -> None:
    """Also one that is over; what the cluster renews in time is left out."""
    page = clusters(stand, 1, **ends)
    page.get_by_role("cell", name=words).wait_for()
    assert violations(page) == []


def test_what_ends_late_is_left_out_and_an_answer_is_kept_for_ten_minutes(stand: Stand) -> None:
    """However often the list is asked for, and also after coming back from a cluster."""
    page = clusters(stand, 3, service_principal=timedelta(days=91))
    eventually(page, lambda: asked(stand) == 3)
    page.clock.fast_forward("09:00")
    page.get_by_role("link", name="copy-1").click()
    page.get_by_role("heading", level=1, name="copy-1 Succeeded").wait_for()
    # The view of a cluster has asked for its own.
    eventually(page, lambda: asked(stand) == 4)
    page.go_back()
    page.get_by_text("3 clusters.").wait_for()
    assert page.locator("tbody td:last-child").all_inner_texts() == [""] * 3
    stand.ends(**SECRET)
    assert asked(stand) == 4
    page.clock.fast_forward("01:30")
    page.get_by_role("cell", name=NEXT).nth(2).wait_for()
    assert asked(stand) == 7


def test_the_list_is_sorted_by_what_ends_next(stand: Stand) -> None:
    """What ends in none comes last."""
    page = clusters(stand, 3)
    stand.ends("copy-1", **SECRET)
    stand.ends("C1", service_principal=timedelta(days=40))
    page.clock.fast_forward("11:00")
    page.get_by_role("cell", name="in 39 days").wait_for()
    page.get_by_role("button", name="Ends next").click()
    assert page.locator("tbody th").all_inner_texts() == ["copy-1", "C1", "copy-0"]
    assert violations(page) == []


def test_it_is_filled_in_while_nothing_else_waits_or_moves(stand: Stand) -> None:
    """Four answers are waited for at most, the list goes on without them, and focus and rows stay where they are."""
    stand.held.add(("GET", ENDS))
    page = clusters(stand, 60, **SECRET)
    page.get_by_role("link", name="copy-50", exact=True).focus()
    place = "(({id}, {y}) => [id, y, scrollY])(document.activeElement, document.activeElement.getBoundingClientRect())"
    stand.world.cosmos["OpenShiftClusters"].documents.popitem()
    page.clock.fast_forward("00:15")
    page.get_by_text("59 clusters.").wait_for()
    assert len(stand.waiting) == 4
    focused, _, scrolled = before = page.evaluate(place)
    assert focused.endswith("/copy-50")
    assert scrolled > 0
    stand.release()
    page.get_by_role("cell", name=NEXT).nth(58).wait_for()
    assert page.evaluate(place) == before


@pytest.mark.parametrize("status", [429, 503, 0], ids=["throttling", "not available", "away"])
def test_a_service_that_throttles_is_left_alone_for_a_minute(stand: Stand, status: int) -> None:
    """Or one that does not answer. The cells stay empty, and the list goes on."""
    stand.held.add(("GET", ENDS))
    page = clusters(stand, 10, **SECRET)
    eventually(page, lambda: len(stand.waiting) == 4)
    stand.failing += [status] * 4
    stand.release()
    lists = len(stand.asked)
    for _ in range(3):
        page.clock.fast_forward("00:15")
        page.wait_for_timeout(200)
    assert (asked(stand), len(stand.asked) > lists) == (4, True)
    assert page.locator("tbody td:last-child").all_inner_texts() == [""] * 10
    assert page.get_by_text("Asking again").count() == 0
    # The minute begins when the page has the answers, which is later on a busy machine.
    eventually(page, lambda: page.clock.fast_forward("00:15") or asked(stand) > 4)
    page.get_by_role("cell", name=NEXT).nth(9).wait_for()
    assert asked(stand) == 4 + 10


def test_a_refusal_leaves_the_cell_empty(stand: Stand) -> None:
    """And is not asked for again each time."""
    stand.held.add(("GET", ENDS))
    page = clusters(stand, 1, **SECRET)
    eventually(page, lambda: len(stand.waiting) == 1)
    stand.failing.append(403)
    stand.release()
    page.clock.fast_forward("02:00")
    page.wait_for_timeout(500)
    assert page.locator("tbody td:last-child").all_inner_texts() == [""]
    assert asked(stand) == 1
    assert page.get_by_role("alert").count() == 0


def test_operators_are_told_the_same_of_all_clusters(hosted: Stand) -> None:
    """Below their own path; in the view of a cluster, too."""
    page = clusters(hosted, 1, **SECRET)
    page.get_by_role("cell", name=NEXT).wait_for()
    assert all(path.startswith("/sre/") for _, path in hosted.asked if path.endswith(ENDS))
    page.get_by_role("link", name="C1").click()
    page.get_by_role("table", name="Certificates and credentials").get_by_text("12 days").wait_for()
