"""What ARM checks of a change before a provider sees it, and the service where it stands in ARM's place."""

import copy
from collections.abc import Callable
from typing import Any

import pytest

from frontend.middleware.entra import linked_access
from shared.clusters.member_types import BY_SERVICE
from shared.clusters.members import MEMBERS
from tests.api_versions import VERSIONS, members
from tests.product.unit.frontend.callers_world import USER, CallersWorld, application_token
from tests.product.unit.frontend.world import CLUSTER, GROUP, NEW, SUBSCRIPTION, VNET, body, changed

JOIN = "Microsoft.Network/virtualNetworks/subnets/join/action"
READ_SET = "Microsoft.Compute/diskEncryptionSets/read"
WRITE = "Microsoft.RedHatOpenShift/openShiftClusters/write"
MASTER, WORKER = f"{VNET}/subnets/master", f"{VNET}/subnets/worker"
SET = f"{GROUP}/providers/Microsoft.Compute/diskEncryptionSets/theirs"
CREDENTIALS = f"{CLUSTER}/listCredentials"


def encrypted() -> dict[str, Any]:
    """Return a body with a disk encryption set."""
    content = changed(body(), "properties.masterProfile.diskEncryptionSetId", SET)
    return changed(content, "properties.workerProfiles.0.diskEncryptionSetId", SET)


def state(own: CallersWorld) -> Any:
    """Return everything that a request may have written."""
    documents = {name: container.documents for name, container in own.cosmos.items()}
    return copy.deepcopy((documents, own.secrets.versions))


def refused(own: CallersWorld, method: str, path: str, content: Any = None, **more: Any) -> tuple[int, str, str]:
    """Send a request that must be refused and write nothing; return status, code and message."""
    before = state(own)
    reply = own.call(method, path, content, **more)
    assert state(own) == before
    assert reply.status >= 400
    return reply.status, reply.body["error"]["code"], reply.body["error"]["message"]


def test_every_resource_in_a_body_is_asked_for_at_its_own_id(own: CallersWorld) -> None:
    """Each once, besides the right to write the cluster."""
    assert own.call("PUT", CLUSTER, encrypted()).status == 201
    assert own.rights.asked == [(WRITE, GROUP), (JOIN, MASTER), (READ_SET, SET), (JOIN, WORKER)]


@pytest.mark.parametrize(
    ("action", "resource"), [(JOIN, MASTER), (JOIN, WORKER), (READ_SET, SET)], ids=["masters", "workers", "a set"]
)
def test_a_body_that_names_what_the_caller_may_not_use_is_refused(
    own: CallersWorld, action: str, resource: str
) -> None:
    """The service could use it, the caller may not."""
    own.rights.deny(action, resource)
    assert refused(own, "PUT", CLUSTER, encrypted()) == (
        403,
        "LinkedAuthorizationFailed",
        (
            f"The client 'ann@example.com' with object id '{USER}' has permission to perform action '{WRITE}' on scope "
            f"'{CLUSTER}'; however, it does not have permission to perform action(s) '{action}' on the linked scope(s) "
            f"'{resource}' (respectively) or the linked scope(s) are invalid."
        ),
    )


def test_all_that_is_missing_is_named(own: CallersWorld) -> None:
    """So that one grant mends it."""
    for action, resource in ((JOIN, MASTER), (JOIN, WORKER), (READ_SET, SET)):
        own.rights.deny(action, resource)
    _, code, message = refused(own, "PUT", CLUSTER, encrypted())
    assert code == "LinkedAuthorizationFailed"
    assert f"action(s) '{JOIN},{READ_SET}'" in message
    assert f"'{MASTER},{SET},{WORKER}' (respectively)" in message


