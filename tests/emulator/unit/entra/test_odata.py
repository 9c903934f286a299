"""The filters that Graph's clients send."""

import pytest
from starlette.requests import Request

from emulator.core.errors import ServiceError
from emulator.graph.exceptions import not_found
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
    ("options", "named"),
    [
        ({"$filter": "appId eq '1' or appId eq '2'"}, "the operator or function or in filters"),
        ({"$filter": "appId ne null"}, "the operator or function ne in filters"),
        ({"$filter": "appId in ('1', '2')"}, "the operator or function in in filters"),
        ({"$filter": "endswith(displayName, 'o')"}, "the operator or function endswith in filters"),
        ({"$filter": "accountEnabled eq true"}, "comparisons with true in filters"),
        ({"$filter": "tags/any(t:t eq 'x')"}, "the property tags of ServicePrincipal"),
        ({"$orderby": "appId"}, "the query option $orderby"),
        ({"$top": "5"}, "the query option $top"),
        ({"$expand": "owners"}, "the query option $expand"),
    ],
)
def test_what_only_graph_has_is_named(options: dict[str, str], named: str) -> None:
    """If an option were ignored, the answer would be to another question."""
    with pytest.raises(ServiceError) as caught:
        query(ITEMS, options, "ServicePrincipal")
    assert (caught.value.status_code, caught.value.code) == (400, "NotSupportedByLocalAzure")
    assert caught.value.message.startswith(f"The local Azure does not have {named}")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"$filter": "appId eq '1' and"}, "Invalid filter clause: Syntax error at position 0 in 'appId eq '1' and'."),
        ({"$filter": "appId = '1'"}, "Invalid filter clause: Syntax error at position 0 in 'appId = '1''."),
        (
            {"$filter": "appId eq '3' and colour eq 'red'"},
            "Invalid filter clause: Could not find a property named 'colour' on type 'microsoft.graph.servicePrincipal'.",
        ),
        ({"$colour": "red"}, "The query parameter '$colour' is not supported."),
    ],
)
def test_what_graph_does_not_know_is_the_callers_mistake(options: dict[str, str], message: str) -> None:
    """The message is Graph's."""
    with pytest.raises(ServiceError) as caught:
        query(ITEMS, options, "ServicePrincipal")
    assert (caught.value.status_code, caught.value.code) == (400, "BadRequest")
    assert caught.value.message == message


@pytest.mark.parametrize(
    ("method", "path", "code", "message"),
    [
        ("GET", "/v1.0/user", "BadRequest", "Resource not found for the segment 'user'."),
        ("GET", "/v2.0/users", "BadRequest", "Invalid version: v2.0"),
        ("GET", "/beta/users", "NotSupportedByLocalAzure", "The local Azure does not have GET /beta/users of"),
        ("GET", "/v1.0/devices", "NotSupportedByLocalAzure", "The local Azure does not have GET /v1.0/devices of"),
        ("GET", "/v1.0/users/1/manager", "NotSupportedByLocalAzure", "The local Azure does not have GET /v1.0/users/1"),
    ],
)
def test_a_path_is_graphs_or_unknown(method: str, path: str, code: str, message: str) -> None:
    """What Graph has is not called unknown."""
    request = Request({"type": "http", "method": method, "path": path, "headers": [], "query_string": b""})
    error = not_found(request)
    assert (error.status_code, error.code) == (400, code)
    assert error.message.startswith(message)
