"""Deadlines: what is left of one, for a call and for a request."""

import time
from types import SimpleNamespace
from typing import Any

import pytest
from azure.core.exceptions import ServiceResponseError

from shared import deadline


def attempt(**options: Any) -> Any:
    """Return an attempt of a pipeline, with the time-outs that it has so far."""
    return SimpleNamespace(context=SimpleNamespace(options=options))


def test_without_a_deadline_time_outs_stay() -> None:
    """Calls of activities to ARM may take as long as their clients say."""
    request = attempt(read_timeout=60)
    deadline.before_sending(request)
    assert request.context.options == {"read_timeout": 60}


def test_what_is_left_caps_the_time_outs() -> None:
    """Those of the attempt, and those that the client has by itself."""
    request = attempt(read_timeout=60)
    with deadline.within(1):
        deadline.before_sending(request)
    assert 0 < request.context.options["read_timeout"] <= 1
    assert 0 < request.context.options["connection_timeout"] <= 1


def test_a_call_whose_time_is_up_ends_as_one_without_an_answer() -> None:
    """So everybody treats it as what it is: nobody knows what became of it."""
    with pytest.raises(ServiceResponseError), deadline.call(), deadline.within(0):
        deadline.before_sending(attempt())


def test_an_earlier_deadline_holds() -> None:
    """A call cannot outlive its request."""
    with deadline.within(1), deadline.within(60):
        assert deadline.left() <= 1


def test_a_request_keeps_time_for_its_aftermath() -> None:
    """To find out what became of a write, and to clean up; each call of it is short."""
    with deadline.request():
        with deadline.within(0):
            assert deadline.left() <= 0
            with deadline.aftermath():
                assert deadline.REQUEST_SECONDS < deadline.left() <= deadline.AFTERMATH_SECONDS
                with deadline.call():
                    assert deadline.left() < 2
        assert deadline.left() <= deadline.REQUEST_SECONDS


@pytest.mark.parametrize(
    ("milliseconds", "want_refused"),
    [("20", False), ("60000", True), ("", False), ("soon", False)],
    ids=["what is ordinary", "a minute", "nothing", "nonsense"],
)
def test_nobody_sleeps_past_a_deadline(milliseconds: str, want_refused: bool) -> None:
    """Cosmos DB says how long to wait, and its SDK would."""
    answer: Any = SimpleNamespace(http_response=SimpleNamespace(headers={"x-ms-retry-after-ms": milliseconds}))
    began = time.monotonic()
    with deadline.within(1):
        if want_refused:
            with pytest.raises(deadline.TimeIsUp):
                deadline.before_sleeping(answer)
        else:
            deadline.before_sleeping(answer)
    assert time.monotonic() - began < 1
