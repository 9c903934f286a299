"""What every emulated service builds on: clock, store and faults."""

import sqlite3
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from emulator.core.clock import Clock, rfc3339
from emulator.core.faults import Each, Fault, Faults
from emulator.core.store import SchemaMismatchError, Store


def test_latencies_are_divided_by_the_time_scale() -> None:
    """Ten seconds of Azure take a quarter of a second at scale 40."""
    clock = Clock(40, source=lambda: datetime(2026, 1, 1, tzinfo=UTC))

    assert clock.scaled(10) == timedelta(milliseconds=250)
    assert rfc3339(clock.after(10)) == "2026-01-01T00:00:00.250000Z"


def test_retry_after_is_never_zero() -> None:
    """The least value is one, because azure-core treats zero as absent and waits half a minute."""
    assert Clock(40).retry_after(10) == "1"
    assert Clock(1).retry_after(10) == "10"


def test_documents_outlive_the_process_that_wrote_them(tmp_path: Path) -> None:
    """A document is on disk when `put` returns."""
    Store(tmp_path / "state").table("things").put("a", {"n": 1})

    assert Store(tmp_path / "state").table("things").get("a") == {"n": 1}


def test_a_scan_yields_the_keys_of_its_prefix_in_order(tmp_path: Path) -> None:
    """A prefix is a range of keys."""
    table = Store(tmp_path / "state").table("things")
    for key in ("b/2", "a/1", "b/1", "c"):
        table.put(key, {})

    assert [key for key, _ in table.scan("b/")] == ["b/1", "b/2"]


def test_a_state_file_of_another_schema_is_refused(tmp_path: Path) -> None:
    """The error carries both versions, so that `up` can say `reset`."""
    connection = sqlite3.connect(tmp_path / "state")
    connection.execute("PRAGMA user_version = 99")
    connection.close()

    with pytest.raises(SchemaMismatchError, match="99"):
        Store(tmp_path / "state")


def test_a_fault_meets_as_many_calls_as_it_counts() -> None:
    """After `skip` calls have passed, `count` calls meet the fault, then it is spent."""
    faults = Faults()
    faults.add(Fault(service="arm", operation="PUT Microsoft.Network/.*", count=2, skip=1))

    calls = [faults.take("arm", "put microsoft.network/virtualNetworks") is not None for _ in range(5)]

    assert calls == [False, True, True, False, False]
    assert faults.list() == []


def test_a_fault_leaves_other_services_and_operations_alone() -> None:
    """Service and operation must both match."""
    faults = Faults()
    faults.add(Fault(service="arm", operation="PUT .*"))

    assert faults.take("cosmos", "PUT docs") is None
    assert faults.take("arm", "GET resourceGroups") is None


def test_a_fault_may_be_meant_for_one_step_of_one_operation() -> None:
    """Calls with another correlation id, of other steps or of no step are left alone."""
    faults = Faults()
    faults.add(Fault(correlation_id="mine", step="create_.*"))

    assert faults.take("arm", "GET dnsZones", "other", "create_dns") is None
    assert faults.take("arm", "GET dnsZones", "mine", "delete_dns") is None
    assert faults.take("arm", "GET dnsZones", "mine") is None
    assert faults.take("arm", "GET dnsZones", "mine", "create_dns") is not None


@pytest.mark.parametrize(
    ("each", "want_met"),
    [("operation", [True, False, True, True, False]), ("step", [True, False, False, True, False])],
)
def test_a_fault_may_count_for_each_operation_or_step_by_itself(each: Each, want_met: list[bool]) -> None:
    """A test need not know which calls there will be, and the fault stays until it is lifted."""
    faults = Faults()
    faults.add(Fault(each=each))
    calls = [("GET zones", "a"), ("get zones", "a"), ("PUT zones", "a"), ("GET zones", "b"), ("PUT zones", "a")]

    met = [faults.take("arm", operation, step=step) is not None for operation, step in calls]

    assert met == want_met
    assert len(faults.list()) == 1


def test_a_fault_tells_how_many_calls_it_has_left() -> None:
    """`faults list` shows these numbers."""
    faults = Faults()
    faults.add(Fault(skip=1, count=3))
    for _ in range(2):
        faults.take("arm", "GET zones")

    (shown,) = [fault.describe() for fault in faults.list()]
    assert (shown["skip"], shown["count"]) == (0, 2)


def test_a_fault_for_all_services_can_still_be_lifted() -> None:
    """The control service answers even when all else fails."""
    faults = Faults()
    faults.add(Fault(count=2))

    assert faults.take("control", "DELETE faults") is None
    assert faults.take("arm", "GET resourceGroups") is not None


def test_an_outage_meets_every_call_until_it_is_over() -> None:
    """The number of calls makes no difference, and the outage ends by itself."""
    now = [100.0]
    faults = Faults(now=lambda: now[0])
    faults.add(Fault(service="cosmos", seconds=60))

    met = [faults.take("cosmos", "read items") is not None for _ in range(3)]
    now[0] = 160.0

    assert met == [True, True, True]
    assert faults.list() == []
    assert faults.take("cosmos", "read items") is None


def test_an_outage_may_begin_at_the_step_that_needs_the_service() -> None:
    """Earlier calls pass; all later ones fail, whether of another step or of none."""
    now = [0.0]
    faults = Faults(now=lambda: now[0])
    faults.add(Fault(service="cosmos", seconds=60, begins_at="deploy_.*"))

    steps = ("create_dns", "", "deploy_storage_template", "create_dns", "")
    met = [faults.take("cosmos", "read items", step=step) is not None for step in steps]
    now[0] = 59.0

    assert met == [False, False, True, True, True]
    assert faults.take("cosmos", "read items") is not None


def test_a_step_begins_nothing_but_an_outage() -> None:
    """A fault that counts calls would never match."""
    with pytest.raises(ValueError, match="seconds"):
        Fault(begins_at="deploy_.*")


@pytest.mark.parametrize(
    "members", [{"count": 0}, {"count": -1}, {"skip": -1}, {"status_code": 7}, {"delay_seconds": -1.0}]
)
def test_a_number_that_makes_no_sense_is_refused_by_name(members: dict[str, Any]) -> None:
    """A count below one would never be spent."""
    with pytest.raises(ValueError, match=next(iter(members))):
        Fault(**members)


def test_an_unknown_kind_of_fault_is_refused_by_name() -> None:
    """The message lists the known kinds."""
    with pytest.raises(ValueError, match="lost-response"):
        Fault(kind="explode")  # type: ignore[arg-type]  # what a person might type
