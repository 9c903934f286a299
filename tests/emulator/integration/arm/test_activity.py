"""The activity log: what callers did in a subscription, how it ended, and what one may ask of it."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import httpx
import pytest
from starlette.responses import JSONResponse

from emulator.json_object import Json
from tests.emulator.integration.arm.stage import Stage

NAMESPACE = "Microsoft.RedHatOpenShift"
API = {"api-version": "2024-05-01"}
LOG = "/providers/microsoft.insights/eventtypes/management/values"


@pytest.fixture
def client(stage: Stage) -> Iterator[httpx.Client]:
    """Yield a plain HTTP client on localhost with the owner's token."""
    token = stage.owner.get_token("https://management.azure.com/.default").token
    with httpx.Client(base_url=stage.url, headers={"Authorization": f"Bearer {token}"}, timeout=60) as found:
        yield found


def _since(**ago: float) -> str:
    return f"eventTimestamp ge {(datetime.now(UTC) - timedelta(**ago)).replace(tzinfo=None).isoformat()}"


def _read(stage: Stage, client: httpx.Client, *terms: str, select: str = "") -> httpx.Response:
    query = {"api-version": "2015-04-01", "$filter": " and ".join(terms)} | ({"$select": select} if select else {})
    return client.get(f"/subscriptions/{stage.world.subscription_id}{LOG}", params=query)


def _events(stage: Stage, client: httpx.Client, *terms: str) -> list[Json]:
    answer = _read(stage, client, _since(hours=1), *terms)
    assert answer.status_code == 200, answer.text
    found: list[Json] = answer.json()["value"]
    return found


def _put(client: httpx.Client, path: str, body: Json, correlation_id: str) -> httpx.Response:
    return client.put(path, params=API, json=body, headers={"x-ms-correlation-request-id": correlation_id})


def _path(stage: Stage, group: str, tail: str) -> str:
    return f"/subscriptions/{stage.world.subscription_id}/resourceGroups/{group}/providers/{tail}"


def test_a_write_that_takes_time_is_started_accepted_and_succeeded(
    stage: Stage, client: httpx.Client, group: str
) -> None:
    """The events share their operation; they say who did what, by which right."""
    path, correlation_id = _path(stage, group, "Microsoft.Network/routeTables/t"), str(uuid4())
    assert _put(client, path, {"location": "eastus"}, correlation_id).status_code == 201
    by_id = f"correlationId eq '{correlation_id}'"
    stage.time.ahead += timedelta(minutes=5)
    try:
        ended, accepted, started = _events(stage, client, by_id)
    finally:
        stage.time.ahead -= timedelta(minutes=5)
    assert [each["status"]["value"] for each in (started, accepted, ended)] == ["Started", "Accepted", "Succeeded"]
    assert len({each["operationId"] for each in (started, accepted, ended)}) == 1
    assert accepted["subStatus"]["localizedValue"] == "Created (HTTP Status Code: 201)"
    action = "Microsoft.Network/routeTables/write"
    assert started["operationName"] == {"value": action, "localizedValue": action}
    assert started["authorization"] == {"action": action, "scope": path}
    assert (started["resourceId"], started["resourceGroupName"]) == (path, group)
    assert started["claims"]["appid"] == stage.world.owner_client_id
    assert started["caller"] == started["claims"]["oid"]
    assert started["httpRequest"]["method"] == "PUT"
    for term in (f"resourceGroupName eq '{group}'", f"resourceId eq '{path}'", f"resourceUri eq '{path.upper()}'"):
        assert started["eventDataId"] in [each["eventDataId"] for each in _events(stage, client, term)]


def test_a_refused_write_is_failed_with_the_error(stage: Stage, client: httpx.Client, group: str) -> None:
    """`properties.statusMessage` has the answer's body; reads leave no event."""
    correlation_id = str(uuid4())
    path = _path(stage, group, "Microsoft.Network/routeTables/t")
    assert _put(client, path, {"location": "nowhere"}, correlation_id).status_code == 400
    client.get(path, params=API, headers={"x-ms-correlation-request-id": correlation_id})
    (event,) = _events(stage, client, f"correlationId eq '{correlation_id}'", "status eq 'Failed'")
    assert (event["level"], event["subStatus"]["value"]) == ("Error", "BadRequest")
    assert '"code": "LocationNotAvailableForResourceType"' in event["properties"]["statusMessage"]
    assert len(_events(stage, client, f"correlationId eq '{correlation_id}'")) == 2


