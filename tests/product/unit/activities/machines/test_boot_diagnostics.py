"""The end of a serial log, if it can be read."""

from collections.abc import Iterator

import pytest

from activities.machines import boot_diagnostics
from activities.runtime.step import Step
from shared import fence
from tests.product.unit.activities.calls import payload
from tests.product.unit.activities.machines import serial_log_fake
from tests.product.unit.product_world import World

VM = "c1-x7k2p-bootstrap"


@pytest.fixture
def step(accepted: World) -> Iterator[Step]:
    """Make a call of any row, under a fence that holds."""
    token = fence.check.set(lambda: None)
    made = Step(payload({"name": "any", "phase": "bootstrap"}, "status"), accepted.cluster)
    yield made
    fence.check.reset(token)


def test_the_last_lines_are_returned_without_colours_and_empty_lines(accepted: World, step: Step) -> None:
    """Of a long log only the end is fetched."""
    serial_log_fake.write(accepted, VM, "boot\n" * 100_000 + "\x1b[0mone\r\n\r\ntwo\r\n")
    assert boot_diagnostics.last_lines(step, VM, lines=2) == "[0mone\ntwo"
    (fetched,) = [request for request in accepted.azure.calls if request.method == "GET" and "/boot/" in request.path]
    assert fetched.headers["x-ms-range"].startswith("bytes=4836")


def test_signatures_are_taken_out(accepted: World, step: Step) -> None:
    """Ignition writes the address that it tried."""
    serial_log_fake.write(accepted, VM, "GET https://x/bootstrap.ign?se=2026&sig=c2VjcmV0: attempt #5: 403")
    assert boot_diagnostics.last_lines(step, VM) == "GET https://x/bootstrap.ign?se=2026&sig=... attempt #5: 403"


def test_a_long_line_is_cut_at_its_beginning(accepted: World, step: Step) -> None:
    """The end of a line says more than its beginning."""
    serial_log_fake.write(accepted, VM, "a" * 5000 + "the end")
    text = boot_diagnostics.last_lines(step, VM)
    assert len(text) < 1000
    assert text.endswith("the end")


def test_of_many_long_lines_the_last_ones_are_whole(accepted: World, step: Step) -> None:
    """Half a line at the beginning would look like a garbled log."""
    serial_log_fake.write(accepted, VM, "\n".join(f"[{number}] {'a' * 200}" for number in range(10)))
    kept = boot_diagnostics.last_lines(step, VM).splitlines()
    assert [line[:4] for line in kept] == ["[6] ", "[7] ", "[8] ", "[9] "]


def test_a_machine_that_cannot_be_asked_has_nothing_to_say(accepted: World, step: Step) -> None:
    """Another failure must not hide the one that this would explain."""
    assert accepted.azure.resources == {}
    accepted.azure.fails("POST", "/retrieveBootDiagnosticsData$", 404, "ResourceNotFound")
    assert boot_diagnostics.last_lines(step, VM) == ""


def test_a_machine_without_a_log_has_nothing_to_say(accepted: World, step: Step) -> None:
    """Before its first boot, or if the blob is empty, or there is no link to one."""
    serial_log_fake.write(accepted, VM, "")
    assert boot_diagnostics.last_lines(step, VM) == ""
    accepted.azure.on("POST", "/retrieveBootDiagnosticsData$", lambda _request: (200, {}, {}))
    assert boot_diagnostics.last_lines(step, VM) == ""
