"""The filters that Graph's clients send."""

import pytest

from emulator.core.errors import ServiceError
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
    assert [item["appId"] for item in query(ITEMS, {"$filter": condition}, "ServicePrincipal")] == want


@pytest.mark.parametrize(
    "options",
    [
        {"$filter": "appId eq '1' or appId eq '2'"},
        {"$filter": "colour eq 'red'"},
        {"$filter": "appId ne null"},
        {"$filter": "appId eq '1' and"},
        {"$filter": "appId eq '3' and colour eq 'red'"},
        {"$orderby": "appId"},
    ],
)
def test_what_is_not_there_is_refused(options: dict[str, str]) -> None:
    """If an option were ignored, the answer would be to another question."""
    with pytest.raises(ServiceError, match="Request_UnsupportedQuery"):
        query(ITEMS, options, "ServicePrincipal")
