"""The times of a history, which the engine reads in another way than the durable package does by default."""

from datetime import UTC, datetime

import pytest
from azure.durable_functions.models.history import HistoryEvent, HistoryEventType

import orchestrators


def _time_of(written: str) -> object:
    return HistoryEvent(HistoryEventType.ORCHESTRATOR_STARTED, 1, IsPlayed=False, Timestamp=written).timestamp


@pytest.mark.parametrize(
    ("written", "microseconds"),
    [
        ("2026-11-22T21:09:08Z", 0),
        ("2026-11-22T21:09:08.7Z", 700_000),
        ("2026-11-22T21:09:08.765432Z", 765_432),
        ("2026-11-22T21:09:08.7654321Z", 765_432),
    ],
)
def test_the_time_of_an_event_has_up_to_seven_decimals(written: str, microseconds: int) -> None:
    """The host writes as many as it has; the last is less than Python knows."""
    assert _time_of(written) == datetime(2026, 11, 22, 21, 9, 8, microseconds, UTC)


def test_the_durable_package_reads_times_as_it_was_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """If a release of it takes its parser from elsewhere, every turn costs twice as much again."""
    monkeypatch.setattr(orchestrators._history, "dt_parse", lambda _: "told")
    assert _time_of("2026-11-22T21:09:08Z") == "told"
