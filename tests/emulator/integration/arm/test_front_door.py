"""Which requests reach the resource provider through the front door, and which do not."""

import json
from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import httpx
import pytest
from azure.core.exceptions import HttpResponseError
from azure.identity import ClientSecretCredential
from azure.mgmt.resource.resources import ResourceManagementClient
from starlette.responses import JSONResponse, Response

from emulator.arm.access.roles import READER
from emulator.arm.call import AUDIENCES
from emulator.arm.seeding import ensure_role
from emulator.arm.writes import group_removal
from tests.emulator.integration.arm.stage import Stage
from tests.local_azure import wait_for
from tests.provider_registration import document, ensure_role_definition

NAMESPACE = "Microsoft.RedHatOpenShift"
VERSION = {"api-version": "2025-07-25"}
ROLE = "dddddddd-0000-4000-8000-0000000000b1"
WRITER = "dddddddd-0000-4000-8000-0000000000b2"
MANAGED_IDENTITY_OPERATOR = "f1a07417-d97a-45cb-824c-7a7467783830"


@pytest.fixture
def client(stage: Stage) -> Iterator[httpx.Client]:
    """Yield a plain HTTP client on localhost with the owner's token."""
    stage.arm.subscriptions.ensure(
        stage.world.subscription_id, stage.world.tenant_id, "Customer", providers=[NAMESPACE]
    )
    stage.provider.received.clear()
    stage.provider.replies.clear()
    headers = _bearer(stage.owner)
    with httpx.Client(base_url=stage.url, trust_env=True, headers=headers, params=VERSION, timeout=60) as found:
        yield found


def _bearer(credential: ClientSecretCredential) -> dict[str, str]:
    token = credential.get_token("https://management.azure.com/.default").token
    return {"Authorization": f"Bearer {token}"}


def _cluster(stage: Stage, group: str) -> str:
    return f"/subscriptions/{stage.world.subscription_id}/resourceGroups/{group}/providers/{NAMESPACE}/openShiftClusters/c1"


def test_a_put_reaches_the_provider_with_arms_headers(stage: Stage, client: httpx.Client, group: str) -> None:
    """The provider learns the public address, the caller and the correlation id, and never sees the token."""
    path = _cluster(stage, group)
    poll = f"{stage.url}/poll"
    body = {"id": path, "name": "c1", "type": f"{NAMESPACE}/openShiftClusters", "location": "eastus"}
    stage.provider.replies.append(JSONResponse(body, 201, headers={"Azure-AsyncOperation": poll}))
    reply = client.put(path, json={"location": "eastus"}, headers={"x-ms-correlation-request-id": "corr"})
    assert (reply.status_code, reply.headers["Azure-AsyncOperation"]) == (201, poll)
    assert reply.headers["x-ms-correlation-request-id"] == "corr"
    method, target, headers, sent = stage.provider.received[-1]
    assert (method, target, sent) == ("PUT", f"{path}?api-version=2025-07-25", {"location": "eastus"})
    assert headers["referer"] == f"{stage.url}{path}?api-version=2025-07-25"
    assert headers["x-ms-correlation-request-id"] == "corr"
    assert headers["x-ms-home-tenant-id"] == stage.world.tenant_id
    assert "authorization" not in headers
    data = json.loads(headers["x-ms-arm-resource-system-data"])
    assert (data["createdBy"], data["createdByType"]) == (stage.world.owner_client_id, "Application")
    listed = client.get(path.partition("/providers/")[0] + "/resources", params={"api-version": "2021-04-01"})
    assert [found["name"] for found in listed.json()["value"]] == ["c1"]


def _identity(stage: Stage, client: httpx.Client, group: str) -> str:
    stage.arm.subscriptions.register(stage.world.subscription_id, "Microsoft.ManagedIdentity")
    scope = _cluster(stage, group).partition("/providers/")[0]
    name = f"{scope}/providers/Microsoft.ManagedIdentity/userAssignedIdentities/one"
    made = client.put(name, json={"location": "eastus"}, params={"api-version": "2024-11-30"})
    assert made.status_code == 201
    return name


def _with_identity(name: str) -> dict[str, Any]:
    return {"location": "eastus", "identity": {"type": "UserAssigned", "userAssignedIdentities": {name: {}}}}


