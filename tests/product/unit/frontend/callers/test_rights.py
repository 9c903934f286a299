"""What each verb of each path asks of a caller with a token."""

from dataclasses import replace
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from frontend.messages import Route, Verb
from frontend.middleware.chain import CHAINS
from frontend.routes import ROUTES
from shared.clusters.api_versions import serving
from shared.settings import Callers
from tests.product.unit.frontend.callers_world import USER, CallersWorld, token
from tests.product.unit.frontend.middleware.test_host import path_of
from tests.product.unit.frontend.world import CLUSTER, CLUSTERS, GROUP, LOCATION, SUBSCRIPTION, body

# Function, verb: what is asked, where, and whether Azure is asked each time.
TABLE = """
http_cluster                     PUT     Microsoft.RedHatOpenShift/openShiftClusters/write                        group
http_cluster                     PATCH   Microsoft.RedHatOpenShift/openShiftClusters/write                        group
http_cluster                     GET     Microsoft.RedHatOpenShift/openShiftClusters/read                         group
http_cluster                     DELETE  Microsoft.RedHatOpenShift/openShiftClusters/delete                       group, fresh
http_cluster_admin_credential    POST    Microsoft.RedHatOpenShift/openShiftClusters/listAdminCredentials/action  group, fresh
http_cluster_admin_credentials   POST    Microsoft.RedHatOpenShift/openShiftClusters/listAdminCredentials/action  group, fresh
http_cluster_credentials         POST    Microsoft.RedHatOpenShift/openShiftClusters/listCredentials/action       group, fresh
http_cluster_credentials_alias   POST    Microsoft.RedHatOpenShift/openShiftClusters/listCredentials/action       group, fresh
http_cluster_dry_run             POST    Microsoft.RedHatOpenShift/openShiftClusters/write                        group
http_cluster_dry_run_result      GET     Microsoft.RedHatOpenShift/openShiftClusters/write                        group
http_cluster_expirations         GET     Microsoft.RedHatOpenShift/openShiftClusters/read                         group
http_cluster_operation           GET     Microsoft.RedHatOpenShift/openShiftClusters/read                         group
http_cluster_operation_cancel    POST    Microsoft.RedHatOpenShift/openShiftClusters/write                        group
http_cluster_operations          GET     Microsoft.RedHatOpenShift/openShiftClusters/read                         group
http_cluster_renewal             POST    Microsoft.RedHatOpenShift/openShiftClusters/write                        group
http_cluster_start               POST    Microsoft.RedHatOpenShift/openShiftClusters/write                        group
http_cluster_stop                POST    Microsoft.RedHatOpenShift/openShiftClusters/write                        group
http_cluster_revocation          POST    Microsoft.RedHatOpenShift/openShiftClusters/write                        group, fresh
http_clusters_of_resource_group  GET     Microsoft.RedHatOpenShift/openShiftClusters/read                         group
http_clusters_of_subscription    GET     Microsoft.RedHatOpenShift/openShiftClusters/read                         each group
http_health                      GET     nothing                                                                  anybody
http_health_ready                GET     nothing                                                                  anybody
http_openshift_version           GET     Microsoft.RedHatOpenShift/locations/openshiftVersions/read               subscription
http_openshift_versions          GET     Microsoft.RedHatOpenShift/locations/openshiftVersions/read               subscription
http_operation_result            GET     Microsoft.RedHatOpenShift/openShiftClusters/read                         operation
http_operation_status            GET     Microsoft.RedHatOpenShift/openShiftClusters/read                         operation
http_operations                  GET     nothing                                                                  signed in
http_role_set                    GET     Microsoft.RedHatOpenShift/locations/listPlatformWorkloadIdentityRoleSets/read subscription
http_role_sets                   GET     Microsoft.RedHatOpenShift/locations/listPlatformWorkloadIdentityRoleSets/read subscription
http_sre_bundle                  PUT     Operator                                                                 role
http_sre_bundle                  DELETE  Operator                                                                 role
http_sre_cluster_expirations     GET     Operator                                                                 role
http_portal                      GET     nothing                                                                  anybody
http_portal_file                 GET     nothing                                                                  anybody
http_sre_clusters                GET     Operator                                                                 role
http_sre_cluster_renewal         POST    Operator                                                                 role
http_sre_cluster_revocation      POST    OperatorAdmin                                                            role
http_sre_cluster_ssh_key         POST    OperatorAdmin                                                            role
http_sre_cluster_start           POST    Operator                                                                 role
http_sre_cluster_stop            POST    Operator                                                                 role
http_sre_health_ready            GET     Operator                                                                 role
http_sre_openshift_version       GET     Operator                                                                 role
http_sre_openshift_version       PUT     Operator                                                                 role
http_sre_openshift_version       DELETE  Operator                                                                 role
http_sre_openshift_versions      GET     Operator                                                                 role
http_sre_operation               GET     Operator                                                                 role
http_sre_operation_cancel        POST    Operator                                                                 role
http_sre_operation_durable       GET     OperatorAdmin                                                            role
http_sre_operations              GET     Operator                                                                 role
http_sre_plan_dry_run            POST    Operator                                                                 role
http_sre_plan_dry_run_result     GET     Operator                                                                 role
http_sre_plan_row_render         POST    Operator                                                                 role
http_sre_role_set                GET     Operator                                                                 role
http_sre_role_set                PUT     Operator                                                                 role
http_sre_role_set                DELETE  Operator                                                                 role
http_sre_role_sets               GET     Operator                                                                 role
http_sre_site                    GET     Operator                                                                 role
http_sre_site                    PUT     Operator                                                                 role
http_sre_site                    DELETE  Operator                                                                 role
http_sre_site_cluster_kubeconfig POST    OperatorAdmin                                                            role
http_sre_site_cluster_status     POST    Operator                                                                 role
http_sre_site_clusters           GET     Operator                                                                 role
http_sre_site_operation          GET     Operator                                                                 role
http_sre_site_operation_cancel   POST    Operator                                                                 role
http_sre_site_phase_dry_run      POST    Operator                                                                 role
http_sre_site_phase_render       POST    Operator                                                                 role
http_sre_site_phase_run          POST    Operator                                                                 role
http_sre_site_phase_status       POST    Operator                                                                 role
http_sre_site_phase_tree         POST    Operator                                                                 role
http_sre_site_phase_validate     POST    Operator                                                                 role
http_sre_site_phases             GET     Operator                                                                 role
http_sre_site_plan_run           POST    Operator                                                                 role
http_sre_site_plan_status        GET     Operator                                                                 role
http_sre_site_plan_validate      POST    Operator                                                                 role
http_sre_site_plans              GET     Operator                                                                 role
http_sre_sites                   GET     Operator                                                                 role
"""
ROWS = [row.split(maxsplit=3) for row in TABLE.strip().splitlines()]
ROUTE = {route.name: route for route in ROUTES}
SCOPES = {"group": GROUP, "subscription": f"/subscriptions/{SUBSCRIPTION}"}
OF_PATH = [row for row in ROWS if row[3].partition(",")[0] in SCOPES]
each_right = pytest.mark.parametrize(("name", "method", "action", "at"), OF_PATH)


