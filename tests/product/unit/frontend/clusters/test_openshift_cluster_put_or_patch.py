"""PUT and PATCH of a cluster."""

import copy
import json
from datetime import timedelta
from typing import Any

import pytest

from tests.product.unit.cosmos_fake import Pages
from tests.product.unit.frontend.world import (
    CLIENT_ID,
    CLIENT_SECRET,
    CLUSTER,
    CLUSTERS,
    NEW,
    OLD,
    PULL_SECRET,
    SUBSCRIPTION,
    World,
    body,
    changed,
    expect_address,
)

OTHER_CLIENT = "11111111-0000-0000-0000-000000000002"
CP, SP = "properties.clusterProfile", "properties.servicePrincipalProfile"


def created(world: World, content: dict[str, Any] | None = None, api_version: str = NEW) -> World:
    """Create the cluster and let it succeed; the install fills the service's members."""
    assert world.send("PUT", CLUSTER, content or body(api_version), api_version=api_version).status == 201
    properties = world.document["openShiftCluster"]["properties"]
    properties["consoleProfile"] = {"url": "https://console.example/"}
    properties["apiserverProfile"] |= {"url": "https://api.example:6443/", "ip": "1.2.3.4"}
    properties["ingressProfiles"][0]["ip"] = "1.2.3.5"
    properties["servicePrincipalProfile"]["objectId"] = "object-id"
    properties["infraId"] = "c1-x7k2p"
    world.finish()
    return world


def failed_create(world: World) -> World:
    """Create the cluster and let it fail after two steps."""
    assert world.send("PUT", CLUSTER, body()).status == 201
    operation_id = world.document["asyncOperationId"]
    for step, status in (("decide_names", "Succeeded"), ("create_dns", "Succeeded"), ("attach_nsgs", "Failed")):
        world.cosmos["OperationProgress"].upsert_item(
            {
                "id": f"{step}-1",
                "operationId": operation_id,
                "step": step,
                "attempt": 1,
                "status": status,
                "startTime": "2026-03-01T12:00:00+00:00",
            }
        )
    world.finish(failed=True)
    return world


def put(world: World, content: Any, api_version: str = NEW) -> Any:
    """PUT the cluster."""
    return world.send("PUT", CLUSTER, content, api_version=api_version)


def refusal(reply: Any) -> tuple[int, str, str]:
    """Return the parts of a refusal that clients react to."""
    error = reply.body["error"]
    return reply.status, error["code"], error.get("target", "")


