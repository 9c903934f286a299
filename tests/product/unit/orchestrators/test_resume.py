"""The rows that a resume carries over from a failed create, and when it has to begin the bootstrap again."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from orchestrators import plans
from orchestrators.plans import resume
from orchestrators.plans.predicates import PREDICATES
from orchestrators.plans.rows import Row
from shared.documents import Properties
from shared.settings import parse
from shared.steps import ResolvedPlan, RowKind
from tests.product.unit.product_world import ENVIRONMENT, cluster_document

NOW = datetime(2026, 3, 2, 12, tzinfo=UTC)
NAMES = [row.name for row in plans.PLANS["create"]]


NOTES: dict[str, Any] = {"one": {"hasPullSecret": True}, "none": {"hasPullSecret": False}, "not noted": {}}


def ago(hours: float) -> str:
    """Return a past time in the documents' format."""
    return (NOW - timedelta(hours=hours)).strftime("%Y-%m-%dT%H:%M:%SZ")


@pytest.mark.parametrize(
    ("properties", "done", "want"),
    [
        pytest.param({"install": {"now": ago(20)}}, [], True, id="twenty hours"),
        pytest.param({"install": {"now": ago(19.99)}}, [], False, id="a little less"),
        pytest.param({"install": {"now": ago(99)}}, ["bootstrap_config_map_ready"], False, id="bootstrap is over"),
        pytest.param({"install": {"now": ago(1)}, "createdAt": ago(99)}, [], False, id="an old cluster, a new graph"),
        pytest.param({"createdAt": ago(21)}, [], True, id="a graph may be older than its note"),
        pytest.param({"createdAt": ago(1)}, [], False, id="no graph yet"),
        pytest.param({"install": {"now": ago(30), "beginsAgain": True}}, [], True, id="a removal that failed"),
        pytest.param({}, [], False, id="nothing known"),
    ],
)
def test_a_bootstrap_begins_again_when_its_certificates_would_not_last(
    properties: Properties, done: list[str], want: bool
) -> None:
    """They are valid for a day; four hours are left for the bootstrap."""
    assert resume.begins_again(properties, done, NOW) is want


def test_nothing_that_depends_on_the_graph_is_taken_over_when_it_begins_again() -> None:
    """The plan decides this, so rows that are added later are repeated as well."""
    kept = resume.carried_over_rows(NAMES, again=True)
    repeated = set(NAMES) - set(kept)
    assert {"ensure_graph", "deploy_machines_template", "bootstrap_config_map_ready", "api_servers_ready"} <= repeated
    assert {"validate_service_principal", "decide_names", "decide_zones", "ensure_resource_group"} <= set(kept)
    for row in plans.PLANS["create"]:
        assert row.name in repeated or not repeated.intersection(row.needs)


def test_the_removal_itself_is_never_taken_over() -> None:
    """The one of an older resume removed an older bootstrap."""
    assert resume.REMOVAL not in resume.carried_over_rows([resume.REMOVAL], again=True)


def test_the_registry_token_is_rotated_until_a_graph_carries_it() -> None:
    """Everything else that is done stays done."""
    assert resume.carried_over_rows(["decide_names", "ensure_acr_token"], again=False) == ["decide_names"]
    done = ["decide_names", "ensure_acr_token", "ensure_graph"]
    assert resume.carried_over_rows(done, again=False) == done


def resolved(**more: Any) -> ResolvedPlan:
    """Resolve a create of a cluster whose document has these members, with `install` among its properties."""
    document = cluster_document(**more)
    document["openShiftCluster"]["properties"]["install"] = more.pop("install", {})
    return plans.resolve("create", document, parse(ENVIRONMENT))


def test_the_removal_is_in_the_plan_of_a_resume_that_begins_again_alone() -> None:
    """Every other create shows the reason why it has none."""
    begun = resolved(install={"now": ago(21), "beginsAgain": True})
    assert resume.REMOVAL in [row["name"] for row in begun["rows"]]
    going_on = resolved(install={"now": ago(1)})
    assert {"name": resume.REMOVAL, "reason": PREDICATES["begins_again"][0].reason} in going_on["skipped"]


def test_a_pull_secret_is_told_by_the_documents_note() -> None:
    """Plans are resolved without the vault."""
    (has_none,) = PREDICATES["has_no_pull_secret"]
    told = {name: has_none.holds(cluster_document(**note), parse(ENVIRONMENT)) for name, note in NOTES.items()}
    assert told == {"one": False, "none": True, "not noted": True}


def test_rows_depend_through_any_number_of_others() -> None:
    """In whatever order the plan lists them."""
    rows = tuple(
        Row(name=name, section="p", kind=RowKind.ACTION, executor="x", needs=needs, waits_for="w")
        for name, needs in (("d", ("c",)), ("a", ()), ("c", ("b",)), ("b", ("a",)), ("e", ()))
    )
    assert resume.depending_on(("b",), rows) == {"b", "c", "d"}
