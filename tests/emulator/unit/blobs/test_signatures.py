"""Signatures and paths, checked against what the SDK signs."""

import base64
from datetime import UTC, datetime

import pytest
from azure.storage.blob._shared.authentication import _storage_header_sort

from emulator.blobs import azurite, listings, sas, shared_key
from emulator.blobs.operations import Target, classify, target_of
from emulator.blobs.responses import decoded, forwarded_query
from emulator.core.service_error import ServiceError
from emulator.core.store import Store

KEY = b"key"
NOW = datetime(2026, 1, 1, tzinfo=UTC)


def test_headers_are_sorted_as_the_sdk_sorts_them() -> None:
    """The order covers hyphens, underscores, digits and letters in names of metadata."""
    names = [
        "x-ms-date",
        "x-ms-blob-type",
        "x-ms-meta-a_b",
        "x-ms-meta-a1",
        "x-ms-meta-ab",
        "x-ms-meta-b",
        "x-ms-version",
    ]
    want = [name for name, _ in _storage_header_sort([(name, "") for name in reversed(names)])]
    text = shared_key.strings_to_sign("PUT", "a", "/c/b", {}, dict.fromkeys(names, "v"))[0]
    assert [line.partition(":")[0] for line in text.split("\n") if line.startswith("x-ms-")] == want


def test_a_date_far_from_now_is_refused() -> None:
    """A recorded request cannot be sent again an hour later."""
    authorization = f"SharedKey a:{shared_key.sign(KEY, 'text')}"
    options = {"account": "a", "keys": [KEY], "texts": ["text"], "now": NOW}
    shared_key.check(authorization, date="Thu, 01 Jan 2026 00:10:00 GMT", **options)  # type: ignore[arg-type] # a dict
    without_zone = ("Thu, 01 Jan 2026 00:10:00", "Thu, 01 Jan 2026 00:10:00 -0000")
    for date in ("Thu, 01 Jan 2026 00:16:00 GMT", "yesterday", "", *without_zone):
        with pytest.raises(ServiceError, match="AuthenticationFailed") as caught:
            shared_key.check(authorization, date=date, **options)  # type: ignore[arg-type] # as above
        assert "date" in caught.value.extra["AuthenticationErrorDetail"]


@pytest.mark.parametrize(
    ("authorization", "want"),
    [
        ("SharedKeyLite a:x", "NotSupportedByLocalAzure"),
        ("SharedKey a", "InvalidAuthenticationInfo"),
        ("Basic x", "InvalidAuthenticationInfo"),
        ("x", "InvalidAuthenticationInfo"),
        ("SharedKey b:x", "AuthenticationFailed"),
    ],
)
def test_another_scheme_or_account_is_refused(authorization: str, want: str) -> None:
    """What is not a signature at all is malformed; a signature of another account fails."""
    with pytest.raises(ServiceError, match=want):
        shared_key.check(authorization, "a", [KEY], ["text"], date="Thu, 01 Jan 2026 00:00:00 GMT", now=NOW)


def _account_sas(**changes: str) -> dict[str, str]:
    fields = {"sv": "2019-12-12", "sp": "r", "ss": "b", "srt": "o", "se": "2026-01-02"} | changes
    text = ["a", *(fields.get(name, "") for name in ("sp", "ss", "srt", "st", "se", "sip", "spr", "sv"))]
    return fields | {"sig": shared_key.sign(KEY, "\n".join([*text, ""]))}


def _check(fields: dict[str, str], scheme: str = "https", address: str = "127.0.0.1") -> str:
    target = Target("a", "c", "b")
    return sas.check(fields, target, classify(target, "GET", {}, {}), [KEY], sas.Caller(scheme, address, NOW))


def test_an_older_version_signs_fewer_fields() -> None:
    """Before 2020-12-06 the string to sign had no encryption scope."""
    assert _check(_account_sas()) == "r"


@pytest.mark.parametrize(
    ("changes", "want"),
    [
        ({"se": "2025-12-31T23:59Z"}, "AuthenticationFailed"),
        ({"st": "2026-01-01T00:00:01Z"}, "AuthenticationFailed"),
        ({"se": "tomorrow"}, "AuthenticationFailed"),
        ({"sp": ""}, "AuthenticationFailed"),
        ({"sv": "2014-02-14"}, "AuthenticationFailed"),
        ({"spr": "https"}, "AuthorizationProtocolMismatch"),
        ({"sip": "127.0.0.2"}, "AuthorizationSourceIPMismatch"),
        ({"sip": "nowhere"}, "AuthorizationSourceIPMismatch"),
        ({"ss": "qt"}, "AuthorizationServiceMismatch"),
        ({"srt": "sc"}, "AuthorizationResourceTypeMismatch"),
        ({"sp": "wdlac"}, "AuthorizationPermissionMismatch"),
        ({"skoid": "x"}, "NotSupportedByLocalAzure"),
        ({"si": "x"}, "NotSupportedByLocalAzure"),
    ],
)
def test_each_field_is_looked_at(changes: dict[str, str], want: str) -> None:
    """The caller uses plain HTTP, which no other test can send."""
    with pytest.raises(ServiceError) as caught:
        _check(_account_sas(**changes), scheme="http")
    assert caught.value.code == want