def test_a_create_writes_secrets_then_operation_then_cluster_and_starts(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In this order a crash leaves nothing half made."""
    written: list[str] = []
    for name in ("AsyncOperations", "OpenShiftClusters"):
        container = world.cosmos[name]

        def note(document: Any, name: str = name, create: Any = container.create_item) -> Any:
            written.append(f"{name} after {len(world.secrets.versions)} secrets")
            return create(document)

        monkeypatch.setattr(container, "create_item", note)
    reply = put(world, body())
    assert written == [
        f"{name} after 1 secrets" for name in ("AsyncOperations", "AsyncOperations", "OpenShiftClusters")
    ]
    document = world.document
    assert reply.start.instance_id == f"{document['asyncOperationId']}-1"
    planned = [row["name"] for row in world.plan(document["asyncOperationId"])["rows"]]
    assert [row["name"] for row in reply.start.input["plan"]["rows"]] == ["check_plan", *planned]
    assert reply.start.input["clusterKey"] == CLUSTER.lower()


def test_a_create_answers_201_with_where_and_how_often_to_poll(world: World) -> None:
    """On the host that the caller used, with the caller's api-version."""
    referer = f"https://localhost:7443{CLUSTER}?api-version={NEW}"
    reply = world.send("PUT", CLUSTER, body(), headers={"referer": referer})
    operation_id = world.document["asyncOperationId"]
    assert reply.status == 201
    assert reply.headers["Azure-AsyncOperation"] == (
        f"https://localhost:7443/subscriptions/{SUBSCRIPTION}/providers/Microsoft.RedHatOpenShift/locations/eastus"
        f"/operationsstatus/{operation_id}?api-version={NEW}"
    )
    assert reply.headers["Retry-After"] == "15"
    assert reply.body["properties"]["provisioningState"] == "Creating"


def test_a_bad_referer_is_refused_before_anything_is_written(world: World) -> None:
    """The client could not follow the operation."""
    reply = world.send("PUT", CLUSTER, body(), headers={"referer": "nonsense"})
    assert refusal(reply) == (400, "InvalidParameter", "Referer")
    assert not world.cosmos["AsyncOperations"].documents


def test_ids_keep_the_casing_of_the_create(world: World) -> None:
    """Later requests find it in any case."""
    created(world)
    reply = world.send("GET", CLUSTER.upper())
    assert (reply.body["id"], reply.body["name"]) == (CLUSTER, "C1")
    again = world.send("PUT", CLUSTER.upper().replace("MICROSOFT", "microsoft"), body())
    assert (again.status, again.body["id"]) == (200, CLUSTER)


def test_a_create_fills_version_defaults_and_what_is_the_services(world: World) -> None:
    """From the catalogue, from the table of members, from the build."""
    put(world, body())
    document = world.document
    properties = document["openShiftCluster"]["properties"]
    assert properties["clusterProfile"]["version"] == "4.17.9"
    assert properties["networkProfile"]["loadBalancerProfile"] == {"managedOutboundIps": {"count": 1}}
    assert properties["provisionedBy"] == "unknown"
    assert properties["createdAt"] == world.now.isoformat()
    assert document["partitionKey"] == SUBSCRIPTION
    assert document["clientIdKey"] == CLIENT_ID
    assert document["clusterResourceGroupIdKey"] == f"/subscriptions/{SUBSCRIPTION}/resourcegroups/aro-c1"
    assert 0 <= document["bucket"] < 256


def test_without_a_default_version_the_operator_is_to_blame(world: World) -> None:
    """A customer can avoid the error by naming a version."""
    for version in world.cosmos["OpenShiftVersions"].documents.values():
        version["default"] = False
    assert refusal(put(world, body())) == (500, "InternalServerError", f"{CP}.version")
    assert put(world, changed(body(), f"{CP}.version", "4.10.67")).status == 201


def test_what_a_create_says_of_the_services_members_is_dropped(world: World) -> None:
    """The install fills them."""
    content = changed(body(), "properties.apiserverProfile.url", "https://mine/")
    content = changed(content, "systemData", {"createdBy": "mallory"})
    reply = put(world, changed(content, "properties.provisioningState", "Succeeded"))
    assert reply.status == 201
    assert "url" not in reply.body["properties"]["apiserverProfile"]
    assert "systemData" not in reply.body
    assert reply.body["properties"]["provisioningState"] == "Creating"


@pytest.mark.parametrize("api_version", [NEW, OLD])
def test_secrets_stand_in_the_vault_and_nowhere_else(world: World, api_version: str) -> None:
    """Not in a document, a reply, or the orchestration's input."""
    reply = put(world, body(api_version), api_version)
    (bundle,) = (json.loads(versions[0]) for versions in world.secrets.versions.values())
    assert bundle == {"clientSecret": CLIENT_SECRET, "pullSecret": PULL_SECRET}
    stored = [container.documents for container in world.cosmos.values()]
    for text in (str(stored), reply.text(), str(reply.start), world.send("GET", CLUSTER).text()):
        assert CLIENT_SECRET not in text
        assert "Y2FuOmFyeQ" not in text


def test_system_data_comes_from_arms_header(world: World) -> None:
    """An update changes what the header says, and keeps the rest."""
    first = {"createdBy": "ann@example.com", "createdByType": "User", "lastModifiedBy": "ann@example.com"}
    header = "x-ms-arm-resource-system-data"
    world.send("PUT", CLUSTER, body(), headers={header: json.dumps(first)})
    world.finish()
    second = {"lastModifiedBy": "bob@example.com", "createdBy": ""}
    reply = world.send("PATCH", CLUSTER, {"tags": {}}, headers={header: json.dumps(second)})
    assert reply.body["systemData"] == first | {"lastModifiedBy": "bob@example.com"}
    assert "systemData" not in world.send("GET", CLUSTER, api_version=OLD).body


@pytest.mark.parametrize(
    ("method", "content"),
    [
        ("PATCH", {}),
        ("PATCH", {"tags": {"team": "one"}, "identity": {"type": "None"}, "location": "EastUS"}),
        ("PATCH", {"properties": {"consoleProfile": {}, "networkProfile": {"outboundType": ""}}}),
        ("PUT", body()),
        ("PUT", None),
    ],
    ids=["nothing", "what is there", "empty members", "the body of the create", "what a GET shows"],
)
def test_an_update_that_changes_nothing_is_no_modification(world: World, method: str, content: Any) -> None:
    """Its operation runs all the same, because it repairs what others changed in Azure. A new tag is one."""
    header = "x-ms-arm-resource-system-data"
    first = {"lastModifiedBy": "ann@example.com", "lastModifiedAt": "2026-03-01T12:00:00Z"}
    second = {header: json.dumps({"lastModifiedBy": "bob@example.com", "lastModifiedAt": "2026-03-01T13:00:00Z"})}
    world.send("PUT", CLUSTER, body(), headers={header: json.dumps(first)})
    world.finish()
    sent = world.send("GET", CLUSTER).body if content is None else content
    reply = world.send(method, CLUSTER, sent, headers=second)
    assert (reply.status, reply.body["systemData"]) == (200, first)
    assert world.document["asyncOperationId"]
    world.finish()
    reply = world.send("PATCH", CLUSTER, {"tags": {"team": "two"}}, headers=second)
    assert reply.body["systemData"]["lastModifiedBy"] == "bob@example.com"


@pytest.mark.parametrize("header", ["{", "[]", '"x"', "null", '{"createdBy": 1}'])
def test_a_bad_system_data_header_is_ignored(world: World, header: str) -> None:
    """It is ARM's, so the customer could not fix it."""
    reply = world.send("PUT", CLUSTER, body(), headers={"x-ms-arm-resource-system-data": header})
    assert reply.status == 201
    assert "systemData" not in reply.body


@pytest.mark.parametrize(
    ("member", "want_code", "want_value"),
    [
        pytest.param("clientId", "DuplicateClientID", CLIENT_ID, id="the same service principal"),
        pytest.param(
            "resourceGroupId",
            "DuplicateResourceGroup",
            f"/subscriptions/{SUBSCRIPTION}/resourcegroups/aro-c1",
            id="the same resource group",
        ),
    ],
)
def test_what_belongs_to_another_cluster_is_refused(world: World, member: str, want_code: str, want_value: str) -> None:
    """The error names the value, and what was stored in the vault for it is removed."""
    put(world, body())
    other = body(name="c2", client_id=CLIENT_ID if member == "clientId" else OTHER_CLIENT)
    if member == "resourceGroupId":
        other = changed(other, f"{CP}.resourceGroupId", want_value.upper())
    reply = world.send("PUT", f"{CLUSTERS}/c2", other)
    assert refusal(reply) == (400, want_code, "")
    assert want_value in reply.body["error"]["message"]
    assert len(world.secrets.versions) == 1


def test_two_creates_of_one_name_make_one_cluster(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """The slower one decides again, and finds a cluster that is being created."""
    container = world.cosmos["OpenShiftClusters"]
    read = container.query_items
    missed: list[str] = []

    def miss_once(query: str, **options: Any) -> Any:
        if not missed:
            missed.append(query)
            return Pages([], None, None)
        return read(query, **options)

    put(world, body())
    monkeypatch.setattr(container, "query_items", miss_once)
    assert refusal(put(world, body())) == (400, "RequestNotAllowed", "")
    assert len(world.secrets.versions) == 1


@pytest.mark.parametrize("method", ["PUT", "PATCH"])
def test_a_request_that_has_to_wait_learns_where_to_look(world: World, method: str) -> None:
    """The address is that of the operation that runs, on the caller's host; without one there is none."""
    put(world, body())
    referer = f"https://management.azure.com{CLUSTER}?api-version={NEW}"
    reply = world.send(method, CLUSTER, body(), headers={"referer": referer})
    assert refusal(reply) == (400, "RequestNotAllowed", "")
    assert reply.headers["Azure-AsyncOperation"].startswith("https://management.azure.com/")
    expect_address(world, reply)
    world.document["openShiftCluster"]["properties"]["provisioningState"] = "Deleting"
    world.finish(failed=True)
    ended = world.send(method, CLUSTER, body())
    assert refusal(ended) == (400, "RequestNotAllowed", "")
    assert "Azure-AsyncOperation" not in ended.headers


@pytest.mark.parametrize("api_version", [NEW, OLD])
def test_the_same_body_can_be_put_again(world: World, api_version: str) -> None:
    """Templates are deployed repeatedly."""
    created(world, api_version=api_version)
    stored = copy.deepcopy(world.document["openShiftCluster"])
    reply = put(world, body(api_version), api_version)
    assert (reply.status, reply.body["properties"]["provisioningState"]) == (200, "Updating")
    world.finish()
    assert world.document["openShiftCluster"]["properties"] == stored["properties"]
    assert len(next(iter(world.secrets.versions.values()))) == 1


@pytest.mark.parametrize("api_version", [NEW, OLD])
def test_what_get_answers_can_be_put_back(world: World, api_version: str) -> None:
    """Read-only members equal to the stored ones do not count as a change, and secrets may be left out."""
    created(world)
    shown = world.send("GET", CLUSTER, api_version=api_version).body
    assert put(world, shown, api_version).status == 200


def test_a_put_through_an_older_version_keeps_what_it_does_not_know(world: World) -> None:
    """A caller cannot remove a member that the version does not know."""
    created(world)
    stored = world.document["openShiftCluster"]["properties"]
    stored["networkProfile"]["loadBalancerProfile"]["managedOutboundIps"]["count"] = 3
    stored["workerProfiles"][0]["fromTheFuture"] = {"a": 1}
    assert put(world, body(OLD), OLD).status == 200
    properties = world.document["openShiftCluster"]["properties"]
    assert properties["networkProfile"]["loadBalancerProfile"]["managedOutboundIps"]["count"] == 3
    assert properties["infraId"] == "c1-x7k2p"
    assert properties["workerProfiles"][0]["fromTheFuture"] == {"a": 1}


def test_a_put_without_tags_removes_them_and_a_patch_keeps_them(world: World) -> None:
    """A PUT is complete; a PATCH contains only changes."""
    created(world)
    assert "tags" in world.send("PATCH", CLUSTER, {}).body
    world.finish()
    assert "tags" not in put(world, changed(body(), "tags", ...)).body


@pytest.mark.parametrize(
    ("patch", "want_tags"),
    [
        pytest.param({"tags": {"a": "b"}}, {"a": "b"}, id="are replaced whole"),
        pytest.param({"tags": {}}, None, id="are cleared by an empty map"),
        pytest.param({"tags": None}, None, id="are cleared by null"),
        pytest.param({"location": None}, {"team": "one"}, id="stay when others are null"),
    ],
)
def test_the_tags_of_a_patch(world: World, patch: dict[str, Any], want_tags: Any) -> None:
    """Tags are a map of the customer's own."""
    created(world)
    reply = world.send("PATCH", CLUSTER, patch)
    assert (reply.status, reply.body.get("tags")) == (200, want_tags)


def test_a_patch_of_a_missing_cluster_makes_none(world: World) -> None:
    """There is nothing to change."""
    assert refusal(world.send("PATCH", CLUSTER, body())) == (404, "ResourceNotFound", "")


@pytest.mark.parametrize(
    ("path", "value", "want_target"),
    [
        pytest.param(f"{CP}.domain", "other", "", id="the domain"),
        pytest.param(f"{CP}.version", "4.10.67", "", id="the version"),
        pytest.param(f"{CP}.pullSecret", '{"auths": {"x": {"auth": "eTp6"}}}', "", id="the pull secret"),
        pytest.param(f"{CP}.resourceGroupId", f"/subscriptions/{SUBSCRIPTION}/resourceGroups/x", "", id="the group"),
        pytest.param(f"{CP}.oidcIssuer", "https://x/", "", id="a read-only member that is empty"),
        pytest.param("properties.consoleProfile.url", "https://x/", "", id="a read-only member"),
        pytest.param("properties.networkProfile.outboundType", "UserDefinedRouting", "*", id="the outbound type"),
        pytest.param(
            "properties.workerProfiles.0.count", 4, "properties.workerProfiles['worker'].count", id="the workers' count"
        ),
        pytest.param("properties.workerProfiles.0.name", "x", "properties.workerProfiles", id="the workers' name"),
        pytest.param("properties.ingressProfiles", [], "properties.ingressProfiles", id="the ingress"),
        pytest.param("properties.masterProfile.vmSize", "Standard_D16s_v3", "", id="the masters' size"),
    ],
)
def test_what_is_fixed_at_create_cannot_change(world: World, path: str, value: Any, want_target: str) -> None:
    """Neither with PUT nor with PATCH; the value of a secret is not repeated."""
    created(world)
    if want_target == "*":  # A public cluster may not have it at all, which is told first.
        assert put(world, changed(body(), path, value)).body["error"]["code"] == "InvalidParameter"
        return
    reply = put(world, changed(body(), path, value))
    assert refusal(reply) == (400, "PropertyChangeNotAllowed", want_target or path)
    assert "auths" not in reply.body["error"]["message"]
    assert "asyncOperationId" not in world.document


@pytest.mark.parametrize(
    ("path", "value", "want"),
    [
        pytest.param(
            f"{CP}.domain", "other", "Repeat its value, or leave it out of a PATCH. It is 'c1', and", id="fixed"
        ),
        pytest.param(
            f"{CP}.oidcIssuer",
            "https://x/",
            "is filled by the service. Leave it out, or repeat its value. It is '', and",
            id="the service's",
        ),
        pytest.param(f"{CP}.domain", "", f"The member '{CP}.domain' is missing or empty. Give it a value.", id="empty"),
        pytest.param(
            "properties.workerProfiles.0.name", "x", "It is 'worker', and the request has '", id="other elements"
        ),
    ],
)
def test_a_refused_change_says_what_there_is_and_what_to_do(world: World, path: str, value: Any, want: str) -> None:
    """In addition to what the request has."""
    created(world)
    for method in ("PUT", "PATCH"):
        assert want in world.send(method, CLUSTER, changed(body(), path, value)).body["error"]["message"]


def test_an_omitted_member_without_a_default_is_a_change(world: World) -> None:
    """Leaving out a member does not remove it from the cluster."""
    des = f"{CLUSTER.partition('/providers')[0]}/providers/Microsoft.Compute/diskEncryptionSets/des"
    content = changed(body(), "properties.masterProfile.diskEncryptionSetId", des)
    created(world, changed(content, "properties.workerProfiles.0.diskEncryptionSetId", des))
    error = put(world, body()).body["error"]
    assert [each["target"] for each in error["details"]] == [
        "properties.masterProfile.diskEncryptionSetId",
        "properties.workerProfiles['worker'].diskEncryptionSetId",
    ]


def test_a_patch_merges_arrays_by_name(world: World) -> None:
    """A patch of one member of a profile does not change the others."""
    created(world)
    same = {"properties": {"workerProfiles": [{"name": "worker", "count": 3}]}}
    assert world.send("PATCH", CLUSTER, same).status == 200
    world.finish()
    more = {"properties": {"workerProfiles": [{"name": "infra", "count": 3}]}}
    assert refusal(world.send("PATCH", CLUSTER, more)) == (
        400,
        "PropertyChangeNotAllowed",
        "properties.workerProfiles",
    )


def test_a_new_client_secret_is_a_new_version(world: World) -> None:
    """The new bundle includes the pull secret; the old version stays for current readers."""
    created(world)
    before = world.document["secrets"]["request"]
    assert world.send("PATCH", CLUSTER, changed({}, f"{SP}.clientSecret", "new")).status == 200
    (versions,) = world.secrets.versions.values()
    assert world.document["secrets"]["request"] != before
    assert json.loads(versions[-1]) == {"clientSecret": "new", "pullSecret": PULL_SECRET}
    assert world.document["openShiftCluster"]["properties"]["servicePrincipalProfile"]["objectId"] == "object-id"


def test_a_principal_that_was_refused_is_forgotten_by_the_next_request(world: World) -> None:
    """A PATCH of tags, or a request that names it, starts from the one that worked, which gets its unique key back."""
    created(world)
    before = world.document["secrets"]["request"]
    for patch in ({"tags": {"a": "b"}}, changed({}, f"{SP}.clientId", CLIENT_ID)):
        refused = changed(changed({}, f"{SP}.clientId", OTHER_CLIENT), f"{SP}.clientSecret", "other")
        assert world.send("PATCH", CLUSTER, refused).status == 200
        world.finish(failed=True)
        assert world.send("PATCH", CLUSTER, patch).status == 200
        assert world.document["openShiftCluster"]["properties"]["servicePrincipalProfile"]["clientId"] == CLIENT_ID
        assert (world.document["clientIdKey"], world.document["secrets"]["request"]) == (CLIENT_ID, before)
        skipped = world.plan(world.document["asyncOperationId"])["skipped"]
        assert "update_root_credentials" in {each["name"] for each in skipped}
        world.finish()


def test_a_new_client_id_is_unique_and_has_another_object_id(world: World) -> None:
    """The unique key changes too, and the facts about the old application are dropped."""
    created(world)
    assert world.send("PATCH", CLUSTER, changed({}, f"{SP}.clientId", OTHER_CLIENT)).status == 200
    assert world.document["clientIdKey"] == OTHER_CLIENT
    assert "objectId" not in world.document["openShiftCluster"]["properties"]["servicePrincipalProfile"]
    world.finish()
    other = body(name="c2")
    assert world.send("PUT", f"{CLUSTERS}/c2", other).status == 201
    back = world.send("PATCH", CLUSTER, changed({}, f"{SP}.clientId", CLIENT_ID))
    assert refusal(back) == (400, "DuplicateClientID", "")


def test_a_cluster_whose_operation_runs_is_left_alone(world: World) -> None:
    """The message says what to do."""
    put(world, body())
    reply = put(world, body())
    assert refusal(reply) == (400, "RequestNotAllowed", "")
    assert "'Creating'" in reply.body["error"]["message"]


@pytest.mark.parametrize("method", ["PUT", "PATCH"])
def test_what_the_state_forbids_is_refused_whatever_the_body_is(world: World, method: str) -> None:
    """A client learns first that it has to wait, or that there is no cluster."""
    wrong = {"tags": 1}
    if method == "PATCH":
        assert refusal(world.send(method, CLUSTER, wrong))[:2] == (404, "ResourceNotFound")
    put(world, body())
    reply = world.send(method, CLUSTER, wrong)
    assert refusal(reply) == (400, "RequestNotAllowed", "")
    expect_address(world, reply)


def test_a_failed_create_resumes_with_the_same_body(world: World) -> None:
    """With a new operation, which carries over the finished rows."""
    failed_create(world)
    first = world.document["lastAsyncOperationId"]
    reply = put(world, body())
    assert (reply.status, reply.body["properties"]["provisioningState"]) == (200, "Creating")
    assert world.document["asyncOperationId"] != first
    assert reply.start.input["done"] == ["decide_names", "create_dns"]
    assert world.plan(world.document["asyncOperationId"])["name"] == "create"


def test_a_create_that_fails_twice_still_knows_what_is_done(world: World) -> None:
    """Rows that were carried over once are carried over again."""
    failed_create(world)
    put(world, body())
    world.finish(failed=True)
    assert put(world, body()).start.input["done"] == ["decide_names", "create_dns"]


def test_a_resume_begins_anew_when_the_old_operation_has_expired(world: World) -> None:
    """Every row may run twice."""
    failed_create(world)
    world.cosmos["AsyncOperations"].documents.clear()
    assert put(world, body()).start.input["done"] == []


def bootstrapped(world: World, *steps: str) -> None:
    """Make a create fail whose graph was made an hour after it began, with these rows done as well."""
    failed_create(world)
    operation_id = world.document["lastAsyncOperationId"]
    for step in ("ensure_graph", *steps):
        world.cosmos["OperationProgress"].create_item(
            {"id": f"{step}-1", "operationId": operation_id, "step": step, "attempt": 1, "status": "Succeeded"}
            | {"startTime": "2026-03-01T12:30:00+00:00"}
        )
    world.document["openShiftCluster"]["properties"]["install"] = {"now": "2026-03-01T13:00:00Z"}


def test_a_resume_after_twenty_hours_begins_the_bootstrap_again(world: World) -> None:
    """The plan includes the removal, and no row that needs the old graph counts as done."""
    bootstrapped(world, "deploy_machines_template")
    world.now += timedelta(hours=21)
    reply = put(world, body())
    assert reply.start.input["done"] == ["decide_names", "create_dns"]
    install = world.document["openShiftCluster"]["properties"]["install"]
    assert install == {"now": "2026-03-01T13:00:00Z", "beginsAgain": True}


def test_a_resume_before_twenty_hours_goes_on_with_what_is_there(world: World) -> None:
    """The graph and its machines are kept."""
    bootstrapped(world)
    world.now += timedelta(hours=20.9)
    assert put(world, body()).start.input["done"] == ["decide_names", "create_dns", "ensure_graph"]
    assert "beginsAgain" not in world.document["openShiftCluster"]["properties"]["install"]


def test_a_resume_after_the_bootstrap_goes_on_at_any_time(world: World) -> None:
    """The cluster has made its own certificates by then."""
    bootstrapped(world, "bootstrap_config_map_ready")
    world.now += timedelta(hours=23)
    assert put(world, body()).start.input["done"][-1] == "bootstrap_config_map_ready"
    assert "beginsAgain" not in world.document["openShiftCluster"]["properties"]["install"]


@pytest.mark.parametrize(
    ("pull_secret", "want"),
    [pytest.param(PULL_SECRET, True, id="given"), pytest.param('{"auths": {}}', False, id="empty")],
)
def test_the_document_tells_whether_there_is_a_pull_secret(world: World, pull_secret: str, want: bool) -> None:
    """But not its content. Each later request records it again, also for clusters of an older build."""
    put(world, changed(body(), "properties.clusterProfile.pullSecret", pull_secret))
    assert world.document.pop("hasPullSecret") is want
    world.finish()
    assert world.send("PATCH", CLUSTER, {"tags": {"a": "b"}}).status == 200
    assert world.document["hasPullSecret"] is want


@pytest.mark.parametrize(
    ("path", "value"),
    [
        pytest.param("properties.masterProfile.vmSize", "Standard_D16s_v3", id="another size"),
        pytest.param("tags", {}, id="other tags"),
        pytest.param(f"{SP}.clientSecret", "other", id="another secret"),
        pytest.param("properties.workerProfiles.0.count", 4, id="another count"),
    ],
)
def test_a_failed_create_resumes_with_no_other_body(world: World, path: str, value: Any) -> None:
    """The message names both ways out, and the differences."""
    failed_create(world)
    reply = put(world, changed(body(), path, value))
    assert refusal(reply) == (400, "RequestNotAllowed", "")
    message = reply.body["error"]["message"]
    assert "delete the cluster, or resume" in message
    target = path.replace(".0.", "['worker'].")
    assert f"This one differs from it in: {target}" in message
    assert not isinstance(value, str) or f"'{value}'" not in message


def test_a_failed_create_resumes_with_what_a_get_answers(world: World) -> None:
    """Somebody who has lost the body, or whose tool generated the secret, need not start over."""
    failed_create(world)
    shown = world.send("GET", CLUSTER).body
    assert put(world, shown).status == 200
    assert world.document["openShiftCluster"]["properties"]["provisioningState"] == "Creating"


def test_a_failed_create_cannot_be_patched(world: World) -> None:
    """A resume is a PUT."""
    failed_create(world)
    assert refusal(world.send("PATCH", CLUSTER, {"tags": {}})) == (400, "RequestNotAllowed", "")


def test_an_update_that_meets_another_writer_decides_again(world: World) -> None:
    """The activity's write and the update both stay."""
    created(world)

    def write() -> None:
        world.document["openShiftCluster"]["properties"]["storageSuffix"] = "k3v9q"
        world.document["_etag"] = '"other"'

    world.cosmos["OpenShiftClusters"].before_write = [write]
    assert put(world, changed(body(), "tags", {"a": "b"})).status == 200
    assert world.document["openShiftCluster"]["properties"]["storageSuffix"] == "k3v9q"
    assert world.document["openShiftCluster"]["tags"] == {"a": "b"}


def test_an_update_that_loses_five_races_answers_409(world: World) -> None:
    """The caller may try again."""
    created(world)
    races = iter(range(10))

    def write() -> None:
        world.document["_etag"] = f'"other-{next(races)}"'

    world.cosmos["OpenShiftClusters"].before_write = [write] * 5
    assert refusal(put(world, body())) == (409, "Conflict", "")


@pytest.mark.parametrize("state", ["Warned", "Suspended", "Unregistered", "Deleted"])
def test_only_registered_subscriptions_make_and_change_clusters(world: World, state: str) -> None:
    """The message names the state."""
    world.register(SUBSCRIPTION, state)
    for method in ("PUT", "PATCH"):
        reply = world.send(method, CLUSTER, body())
        assert refusal(reply) == (400, "InvalidSubscriptionState", "")
        assert f"'{state}'" in reply.body["error"]["message"]


def test_an_unknown_subscription_is_told_apart(world: World) -> None:
    """Its owner has to register the provider."""
    world.cosmos["Subscriptions"].documents.clear()
    reply = put(world, body())
    assert refusal(reply) == (400, "InvalidSubscriptionState", "")
    assert "not registered" in reply.body["error"]["message"]


def test_null_in_a_patch_ends_a_schedule(world: World) -> None:
    """Leaving it out keeps it."""
    own, schedule = (
        "2026-12-01-preview",
        {"timeZone": "UTC", "days": ["Monday"], "stopTime": "19:00", "startTime": "07:00"},
    )
    world.send("PUT", CLUSTER, body())
    world.finish()
    for sent, want in ((schedule, schedule), ({}, schedule), (None, None)):
        reply = world.send("PATCH", CLUSTER, {"properties": {"powerSchedule": sent}}, api_version=own)
        assert reply.body["properties"].get("powerSchedule") == want
        world.finish()
