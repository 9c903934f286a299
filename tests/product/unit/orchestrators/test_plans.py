"""The plans as data: valid, complete, resolved once, and whole as JSON."""

import dataclasses
import json
from datetime import timedelta
from itertools import pairwise
from typing import Any

import pytest

from activities.targets import ACTIVITIES
from orchestrators import plans, retry
from orchestrators.plans import resume, site_plans
from orchestrators.plans.predicates import PREDICATES
from orchestrators.plans.rows import Row, problems, to_dict
from shared import durations, remedies
from shared.arm.errors import Owner
from shared.clusters import principals
from shared.clusters.identities import known_identities
from shared.executors import FORMER_NAMES
from shared.settings import Settings, parse
from shared.steps import RetryClass, RetryPolicy, RowKind
from tests.product.unit.clusters.identities.credentials import become_identities
from tests.product.unit.product_world import ENVIRONMENT, OWN, cluster_document

NAMES = sorted(plans.PLANS)
# Rows of an update that change the number of workers, and those that make sure that the cluster can be changed.
SCALES = ("validate_worker_quota", "scale_workers", "workers_scaled")
REACHES = ("start_machines", "api_servers_available")
# What only the rows of clusters with workload identity name.
OF_IDENTITIES = ("has_workload_identity", "has_identity_certificate", "identities_are_to_be_carried_in")
EXECUTORS, WHEN, RETRY = frozenset(ACTIVITIES), frozenset(PREDICATES), frozenset(retry.POLICIES)


def settings(scale: str = "1") -> Settings:
    """Make settings with a time scale."""
    return parse(ENVIRONMENT | {"TIME_SCALE": scale})


def document(domain: str = "c1", **more: Any) -> Any:
    """Make a cluster document with a domain."""
    made = cluster_document(**more)
    made["openShiftCluster"]["properties"]["clusterProfile"]["domain"] = domain
    return made


def row(name: str, *needs: str, **more: Any) -> Row:
    """Make a row."""
    return Row(
        **{
            "name": name,
            "section": "p",
            "kind": "action",
            "executor": "decide_names",
            "needs": needs,
            "waits_for": "w",
            "message": "m",
        }
        | more
    )


@pytest.mark.parametrize("name", NAMES)
def test_every_plan_can_be_run(name: str) -> None:
    """Needs exist, no row needs itself, and every name is known."""
    assert problems(plans.PLANS[name], EXECUTORS, WHEN, RETRY) == []


@pytest.mark.parametrize(
    ("rows", "want"),
    [
        ((row("a"), row("a")), "the name a occurs twice"),
        ((row("a", "b"),), "a needs b, which is not a row"),
        ((row("a", "b"), row("b", "a")), "a, b wait for each other"),
        ((row("a", executor="x"),), "a names the unknown executor 'x'"),
        ((row("a", kind="x"),), "a names the unknown kind 'x'"),
        ((row("a", retry="x"),), "a names the unknown retry 'x'"),
        ((row("a", when="x"),), "a names the unknown when 'x'"),
        ((row("a", owner="x"),), "a names the unknown owner 'x'"),
    ],
    ids=["double name", "missing need", "cycle", "executor", "kind", "retry", "when", "owner"],
)
def test_a_plan_that_cannot_be_run_says_why(rows: tuple[Row, ...], want: str) -> None:
    """With one sentence for each mistake."""
    assert want in problems(rows, EXECUTORS, WHEN, RETRY)


def test_no_activity_is_registered_without_a_row_or_the_engine() -> None:
    """The table of activities has no entry that nothing calls."""
    used = {each.executor for rows in plans.PLANS.values() for each in rows} | set(site_plans.Work)
    assert set(ACTIVITIES) - used == {"stop_operation", *FORMER_NAMES}


def test_a_former_name_is_that_of_an_activity_under_another_name() -> None:
    """A stored plan continues with what the row is now."""
    for former, name in FORMER_NAMES.items():
        assert ACTIVITIES[former] == ACTIVITIES[name]


