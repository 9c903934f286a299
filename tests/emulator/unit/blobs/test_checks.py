"""What the blob service refuses before Azurite sees it."""

import asyncio
import base64
import hashlib
from collections.abc import AsyncIterator

import pytest
from azure.storage.blob._serialize import _SUPPORTED_API_VERSIONS

from emulator.blobs import checks, checksums
from emulator.blobs.operations import Target, classify
from emulator.core.errors import ServiceError

BLOB, CONTAINER, ACCOUNT = Target("account", "box", "blob"), Target("account", "box"), Target("account")
UPLOAD = {"x-ms-blob-type": "BlockBlob"}
GUID = "11111111-1111-1111-1111-111111111111"


def _check(target: Target, method: str, query: dict[str, str], headers: dict[str, str]) -> None:
    if target.level == "c":
        query = {"restype": "container"} | query
    checks.check_version(headers)
    checks.check(target, classify(target, method, query, headers), query, headers)


@pytest.mark.parametrize(
    ("name", "code", "message"),
    [
        ("ab", "OutOfRangeInput", "The specified resource name length is not within the permissible limits."),
        ("a" * 64, "OutOfRangeInput", "The specified resource name length is not within the permissible limits."),
        ("Abc", "InvalidResourceName", "The specifed resource name contains invalid characters."),
        ("a--b", "InvalidResourceName", "The specifed resource name contains invalid characters."),
        ("-ab", "InvalidResourceName", "The specifed resource name contains invalid characters."),
        ("ab-", "InvalidResourceName", "The specifed resource name contains invalid characters."),
        ("a_b", "InvalidResourceName", "The specifed resource name contains invalid characters."),
    ],
)
def test_a_containers_name_follows_azures_rules(name: str, code: str, message: str) -> None:
    """It has 3 to 63 lower-case letters, digits and single hyphens."""
    with pytest.raises(ServiceError) as caught:
        _check(Target("account", name), "PUT", {}, {})
    assert (caught.value.status_code, caught.value.code, caught.value.message) == (400, code, message)


@pytest.mark.parametrize("name", ["x" * 1025, "/".join("x" * 255)], ids=["characters", "segments"])
def test_a_blobs_name_has_its_limits(name: str) -> None:
    """It has 1,024 characters and 254 segments at most."""
    with pytest.raises(ServiceError) as caught:
        _check(Target("account", "box", name), "GET", {}, {})
    assert (caught.value.status_code, caught.value.code) == (400, "OutOfRangeInput")


@pytest.mark.parametrize(
    ("query", "headers", "name"),
    [
        ({}, {}, "x-ms-blob-type"),
        ({}, {"x-ms-blob-type": "PageBlob"}, "x-ms-blob-content-length"),
        ({"comp": "lease"}, {}, "x-ms-lease-action"),
        ({"comp": "lease"}, {"x-ms-lease-action": "acquire"}, "x-ms-lease-duration"),
        ({"comp": "lease"}, {"x-ms-lease-action": "renew"}, "x-ms-lease-id"),
        ({"comp": "lease"}, {"x-ms-lease-action": "release"}, "x-ms-lease-id"),
        ({"comp": "lease"}, {"x-ms-lease-action": "change", "x-ms-lease-id": GUID}, "x-ms-proposed-lease-id"),
        ({"comp": "tier"}, {}, "x-ms-access-tier"),
        ({"comp": "page"}, {}, "x-ms-page-write"),
    ],
)
def test_a_header_that_an_operation_needs_is_missed_by_name(
    query: dict[str, str], headers: dict[str, str], name: str
) -> None:
    """The refusal names the header."""
    with pytest.raises(ServiceError) as caught:
        _check(BLOB, "PUT", query, headers)
    assert (caught.value.status_code, caught.value.code) == (400, "MissingRequiredHeader")
    assert caught.value.message == "An HTTP header that's mandatory for this request is not specified."
    assert caught.value.extra == {"HeaderName": name}


@pytest.mark.parametrize(
    ("query", "headers", "name"),
    [
        ({}, {"x-ms-blob-type": "Blob"}, "x-ms-blob-type"),
        ({}, UPLOAD | {"x-ms-version": "2099-01-01"}, "x-ms-version"),
        ({}, UPLOAD | {"x-ms-access-tier": "Tepid"}, "x-ms-access-tier"),
        ({}, UPLOAD | {"x-ms-lease-id": "mine"}, "x-ms-lease-id"),
        ({}, UPLOAD | {"if-modified-since": "yesterday"}, "if-modified-since"),
        ({}, UPLOAD | {"x-ms-range": "items=0-1"}, "x-ms-range"),
        ({}, {"x-ms-blob-type": "PageBlob", "x-ms-blob-content-length": "513"}, "x-ms-blob-content-length"),
        ({}, {"x-ms-blob-type": "AppendBlob", "content-length": "2"}, "content-length"),
        ({"comp": "lease"}, {"x-ms-lease-action": "grab"}, "x-ms-lease-action"),
        ({"comp": "lease"}, {"x-ms-lease-action": "acquire", "x-ms-lease-duration": "5"}, "x-ms-lease-duration"),
        ({"comp": "lease"}, {"x-ms-lease-action": "break", "x-ms-lease-break-period": "61"}, "x-ms-lease-break-period"),
    ],
)
def test_a_header_with_a_wrong_value_is_named(query: dict[str, str], headers: dict[str, str], name: str) -> None:
    """The refusal repeats the value."""
    with pytest.raises(ServiceError) as caught:
        _check(BLOB, "PUT", query, headers)
    assert (caught.value.status_code, caught.value.code) == (400, "InvalidHeaderValue")
    assert caught.value.message == "The value for one of the HTTP headers is not in the correct format."
    assert caught.value.extra == {"HeaderName": name, "HeaderValue": headers[name]}