@pytest.mark.parametrize("prepare", ["nothing", "succeeded", "failed"])
def test_repeating_or_resuming_a_request_is_no_way_around(own: CallersWorld, prepare: str) -> None:
    """Another caller may have made the cluster, or this one may have lost the right since."""
    assert own.call("PUT", CLUSTER, encrypted()).status == 201
    if prepare != "nothing":
        own.finish(failed=prepare == "failed")
    own.rights.deny(JOIN, WORKER)
    for method, content in (("PUT", encrypted()), ("PATCH", {"properties": encrypted()["properties"]})):
        status, code, _ = refused(own, method, CLUSTER, content)
        assert (status, code) == (403, "LinkedAuthorizationFailed")


def test_a_change_of_tags_asks_for_no_network(own: CallersWorld) -> None:
    """As in ARM: only what the body names."""
    own.call("PUT", CLUSTER, body())
    own.finish()
    own.rights.deny(JOIN, MASTER)
    assert own.call("PATCH", CLUSTER, {"tags": {"team": "two"}}).status == 200


@pytest.mark.parametrize("path", ["properties.masterProfile.subnetId", "properties.workerProfiles.0.subnetId"])
@pytest.mark.parametrize(
    "value",
    [
        "master",
        "/subscriptions/x",
        f"/subscriptions/{SUBSCRIPTION}",
        GROUP,
        VNET,
        f"{VNET}/subnets/..",
        f"{GROUP}/providers/Microsoft.Network/virtualNetworks/../subnets/master",
        f"{MASTER}?api-version=1",
        f"{MASTER}#",
        f"{MASTER}%2f..",
        f"{VNET}/subnets/a b",
        f"{MASTER}/providers/x/y/z",
        MASTER.replace(SUBSCRIPTION, "x"),
        MASTER.replace("Customer", ".."),
        MASTER.replace("Network/", "Networ\u212a/"),
        SET,
    ],
)
def test_what_is_no_id_of_a_subnet_is_refused_before_azure_is_asked_about_it(
    own: CallersWorld, path: str, value: str
) -> None:
    """ARM would read such a text as another path."""
    content = changed(body(), path, value)
    status, code, message = refused(own, "PUT", CLUSTER, content)
    assert (status, code) == (400, "LinkedInvalidPropertyId")
    assert "Microsoft.Network/virtualNetworks/subnets" in message
    assert own.rights.asked == [(WRITE, GROUP)]


def test_a_body_with_many_subnets_causes_no_storm_of_reads(own: CallersWorld) -> None:
    """A cluster has one array of workers with one item."""
    (worker,) = body()["properties"]["workerProfiles"]
    workers = [worker | {"name": f"w{n}", "subnetId": f"{VNET}/subnets/w{n}"} for n in range(1000)]
    content = changed(body(), "properties.workerProfiles", workers)
    assert refused(own, "PUT", CLUSTER, content)[:2] == (400, "InvalidParameter")
    assert own.rights.asked == [(WRITE, GROUP)]


def test_every_member_with_an_id_that_customers_write_is_checked_in_one_way_or_another() -> None:
    """A new one fails here until somebody decides."""
    ids = {row.path for row in MEMBERS if row.rule not in BY_SERVICE and row.path.lower().endswith(("id", "ids[]"))}
    balancer = "properties.networkProfile.loadBalancerProfile"
    refused_whatever_they_name = {f"{balancer}.outboundIps[].id", f"{balancer}.outboundIpPrefixes[].id"}
    keys = {row.path for row in MEMBERS if row.path == "identity.userAssignedIdentities{}"}
    assert (ids | keys) - refused_whatever_they_name == {row.path for row in linked_access.LINKED} | {
        linked_access.CLUSTER_GROUP,
        # Whoever has its secret may use it.
        "properties.servicePrincipalProfile.clientId",
    }