def test_the_provider_learns_where_a_clusters_identities_are(stage: Stage, client: httpx.Client, group: str) -> None:
    """PUT always, PATCH when it names identities; what a caller sends in the header's place never arrives."""
    path, name = _cluster(stage, group), _identity(stage, client, group)
    forged = {"x-ms-identity-url": "https://forged.example", "x-ms-identity-principal-id": "forged"}
    client.put(path, json=_with_identity(name), headers=forged)
    headers = stage.provider.received[-1][2]
    url = stage.arm.front_door.identities.url(path)
    assert (headers["x-ms-identity-url"], headers["x-ms-home-tenant-id"]) == (url, stage.world.tenant_id)
    assert url.startswith(f"https://control-eastus.identity.azure.net{path}/credentials/v2/identities?arpid=")
    assert "x-ms-identity-principal-id" not in headers
    assert stage.arm.front_door.identities.of(path) == [name.lower()]
    client.patch(path, json=_with_identity(name), headers=forged)
    assert stage.provider.received[-1][2]["x-ms-identity-url"] == url
    for method, target in (("PATCH", path), ("GET", path), ("POST", f"{path}/listCredentials")):
        client.request(method, target, json={"tags": {}} if method == "PATCH" else None, headers=forged)
        assert "x-ms-identity-url" not in stage.provider.received[-1][2]
    assert stage.arm.front_door.identities.of(path) == [name.lower()]


def test_who_names_an_identity_must_be_allowed_to_assign_it(stage: Stage, client: httpx.Client, group: str) -> None:
    """On PUT and PATCH; a contributor of the cluster's group alone is refused, and nothing reaches the provider."""
    credential, object_id = stage.principal("writer")
    path, name = _cluster(stage, group), _identity(stage, client, group)
    scope, clusters = path.partition("/providers/")[0], f"{NAMESPACE}/openShiftClusters"
    subscription = f"/subscriptions/{stage.world.subscription_id}"
    ensure_role_definition(stage.arm, subscription, WRITER, "writer of clusters", [f"{clusters}/write"])
    ensure_role(stage.arm, scope, object_id, WRITER)
    for method in ("PUT", "PATCH"):
        refused = client.request(method, path, json=_with_identity(name), headers=_bearer(credential))
        assert (refused.status_code, refused.json()["error"]["code"]) == (403, "LinkedAuthorizationFailed")
        assert "userAssignedIdentities/assign/action" in refused.json()["error"]["message"]
    assert stage.provider.received == []
    ensure_role(stage.arm, name, object_id, MANAGED_IDENTITY_OPERATOR)
    assert client.put(path, json=_with_identity(name), headers=_bearer(credential)).status_code == 200


def test_an_identity_that_does_not_exist_never_reaches_the_provider(
    stage: Stage, client: httpx.Client, group: str
) -> None:
    """ARM says so itself; an identity that a PATCH takes away needs neither existence nor rights."""
    path, missing = _cluster(stage, group), f"{_identity(stage, client, group)}-missing"
    refused = client.put(path, json=_with_identity(missing)).json()["error"]
    assert refused["code"] == "FailedIdentityOperation"
    assert missing in refused["message"]
    assert stage.provider.received == []
    taken = {"identity": {"type": "UserAssigned", "userAssignedIdentities": {missing: None}}}
    assert client.patch(path, json=taken).status_code == 200


@pytest.mark.parametrize(
    ("where", "code"), [("group", "ResourceGroupNotFound"), ("registration", "MissingSubscriptionRegistration")]
)
def test_what_is_missing_is_said_before_the_provider_is_asked(
    stage: Stage, client: httpx.Client, group: str, where: str, code: str
) -> None:
    """A missing group or registration gets ARM's own answer."""
    if where == "registration":
        stage.arm.subscriptions.unregister(stage.world.subscription_id, NAMESPACE)
    reply = client.get(_cluster(stage, "absent" if where == "group" else group))
    assert reply.json()["error"]["code"] == code
    assert stage.provider.received == []
    stage.arm.subscriptions.register(stage.world.subscription_id, NAMESPACE)


