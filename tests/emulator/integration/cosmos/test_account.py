"""Access, faults, batches, time to live, and what a client learns about the account and its containers."""

from datetime import timedelta

import pytest
import requests
from azure.core import MatchConditions
from azure.cosmos.exceptions import (
    CosmosAccessConditionFailedError,
    CosmosHttpResponseError,
    CosmosResourceNotFoundError,
)

from emulator.core.faults import Fault
from tests.cosmos_containers import ensure_container
from tests.emulator.integration.cosmos.conftest import ACCOUNT, CONTRIBUTOR, DATABASE, LocalCosmos, Make

HOST = f"https://{ACCOUNT}.documents.azure.com"


def _get(local: LocalCosmos, path: str, authorization: str | None, **headers: str) -> requests.Response:
    return requests.get(
        HOST + path,
        headers={**headers, **({} if authorization is None else {"Authorization": authorization})},
        proxies={"https": local.proxy},
        verify=str(local.platform.authority.certificate_path),
        timeout=60,
    )


def test_the_account_is_its_own_region(local_cosmos: LocalCosmos) -> None:
    """Clients continue with the endpoints that the account names, so it names its own host."""
    token = local_cosmos.token(CONTRIBUTOR)
    body = _get(local_cosmos, "/", f"type=aad&ver=1.0&sig={token}").json()
    endpoints = [region["databaseAccountEndpoint"] for region in body["writableLocations"] + body["readableLocations"]]
    assert endpoints == [f"{HOST}:443/"] * 2


def test_a_header_may_be_percent_encoded_and_the_audience_general(local_cosmos: LocalCosmos) -> None:
    """SDKs of other languages send the header like this."""
    token = local_cosmos.token(CONTRIBUTOR, "https://cosmos.azure.com")
    assert _get(local_cosmos, "/", f"type%3Daad%26ver%3D1.0%26sig%3D{token}").status_code == 200


@pytest.mark.parametrize(
    ("authorization", "want"),
    [
        (None, "authorization is missing"),
        ("type%3Dmaster%26ver%3D1.0%26sig%3Dabc", "Local Authorization is disabled"),
        ("type=aad&ver=1.0&sig=abc", "invalid"),
        ("Bearer abc", "format"),
    ],
)
def test_a_request_without_a_good_token_is_401(local_cosmos: LocalCosmos, authorization: str | None, want: str) -> None:
    """Keys, garbage and nothing are refused with a reason."""
    reply = _get(local_cosmos, "/", authorization)
    assert reply.status_code == 401
    assert reply.json()["code"] == "Unauthorized"
    assert want in reply.json()["message"]


def test_a_token_of_another_tenant_or_audience_is_401(local_cosmos: LocalCosmos) -> None:
    """The account accepts only tokens of its own tenant that are meant for it."""
    token = local_cosmos.token(CONTRIBUTOR, "https://management.azure.com")
    assert _get(local_cosmos, "/", f"type=aad&ver=1.0&sig={token}").status_code == 401


def test_a_reader_reads_and_writes_nothing(local_cosmos: LocalCosmos, container: Make) -> None:
    """The data plane's roles decide; the refusal names the principal and the action."""
    items = container()
    items.create_item({"id": "1", "pk": "a"})
    world = local_cosmos.platform.world
    database = local_cosmos.client(world.extra_client_ids[0]).get_database_client(DATABASE)
    reader = database.get_container_client(items.id)
    assert reader.read_item("1", partition_key="a")["id"] == "1"
    assert len(list(reader.query_items("SELECT * FROM c", partition_key="a"))) == 1
    with pytest.raises(CosmosHttpResponseError) as caught:
        reader.create_item({"id": "2", "pk": "a"})
    assert (caught.value.status_code, caught.value.sub_status) == (403, 5301)
    assert "items/create" in caught.value.message


def test_a_principal_without_a_role_may_not_even_look(local_cosmos: LocalCosmos) -> None:
    """A client's first call, which reads the account, is refused."""
    with pytest.raises(CosmosHttpResponseError) as caught:
        local_cosmos.client(local_cosmos.platform.world.extra_client_ids[1])
    assert caught.value.status_code == 403
    assert "readMetadata" in caught.value.message


def test_a_reader_lists_databases_and_containers(local_cosmos: LocalCosmos, container: Make) -> None:
    """The right to read metadata is enough, and every role has it."""
    made = container()
    client = local_cosmos.client(local_cosmos.platform.world.extra_client_ids[0])
    assert DATABASE in [one["id"] for one in client.list_databases()]
    listed = client.get_database_client(DATABASE).list_containers()
    assert made.id in [one["id"] for one in listed]


def test_a_token_changes_no_database_and_no_container(local_cosmos: LocalCosmos) -> None:
    """Only the management plane may do that; the answer is a 403 with substatus 5300."""
    client = local_cosmos.client(CONTRIBUTOR)
    for call in (
        lambda: client.create_database("other"),
        lambda: client.get_database_client(DATABASE).delete_container("any"),
    ):
        with pytest.raises(CosmosHttpResponseError) as caught:
            call()
        assert (caught.value.status_code, caught.value.sub_status) == (403, 5300)


def test_a_missing_container_says_that_it_is_the_owner(local_cosmos: LocalCosmos) -> None:
    """The answer is a 404 with substatus 1003, unlike that for a missing document."""
    client = local_cosmos.client(CONTRIBUTOR)
    with pytest.raises(CosmosResourceNotFoundError) as caught:
        client.get_database_client(DATABASE).get_container_client("nothing").read()
    assert caught.value.sub_status == 1003