def test_older_versions_are_checked_in_the_same_way(own: CallersWorld) -> None:
    """They match names of members without case."""
    own.rights.deny(JOIN, WORKER)
    content = body("2020-04-30")
    content["properties"]["WORKERPROFILES"] = content["properties"].pop("workerProfiles")
    assert refused(own, "PUT", CLUSTER, content, api_version="2020-04-30")[:2] == (403, "LinkedAuthorizationFailed")


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("method", ["PUT", "PUT again", "PATCH"])
@pytest.mark.parametrize("row", [row for row in linked_access.LINKED if "{}" not in row.path], ids=lambda row: row.path)
def test_every_id_that_a_body_names_is_checked_for_the_caller_in_every_version(
    own: CallersWorld, version: str, method: str, row: linked_access.Linked
) -> None:
    """On a create, and on an update by another caller. A version without the member ignores it."""
    create, method = method == "PUT", method.removesuffix(" again")
    if not create:
        assert own.call("PUT", CLUSTER, body(version), api_version=version).status == 201
        own.finish()
    theirs = MASTER.replace("master", "theirs") if row.type == linked_access.SUBNET else SET
    own.rights.deny(row.action, theirs)
    path = row.path.replace("[]", ".0")
    content = changed(body(version), path, theirs)
    sent = content if method == "PUT" else {"properties": content["properties"]}
    if row.path.replace("[]", "") in members(version):
        assert refused(own, method, CLUSTER, sent, api_version=version)[:2] == (403, "LinkedAuthorizationFailed")
    else:
        assert own.call(method, CLUSTER, sent, api_version=version).status in (200, 201)
        assert theirs not in str(own.document["openShiftCluster"])


def test_a_cluster_needs_a_resource_group(own: CallersWorld) -> None:
    """As ARM says it."""
    own.arm.groups.clear()
    message = "Resource group 'Customer' could not be found."
    assert refused(own, "PUT", CLUSTER, body()) == (404, "ResourceGroupNotFound", message)
    own.rights.deny(JOIN, MASTER)
    assert refused(own, "PUT", CLUSTER, body())[0] == 403


def test_a_resource_group_that_is_being_deleted_takes_no_cluster(own: CallersWorld) -> None:
    """Azure would not wait for it."""
    own.arm.groups["customer"] = {"properties": {"provisioningState": "Deleting"}}
    assert refused(own, "PUT", CLUSTER, body())[:2] == (409, "ResourceGroupBeingDeleted")


def test_a_cluster_whose_group_is_gone_can_be_read_and_deleted(own: CallersWorld) -> None:
    """Otherwise nobody could remove its machines."""
    own.call("PUT", CLUSTER, body())
    own.finish()
    own.arm.groups.clear()
    assert own.call("GET", CLUSTER).status == 200
    assert own.call("DELETE", CLUSTER).status == 202


@pytest.mark.parametrize("managed_by", [{}, {"managedBy": ""}, {"managedBy": f"{CLUSTER}2"}, {"managedBy": VNET}])
def test_another_teams_group_does_not_become_a_clusters_own(own: CallersWorld, managed_by: dict[str, str]) -> None:
    """A delete would remove it with everything in it."""
    own.arm.groups["aro-c1"] = managed_by
    status, code, message = refused(own, "PUT", CLUSTER, body())
    assert (status, code) == (400, "ClusterResourceGroupAlreadyExists")
    assert "'aro-c1' exists already" in message


def test_a_clusters_own_group_is_its_own(own: CallersWorld) -> None:
    """An update names it as the create did."""
    assert own.call("PUT", CLUSTER, body()).status == 201
    own.finish()
    own.arm.groups["aro-c1"] = {"managedBy": CLUSTER.upper()}
    assert own.call("PUT", CLUSTER, body()).status == 200


def test_a_group_of_another_subscription_is_not_asked_about(own: CallersWorld) -> None:
    """The answer would tell whether it exists."""
    other = SUBSCRIPTION.replace("1", "2")
    group = f"/subscriptions/{other}/resourceGroups/aro-c1"
    content = changed(body(), "properties.clusterProfile.resourceGroupId", group)
    assert refused(own, "PUT", CLUSTER, content)[:2] == (400, "InvalidParameter")
    assert not [path for path in own.arm.asked if other in path]


CHANGES: dict[str, Callable[[], Any]] = {
    "PUT": body,
    "PATCH": lambda: {"tags": {}},
    "DELETE": lambda: None,
    "POST": lambda: None,
}