def test_a_reader_may_look_but_not_touch(stage: Stage, client: httpx.Client, group: str) -> None:
    """Access is checked for the provider's types as for any others."""
    credential, object_id = stage.principal("reader")
    path = _cluster(stage, group)
    headers = _bearer(credential)
    assert client.get(path, headers=headers).status_code == 403
    ensure_role(stage.arm, path.partition("/providers/")[0], object_id, READER)
    assert client.get(path, headers=headers).status_code == 200
    refused = client.put(path, json={}, headers=headers).json()["error"]
    assert refused["code"] == "AuthorizationFailed"
    assert f"action '{NAMESPACE}/openShiftClusters/write' over scope '{path}'" in refused["message"]
    assert object_id in refused["message"]
    # An operation in a group is polled under the subscription.
    status = f"/subscriptions/{stage.world.subscription_id}/providers/{NAMESPACE}/locations/eastus/operationsstatus/x"
    assert client.get(status, headers=headers).status_code == 200


def test_an_action_wants_a_permission_of_its_own(stage: Stage, client: httpx.Client, group: str) -> None:
    """A principal that may read a cluster does not get its password without the permission for it."""
    path = f"{_cluster(stage, group)}/listCredentials"
    credentials = {"kubeadminUsername": "kubeadmin", "kubeadminPassword": "canary"}
    stage.provider.replies.append(JSONResponse(credentials, headers={"Cache-Control": "no-store"}))
    reply = client.post(path)
    assert (reply.json(), reply.headers["Cache-Control"]) == (credentials, "no-store")
    method, target, headers, _ = stage.provider.received[-1]
    assert (method, target) == ("POST", f"{path}?api-version=2025-07-25")
    assert "x-ms-arm-resource-system-data" not in headers
    last = list(stage.platform.journal.entries(service="arm"))[-1]
    assert last.operation == f"POST {NAMESPACE}/openShiftClusters/listCredentials"
    reader, object_id = stage.principal("curious")
    ensure_role(stage.arm, path.partition("/providers/")[0], object_id, READER)
    refused = client.post(path, headers=_bearer(reader))
    assert (refused.status_code, refused.json()["error"]["code"]) == (403, "AuthorizationFailed")
    assert f"'{NAMESPACE}/openShiftClusters/listCredentials/action'" in refused.json()["error"]["message"]
    assert len(stage.provider.received) == 1


def test_a_crashed_provider_is_a_bad_gateway(stage: Stage, client: httpx.Client, group: str) -> None:
    """A 5xx without ARM's error format is not passed on."""
    stage.provider.replies.append(Response("Service is down", 503))
    reply = client.get(_cluster(stage, group))
    assert (reply.status_code, reply.json()["error"]["code"]) == (502, "BadGateway")


@pytest.fixture
def registered_again(stage: Stage) -> Iterator[None]:
    """Register the provider again afterwards, for the other tests."""
    yield
    stage.arm.register_provider(document(stage.platform))


@pytest.mark.usefixtures("registered_again")
def test_a_provider_that_nobody_registered_is_no_provider(stage: Stage, client: httpx.Client, group: str) -> None:
    """Every call to its namespace gets the answer for a namespace that does not exist."""
    path = _cluster(stage, group)
    subscription = path.partition("/resourceGroups/")[0]
    stage.arm.registration._use(None)
    calls = [
        ("GET", path),
        ("PUT", path),
        ("PATCH", path),
        ("DELETE", path),
        ("POST", f"{path}/listCredentials"),
        ("GET", path.rpartition("/")[0]),
        ("GET", f"{subscription}/providers/{NAMESPACE}/openShiftClusters"),
        ("GET", f"{subscription}/providers/{NAMESPACE}/locations/eastus/openShiftVersions"),
        ("POST", f"{subscription}/providers/{NAMESPACE}/checkNameAvailability"),
        ("GET", f"/providers/{NAMESPACE}/operations"),
    ]
    replies = [client.request(method, path, json={} if method in ("PUT", "PATCH") else None) for method, path in calls]
    assert [(*call, reply.json()["error"]["code"]) for call, reply in zip(calls, replies, strict=True)] == [
        (*call, "NotSupportedByLocalAzure") for call in calls
    ]
    assert {reply.status_code for reply in replies} == {400}
    assert stage.provider.received == []


@pytest.mark.usefixtures("registered_again")
def test_a_provider_whose_site_does_not_run_is_not_reached(stage: Stage, client: httpx.Client, group: str) -> None:
    """A registration takes effect at once; ARM has a name for the endpoint, but nothing answers there."""
    path = _cluster(stage, group)
    stage.arm.register_provider(document(stage.platform, host="gone.azurewebsites.net"))
    reply = client.get(path)
    assert (reply.status_code, reply.json()["error"]["code"]) == (502, "BadGatewayConnection")
    stage.arm.register_provider(document(stage.platform))
    assert client.get(path).status_code == 200


