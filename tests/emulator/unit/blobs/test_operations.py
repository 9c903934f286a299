"""What the blob service refuses before Azurite sees it."""

import pytest

from emulator.blobs.operations import Target, classify
from emulator.core.service_error import ServiceError

BLOB, CONTAINER, ACCOUNT = Target("account", "box", "blob"), Target("account", "box"), Target("account")


def _check(target: Target, method: str, query: dict[str, str], headers: dict[str, str]) -> None:
    if target.level == "c":
        query = {"restype": "container"} | query
    classify(target, method, query, headers)


@pytest.mark.parametrize(
    ("target", "method", "query", "headers", "named"),
    [
        (ACCOUNT, "GET", {"comp": "properties", "restype": "service"}, {}, "GET with comp=properties"),
        (ACCOUNT, "POST", {"comp": "batch"}, {}, "POST with comp=batch"),
        (CONTAINER, "PUT", {"comp": "acl"}, {}, "PUT with comp=acl"),
        (CONTAINER, "GET", {"restype": ""}, {}, "the root container"),
        (Target("a", "$logs", "b"), "GET", {}, {}, "the system container $logs"),
        (BLOB, "GET", {"comp": "tags"}, {}, "GET with comp=tags"),
        (BLOB, "GET", {"versionid": "2026-01-01T00:00:00.0000000Z"}, {}, "requests with versionid"),
        (BLOB, "PUT", {"comp": "page"}, {"x-ms-copy-source": "https://x"}, "copies of a part"),
        (BLOB, "PUT", {}, {"x-ms-encryption-key": "x"}, "encryption"),
        (BLOB, "PUT", {}, {"x-ms-content-crc64": "x"}, "requests with x-ms-content-crc64"),
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
