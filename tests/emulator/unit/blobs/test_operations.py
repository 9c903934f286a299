"""What the blob service refuses before Azurite sees it."""

import pytest

from emulator.blobs.operations import Target, classify
from emulator.core.errors import ServiceError

BLOB, CONTAINER, ACCOUNT = Target("account", "box", "blob"), Target("account", "box"), Target("account")


def _check(target: Target, method: str, query: dict[str, str], headers: dict[str, str]) -> None:
    if target.level == "c":
        query = {"restype": "container"} | query
    classify(target, method, query, headers)


@pytest.mark.parametrize("method", ["PATCH", "POST", "OPTIONS"])
def test_a_blob_has_no_other_methods(method: str) -> None:
    """The refusal does not say that the local Azure lacks them: Azure does, too."""
    with pytest.raises(ServiceError) as caught:
        _check(BLOB, method, {}, {})
    assert (caught.value.status_code, caught.value.code) == (405, "UnsupportedHttpVerb")


@pytest.mark.parametrize(
    ("target", "method", "query", "headers", "named"),
    [
        (ACCOUNT, "GET", {"comp": "properties", "restype": "service"}, {}, "properties of the blob service"),
        (ACCOUNT, "POST", {"comp": "batch"}, {}, "batches"),
        (ACCOUNT, "GET", {"comp": "properties", "restype": "account"}, {}, "properties of the account"),
        (CONTAINER, "PUT", {"comp": "acl"}, {}, "stored access policies"),
        (CONTAINER, "GET", {"restype": ""}, {}, "the root container"),
        (Target("a", "$logs", "b"), "GET", {}, {}, "the system container $logs"),
        (BLOB, "GET", {"comp": "tags"}, {}, "blob index tags"),
        (BLOB, "GET", {"versionid": "2026-01-01T00:00:00.0000000Z"}, {}, "versions of blobs"),
        (BLOB, "PUT", {}, {"x-ms-copy-source": "https://x"}, "copies"),
        (BLOB, "PUT", {}, {"x-ms-encryption-key": "x"}, "encryption"),
        (BLOB, "PUT", {}, {"x-ms-content-crc64": "x"}, "CRC64"),
    ],
)
def test_what_is_not_emulated_says_so(
    target: Target, method: str, query: dict[str, str], headers: dict[str, str], named: str
) -> None:
    """Nobody should look for a mistake of their own."""
    with pytest.raises(ServiceError) as caught:
        _check(target, method, query, headers)
    assert (caught.value.status_code, caught.value.code) == (400, "NotSupportedByLocalAzure")
    assert caught.value.message.startswith("The local Azure does not have ")
    assert named in caught.value.message