def test_doubled_slashes_are_collapsed(stage: Stage, client: httpx.Client, group: str) -> None:
    """The provider sees single slashes."""
    path = _cluster(stage, group)
    client.get(path.replace("/providers/", "//providers/"))
    assert stage.provider.received[-1][1].startswith(f"{path}?")


def test_the_published_certificates_roll_over(stage: Stage, client: httpx.Client) -> None:
    """Two certificates are published; after a rollover the second one is in use."""
    del client.headers["Authorization"]

    def published() -> list[str]:
        reply = client.get("/metadata/authentication", params={"api-version": "2015-01-01"})
        return [found["thumbprint"] for found in reply.json()["clientCertificates"]]

    before = published()
    stage.arm.identity.roll_over()
    after = published()
    assert after[0] == before[1]
    assert len(set(before + after)) == 3


def _make_cluster(stage: Stage, client: httpx.Client, group: str) -> str:
    path = _cluster(stage, group)
    body = {"id": path, "name": "c1", "type": f"{NAMESPACE}/openShiftClusters", "location": "eastus"}
    stage.provider.replies.append(JSONResponse(body, 201))
    client.put(path, json={"location": "eastus"})
    stage.provider.received.clear()
    return path


def _state(state: str) -> JSONResponse:
    return JSONResponse({"properties": {"provisioningState": state}})


def _gone() -> JSONResponse:
    return JSONResponse({"error": {"code": "ResourceNotFound", "message": "gone"}}, 404)


@pytest.mark.parametrize("already", [False, True], ids=["asks the provider", "waits for a deletion that has begun"])
def test_a_group_is_deleted_after_its_cluster(stage: Stage, client: httpx.Client, group: str, *, already: bool) -> None:
    """ARM deletes the cluster through the provider, polls, makes sure that it is gone, and deletes the group."""
    path = _make_cluster(stage, client, group)
    poll = {"Azure-AsyncOperation": f"{stage.url}{path.rpartition('/')[0]}/poll?api-version=1"}
    stage.provider.replies += (
        [_state("Deleting"), _gone()]
        if already
        else [
            _state("Succeeded"),
            Response(status_code=202, headers=poll),
            JSONResponse({"status": "Deleting"}),
            JSONResponse({"status": "Succeeded"}),
            _gone(),
        ]
    )
    with ResourceManagementClient(stage.owner, stage.world.subscription_id) as resources:
        resources.resource_groups.begin_delete(group).result()
        assert not resources.resource_groups.check_existence(group)
    sent = [method for method, *_ in stage.provider.received]
    assert sent == (["GET", "GET"] if already else ["GET", "DELETE", "GET", "GET", "GET"])


@pytest.mark.parametrize("refused", ["at once", "in the end"])
def test_a_group_stays_if_its_cluster_does(stage: Stage, client: httpx.Client, group: str, refused: str) -> None:
    """The deletion fails with the provider's error; group and cluster stay, and the group can be deleted later."""
    path = _make_cluster(stage, client, group)
    error = {"error": {"code": "ScopeLocked", "message": "The network is locked."}}
    poll = {"Azure-AsyncOperation": f"{stage.url}{path.rpartition('/')[0]}/poll?api-version=1"}
    stage.provider.replies += (
        [_state("Succeeded"), JSONResponse(error, 409)]
        if refused == "at once"
        else [_state("Succeeded"), Response(status_code=202, headers=poll), JSONResponse({"status": "Failed", **error})]
    )
    with ResourceManagementClient(stage.owner, stage.world.subscription_id) as resources:
        with pytest.raises(HttpResponseError) as caught:
            resources.resource_groups.begin_delete(group).result()
        found = caught.value.error
        assert found is not None
        assert found.code == "ResourceGroupDeletionBlocked"
        assert f"'{NAMESPACE}/openShiftClusters/c1' could not be deleted" in str(found.message)
        assert [(detail.code, detail.message) for detail in found.details] == [
            ("ScopeLocked", "The network is locked.")
        ]
        properties: Any = resources.resource_groups.get(group).properties
        assert properties.provisioning_state == "Succeeded"
        stage.provider.replies.append(_gone())
        resources.resource_groups.begin_delete(group).result()