@pytest.mark.parametrize("name", NAMES)
def test_finish_waits_for_everything(name: str) -> None:
    """Everything that runs has ended before the operation does."""
    rows = {each.name: each for each in plans.PLANS[name]}
    reached: set[str] = set()
    left = ["finish"]
    while left:
        each = left.pop()
        reached.add(each)
        left += rows[each].needs
    assert reached == set(rows)


@pytest.mark.parametrize("name", NAMES)
def test_nothing_is_made_in_the_customers_subscription_before_validation_has_passed(name: str) -> None:
    """The resource group and the deployments need every row of the validation, directly or not."""
    rows = {each.name: each for each in plans.PLANS[name]}
    validations = {each.name for each in rows.values() if each.section == "validation"}
    for each in rows.values():
        if each.executor not in ("ensure_resource_group", "deploy_storage_template", "deploy_deny_assignment"):
            continue
        reached: set[str] = set()
        left = list(each.needs)
        while left:
            need = left.pop()
            reached.add(need)
            left += rows[need].needs
        assert validations <= reached


def test_json_has_every_member_of_a_row() -> None:
    """A member that it left out would be lost between the request and the engine."""
    one = row("a")
    others: dict[str, Any] = {
        "name": "b",
        "section": "other",
        "kind": RowKind.CONDITION,
        "executor": "other",
        "needs": ("other",),
        "when": "other",
        "deadline": timedelta(hours=9),
        "shortest": timedelta(hours=9),
        "poll": timedelta(hours=9),
        "usual": timedelta(hours=9),
        "retry": RetryPolicy.NONE,
        "together": True,
        "owner": Owner.AZURE,
        "waits_for": "other",
        "message": "other",
        "document": {"namespace": "", "name": "other"},
    }
    assert others.keys() == {each.name for each in dataclasses.fields(Row)}
    stored = json.loads(json.dumps(to_dict(dataclasses.replace(one, **others))))
    hours = timedelta(hours=9).total_seconds()
    optional = {"when": "other", "shortestSeconds": hours, "usualSeconds": hours, "together": True, "owner": "azure"}
    assert stored == optional | {
        "name": "b",
        "phase": "other",
        "kind": "condition",
        "executor": "other",
        "needs": ["other"],
        "deadlineSeconds": hours,
        "pollSeconds": hours,
        "retry": "none",
        "waitsFor": "other",
        "message": "other",
        "document": {"namespace": "", "name": "other"},
    }
    assert stored.keys() - to_dict(one).keys() == optional.keys() | {"document"}


def test_a_skipped_row_says_why_and_nobody_waits_for_it() -> None:
    """A cluster with its own domain has no record in our zone."""
    plan = plans.resolve("create", document("api.customer.example"), settings())
    assert {"name": "create_dns", "reason": "the cluster's domain is managed by its owner"} in plan["skipped"]
    assert "create_dns" not in [each["name"] for each in plan["rows"]]
    assert all("create_dns" not in each["needs"] for each in plan["rows"])


