"""Times in answers are as Azure Resource Manager writes them; documents keep theirs, also those of former builds."""

import re
from collections.abc import Iterator
from typing import Any

import pytest

from tests.product.unit.frontend.admin.test_sre_operation_get import item
from tests.product.unit.frontend.callers_world import CallersWorld
from tests.product.unit.frontend.clusters.test_enrichment import bring_up
from tests.product.unit.frontend.world import CLUSTER, LOCATION, OLD, World, admin_certificate, body

_TIME = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(.*)")


def zones(value: Any, name: str = "") -> Iterator[tuple[str, str]]:
    """Yield the zone of each time in an answer, by the member that has it."""
    if isinstance(value, dict):
        for each, entry in value.items():
            yield from zones(entry, each)
    elif isinstance(value, list):
        for entry in value:
            yield from zones(entry, name)
    elif isinstance(value, str) and (found := _TIME.fullmatch(value)):
        yield name, found[2]


@pytest.mark.parametrize("failed", [False, True])
def test_an_operation_shows_its_times_with_z(world: World, failed: bool) -> None:
    """To its client, and to operators with its phases and steps."""
    assert world.send("PUT", CLUSTER, body()).status == 201
    operation_id = world.document["asyncOperationId"]
    times: dict[str, Any] = dict.fromkeys(("deadline", "lastProgressTime"), "2026-03-01T12:00:00.000001+00:00")
    item(world, "decide_names", "Succeeded")
    item(world, "validate_service_principal", "Failed" if failed else "Running", **times)
    before = set(zones(world.operation(operation_id)))
    status = f"{LOCATION}/operationsstatus/{operation_id}"
    report = f"{CLUSTER}/operations/{operation_id}"
    assert {*zones(world.send("GET", status).body)} == {("startTime", "Z")}
    shown = {*zones(world.sre(report).body)}
    assert shown == {(name, "Z") for name in ("startTime", "endTime", "deadline", "lastProgressTime")}
    world.finish(failed=failed)
    assert {*zones(world.send("GET", status).body)} == {("startTime", "Z"), ("endTime", "Z")}
    assert {*zones(world.sre(report).body)} == shown
    assert before == {("requestTime", "+00:00"), ("startTime", "+00:00")}


def test_a_cluster_shows_its_times_with_z(own: CallersWorld) -> None:
    """Who made it and changed it, and to operators since when it is there. Values of the customer's own stay."""
    tags = {"since": "2026-03-01T12:00:00+00:00"}
    want = {("createdAt", "Z"), ("lastModifiedAt", "Z"), ("since", "+00:00")}
    assert {*zones(own.call("PUT", CLUSTER, body() | {"tags": tags}).body)} == want
    own.finish()
    assert {*zones(own.call("GET", CLUSTER).body)} == want
    assert {*zones(own.call("GET", CLUSTER, api_version=OLD).body)} == {("since", "+00:00")}
    assert ("createdAt", "+00:00") in {*zones(own.document)}


def test_operators_see_times_with_z(world: World) -> None:
    """Of a cluster, and of the default version."""
    bring_up(world)
    shown = world.send("GET", CLUSTER, api_version="admin", certificate=admin_certificate())
    assert ("createdAt", "Z") in {*zones(shown.body)}
    marked = world.cosmos["OpenShiftVersions"].documents["4.17.9", "4.17.9"]
    marked["defaultSince"] = "2026-03-01T12:00:00.000000+00:00"
    assert {*zones(world.sre("/providers/Microsoft.RedHatOpenShift/openShiftVersions").body)} == {("defaultSince", "Z")}
