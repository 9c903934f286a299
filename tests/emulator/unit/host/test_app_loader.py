"""The worker's checks of signatures: one bad function stops the app."""

# The annotations below are what is tested; some are wrong on purpose.
# ruff: noqa: ARG001, UP006, UP035, UP045

from collections.abc import Callable
from typing import Any, Dict, List, Optional

import azure.functions as func
import pytest

from emulator.host.worker.app_loader import FunctionLoadError, check_function

_HTTP = (
    {"type": "httpTrigger", "direction": "IN", "name": "req"},
    {"type": "http", "direction": "OUT", "name": "$return"},
)
_ACTIVITY = ({"type": "activityTrigger", "direction": "IN", "name": "payload"},)


def _plain(req: func.HttpRequest, context: func.Context) -> func.HttpResponse:
    return func.HttpResponse()


def _text(req: func.HttpRequest) -> str:
    return ""


def _typing_dict(payload: Dict[str, Any]) -> List[str]:
    return []


def _anything(payload: Any) -> None: ...


def _bare(payload) -> None: ...  # type: ignore[no-untyped-def]  # noqa: ANN001 - without types on purpose


@pytest.mark.parametrize(
    ("function", "bindings"),
    [(_plain, _HTTP), (_text, _HTTP), (_typing_dict, _ACTIVITY), (_anything, _ACTIVITY), (_bare, _ACTIVITY)],
)
def test_accepted_signatures(function: Callable[..., Any], bindings: tuple[dict[str, Any], ...]) -> None:
    assert check_function("f", function, bindings).name == "f"


def _builtin_dict(payload: dict[str, Any]) -> None: ...


def _optional(payload: Optional[str]) -> None: ...


def _union(payload: str | None) -> None: ...


def _other_name(other: str) -> None: ...


def _extra(payload: str, more: str) -> None: ...


def _wrong_request(req: func.TimerRequest) -> func.HttpResponse:
    return func.HttpResponse()


def _wrong_return(req: func.HttpRequest) -> int:
    return 1


def _wrong_context(req: func.HttpRequest, context: int) -> func.HttpResponse:
    return func.HttpResponse()


@pytest.mark.parametrize(
    ("function", "bindings", "problem"),
    [
        (_builtin_dict, _ACTIVITY, "invalid non-type annotation"),
        (_optional, _ACTIVITY, "invalid non-type annotation"),
        (_union, _ACTIVITY, "invalid non-type annotation"),
        (_other_name, _ACTIVITY, "declared in Python but not in function.json"),
        (_extra, _ACTIVITY, "declared in Python but not in function.json"),
        (_wrong_request, _HTTP, "does not match its Python annotation"),
        (_wrong_return, _HTTP, "does not match binding type"),
        (_wrong_context, _HTTP, "azure.functions.Context"),
    ],
)
def test_refused_signatures_name_the_function_and_the_cause(
    function: Callable[..., Any], bindings: tuple[dict[str, Any], ...], problem: str
) -> None:
    with pytest.raises(FunctionLoadError, match=problem) as caught:
        check_function("f", function, bindings)

    assert str(caught.value).startswith("cannot load the f function: ")
