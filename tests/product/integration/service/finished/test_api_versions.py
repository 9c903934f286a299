"""A cluster that stands is updated through each API version, by way of Azure Resource Manager."""

import pytest

from shared.json_object import Json
from tests.api_versions import VERSIONS
from tests.product.integration.service.stage import Cluster, begun

pytestmark = [pytest.mark.slow(90), pytest.mark.xdist_group("standing")]


def _lasting(cluster: Json) -> Json:
    """Return what an update of tags leaves as it is."""
    return {name: value for name, value in cluster.items() if name not in ("systemData", "tags")}


def test_an_update_through_each_version_changes_what_it_says_and_nothing_else(standing: Cluster) -> None:
    """One sends back what a GET shows, the next a PATCH; every version and the resource group see the result."""
    path = standing.customer.cluster_id
    before = standing.send("GET").json()
    group = f"{before['properties']['clusterProfile']['resourceGroupId']}?api-version=2021-04-01"
    for number, version in enumerate(VERSIONS):
        at, tags = f"{path}?api-version={version}", {"by": version}
        shown = standing.send("GET", at).json()
        method, body = ("PATCH", {"tags": tags}) if number % 2 else ("PUT", shown | {"tags": tags})
        standing.succeed(begun(standing.send(method, at, body)))
        assert standing.send("GET", at).json()["tags"] == tags
        assert _lasting(standing.send("GET").json()) == _lasting(before)
    assert standing.send("GET", group).json()["tags"] == tags
    standing.succeed(begun(standing.send("PATCH", body={"tags": before.get("tags", {})})))