def content_of(method: str) -> dict[str, Any] | None:
    """Return the body for a verb."""
    return body() if method in ("PUT", "PATCH") else None


def version_of(name: str) -> str:
    """Return the latest version that serves a function's path."""
    return serving(ROUTE[name].feature)[-1].name


def refusal(own: CallersWorld, method: str, path: str, **more: Any) -> dict[str, str]:
    """Send a request that must be refused for want of a right, and return its error."""
    reply = own.call(method, path, **more)
    error: dict[str, str] = reply.body["error"]
    assert (reply.status, error["code"]) == (403, "AuthorizationFailed")
    return error


def test_the_table_has_every_verb_of_every_path_that_callers_reach() -> None:
    """Only ARM reports subscriptions, and has templates."""
    served = [(route.name, method) for route in ROUTES if route.only is None for method in route.verbs]
    assert sorted(served) == sorted((name, method) for name, method, *_ in ROWS)
    assert [route.name for route in ROUTES if route.only is Callers.ARM] == ["http_preflight", "http_subscription"]


def test_every_verb_that_callers_reach_says_what_it_needs() -> None:
    """A verb that does not is refused."""
    assert all(verb.needs for route in ROUTES if route.only is None for verb in route.verbs.values())


@each_right
def test_a_caller_without_the_right_is_refused_in_arms_words(
    own: CallersWorld, name: str, method: str, action: str, at: str
) -> None:
    """It names the client, its object id, the action and the scope. Nothing is read or written before."""
    scope = SCOPES[at.partition(",")[0]]
    own.rights.nothing = True
    error = refusal(own, method, path_of(ROUTE[name]), content=content_of(method), api_version=version_of(name))
    assert error["message"] == (
        f"The client 'ann@example.com' with object id '{USER}' does not have authorization to perform action "
        f"'{action}' over scope '{scope}' or the scope is invalid. If access was recently granted, please refresh your "
        "credentials."
    )
    assert own.rights.asked == [(action, scope)]
    assert own.rights.fresh == [at.endswith("fresh")]


