"""The two pictures in the README: the list, and a create that runs. `PICTURES=1` makes them again."""

import os
from datetime import datetime, timedelta
from typing import Any

import pytest

from tests.e2e.portal.browser import REPOSITORY
from tests.e2e.portal.stand import Stand
from tests.product.unit.frontend.world import CLUSTER, NOW

LIST, CREATE = (REPOSITORY / "docs" / f"portal-{name}.png" for name in ("list", "create"))
MOST_BYTES = 150_000
STATES = {1: "Failed", 4: "Updating"}
asked_for = pytest.mark.skipif(not os.environ.get("PICTURES"), reason="set PICTURES=1 to make the pictures again")


@pytest.mark.parametrize("picture", [LIST, CREATE], ids=lambda path: path.name)
def test_the_pictures_of_the_readme_are_small(picture: Any) -> None:
    """Whoever clones the repository gets them."""
    assert 10_000 < picture.stat().st_size < MOST_BYTES
    assert f"docs/{picture.name}" in (REPOSITORY / "README.md").read_text(encoding="utf-8")


def run(stand: Stand, until: timedelta) -> None:
    """Let each step of the running create take its usual time, and let it be some time after its begin."""
    world, ends = stand.world, dict[str, datetime]()
    world.now = NOW + until
    for row in world.plan(world.document["asyncOperationId"])["rows"]:
        start = max((ends[need] for need in row["needs"] if need in ends), default=NOW)
        ends[row["name"]] = end = start + timedelta(seconds=row.get("usualSeconds", 20))
        more = {"startTime": start.isoformat(), "polls": 0 if row["kind"] == "action" else 3}
        if end <= world.now:
            stand.step(row["name"], "Succeeded", endTime=end.isoformat(), lastProgressTime=end.isoformat(), **more)
        elif start < world.now:
            stand.step(row["name"], "Running", lastProgressTime=world.now.isoformat(), **more)


@asked_for
def test_the_list_is_pictured(stand: Stand) -> None:
    """Some are well, one asks for attention."""
    stand.create("C1")
    stand.world.finish()
    stand.condition("CertificatesExpiring", "True", "The certificate of the router ends in 12 days.")
    stand.copies(7)
    documents = list(stand.world.cosmos["OpenShiftClusters"].documents.values())
    for index, document in enumerate(documents):
        cluster = document["openShiftCluster"]
        cluster["name"] = f"{['shop', 'billing', 'search', 'mail'][index % 4]}-{['east', 'west'][index // 4]}"
        cluster["properties"]["provisioningState"] = STATES.get(index, "Succeeded")
        cluster["properties"]["clusterProfile"]["version"] = f"4.19.{20 + index % 3}"
    stand.ends("shop-east", default_ingress_certificate=timedelta(days=12, hours=1))
    stand.ends("search-east", "mail-west", registry_token=timedelta(days=71, hours=1))
    stand.ends("billing-west", service_principal=timedelta(days=58, hours=1))
    stand.page.set_viewport_size({"width": 1240, "height": 600})
    stand.open()
    stand.page.get_by_text("in 58 days").wait_for()
    stand.page.mouse.move(0, 0)
    stand.page.screenshot(path=LIST)


@asked_for
def test_a_running_create_is_pictured(stand: Stand) -> None:
    """With its chart."""
    stand.create("C1")
    run(stand, timedelta(minutes=24))
    stand.page.set_viewport_size({"width": 1100, "height": 1000})
    stand.open(f"#{CLUSTER}")
    stand.page.get_by_role("rowheader", name="Validate network", exact=True).wait_for()
    stand.page.screenshot(path=CREATE)