def test_actions_and_deletions_have_their_names(stage: Stage, client: httpx.Client, group: str) -> None:
    """An action's event is about the resource."""
    correlation_id = str(uuid4())
    headers = {"x-ms-correlation-request-id": correlation_id}
    path = _path(stage, group, "Microsoft.Network/routeTables/t")
    client.post(f"{path}/dance", params=API, headers=headers)
    client.delete(path, params=API, headers=headers)
    found = _events(stage, client, f"correlationId eq '{correlation_id}'")
    assert {each["operationName"]["value"] for each in found} == {
        "Microsoft.Network/routeTables/dance/action",
        "Microsoft.Network/routeTables/delete",
    }
    assert {each["resourceId"] for each in found} == {path}


@pytest.mark.parametrize("state", ["Succeeded", "Failed"])
def test_the_provider_tells_how_its_operations_ended(
    stage: Stage, client: httpx.Client, group: str, state: str
) -> None:
    """ARM asks when the log is read, until the operation has ended."""
    stage.arm.subscriptions.ensure(
        stage.world.subscription_id, stage.world.tenant_id, "Customer", providers=[NAMESPACE]
    )
    path, correlation_id = _path(stage, group, f"{NAMESPACE}/openShiftClusters/c"), str(uuid4())
    poll = f"{stage.url}/subscriptions/{stage.world.subscription_id}/providers/{NAMESPACE}/locations/eastus/operationsstatus/1"
    cluster = {"id": path, "name": "c", "type": f"{NAMESPACE}/openShiftClusters", "location": "eastus"}
    stage.provider.replies += [
        JSONResponse(cluster, 201, headers={"Azure-AsyncOperation": f"{poll}?api-version=2025-07-25"}),
        JSONResponse({"status": "Creating"}),
        JSONResponse({"status": state, "error": {"code": "QuotaExceeded", "message": "Too many cores."}}),
    ]
    _put(client, path, {"location": "eastus"}, correlation_id)
    by_id = f"correlationId eq '{correlation_id}'"
    assert {each["status"]["value"] for each in _events(stage, client, by_id)} == {"Started", "Accepted"}
    for _ in range(2):
        (event,) = _events(stage, client, by_id, f"status eq '{state}'")
    assert ("QuotaExceeded" in event["properties"].get("statusMessage", "")) == (state == "Failed")
    assert stage.provider.replies == []


def test_only_the_selected_members_are_shown(stage: Stage, client: httpx.Client, group: str) -> None:
    """As `--select` of the CLI asks."""
    _put(client, _path(stage, group, "Microsoft.Network/routeTables/t"), {"location": "eastus"}, str(uuid4()))
    found = _read(stage, client, _since(hours=1), f"resourceGroupName eq '{group}'", select="caller , status")
    assert {frozenset(event) for event in found.json()["value"]} == {frozenset({"caller", "status"})}


@pytest.mark.parametrize(
    ("terms", "message"),
    [
        ((), "$filter searching parameters invalid."),
        (("resourceGroupName eq 'g'",), "$filter searching parameters invalid."),
        ((_since(days=91),), "The start time cannot be more than 90 days in the past."),
        ((_since(hours=1), "colour eq 'red'"), "colour eq 'red'' is not supported."),
        ((_since(hours=1), "caller ne 'me'"), "caller ne 'me'' is not supported."),
        (("eventTimestamp ge yesterday",), "eventTimestamp ge yesterday' is not supported."),
    ],
    ids=["nothing", "no start", "too early", "unknown member", "operator", "no time"],
)
def test_a_bad_filter_is_refused_in_the_services_own_format(
    stage: Stage, client: httpx.Client, terms: tuple[str, ...], message: str
) -> None:
    """Without `error` around it."""
    answer = _read(stage, client, *terms)
    assert (answer.status_code, answer.json()["Code"]) == (400, "BadRequest")
    assert answer.json()["Message"].endswith(message)


def test_who_may_read_nothing_may_not_read_the_log(stage: Stage, group: str) -> None:
    """The right is needed at what the filter names."""
    credential, _ = stage.principal("nobody")
    token = credential.get_token("https://management.azure.com/.default").token
    with httpx.Client(base_url=stage.url, headers={"Authorization": f"Bearer {token}"}, timeout=60) as client:
        answer = _read(stage, client, _since(hours=1), f"resourceGroupName eq '{group}'")
    assert (answer.status_code, answer.json()["error"]["code"]) == (403, "AuthorizationFailed")
    assert "Microsoft.Insights/eventtypes/values/read" in answer.json()["error"]["message"]