@each_right
def test_a_caller_without_any_role_is_refused_before_rights_are_read(
    own: CallersWorld, name: str, method: str, action: str, at: str
) -> None:
    """Also of verbs that ask Azure each time: six such requests a second would use up what the app may read."""
    own.rights.stranger = True
    error = refusal(own, method, path_of(ROUTE[name]), content=content_of(method), api_version=version_of(name))
    assert f"'{action}' over scope '{SCOPES[at.partition(',')[0]]}'" in error["message"]
    assert own.rights.asked == []


@each_right
def test_a_right_on_another_action_is_not_enough(
    own: CallersWorld, name: str, method: str, action: str, at: str
) -> None:
    """With exactly the right of the table, the caller passes; 403 comes before 404."""
    scope = SCOPES[at.partition(",")[0]]
    path, version = path_of(ROUTE[name]), version_of(name)
    own.rights.deny(action, scope)
    refusal(own, method, path, content=content_of(method), api_version=version)
    own.rights.denied.clear()
    assert own.call(method, path, content_of(method), api_version=version).status != 403


@pytest.mark.parametrize("row", OF_PATH, ids=lambda row: f"{row[0]}-{row[1]}")
def test_the_log_says_who_changed_something_or_took_a_secret(
    own: CallersWorld, caplog: pytest.LogCaptureFixture, row: list[str]
) -> None:
    """Azure's activity log does not see these requests."""
    name, method, action, at = row
    caplog.set_level("INFO", "frontend.access")
    own.call(method, path_of(ROUTE[name]), content_of(method), api_version=version_of(name))
    said = f"User {USER} may {action} at {SCOPES[at.partition(',')[0]]}"
    assert caplog.messages.count(said) == (method != "GET")


@pytest.mark.parametrize("method", ["HEAD", "OPTIONS"])
def test_head_asks_what_get_asks_and_options_asks_nothing(own: CallersWorld, method: str) -> None:
    """OPTIONS says which verbs a path has, which is public, and nothing about clusters."""
    own.rights.nothing = True
    assert own.call(method, CLUSTER).status == (403 if method == "HEAD" else 204)


def test_a_wrong_verb_asks_nothing(own: CallersWorld) -> None:
    """It does not depend on what exists."""
    assert own.call("POST", CLUSTER).status == 405
    assert not own.rights.asked


@pytest.mark.parametrize("path", [CLUSTER.replace(SUBSCRIPTION, "x"), CLUSTER.replace("Customer", "a.")])
def test_a_path_that_is_no_scope_is_not_asked_about(own: CallersWorld, path: str) -> None:
    """It is wrong for everybody."""
    assert own.call("GET", path).status in (400, 404)
    assert not own.rights.asked


