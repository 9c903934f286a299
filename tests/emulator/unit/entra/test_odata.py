"""The filters that Graph's clients send."""

import pytest

from emulator.core.service_error import ServiceError
from emulator.graph.odata import query

ITEMS = [
    {"appId": "1", "displayName": "It's one", "servicePrincipalNames": ["1", "api://one"]},
    {"appId": "2", "displayName": "Two", "servicePrincipalNames": ["2"]},
]


@pytest.mark.parametrize(
    ("condition", "want"),
    [
        ("", ["1", "2"]),
        ("appId eq '2'", ["2"]),
        ("displayName eq 'it''s one'", ["1"]),
        ("startswith(displayName, 'tw')", ["2"]),
        ("servicePrincipalNames/any(c:c eq 'api://one')", ["1"]),
        ("appId eq '3'", []),
        ("appId eq '1' and startswith(displayName,'It''s and')", []),
        ("appId eq '1' and displayName eq 'It''s one'", ["1"]),
    ],
)
def test_a_filter_chooses(condition: str, want: list[str]) -> None:
    """A filter ignores case, and a doubled quote in it stands for one."""
    assert [item["appId"] for item in query(ITEMS, {"$filter": condition})] == want


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"$filter": "appId eq '1' or appId eq '2'"}, "the filter appId eq '1' or"),
        ({"$filter": "appId ne null"}, "the filter appId ne null"),
        ({"$filter": "tags/any(t:t eq 'x')"}, "the filter tags/any"),
        ({"$orderby": "appId"}, "the query option $orderby"),
        ({"$top": "5"}, "the query option $top"),
        ({"$expand": "owners"}, "the query option $expand"),
    ],
)
def test_what_only_graph_has_is_named(options: dict[str, str], named: str) -> None:
    """If an option were ignored, the answer would be to another question."""
    with pytest.raises(ServiceError) as caught:
        query(ITEMS, options)
    assert (caught.value.status_code, caught.value.code) == (400, "NotSupportedByLocalAzure")
    assert caught.value.message.startswith(f"The local Azure does not have {named}")
