"""Writes that wait for more than time: for the answer of another part of the local Azure."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from emulator.arm.models import ArmModel
from emulator.arm.operations import LOOK_SECONDS, Outcome
from emulator.arm.resources import Reads
from emulator.core.service_error import ServiceError
from tests.emulator.unit.arm.conftest import CALLER, GROUP, WORLD, Time

VERSION = "2022-01-01"
TYPE = "Microsoft.Network/networkSecurityGroups"
RESOURCE = f"{GROUP}/providers/{TYPE}/n"
BODY: dict[str, Any] = {"location": "eastus", "properties": {}}
TIMED_OUT = ServiceError(409, "TimedOut", "It never came.", details=[{"code": "Inner", "message": "why"}])


class Answers:
    """The answer that a write gets when it asks for its outcome, and how often it has asked."""

    def __init__(self) -> None:
        self.answer: Outcome = "waiting"
        self.asked = 0

    def outcome(self, _arm: Reads, _stored: dict[str, Any]) -> Outcome:
        """Return the answer."""
        self.asked += 1
        return self.answer

    def install(self, model: ArmModel) -> None:
        """Let writes of a type wait for this answer."""
        key = TYPE.lower()
        model.types[key] = replace(model.types[key], outcome=self.outcome)


@pytest.fixture
def answers(model: ArmModel) -> Answers:
    """Let the writes of one type wait."""
    found = Answers()
    found.install(model)
    return found


def _put(model: ArmModel) -> str:
    return asyncio.run(model.put_resource(CALLER, RESOURCE, VERSION, BODY)).operation_id


def _states(model: ArmModel, operation_id: str) -> tuple[str, str]:
    """Return the status of the operation and the state of the resource."""
    operation, resource = model.operations.get(operation_id), model.get_resource(RESOURCE, VERSION)
    assert operation is not None
    assert resource is not None
    return str(model.operations.status(operation)["status"]), str(resource["properties"]["provisioningState"])


def test_a_write_ends_with_what_it_waits_for(model: ArmModel, answers: Answers, time: Time) -> None:
    """A write does not end before its time either, and once it has ended, it asks no more."""
    operation = _put(model)
    answers.answer = "done"
    assert _states(model, operation) == ("InProgress", "Updating")
    answers.answer = "waiting"
    time.pass_(3600)
    assert _states(model, operation) == ("InProgress", "Updating")
    answers.answer = "done"
    assert _states(model, operation) == ("Succeeded", "Succeeded")
    asked = answers.asked
    answers.answer = "waiting"
    assert _states(model, operation) == ("Succeeded", "Succeeded")
    assert answers.asked == asked


def test_a_write_that_fails_leaves_the_resource_failed(model: ArmModel, answers: Answers, time: Time) -> None:
    """Reading either the resource or the operation first shows the failure; the next good write repairs it."""
    operation = _put(model)
    time.pass_(60)
    answers.answer = TIMED_OUT
    resource = model.get_resource(RESOURCE, VERSION)
    assert resource is not None
    assert resource["properties"]["provisioningState"] == "Failed"
    assert "failure" not in resource
    assert _states(model, operation) == ("Failed", "Failed")
    found = model.operations.get(operation)
    assert found is not None
    assert model.operations.status(found)["error"] == TIMED_OUT.body()
    answers.answer = "done"
    again = _put(model)
    time.pass_(60)
    assert _states(model, again) == ("Succeeded", "Succeeded")


def test_a_write_goes_on_waiting_after_a_kill(
    model: ArmModel, answers: Answers, open_arm: Callable[[], ArmModel], time: Time
) -> None:
    """The next process asks for the outcome too, however long it was away."""
    operation = _put(model)
    time.pass_(30 * 86400)
    restarted = open_arm()
    answers.install(restarted)
    restarted.operations.purge()
    assert _states(restarted, operation) == ("InProgress", "Updating")
    answers.answer = TIMED_OUT
    assert _states(restarted, operation) == ("Failed", "Failed")
    assert _states(open_arm(), operation) == ("Failed", "Failed")


def test_a_deletion_ends_what_waits(model: ArmModel, answers: Answers, time: Time) -> None:
    """The operation of the write is preempted, both before and after the resource is gone."""
    first = _put(model)
    asyncio.run(model.delete_resource(CALLER, RESOURCE, VERSION))
    time.pass_(3)
    found = model.operations.get(first)
    time.pass_(60)
    assert model.load(RESOURCE) is None
    later = model.operations.get(first)
    for operation in (found, later):
        assert operation is not None
    assert later is not None
    assert later["error"]["body"]["code"] == "OperationPreempted"
    assert answers.asked == 0


def test_a_group_goes_with_what_waits_in_it(model: ArmModel, answers: Answers, time: Time) -> None:
    """Deleting a group does not wait for the writes in it."""
    _put(model)
    asyncio.run(model.delete_group(WORLD.subscription_id, "group"))
    time.pass_(600)
    assert model.groups.find(WORLD.subscription_id, "group") is None
    assert answers.asked == 0


def test_who_waits_looks_again_from_time_to_time(
    model: ArmModel, answers: Answers, time: Time, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the end the waiting caller gets the resource or the error."""
    waits: list[float] = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)
        time.pass_(seconds)
        if len(waits) == 4:
            answers.answer = TIMED_OUT

    monkeypatch.setattr(asyncio, "sleep", sleep)

    async def wait() -> None:
        await model.wait(await model.put_resource(CALLER, RESOURCE, VERSION, BODY))

    with pytest.raises(ServiceError, match="TimedOut") as failure:
        asyncio.run(wait())
    assert failure.value.details == TIMED_OUT.details
    assert waits[1:] == [LOOK_SECONDS] * 3