def test_a_verb_that_names_no_need_is_refused_to_everybody(own: CallersWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    """Even if the right to everything is given."""
    unguarded = Route("http_new", "new", {"GET": Verb(lambda _call: pytest.fail("it was served"))}, versioned=False)
    monkeypatch.setattr("tests.product.unit.frontend.callers_world.match", lambda _path: (unguarded, {}))
    reply = own.call("GET", "/new", token=token(roles=["OperatorAdmin"]))
    assert (reply.status, reply.body["error"]["code"]) == (403, "Forbidden")


def test_what_a_caller_may_do_is_asked_before_the_body_is_read() -> None:
    """And after everything that depends on the path alone."""
    assert [middleware.__name__ for middleware in CHAINS[Callers.ENTRA]][:12] == [
        "foreign_headers",
        "log",
        "headers",
        "panic",
        "sign_in",
        "served",
        "method",
        "lowercase",
        "path",
        "public_address",
        "api_version",
        "authorize",
    ]
    assert [middleware.__name__ for middleware in CHAINS[Callers.ENTRA]][12:] == [
        "draining",
        "body",
        "token_system_data",
        "admit",
    ]


@pytest.mark.parametrize("path", ["operationsstatus", "operationresults"])
def test_an_operation_is_for_those_who_may_read_its_cluster(own: CallersWorld, path: str) -> None:
    """At the cluster's resource group, wherever the path says it is."""
    own.call("PUT", CLUSTER, body())
    poll = f"{LOCATION}/{path}/{own.document['asyncOperationId']}"
    own.rights.asked.clear()
    assert own.call("GET", poll).status in (200, 202)
    read = "Microsoft.RedHatOpenShift/openShiftClusters/read"
    assert [(action, scope.lower()) for action, scope in own.rights.asked] == [(read, GROUP.lower())]
    own.rights.deny(read, GROUP)
    refusal(own, "GET", poll)


def test_that_an_operation_does_not_exist_is_for_those_who_may_read_the_subscription(own: CallersWorld) -> None:
    """Others cannot tell it from an operation that they may not see; nor one that belongs to another subscription."""
    own.call("PUT", CLUSTER, body())
    other = SUBSCRIPTION.replace("1", "2")
    unknown = f"{LOCATION}/operationsstatus/{SUBSCRIPTION}"
    elsewhere = f"{LOCATION}/operationsstatus/{own.document['asyncOperationId']}".replace(SUBSCRIPTION, other)
    for path, subscription in ((unknown, SUBSCRIPTION), (elsewhere, other)):
        assert own.call("GET", path).status == 404
        own.rights.deny("Microsoft.RedHatOpenShift/openShiftClusters/read", f"/subscriptions/{subscription}")
        refusal(own, "GET", path)


def many(own: CallersWorld, groups: int, each: int = 1) -> list[str]:
    """Create clusters in several groups, and return the paths of the groups."""
    paths = [f"/subscriptions/{SUBSCRIPTION}/resourceGroups/Team{number:02}" for number in range(groups)]
    for number, path in enumerate(paths):
        own.arm.groups[path.rpartition("/")[2].lower()] = {}
        for count in range(each):
            name = f"c{number}x{count}"
            content = body(name=name, client_id=f"11111111-0000-0000-0000-{number:08}{count:04}")
            cluster = f"{path}/providers/Microsoft.RedHatOpenShift/openShiftClusters/{name}"
            assert own.call("PUT", cluster, content).status == 201
    own.rights.asked.clear()
    return paths


OF_SUBSCRIPTION = f"/subscriptions/{SUBSCRIPTION}/providers/Microsoft.RedHatOpenShift/openShiftClusters"
READ = "Microsoft.RedHatOpenShift/openShiftClusters/read"


def test_a_subscriptions_list_shows_the_clusters_of_groups_that_the_caller_may_read(own: CallersWorld) -> None:
    """Each group is asked once, and nobody learns of the others."""
    one, two, three = many(own, 3, each=2)
    own.rights.deny(READ, two)
    reply = own.call("GET", OF_SUBSCRIPTION)
    assert [cluster["name"] for cluster in reply.body["value"]] == ["c0x0", "c0x1", "c2x0", "c2x1"]
    assert "Team01" not in reply.text()
    assert sorted(scope.lower() for _, scope in own.rights.asked) == [one.lower(), two.lower(), three.lower()]


@pytest.mark.parametrize("stranger", [False, True], ids=["no right to read", "no role at all"])
def test_a_list_of_nothing_that_the_caller_may_read_is_empty(own: CallersWorld, stranger: bool) -> None:
    """The list is empty, as in ARM, and not refused. Without any role, no group is asked about."""
    many(own, 2)
    own.rights.nothing, own.rights.stranger = True, stranger
    reply = own.call("GET", OF_SUBSCRIPTION)
    assert (reply.status, reply.body) == (200, {"value": []})
    assert bool(own.rights.asked) is not stranger


def test_pages_without_anything_for_the_caller_are_skipped(own: CallersWorld) -> None:
    """The links lead to all that the caller may read, and to nothing twice."""
    paths = many(own, 24)
    for path in paths[:12]:
        own.rights.deny(READ, path)
    names, link = [], OF_SUBSCRIPTION
    query: dict[str, str] = {}
    while link:
        reply = own.call("GET", OF_SUBSCRIPTION, query=query)
        assert reply.body["value"]
        names += [cluster["name"] for cluster in reply.body["value"]]
        link = reply.body.get("nextLink", "")
        query = {"$skiptoken": parse_qs(urlsplit(link).query)["$skipToken"][0]} if link else {}
    assert names == [f"c{number}x0" for number in range(12, 24)]


OPERATORS = [
    f"/sre{CLUSTER}/operations/{SUBSCRIPTION}",
    "/sre/healthz/ready",
    "/sre/providers/Microsoft.RedHatOpenShift/openShiftVersions",
    "/sre/foo",
]


@pytest.mark.parametrize("path", OPERATORS)
def test_paths_of_operators_need_the_role(own: CallersWorld, path: str) -> None:
    """Rights on clusters do not count, and unknown paths are unknown to operators alone."""
    refused = own.call("GET", path, api_version="")
    assert (refused.status, refused.body["error"]["code"]) == (403, "Forbidden")
    for role in ("Operator", "OperatorAdmin"):
        assert own.call("GET", path, api_version="", token=token(roles=[role])).status != 403


def test_the_addresses_that_control_orchestrations_need_the_higher_role(own: CallersWorld) -> None:
    """They contain a key of the host."""
    own.call("PUT", CLUSTER, body())
    path = f"/sre{CLUSTER}/operations/{own.document['asyncOperationId']}/durable"
    for roles, want in (([], 403), (["Operator"], 403), (["OperatorAdmin"], 200)):
        assert own.call("GET", path, api_version="", token=token(roles=roles)).status == want


def test_the_admin_version_needs_the_role(own: CallersWorld) -> None:
    """On customers' paths, too; whatever its case. Rights on the cluster are required as well."""
    assert own.call("GET", CLUSTER, api_version="admin").status == 403
    admin = own.call("GET", CLUSTER, api_version="ADMIN", token=token(roles=["Operator"]))
    assert (admin.status, admin.body["error"]["code"]) == (404, "ResourceNotFound")
    own.rights.nothing = True
    refusal(own, "GET", CLUSTER, api_version="admin", token=token(roles=["Operator"]))


def test_a_role_is_no_right_on_clusters(own: CallersWorld) -> None:
    """An operator reads a customer's cluster only with a role assignment in Azure."""
    own.rights.nothing = True
    refusal(own, "GET", CLUSTER, token=token(roles=["OperatorAdmin"]))


def test_that_the_service_drains_is_for_those_who_may_write(own: CallersWorld) -> None:
    """They are told to try again; all others are refused as always."""
    own.services = replace(own.services, settings=replace(own.services.settings, draining=True))
    assert own.call("PUT", CLUSTER, body()).status == 503
    own.rights.nothing = True
    refusal(own, "PUT", CLUSTER, content=body())


@pytest.mark.parametrize("method", ["GET", "PUT", "POST", "DELETE", "OPTIONS"])
def test_an_unknown_path_is_unknown_to_everyone_with_a_token(own: CallersWorld, method: str) -> None:
    """It protects nothing."""
    assert own.call(method, f"{CLUSTERS}/c1/syncSets/x").status == 404