def test_who_needed_a_skipped_row_needs_what_it_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The order is kept across a gap."""
    monkeypatch.setitem(plans.PLANS, "create", (row("a"), row("b", "a", when="uses_managed_domain"), row("c", "b")))
    plan = plans.resolve("create", document("api.customer.example"), settings())
    assert plan["rows"][1]["needs"] == ["a"]


def test_a_delete_that_supersedes_nothing_cancels_nothing() -> None:
    """The row runs only where an operation was running."""
    skipped = [each["name"] for each in plans.resolve("delete", document(), settings())["skipped"]]
    assert "cancel_superseded" in skipped
    superseding = plans.resolve("delete", document(supersededOperationId="old"), settings())
    assert [each["name"] for each in superseding["skipped"]] == [
        name for name in skipped if name != "cancel_superseded"
    ]


def test_an_update_goes_into_the_cluster_only_for_a_principal_that_it_does_not_run_with() -> None:
    """Or that another update has tried meanwhile. Azure's knowledge of the principal is checked each time."""
    made = document(secrets={"request": "s/1"})
    whole = [each["name"] for each in plans.resolve("update", made, settings())["rows"]]
    principals.note_worked(made)
    plan = plans.resolve("update", made, settings())
    principal = {
        "update_root_credentials",
        "restart_cloud_credential_operator",
        "operator_credentials_ready",
        "update_cloud_provider_credentials",
        "redeploy_control_plane",
        "control_plane_redeployed",
    }
    reasons = {each["name"]: each["reason"] for each in plan["skipped"]}
    of_identities = {each.name for each in plans.PLANS["update"] if each.when in OF_IDENTITIES}
    assert reasons == {
        **dict.fromkeys(of_identities, "the cluster has a service principal, and no workload identity"),
        **dict.fromkeys(principal, "the cluster runs with this service principal and secret"),
        **dict.fromkeys(REACHES, "nothing inside the cluster has to change"),
        **dict.fromkeys(SCALES, "nobody has asked for another number of workers"),
    }
    made["principal"]["tried"] = [made["principal"]["worked"] | {"objectId": "another"}]
    assert [each["name"] for each in plans.resolve("update", made, settings())["rows"]] == whole


def test_with_workload_identity_no_row_is_about_a_service_principal() -> None:
    """Nobody checks it, and no update carries one in; the reason says so."""
    made = document(secrets={"request": "s/1"})
    become_identities(made, "ingress")
    for name in ("create", "update"):
        reasons = {each["name"]: each["reason"] for each in plans.resolve(name, made, settings())["skipped"]}
        skipped = {each for each, reason in reasons.items() if "has workload identity" in reason}
        assert {"validate_service_principal", "validate_service_principal_permissions"} <= skipped
        assert ("update_root_credentials" in skipped) == (name == "update")


def rows_of(name: str, **more: Any) -> dict[str, Row]:
    """Return the rows that a plan has for a cluster with workload identity."""
    made = document(**more)
    become_identities(made, "ingress")
    made["scaling"] = {"before": 3, "begun": False}
    names = {each["name"] for each in plans.resolve(name, made, settings())["rows"]}
    return {each.name: each for each in plans.PLANS[name] if each.name in names}


@pytest.mark.parametrize(
    ("name", "order"),
    [
        (
            "create",
            (
                *("ensure_identity_certificate", "look_up_identities", "validate_cluster_identity_permissions"),
                *("validate_federated_credentials", "publish_issuer_documents", "ensure_federated_credentials"),
                *("deploy_machines_template", "finish"),
            ),
        ),
        ("create", ("look_up_identities", "validate_operator_permissions", "deploy_storage_template")),
        ("create", ("publish_issuer_documents", "ensure_graph")),
        ("create", ("deploy_storage_template", "ensure_federated_credentials")),
        (
            "update",
            (
                *("look_up_identities", "validate_federated_credentials", "note_principal", "publish_issuer_documents"),
                *("ensure_federated_credentials", "update_operator_secrets", "operator_identities_ready"),
                *("annotate_upgradeable_to", "settle_deny_assignment", "remove_former_identities", "finish"),
            ),
        ),
        ("update", ("deploy_deny_assignment", "update_operator_secrets")),
        ("update", ("operator_identities_ready", "scale_workers")),
        ("update", ("validate_operator_permissions", "note_principal", "deploy_storage_template")),
        ("delete", ("delete_resource_group", "delete_federated_credentials", "delete_secrets")),
        ("delete", ("delete_issuer_documents", "finish")),
    ],
)
def test_rows_of_workload_identity_have_their_order(name: str, order: tuple[str, ...]) -> None:
    """Ids before what names them, checks before what is made, and trust before machines that need it."""
    rows = rows_of(name)
    for earlier, later in pairwise(order):
        assert later in resume.depending_on((earlier,), tuple(rows.values())), (earlier, later)