@pytest.mark.parametrize("name", ["sv", "sp", "se", "sig", "srt"])
def test_a_sas_without_a_field_is_refused(name: str) -> None:
    """The detail names the field."""
    with pytest.raises(ServiceError) as caught:
        _check({field: value for field, value in _account_sas().items() if field != name})
    assert (caught.value.status_code, caught.value.code) == (403, "AuthenticationFailed")
    assert caught.value.extra["AuthenticationErrorDetail"] == f"{name} is mandatory. Cannot be empty"


@pytest.mark.parametrize(
    "changes",
    [{"sig": "abc"}, {"sig": "!"}, {"sp": "rz"}, {"sv": "latest"}, {"spr": "http"}, {"ss": "x"}, {"se": "tomorrow"}],
    ids=str,
)
def test_a_sas_with_a_field_that_cannot_be_read_is_refused(changes: dict[str, str]) -> None:
    """Azure does not say which one."""
    with pytest.raises(ServiceError) as caught:
        _check(_account_sas() | changes)
    assert caught.value.extra["AuthenticationErrorDetail"] == "Signature fields not well formed."


def test_a_sas_that_ends_before_it_begins_is_refused() -> None:
    """The detail has both times."""
    with pytest.raises(ServiceError) as caught:
        _check(_account_sas(st="2026-01-02T00:00Z", se="2026-01-01T12:00Z"))
    assert caught.value.extra["AuthenticationErrorDetail"] == (
        "Signed expiry time [Thu, 01 Jan 2026 12:00:00 GMT] must be after signed start time "
        "[Fri, 02 Jan 2026 00:00:00 GMT]"
    )


def test_a_changed_field_breaks_the_signature() -> None:
    """Nobody can gain more rights than were signed."""
    with pytest.raises(ServiceError) as caught:
        _check(_account_sas() | {"sp": "rw"})
    assert "String to sign used was a\nrw\nb\no" in caught.value.extra["AuthenticationErrorDetail"]


def test_the_signature_goes_and_the_rest_of_the_query_stays() -> None:
    """A list of containers is limited to the account; a plus sign stays a plus sign."""
    query = "restype=container&comp=list&sv=1&sp=r&sig=a%2Bb%3D&prefix=a%20b+c&rsct=x"
    assert decoded(query)["sig"] == "a+b="
    assert forwarded_query(query, Target("a", "c")) == "restype=container&comp=list&prefix=a%20b+c"
    assert forwarded_query("comp=list&prefix=x", Target("a")) == "comp=list&prefix=a-x"
    assert forwarded_query("comp=list", Target("a")) == "comp=list&prefix=a-"


def test_a_path_says_what_a_request_is_about() -> None:
    """Blob names stay as they were sent."""
    host = "Account.blob.core.windows.net"
    assert target_of(host, "/") == Target("account")
    assert target_of(host, "/c") == Target("account", "c")
    assert target_of(host, "/c/a/b%2Fc") == Target("account", "c", "a/b%2Fc")


def test_listings_bear_the_accounts_own_names() -> None:
    """Neither Azurite's address nor the prefix is left in them."""
    xml = (
        b'<?xml version="1.0"?><EnumerationResults ServiceEndpoint="http://127.0.0.1:1/local/"><Prefix>a-x</Prefix>'
        b"<Containers><Container><Name>a-x1</Name></Container></Containers><NextMarker/></EnumerationResults>"
    )
    renamed = listings.rename(xml, "https://a.blob.core.windows.net/", "a", of_containers=True).decode()
    assert "<Name>x1</Name>" in renamed
    assert "<Prefix>x</Prefix>" in renamed
    assert "127.0.0.1" not in renamed


def test_azurites_key_is_random_and_stays(tmp_path_factory: pytest.TempPathFactory) -> None:
    """The key is made once for each state folder."""
    stores = [Store(tmp_path_factory.mktemp("state") / "emulator.sqlite") for _ in range(2)]
    assert azurite.key(stores[0]) == azurite.key(stores[0]) != azurite.key(stores[1])
    variable = azurite.environment(stores[0])["AZURITE_ACCOUNTS"]
    assert variable == f"local:{base64.b64encode(azurite.key(stores[0])).decode()}"
    assert "sig=" in azurite.signature(azurite.key(stores[0]))
    for store in stores:
        store.close()
