"""Documents, tested with azure-cosmos."""

import pytest
from azure.core import MatchConditions
from azure.cosmos.exceptions import (
    CosmosAccessConditionFailedError,
    CosmosHttpResponseError,
    CosmosResourceExistsError,
    CosmosResourceNotFoundError,
)

from tests.emulator.integration.cosmos.conftest import Make


def test_a_document_comes_back_with_its_system_members(container: Make) -> None:
    """A read returns what was created, with `_rid`, `_self`, `_etag`, `_ts` and any unknown members."""
    items = container()
    created = items.create_item({"id": "1", "pk": "a", "unknown": {"deep": [1, None, "ä"]}})
    read = items.read_item("1", partition_key="a")
    assert read == created
    assert read["unknown"] == {"deep": [1, None, "ä"]}
    assert {"_rid", "_self", "_etag", "_ts", "_attachments"} <= set(read)
    assert items.read_item(read, partition_key="a") == created


def test_an_id_is_unique_within_its_partition(container: Make) -> None:
    """The same id conflicts in one partition and not in another."""
    items = container()
    items.create_item({"id": "1", "pk": "a"})
    with pytest.raises(CosmosResourceExistsError):
        items.create_item({"id": "1", "pk": "a"})
    items.create_item({"id": "1", "pk": "b"})


def test_a_missing_document_is_404(container: Make) -> None:
    """Reading, replacing or deleting a missing document fails."""
    items = container()
    for call in (
        lambda: items.read_item("1", partition_key="a"),
        lambda: items.replace_item("1", {"id": "1", "pk": "a"}),
        lambda: items.delete_item("1", partition_key="a"),
    ):
        with pytest.raises(CosmosResourceNotFoundError):
            call()


def test_a_unique_key_holds_within_its_partition(container: Make) -> None:
    """A second document with the value is refused, on create and on replace, until the first one is gone."""
    items = container(unique_keys=("/key", "/other"))
    first = items.create_item({"id": "1", "pk": "a", "key": "x", "other": 1})
    second = items.create_item({"id": "2", "pk": "a", "key": "y", "other": 2})
    items.create_item({"id": "3", "pk": "b", "key": "x", "other": 1})
    with pytest.raises(CosmosResourceExistsError):
        items.create_item({"id": "4", "pk": "a", "key": "x", "other": 4})
    with pytest.raises(CosmosResourceExistsError):
        items.replace_item("2", second | {"key": "x"})
    items.replace_item("1", first | {"key": "z"})
    items.replace_item("2", second | {"key": "x"})
    items.delete_item("1", partition_key="a")
    items.create_item({"id": "5", "pk": "a", "key": "z", "other": 5})


def test_a_stale_etag_loses(container: Make) -> None:
    """Replace, upsert, delete and patch with an outdated ETag answer 412."""
    items = container()
    old = items.create_item({"id": "1", "pk": "a", "n": 1})
    new = items.replace_item("1", old | {"n": 2}, etag=old["_etag"], match_condition=MatchConditions.IfNotModified)
    assert new["_etag"] != old["_etag"]
    stale = {"etag": old["_etag"], "match_condition": MatchConditions.IfNotModified}
    for call in (
        lambda: items.replace_item("1", old, **stale),
        lambda: items.upsert_item(old, **stale),
        lambda: items.delete_item("1", partition_key="a", **stale),
    ):
        with pytest.raises(CosmosAccessConditionFailedError):
            call()
    assert items.read_item("1", partition_key="a")["n"] == 2


def test_an_upsert_creates_and_replaces(container: Make) -> None:
    """The second upsert replaces the document and keeps its `_rid`."""
    items = container()
    first = items.upsert_item({"id": "1", "pk": "a", "n": 1})
    second = items.upsert_item({"id": "1", "pk": "a", "n": 2})
    assert (first["_rid"], second["n"]) == (second["_rid"], 2)


@pytest.mark.parametrize(
    ("document", "want"),
    [
        ({"pk": "a"}, "id"),
        ({"id": "", "pk": "a"}, "id"),
        ({"id": "1", "pk": ["a"]}, "array"),
        ({"id": "1", "pk": "a", "ttl": 0}, "ttl"),
        ({"id": "1", "pk": "a", "ttl": 2**31}, "ttl"),
    ],
)
def test_a_document_that_cannot_be_stored_is_refused(container: Make, document: dict[str, object], want: str) -> None:
    """The answer is 400 and names what is wrong."""
    with pytest.raises(CosmosHttpResponseError) as caught:
        container().create_item(document)
    assert caught.value.status_code == 400
    assert want in caught.value.message


def test_a_document_over_2_megabytes_is_413(container: Make) -> None:
    """The limit is Cosmos DB's."""
    with pytest.raises(CosmosHttpResponseError) as caught:
        container().create_item({"id": "1", "pk": "a", "text": "x" * (2 * 1024 * 1024)})
    assert caught.value.status_code == 413