@pytest.mark.parametrize("name", NAMES)
def test_a_cluster_with_a_service_principal_has_no_row_of_workload_identity(name: str) -> None:
    """The reason says so."""
    skipped = {each["name"]: each["reason"] for each in plans.resolve(name, document(), settings())["skipped"]}
    for row in plans.PLANS[name]:
        if row.when in OF_IDENTITIES:
            assert skipped[row.name] == "the cluster has a service principal, and no workload identity"


def test_without_a_first_party_nobody_issues_certificates_of_identities() -> None:
    """The service of one's own acts itself."""
    made = document("c1.example.com")
    become_identities(made, "ingress")
    own = parse(ENVIRONMENT | OWN | {"TIME_SCALE": "1"})
    skipped = {each["name"]: each["reason"] for each in plans.resolve("create", made, own)["skipped"]}
    assert "FP_CLIENT_ID is empty" in skipped["ensure_identity_certificate"]
    assert "look_up_identities" not in skipped


@pytest.mark.parametrize("name", ["create", "update"])
def test_missing_roles_of_identities_are_waited_for_within_their_rows_deadlines(name: str) -> None:
    """Azure takes up to an hour to let all its parts know of a role."""
    plan = plans.resolve(name, document(), settings())
    assert RetryPolicy.IDENTITIES not in plan["retryPolicies"]
    made = document()
    become_identities(made, "ingress")
    plan = plans.resolve(name, made, settings())
    within = plan["retryPolicies"][RetryPolicy.IDENTITIES][RetryClass.AUTHORIZATION]["withinSeconds"]
    assert within == 3600
    waiting = [each for each in plan["rows"] if each["retry"] == RetryPolicy.IDENTITIES]
    assert {each["name"] for each in waiting} - {"remove_former_identities"} == {
        *("look_up_identities", "validate_cluster_identity_permissions", "validate_operator_permissions"),
        *("validate_federated_credentials", "ensure_federated_credentials"),
    }
    assert all(each["deadlineSeconds"] > within for each in waiting)


def test_a_bootstrap_that_is_continued_at_the_last_moment_ends_before_its_certificates() -> None:
    """Even if each row takes as long as it may, roles that spread slowly included."""
    rows = rows_of("create")
    left = durations.IGNITION_LINK - durations.OLDEST_BOOTSTRAP

    def longest(name: str) -> timedelta:
        """Return how long the rows up to this one may take, from the first that a resume may run again."""
        before = [need for need in rows[name].needs if need in again]
        return rows[name].deadline + max(map(longest, before), default=timedelta())

    # With a graph, its validations are done; what comes before it is repeated only together with it.
    again = resume.depending_on(("ensure_graph",), tuple(rows.values())) | {"ensure_federated_credentials"}
    assert longest("bootstrap_config_map_ready") < left


def test_an_update_goes_into_the_cluster_only_for_identities_that_it_does_not_run_with() -> None:
    """Otherwise a change of tags would wait for operators that are degraded for another reason."""
    carried = {
        *("update_operator_secrets", "operator_identities_ready", "annotate_upgradeable_to"),
        "remove_former_identities",
    }
    made = document()
    become_identities(made, "ingress")
    assert carried | {*REACHES} <= {each["name"] for each in plans.resolve("update", made, settings())["rows"]}
    known_identities.note_created(made)
    skipped = {each["name"]: each["reason"] for each in plans.resolve("update", made, settings())["skipped"]}
    assert {skipped[name] for name in carried} == {"the cluster's operators run with these identities"}
    assert {skipped[name] for name in REACHES} == {"nothing inside the cluster has to change"}
    profile = made["openShiftCluster"]["properties"]["platformWorkloadIdentityProfile"]
    profile["upgradeableTo"] = "4.20.0"
    assert carried | {*REACHES} <= {each["name"] for each in plans.resolve("update", made, settings())["rows"]}