def test_a_deletion_of_a_group_goes_on_after_a_restart(stage: Stage, client: httpx.Client, group: str) -> None:
    """What waits for the provider is stored: until it has answered, resources can be changed and none made."""
    _make_cluster(stage, client, group)
    scope = f"/subscriptions/{stage.world.subscription_id}/resourceGroups/{group}"
    tables = f"{scope}/providers/Microsoft.Network/routeTables"

    def put(name: str) -> httpx.Response:
        return client.put(f"{tables}/{name}", params={"api-version": "2024-05-01"}, json={"location": "eastus"})

    assert put("kept").status_code == 201
    token = stage.owner.get_token("https://management.azure.com/.default").token
    caller = stage.directory.authenticate(f"Bearer {token}", AUDIENCES)
    operation = stage.arm.operations.begin("delete", scope, 0, waits=True)
    stage.arm.groups.begin_delete_of_contents(
        stage.arm.groups.get(stage.world.subscription_id, group), operation["id"], vars(caller), "corr"
    )
    assert put("kept").status_code == 200
    refused = put("new")
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "ResourceGroupBeingDeleted")
    stage.provider.replies.append(_gone())
    stage.local.run(group_removal.resume(stage.arm))
    wait_for(lambda: stage.arm.groups.find(stage.world.subscription_id, group) is None, "the end of the group")


def test_a_manifest_says_what_a_caller_needs_and_which_resources_arm_lists(
    stage: Stage, client: httpx.Client, group: str
) -> None:
    """An action may be mapped to another; what a body names is asked for; children that only the provider knows are not listed."""
    told = document(stage.platform, host=stage.arm.registration.host)
    clusters, children = f"{NAMESPACE}/openShiftClusters", "openShiftClusters/operations"
    rows = told["manifest"]["resourceTypes"]
    rows.append({**rows[1], "name": children})
    rows[-1]["authorizationActionMappings"] = [
        {"original": f"{NAMESPACE}/{children}/cancel/action", "desired": f"{clusters}/write"},
        {"original": f"{NAMESPACE}/{children}/read", "desired": f"{clusters}/read"},
    ]
    join, subnets = "Microsoft.Network/virtualNetworks/subnets/join/action", "Microsoft.Network/virtualNetworks/subnets"
    rows[0]["linkedAccessChecks"] = [
        {
            "actionName": f"{clusters}/write",
            "linkedProperty": "properties.workerProfiles[*].subnetId",
            "linkedAction": join,
            "linkedType": subnets,
        }
    ]
    before = stage.arm.registration.get()
    stage.arm.register_provider(told)
    try:
        credential, object_id = stage.principal("cluster-writer")
        path = _cluster(stage, group)
        scope = path.partition("/providers/")[0]
        subscription = f"/subscriptions/{stage.world.subscription_id}"
        ensure_role_definition(stage.arm, subscription, ROLE, "writer", [f"{clusters}/read", f"{clusters}/write"])
        ensure_role(stage.arm, scope, object_id, ROLE)
        headers = _bearer(credential)
        operation = f"{path}/operations/o1"
        shown = {"id": operation, "name": "o1", "type": f"{NAMESPACE}/{children}"}
        stage.provider.replies += [JSONResponse(shown), JSONResponse(shown, 202)]
        assert client.get(operation, headers=headers).json() == shown
        assert client.post(f"{operation}/cancel", headers=headers).status_code == 202
        listed = client.get(f"{scope}/resources", params={"api-version": "2021-04-01"}).json()["value"]
        assert not [each for each in listed if each["id"] == operation]
        subnet = f"{scope}/providers/Microsoft.Network/virtualNetworks/v/subnets/theirs"
        reached = len(stage.provider.received)
        for method in ("PUT", "PATCH"):
            body = {"location": "eastus", "properties": {"WORKERPROFILES": [{"subnetId": subnet}]}}
            refused = client.request(method, path, json=body, headers=headers)
            assert (refused.status_code, refused.json()["error"]["code"]) == (403, "LinkedAuthorizationFailed")
            assert join in refused.json()["error"]["message"]
        assert len(stage.provider.received) == reached
        stage.provider.replies.append(JSONResponse({}, 400))
        nobodys = f"/subscriptions/{uuid4()}/resourceGroups/g/providers/Microsoft.Network/virtualNetworks/v/subnets/s"
        body = {"location": "eastus", "properties": {"workerProfiles": [{"subnetId": nobodys}]}}
        assert client.put(path, json=body, headers=headers).status_code == 400
        assert len(stage.provider.received) == reached + 1
    finally:
        stage.arm.register_provider(before)
