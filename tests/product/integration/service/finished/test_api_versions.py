"""A cluster that stands is updated through each API version, by way of Azure Resource Manager."""

from datetime import UTC, datetime, timedelta

import pytest

from shared.json_object import Json
from tests.api_versions import VERSIONS
from tests.product.integration.service.stage import Cluster, begun

pytestmark = [pytest.mark.slow(90), pytest.mark.xdist_group("standing")]

OWN = f"?api-version={VERSIONS[-1]}"


def _lasting(cluster: Json) -> Json:
    """Return what an update of tags leaves as it is."""
    return {name: value for name, value in cluster.items() if name not in ("systemData", "tags")}


def _of_own_version(cluster: Cluster) -> Json:
    """Return the members that Microsoft's versions do not have."""
    properties = cluster.send("GET", f"{cluster.customer.cluster_id}{OWN}").json()["properties"]
    return {name: properties[name] for name in ("powerState", "powerSchedule", "longLivedCredentials")}


def test_an_update_through_each_version_changes_what_it_says_and_nothing_else(standing: Cluster) -> None:
    """One sends back what a GET shows, the next a PATCH; every version and the resource group see the result.

    What only this provider's own version has goes through all the others as it is.
    """
    path = standing.customer.cluster_id
    in_two_days = (datetime.now(UTC) + timedelta(days=2)).strftime("%A")
    schedule = {"timeZone": "UTC", "days": [in_two_days], "stopTime": "23:00", "startTime": "23:30"}
    kept = {"powerSchedule": schedule, "longLivedCredentials": "Disabled"}
    standing.succeed(begun(standing.send("PATCH", path + OWN, {"properties": kept})))
    before = standing.send("GET").json()
    group = f"{before['properties']['clusterProfile']['resourceGroupId']}?api-version=2021-04-01"
    for number, version in enumerate(VERSIONS):
        at, tags = f"{path}?api-version={version}", {"by": version}
        shown = standing.send("GET", at).json()
        method, body = ("PATCH", {"tags": tags}) if number % 2 else ("PUT", shown | {"tags": tags})
        standing.succeed(begun(standing.send(method, at, body)))
        assert standing.send("GET", at).json()["tags"] == tags
        assert _lasting(standing.send("GET").json()) == _lasting(before)
        assert _of_own_version(standing) == kept | {"powerState": "Running"}
    assert standing.send("GET", group).json()["tags"] == tags
    as_before = {"powerSchedule": None, "longLivedCredentials": "Enabled"}
    tags = before.get("tags", {})
    standing.succeed(begun(standing.send("PATCH", path + OWN, {"tags": tags, "properties": as_before})))
