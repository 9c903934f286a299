"""The state machine, edge by edge."""

import pytest

from shared.arm.errors import CloudError
from shared.clusters.states import EDGES, Event, apply_edge, find_edge, foresee_edge
from shared.documents import Cluster


def cluster(state: str, failed: str = "") -> Cluster:
    """Return a cluster in a state."""
    return {"properties": {"provisioningState": state, "failedProvisioningState": failed}}


@pytest.mark.parametrize(
    ("state", "failed", "event", "want_state", "want_failed", "want_plan"),
    [
        pytest.param("Creating", "", Event.DONE, "Succeeded", "", "", id="a create succeeds"),
        pytest.param("Creating", "", Event.FAILURE, "Failed", "Creating", "", id="a create fails"),
        pytest.param("Creating", "", Event.DELETE, "Deleting", "", "delete", id="a running create is deleted"),
        pytest.param("Failed", "Creating", Event.PUT, "Creating", "Creating", "create", id="a failed create resumes"),
        pytest.param("Succeeded", "", Event.PUT, "Updating", "", "update", id="a cluster is updated"),
        pytest.param("Succeeded", "", Event.PATCH, "Updating", "", "update", id="a cluster is patched"),
        pytest.param("Failed", "Updating", Event.PUT, "Updating", "Updating", "update", id="an update is repeated"),
        pytest.param(
            "Failed", "AdminUpdating", Event.PATCH, "Updating", "AdminUpdating", "update", id="after an admin"
        ),
        pytest.param("Failed", "", Event.PUT, "Updating", "", "update", id="failed for unknown reasons"),
        pytest.param("Failed", "Deleting", Event.DELETE, "Deleting", "Deleting", "delete", id="a delete is repeated"),
        pytest.param("Updating", "", Event.FAILURE, "Failed", "Updating", "", id="an update fails"),
        pytest.param("Deleting", "", Event.FAILURE, "Failed", "Deleting", "", id="a delete fails"),
        pytest.param("Succeeded", "", Event.STOP, "Updating", "", "stop", id="a cluster is stopped"),
        pytest.param("Failed", "Updating", Event.START, "Updating", "Updating", "start", id="a start is repeated"),
        pytest.param("Succeeded", "", Event.RENEW, "AdminUpdating", "", "renew", id="a cluster is renewed"),
        pytest.param("AdminUpdating", "", Event.DELETE, "Deleting", "", "delete", id="a renewal gives way to a delete"),
        pytest.param("Migrating", "", Event.DELETE, "Deleting", "", "delete", id="another build's state"),
        pytest.param("Canceled", "", Event.DELETE, "Deleting", "", "delete", id="a state that no cluster has"),
        pytest.param(["x"], "", Event.DELETE, "Deleting", "", "delete", id="no state at all"),
    ],
)
def test_an_event_leads_to_the_next_state(  # noqa: PLR0917 - a table of cases
    state: str, failed: str, event: Event, want_state: str, want_failed: str, want_plan: str
) -> None:
    """As `docs/design.md` draws it."""
    subject = cluster(state, failed)
    edge = find_edge(subject, event)
    apply_edge(subject, edge)
    assert subject["properties"]["provisioningState"] == want_state
    assert subject["properties"]["failedProvisioningState"] == want_failed
    assert edge.plan == want_plan


@pytest.mark.parametrize(
    ("state", "failed", "event", "want_hint"),
    [
        pytest.param("Creating", "", Event.PUT, "cancel the creation with a DELETE", id="no second PUT while creating"),
        pytest.param("Creating", "", Event.PATCH, "cancel the creation with a DELETE", id="no PATCH while creating"),
        pytest.param("Updating", "", Event.DELETE, "Wait", id="no DELETE while updating"),
        pytest.param("Updating", "", Event.STOP, "Wait", id="no stop while updating"),
        pytest.param("AdminUpdating", "", Event.RENEW, "Wait", id="no second renewal"),
        pytest.param("Failed", "Creating", Event.START, "PUT of the body", id="no start of what never was"),
        pytest.param("AdminUpdating", "", Event.PUT, "Wait", id="no PUT while an admin updates"),
        pytest.param("Deleting", "", Event.DELETE, "Wait", id="no second DELETE"),
        pytest.param("Failed", "Creating", Event.PATCH, "PUT of the body", id="no PATCH of what never was"),
        pytest.param("Failed", "Deleting", Event.PUT, "delete the cluster", id="no way back from a delete"),
    ],
)
def test_what_is_no_edge_is_refused_with_the_way_out(state: str, failed: str, event: Event, want_hint: str) -> None:
    """The message names the state, and what helps."""
    with pytest.raises(CloudError, match=f"'{state}'") as caught:
        find_edge(cluster(state, failed), event)
    assert (caught.value.status_code, caught.value.code, caught.value.target) == (400, "RequestNotAllowed", "")
    assert want_hint in caught.value.message


@pytest.mark.parametrize(("state", "failed"), [("Succeeded", ""), ("Failed", "Updating")])
@pytest.mark.parametrize("end", [Event.DONE, Event.FAILURE])
def test_a_renewal_leaves_the_state_as_it_was(state: str, failed: str, end: Event) -> None:
    """It says nothing about the operation that the owner asked for last."""
    subject = cluster(state, failed)
    apply_edge(subject, find_edge(subject, Event.RENEW))
    assert subject["properties"]["provisioningState"] == "AdminUpdating"
    apply_edge(subject, find_edge(subject, end))
    assert subject["properties"] == {**cluster(state, failed)["properties"], "lastProvisioningState": ""}


def test_only_a_put_makes_a_cluster() -> None:
    """No other event is allowed without a document."""
    assert [edge.event for edge in EDGES if edge.state is None] == [Event.PUT]


def test_a_deleted_cluster_has_no_state() -> None:
    """Its document is removed; the copy in memory stays unchanged."""
    subject = cluster("Deleting")
    apply_edge(subject, find_edge(subject, Event.DONE))
    assert subject == cluster("Deleting")


@pytest.mark.parametrize(
    ("state", "failed", "want"),
    [
        pytest.param("Creating", "", "Succeeded", id="a create"),
        pytest.param("Updating", "Updating", "Succeeded", id="an update"),
        pytest.param("AdminUpdating", "", "Succeeded", id="an operator's update"),
        pytest.param("Deleting", "Creating", None, id="a delete"),
        pytest.param("Failed", "Creating", "Failed", id="nothing"),
    ],
)
def test_a_foreseen_edge_begins_where_the_running_operation_ends(state: str, failed: str, want: str | None) -> None:
    """If it succeeds."""
    assert foresee_edge(cluster(state, failed), Event.PUT).state == want


def test_no_edge_is_foreseen_where_a_failed_operation_is_in_the_way() -> None:
    """Time alone changes nothing."""
    with pytest.raises(CloudError, match="'Failed'"):
        foresee_edge(cluster("Failed", "Deleting"), Event.PUT)
    assert foresee_edge(None, Event.PUT).state is None