@pytest.mark.parametrize("scope", [GROUP, f"/subscriptions/{SUBSCRIPTION}"], ids=["group", "subscription"])
@pytest.mark.parametrize(
    ("level", "blocked"), [("ReadOnly", ["PUT", "PATCH", "DELETE", "POST"]), ("CanNotDelete", ["DELETE"])]
)
def test_a_lock_holds(own: CallersWorld, scope: str, level: str, blocked: list[str]) -> None:
    """On the resource group or above it. Reading is always allowed."""
    own.call("PUT", CLUSTER, body())
    own.finish()
    own.arm.locks[scope] = level
    for method, content in CHANGES.items():
        path = CREDENTIALS if method == "POST" else CLUSTER
        if method in blocked:
            operation = "delete" if method == "DELETE" else "write"
            assert refused(own, method, path, content()) == (
                409,
                "ScopeLocked",
                (
                    f"The scope '{CLUSTER}' cannot perform {operation} operation because following scope(s) are "
                    f"locked: '{scope}'. Please remove the lock and try again."
                ),
            )
    assert own.call("GET", CLUSTER).status == 200
    own.arm.locks.clear()
    assert own.call("DELETE", CLUSTER).status == 202


@pytest.mark.parametrize(
    ("state_of_azure", "may_write", "may_delete"),
    [
        ("Enabled", True, True),
        ("PastDue", True, True),
        ("Warned", False, True),
        ("Disabled", False, True),
        ("Deleted", False, False),
        ("", False, False),
    ],
)
def test_the_state_of_the_subscription_is_azures(
    own: CallersWorld, state_of_azure: str, may_write: bool, may_delete: bool
) -> None:
    """What ARM once reported does not count: nobody reports it here."""
    own.call("PUT", CLUSTER, body())
    own.finish()
    own.register(SUBSCRIPTION, "Deleted" if may_write else "Registered")
    own.arm.states[SUBSCRIPTION] = state_of_azure
    if not may_write:
        assert refused(own, "PATCH", CLUSTER, {"tags": {}})[:2] == (400, "InvalidSubscriptionState")
        assert refused(own, "POST", CREDENTIALS)[:2] == (400, "InvalidSubscriptionState")
    if not may_delete:
        assert refused(own, "DELETE", CLUSTER)[:2] == (400, "InvalidSubscriptionState")
        return
    assert own.call("PATCH", CLUSTER, {"tags": {}}).status == (200 if may_write else 400)
    if may_write:
        own.finish()
    assert own.call("DELETE", CLUSTER).status == 202


@pytest.mark.parametrize("method", CHANGES)
def test_nothing_is_changed_while_arm_is_away(own: CallersWorld, method: str) -> None:
    """The caller repeats the request."""
    own.call("PUT", CLUSTER, body())
    own.finish()
    own.arm.is_away = True
    path = CREDENTIALS if method == "POST" else CLUSTER
    status, code, message = refused(own, method, path, CHANGES[method]())
    assert (status, code) == (503, "ServiceUnavailable")
    assert "Azure Resource Manager" in message


@pytest.mark.parametrize("method", CHANGES)
def test_what_arm_does_not_show_may_forbid_a_change(
    own: CallersWorld, method: str, caplog: pytest.LogCaptureFixture
) -> None:
    """A lock, for example. The log says what is missing, and the operator grants it."""
    own.call("PUT", CLUSTER, body())
    own.finish()
    own.arm.refuses = True
    path = CREDENTIALS if method == "POST" else CLUSTER
    assert refused(own, method, path, CHANGES[method]())[:2] == (503, "ServiceUnavailable")
    assert "The app has no role." in caplog.text


def test_an_application_is_asked_for_like_a_user(own: CallersWorld) -> None:
    """By the object id of its service principal."""
    assert own.call("PUT", CLUSTER, body(), token=application_token(), api_version=NEW).status == 201