def test_an_update_scales_workers_only_if_their_number_is_to_change() -> None:
    """With the principal in place and the API server up; a quota that does not suffice stops it before all else."""
    made = document(secrets={"request": "s/1"}, scaling={"before": 3, "begun": False})
    both = {each["name"]: each["needs"] for each in plans.resolve("update", made, settings())["rows"]}
    network = {"attach_nsgs", "reconcile_load_balancer_profile"}
    assert set(both["scale_workers"]) >= {"control_plane_redeployed", *network}
    principals.note_worked(made)
    rows = {each["name"]: each["needs"] for each in plans.resolve("update", made, settings())["rows"]}
    assert rows.keys() >= {*SCALES, *REACHES}
    assert set(rows["scale_workers"]) >= {"api_servers_available", *network}
    assert "validate_worker_quota" in rows["note_principal"]


def test_a_former_principal_loses_its_role_when_nothing_else_is_left_to_do() -> None:
    """All rows that make the cluster run with the new one come before, and the record of it comes first of all."""
    rows = {each.name: each for each in plans.PLANS["update"]}
    order = ["note_principal", "deploy_storage_template", "control_plane_redeployed", "settle_deny_assignment"]
    order += ["remove_former_role_assignments", "finish"]
    for earlier, later in pairwise(order):
        assert later in resume.depending_on((earlier,), tuple(rows.values()))
    assert [each.name for each in rows.values() if "remove_former_role_assignments" in each.needs] == ["finish"]


def test_the_end_of_a_superseded_operation_is_awaited_longer_than_its_requests_may_last() -> None:
    """A request in flight keeps its own time-outs, whatever the scale."""
    plan = plans.resolve("delete", document(supersededOperationId="old"), settings("200"))
    assert plan["rows"][0]["name"] == "cancel_superseded"
    assert plan["rows"][0]["deadlineSeconds"] > (durations.ARM_CONNECTION + durations.ARM_READ).total_seconds()


def test_a_renewal_is_short_and_no_row_of_it_stops_another() -> None:
    """What is outside of the cluster is renewed even if the cluster does not answer."""
    *rows, finish = plans.PLANS["renew"]
    assert len(rows) <= 12
    assert [each.name for each in rows if not each.together] == []
    assert finish.executor == "finish_operation"
    outside = {each.name for each in rows if each.section == "outside"}
    assert outside.isdisjoint(resume.depending_on(("api_servers_available",), plans.PLANS["renew"]))
    inside = {each.name for each in rows} - outside
    assert inside <= resume.depending_on(("api_servers_available",), plans.PLANS["renew"])


def test_a_renewal_begins_no_roll_out_of_the_api_servers_during_another() -> None:
    """One row can begin one: it waits until none is going on, and the operation waits until its own is over."""
    rows = {each.name: each for each in plans.PLANS["renew"]}
    order = ["api_servers_available", "configure_api_server_certificate", "api_server_certificate_served"]
    order += ["api_servers_ready", "finish"]
    for earlier, later in pairwise(order):
        assert earlier in rows[later].needs


@pytest.mark.parametrize("name", NAMES)
def test_durations_are_scaled_when_a_plan_is_resolved_and_keep_their_floor(name: str) -> None:
    """Deadlines never fall below fifteen seconds, nor below their row's own unscaled minimum."""
    shortest = {each.name: each.shortest.total_seconds() for each in plans.PLANS[name]}
    plain, fast = (plans.resolve(name, document(), settings(scale)) for scale in ("1", "40"))
    for slow_row, fast_row in zip(plain["rows"], fast["rows"], strict=True):
        assert fast_row["deadlineSeconds"] == max(slow_row["deadlineSeconds"] / 40, 15, shortest[fast_row["name"]])
        assert fast_row["pollSeconds"] == max(slow_row["pollSeconds"] / 40, 0.25)
        # A pause that stays short for as long as a row is overdue has the higher floor of long pauses.
        floor = 0.25 if "usualSeconds" in slow_row else 0.1
        assert fast_row["firstPollSeconds"] == pytest.approx(max(slow_row["firstPollSeconds"] / 40, floor))
        assert fast_row.get("usualSeconds", 0) == pytest.approx(slow_row.get("usualSeconds", 0) / 40)
    for policy in fast["retryPolicies"].values():
        assert all(again["withinSeconds"] >= 15 for again in policy.values())