@pytest.mark.parametrize(
    ("target", "method", "query", "code"),
    [
        (ACCOUNT, "GET", {"comp": "list", "maxresults": "0"}, "OutOfRangeQueryParameterValue"),
        (CONTAINER, "GET", {"comp": "list", "maxresults": "x"}, "InvalidQueryParameterValue"),
        (CONTAINER, "GET", {"comp": "list", "include": "all"}, "InvalidQueryParameterValue"),
        (CONTAINER, "GET", {"timeout": "soon"}, "InvalidQueryParameterValue"),
        (CONTAINER, "GET", {"comp": "list", "restype": ""}, "InvalidQueryParameterValue"),
        (ACCOUNT, "GET", {}, "InvalidQueryParameterValue"),
        (BLOB, "GET", {"comp": "bogus"}, "InvalidQueryParameterValue"),
        (BLOB, "GET", {"snapshot": "yesterday"}, "InvalidQueryParameterValue"),
        (BLOB, "PUT", {"comp": "block"}, "MissingRequiredQueryParameter"),
        (BLOB, "PUT", {"comp": "block", "blockid": "!"}, "InvalidQueryParameterValue"),
    ],
)
def test_a_wrong_query_is_refused(target: Target, method: str, query: dict[str, str], code: str) -> None:
    """The refusal names the parameter."""
    with pytest.raises(ServiceError) as caught:
        _check(target, method, query, {})
    assert (caught.value.status_code, caught.value.code) == (400, code)
    assert caught.value.extra["QueryParameterName"] in {*query, "comp", "blockid"}


@pytest.mark.parametrize("method", ["PATCH", "POST", "OPTIONS"])
def test_a_blob_has_no_other_methods(method: str) -> None:
    """The refusal does not say that the local Azure lacks them: Azure does, too."""
    with pytest.raises(ServiceError) as caught:
        _check(BLOB, method, {}, {})
    assert (caught.value.status_code, caught.value.code) == (405, "UnsupportedHttpVerb")


@pytest.mark.parametrize(
    ("headers", "code"),
    [
        ({"x-ms-meta-a-b": "1"}, "InvalidMetadata"),
        ({"x-ms-meta-1b": "1"}, "InvalidMetadata"),
        ({"x-ms-meta-": "1"}, "EmptyMetadataKey"),
        ({"x-ms-meta-a": "1" * 8192}, "MetadataTooLarge"),
        ({"x-ms-tags": "a%3C=b"}, "InvalidTags"),
    ],
    ids=str,
)
def test_metadata_and_tags_follow_azures_rules(headers: dict[str, str], code: str) -> None:
    """Names of metadata are identifiers, 8 KiB in total; tags have few characters."""
    with pytest.raises(ServiceError) as caught:
        _check(BLOB, "PUT", {}, UPLOAD | headers)
    assert (caught.value.status_code, caught.value.code) == (400, code)


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


@pytest.mark.parametrize("version", _SUPPORTED_API_VERSIONS)
def test_every_version_of_the_newest_sdk_is_known(version: str) -> None:
    """A new SDK may bring a new version: add it to the list."""
    checks.check_version({"x-ms-version": version})


def _md5(content: bytes) -> str:
    return base64.b64encode(hashlib.md5(content, usedforsecurity=False).digest()).decode()


def _received(content: bytes, specified: str) -> bytes:
    async def pieces() -> AsyncIterator[bytes]:
        yield content

    async def run() -> bytes:
        return b"".join([piece async for piece in await checksums.checked(pieces(), specified)])

    return asyncio.run(run())


def test_a_body_with_another_hash_is_refused() -> None:
    """The refusal has both hashes."""
    assert _received(b"hello", _md5(b"hello")) == b"hello"
    with pytest.raises(ServiceError) as caught:
        _received(b"hello", _md5(b"hullo"))
    assert (caught.value.status_code, caught.value.code) == (400, "Md5Mismatch")
    assert caught.value.extra == {"UserSpecifiedMd5": _md5(b"hullo"), "ServerCalculatedMd5": _md5(b"hello")}


def test_the_hash_to_store_is_one_of_the_body_only_for_a_whole_block_blob() -> None:
    """For a list of blocks it is a claim of the client about the blob."""
    stored = {"x-ms-blob-content-md5": _md5(b"x")}
    assert checksums.specified_md5("put blob", UPLOAD | stored) == _md5(b"x")
    assert checksums.specified_md5("put block list", stored) is None
    with pytest.raises(ServiceError) as caught:
        checksums.specified_md5("put block", {"content-md5": "abc"})
    assert (caught.value.status_code, caught.value.code) == (400, "InvalidMd5")
