"""The host's checks of functions: each refused one is dropped alone."""

from typing import Any

import pytest

from emulator.host.function_index import build_index


def _http(name: str, route: str | None = None, **trigger: Any) -> dict[str, Any]:
    return {
        "name": name,
        "bindings": [
            {"type": "httpTrigger", "direction": "IN", "name": "req", "route": route or name, **trigger},
            {"type": "http", "direction": "OUT", "name": "$return"},
        ],
    }


def _index(*functions: dict[str, Any], disabled: frozenset[str] = frozenset()) -> Any:
    return build_index(list(functions), "", disabled)


@pytest.mark.parametrize(
    ("function", "problem"),
    [
        pytest.param(_http("admin_things", "admin/x"), "built in routes", id="a reserved route"),
        pytest.param(_http("r", "/RunTimeX"), "built in routes", id="only the first letters count"),
        pytest.param(_http("host"), "not a valid function name", id="the reserved name"),
        pytest.param(_http("1x"), "not a valid function name", id="a name that begins with a digit"),
        pytest.param(_http("x", authLevel="SYSTEM"), "not an authorization level", id="a wrong auth level"),
        pytest.param(_http("x", "a/{b"), "not a route segment", id="a malformed template"),
        pytest.param(
            {"name": "q", "bindings": [{"type": "queueTrigger", "direction": "IN", "name": "msg"}]},
            "not available",
            id="a trigger the local host does not have",
        ),
        pytest.param(
            {"name": "t", "bindings": [{"type": "timerTrigger", "name": "timer", "schedule": "%NO_SUCH_SETTING%"}]},
            "NO_SUCH_SETTING",
            id="a schedule from a setting that is not there",
        ),
    ],
)
def test_refused_functions_are_dropped_alone(function: dict[str, Any], problem: str) -> None:
    index = _index(function, _http("fine"))

    assert problem in index.refused[function["name"]]
    assert index.names == ["fine"]


def test_of_two_equal_routes_the_later_name_is_dropped() -> None:
    index = _index(_http("b", "x/{one}", methods=["GET"]), _http("a", "X/{two}", methods=["GET", "PUT"]))

    assert list(index.refused) == ["b"]


def test_equal_routes_with_different_methods_live_together() -> None:
    assert not _index(_http("a", "x", methods=["GET"]), _http("b", "x", methods=["PUT"])).refused


def test_functions_are_ordered_by_name_without_regard_to_case() -> None:
    index = _index(_http("b"), _http("A"), _http("C"))

    assert [function.name for function in index.http] == ["A", "b", "C"]


def test_a_disabled_function_is_not_served() -> None:
    assert _index(_http("a"), _http("B"), disabled=frozenset({"b"})).names == ["a"]


def test_durable_functions_are_found_by_name_without_regard_to_case() -> None:
    index = _index(
        {"name": "Orchestrate", "bindings": [{"type": "orchestrationTrigger", "name": "context"}]},
        {"name": "Act", "bindings": [{"type": "activityTrigger", "name": "payload"}]},
    )

    assert index.orchestrators["orchestrate"].name == "Orchestrate"
    assert index.activities["act"].name == "Act"