def test_a_resolved_plan_has_every_policy_that_its_rows_name() -> None:
    """A running install keeps the figures it began with."""
    plan = plans.resolve("create", document(), settings())
    assert {each["retry"] for each in plan["rows"]} == set(plan["retryPolicies"])
    assert plan["timeScale"] == 1


def test_the_input_of_an_orchestration_holds_no_document_and_no_secret() -> None:
    """It has ids, the plan, and the finished rows; the row `finish` always runs again."""
    rows = [("decide_names", []), ("create_dns", ["decide_names"]), ("finish", ["create_dns"])]
    plan: Any = {
        "rows": [
            {"name": name, "executor": "finish_delete" if name == "finish" else name, "needs": needs}
            for name, needs in rows
        ],
        "retryPolicies": {"azure": {}},
    }
    operation: Any = {"id": "op", "plan": plan, "correlationData": {"correlationId": "c", "traceparent": "t"}}
    made: Any = plans.start_input(operation, document(secrets={"request": "s"}), ["decide_names", "finish"])
    check, *made_rows = made["plan"].pop("rows")
    assert [row["needs"] for row in made_rows] == [[], ["decide_names", "check_plan"], ["create_dns"]]
    assert check["executors"] == ["create_dns", "finish_delete"]
    assert made == {
        "operationId": "op",
        "attempt": 1,
        "clusterKey": document()["key"],
        "clusterDocumentId": "doc-1",
        "correlationId": "c",
        "clientRequestId": "",
        "traceparent": "t",
        "plan": {"retryPolicies": {"azure": {}, "none": {}}},
        "done": ["decide_names"],
    }
    assert plans.instance_id("op", 3) == "op-3"


def test_every_row_tells_what_it_waits_for_and_what_to_do() -> None:
    """The row alone is enough to explain its failure."""
    for rows in plans.PLANS.values():
        for each in rows:
            assert each.waits_for
            assert each.message.endswith(".")
            assert each.deadline >= timedelta(minutes=5)


def test_every_remedy_of_a_row_helps_a_row() -> None:
    """No remedy belongs to a row that was removed, renamed, or has another."""
    used = {(each.name, each.message) for rows in plans.PLANS.values() for each in rows}
    assert set(remedies.BY_ROW.items()) <= used


def test_every_row_has_a_phase() -> None:
    """The tables group rows by phase."""
    assert [each.name for rows in plans.PLANS.values() for each in rows if not each.section] == []


def test_what_several_plans_do_fails_alike_in_each() -> None:
    """The owner of a failure does not depend on the plan. Only rows of a renewal let the others go on."""
    rows = [(row, row.together and name != "renew") for name, plan in plans.PLANS.items() for row in plan]
    told = {row.executor: (row.kind, row.owner) for row, _ in rows}
    assert [row.name for row, _ in rows if (row.kind, row.owner) != told[row.executor]] == []
    checks = {row.executor for row, together in rows if together}
    assert [row.name for row, together in rows if row.executor in checks and not together] == []


def test_every_policy_that_a_row_may_name_is_there() -> None:
    """And has no other name."""
    assert set(retry.POLICIES) == set(RetryPolicy)


def test_a_resolved_plan_is_stored_in_plain_words() -> None:
    """Enums are for whoever writes the code; documents, and the history of an orchestration, hold their values."""
    plan = plans.resolve("create", document(), settings())
    stored = json.loads(json.dumps(plan))
    assert stored == plan
    assert type(stored["rows"][0]["kind"]) is str
    assert stored["rows"][0]["retry"] == "service-principal"
    assert "given-up" in stored["retryPolicies"]["azure"]


def test_rows_are_frozen() -> None:
    """Nothing changes a plan at run time."""
    with pytest.raises(dataclasses.FrozenInstanceError):
        plans.PLANS["create"][0].name = "x"  # type: ignore[misc]  # that it is refused is the test