def test_a_container_made_anew_is_found_again(local_cosmos: LocalCosmos, container: Make) -> None:
    """A client that uses the old container's id is told that it is outdated, and looks it up again by itself."""
    items = container()
    items.create_item({"id": "1", "pk": "a"})
    local_cosmos.model.delete_container(ACCOUNT, DATABASE, items.id)
    ensure_container(local_cosmos.model, ACCOUNT, DATABASE, items.id, "/pk")
    items.create_item({"id": "1", "pk": "a"})


def test_a_read_that_knows_the_etag_is_304(local_cosmos: LocalCosmos, container: Make) -> None:
    """The answer has no body."""
    items = container()
    document = items.create_item({"id": "1", "pk": "a"})
    token = local_cosmos.token(CONTRIBUTOR)
    reply = _get(
        local_cosmos,
        f"/dbs/{DATABASE}/colls/{items.id}/docs/1",
        f"type=aad&ver=1.0&sig={token}",
        **{"If-None-Match": document["_etag"], "x-ms-documentdb-partitionkey": '["a"]'},
    )
    assert (reply.status_code, reply.content, reply.headers["etag"]) == (304, b"", document["_etag"])


@pytest.mark.parametrize(
    ("level", "own", "want"),
    [
        ("Eventual", "Session", 200),
        ("Strong", "Strong", 200),
        ("Strong", "Session", 400),
        ("strong", "Session", 400),
    ],
)
def test_a_request_may_only_ask_for_less_consistency(
    local_cosmos: LocalCosmos, container: Make, level: str, own: str, want: int
) -> None:
    """A client cannot make an account stronger than it was configured."""
    items = container()
    items.create_item({"id": "1", "pk": "a"})
    local_cosmos.model.set_consistency(ACCOUNT, own)
    reply = _get(
        local_cosmos,
        f"/dbs/{DATABASE}/colls/{items.id}/docs/1",
        f"type=aad&ver=1.0&sig={local_cosmos.token(CONTRIBUTOR)}",
        **{"x-ms-consistency-level": level, "x-ms-documentdb-partitionkey": '["a"]'},
    )
    local_cosmos.model.set_consistency(ACCOUNT, "Session")
    assert (reply.status_code, level in reply.text if want != 200 else True) == (want, True)


def test_the_partition_key_has_to_be_given_and_has_to_fit(local_cosmos: LocalCosmos, container: Make) -> None:
    """Without the header the answer is a 400; a key that contradicts the document adds substatus 1001."""
    items = container()
    token = local_cosmos.token(CONTRIBUTOR)
    for key, substatus in ((None, "0"), ('["b"]', "1001")):
        reply = requests.post(
            f"{HOST}/dbs/{DATABASE}/colls/{items.id}/docs",
            json={"id": "1", "pk": "a"},
            headers={
                "Authorization": f"type=aad&ver=1.0&sig={token}",
                **({} if key is None else {"x-ms-documentdb-partitionkey": key}),
            },
            proxies={"https": local_cosmos.proxy},
            verify=str(local_cosmos.platform.authority.certificate_path),
            timeout=60,
        )
        assert (reply.status_code, reply.headers["x-ms-substatus"]) == (400, substatus)


def test_a_document_ends_with_its_time_to_live(local_cosmos: LocalCosmos, container: Make) -> None:
    """The item's own time overrides the container's, -1 means forever, and an expired item frees its unique keys."""
    items = container(default_ttl=1000, unique_keys=("/key",))
    items.create_item({"id": "default", "pk": "a", "key": 1})
    items.create_item({"id": "short", "pk": "a", "ttl": 100, "key": 2})
    items.create_item({"id": "ever", "pk": "a", "ttl": -1, "key": 3})
    try:
        local_cosmos.time.ahead = timedelta(seconds=500)
        with pytest.raises(CosmosResourceNotFoundError):
            items.read_item("short", partition_key="a")
        items.create_item({"id": "other", "pk": "a", "key": 2})
        local_cosmos.time.ahead = timedelta(seconds=1200)
        left = items.query_items("SELECT c.id FROM c", partition_key="a")
        assert {item["id"] for item in left} == {"ever", "other"}
        local_cosmos.time.ahead = timedelta(seconds=2000)
        assert local_cosmos.model.purge_expired() >= 1
    finally:
        local_cosmos.time.ahead = timedelta(0)


def test_a_throttled_call_is_tried_again_after_the_time_told(local_cosmos: LocalCosmos, container: Make) -> None:
    """An injected 429 carries `x-ms-retry-after-ms`, and the SDK's own policy retries."""
    items = container()
    fault = Fault("cosmos", f"create {items.id}", status_code=429, retry_after=1)
    local_cosmos.platform.faults.add(fault)
    items.create_item({"id": "1", "pk": "a"})
    entries = [entry for entry in local_cosmos.platform.journal.entries() if entry.operation == f"create {items.id}"]
    assert [(entry.status, entry.fault) for entry in entries] == [(429, fault.id), (201, "")]


def test_a_lost_response_leaves_the_document(local_cosmos: LocalCosmos, container: Make) -> None:
    """The connection is cut after the write: the SDK repeats the replace, which its first attempt has made stale."""
    items = container()
    document = items.create_item({"id": "1", "pk": "a", "n": 1})
    local_cosmos.platform.faults.add(Fault("cosmos", f"replace {items.id}", kind="lost-response"))
    with pytest.raises(CosmosAccessConditionFailedError):
        items.replace_item(
            "1", document | {"n": 2}, etag=document["_etag"], match_condition=MatchConditions.IfNotModified
        )
    assert items.read_item("1", partition_key="a")["n"] == 2
