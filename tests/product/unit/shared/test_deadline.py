"""Deadlines of calls and of requests: the time that is left."""

import contextvars
import time
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any

import pytest
from azure.core.exceptions import HttpResponseError, ServiceResponseError

from shared import deadline


def attempt(**options: Any) -> Any:
    """Return an attempt of a pipeline with its current time-outs."""
    return SimpleNamespace(context=SimpleNamespace(options=options))


def answer(headers: dict[str, str]) -> Any:
    """Return a throttling answer of a pipeline."""
    return SimpleNamespace(http_response=SimpleNamespace(headers=headers, status_code=429, reason="Too Many Requests"))


@pytest.fixture
def stopped(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Stop the clock at the number in this list."""
    now = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    return now


def test_without_a_deadline_time_outs_stay() -> None:
    """Calls of activities to ARM may take as long as their clients allow."""
    request = attempt(read_timeout=60)
    deadline.before_sending(request)
    assert request.context.options == {"read_timeout": 60}


def test_what_is_left_caps_the_time_outs(stopped: list[float]) -> None:
    """Both the attempt's time-outs and the client's own are capped."""
    request = attempt(read_timeout=60)
    with deadline.within(1):
        deadline.before_sending(request)
    assert stopped
    assert request.context.options == {"read_timeout": 1, "connection_timeout": 1}


def test_a_call_whose_time_is_up_ends_as_one_without_an_answer() -> None:
    """It is treated like a lost answer, because nobody knows whether it was carried out."""
    with pytest.raises(ServiceResponseError), deadline.call(), deadline.within(0):
        deadline.before_sending(attempt())


def test_an_earlier_deadline_holds() -> None:
    """A call cannot outlive its request."""
    with deadline.within(1), deadline.within(60):
        assert deadline.seconds_left() <= 1


@pytest.mark.parametrize("seconds", [deadline.REQUEST_SECONDS, deadline.RENDERING_SECONDS])
def test_a_request_keeps_time_for_its_aftermath(stopped: list[float], seconds: float) -> None:
    """It uses the time to find out whether a write happened, and to clean up. Each of these calls is short."""
    with deadline.request(seconds):
        with deadline.within(0):
            stopped[0] += 1
            assert deadline.seconds_left() < 0
            with deadline.aftermath():
                assert deadline.seconds_left() == seconds + deadline.AFTERMATH_SECONDS - 1
                with deadline.call():
                    assert deadline.seconds_left() < 2
        assert deadline.seconds_left() == seconds - 1


def test_reading_a_live_cluster_costs_an_update_none_of_its_own_time(stopped: list[float]) -> None:
    """Also if another thread of the request reads. Its reads end ten seconds after it arrived."""
    with deadline.request():

        def read() -> None:
            with deadline.live_reads():
                assert deadline.seconds_left() == deadline.LIVE_READS_SECONDS - 1
                stopped[0] += 8
            assert deadline.seconds_left() == deadline.REQUEST_SECONDS - 1
            with deadline.live_reads():
                assert deadline.seconds_left() == 1

        stopped[0] += 1
        with ThreadPoolExecutor(1) as threads:
            threads.submit(contextvars.copy_context().run, read).result()
        assert deadline.aftermath_left() == deadline.REQUEST_SECONDS + deadline.AFTERMATH_SECONDS - 1


@pytest.mark.parametrize(
    "headers",
    [
        pytest.param({"x-ms-retry-after-ms": "20"}, id="what is ordinary"),
        pytest.param({}, id="nothing"),
        pytest.param({"Retry-After": "soon"}, id="nonsense"),
    ],
)
def test_a_short_wait_is_left_to_the_sdk(stopped: list[float], headers: dict[str, str]) -> None:
    """Throttling is normal under load."""
    assert stopped
    with deadline.call():
        deadline.before_sleeping(answer(headers))


@pytest.mark.parametrize("headers", [{"x-ms-retry-after-ms": "60000"}, {"Retry-After": "60"}], ids=["Cosmos", "others"])
def test_nobody_sleeps_past_a_deadline(headers: dict[str, str]) -> None:
    """The SDKs wait as long as they are asked to. The error is the answer's, which says that nothing was done."""
    with pytest.raises(HttpResponseError) as refused, deadline.call():
        deadline.before_sleeping(answer(headers))
    assert refused.value.status_code == 429
    deadline.before_sleeping(answer(headers))


def test_the_threads_of_a_request_share_the_time_for_its_reads_of_arm(stopped: list[float]) -> None:
    """It begins with the first of them, in whichever thread."""
    with deadline.request():

        def read() -> float:
            with deadline.arm_reads():
                return deadline.seconds_left()

        with ThreadPoolExecutor(1) as threads:
            first = threads.submit(contextvars.copy_context().run, read).result()
        stopped[0] += 0.5
        assert read() == first - 0.5
