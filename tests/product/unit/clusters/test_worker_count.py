"""The number of workers that a customer wants: what requests, successes and failures leave for the next update."""

from typing import Any

import pytest

from shared.arm.errors import CloudError
from shared.clusters import convert, endings, worker_count
from shared.clusters.api_versions import API_VERSIONS, changed_fields
from shared.clusters.member_types import ApiVersion, Rule
from shared.clusters.validation import validate_delta
from shared.documents import ClusterDocument
from tests.product.unit.product_world import cluster_document

COUNT = "properties.workerProfiles[].count"


def sent(count: int | None) -> Any:
    """Make the decoded body of a request that names a number of workers, or none."""
    return {"properties": {"workerProfiles": [{"name": "worker", "count": count}]}} if count else {"tags": {"a": "1"}}


def running(count: int = 3) -> ClusterDocument:
    """Make the document of a cluster that runs."""
    document: ClusterDocument = cluster_document()
    document["openShiftCluster"]["properties"]["workerProfiles"][0]["count"] = count
    document["openShiftCluster"]["properties"]["provisioningState"] = "Succeeded"
    return document


def count(document: ClusterDocument) -> int:
    """Return the number that a document asks for."""
    return worker_count.wanted(document["openShiftCluster"])


def request(document: ClusterDocument, named: int | None) -> None:
    """Send an update, as the frontend does."""
    worker_count.start_from_settled(document, sent(named))
    before = count(document)
    properties = document["openShiftCluster"]["properties"]
    properties["workerProfiles"][0]["count"] = named or before
    properties["provisioningState"] = "Updating"
    worker_count.note_wanted(document, before)


def fail(document: ClusterDocument, *, begun: bool) -> None:
    """Let an update fail, before or after it has changed machine sets."""
    if begun:
        assert worker_count.note_begun(document)
    endings.end_owner(document, failed=True)


def test_only_a_request_that_changes_the_number_has_workers_scaled() -> None:
    """A request that repeats the number, or names none, leaves alone what the owner did inside the cluster."""
    document = running()
    for named in (None, 3):
        request(document, named)
        assert not worker_count.is_to_be_scaled(document)
    request(document, 5)
    assert worker_count.is_to_be_scaled(document)


def test_a_success_settles_the_number() -> None:
    """The next update that does not change it scales nothing."""
    document = running()
    document["secrets"] = {"request": "s/1"}
    request(document, 5)
    endings.end_owner(document, failed=False)
    request(document, None)
    assert (count(document), worker_count.is_to_be_scaled(document)) == (5, False)


@pytest.mark.parametrize(
    ("begun", "named", "want", "scales"),
    [
        (False, None, 3, False),
        (False, 3, 3, False),
        (False, 5, 5, True),
        (False, 4, 4, True),
        (True, None, 5, True),
        (True, 3, 3, True),
        (True, 5, 5, True),
        (True, 4, 4, True),
    ],
)
def test_after_a_failure_a_request_starts_from_what_the_cluster_has(
    begun: bool, named: int | None, want: int, scales: bool
) -> None:
    """A refused number is forgotten unless it is named; one that machine sets may have is continued, or replaced."""
    document = running()
    request(document, 5)
    fail(document, begun=begun)
    request(document, named)
    assert (count(document), worker_count.is_to_be_scaled(document)) == (want, scales)


def test_two_failures_in_a_row_leave_the_number_from_before_both() -> None:
    """Neither has changed anything."""
    document = running()
    for named in (5, 7):
        request(document, named)
        fail(document, begun=False)
    request(document, None)
    assert (count(document), worker_count.is_to_be_scaled(document)) == (3, False)


def test_a_second_failure_does_not_hide_that_machine_sets_were_changed() -> None:
    """The first update has begun, the second was refused: the cluster may have any number between the two."""
    document = running()
    request(document, 5)
    fail(document, begun=True)
    request(document, 9)
    fail(document, begun=False)
    request(document, 3)
    assert (count(document), worker_count.is_to_be_scaled(document)) == (3, True)
    assert not worker_count.note_begun(document)


def test_nothing_is_recorded_where_nothing_is_scaled() -> None:
    """A row that runs without need writes no document."""
    assert not worker_count.note_begun(running())


@pytest.mark.parametrize("version", API_VERSIONS, ids=lambda version: version.name)
def test_a_count_that_a_version_cannot_change_is_refused_with_the_way_to_scale(version: ApiVersion) -> None:
    """The way inside the cluster, and the version that can."""
    stored = running()["openShiftCluster"]
    wanted = convert.overlay(stored, sent(5), version, patch=True)
    able = [row for row in API_VERSIONS if changed_fields(row, COUNT).get("rule") is Rule.MUTABLE]
    if version in able:
        validate_delta(stored, wanted, version)
        return
    with pytest.raises(CloudError) as refused:
        validate_delta(stored, wanted, version)
    assert "It is '3', and the request has '5'." in refused.value.message
    assert "`oc scale machineset NAME --replicas N --namespace openshift-machine-api`" in refused.value.message
    assert refused.value.message.endswith(f"is taken by api-version {', '.join(row.name for row in able)}.")
