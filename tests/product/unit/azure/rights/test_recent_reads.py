"""How long an answer serves, who shares it, and what becomes of an ARM that is away."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from shared import deadline, tracing
from shared.arm.errors import CloudError
from shared.azure.rights import Ask, recent_reads
from shared.azure.rights.recent_reads import RecentReads
from tests.product.unit.azure.arm_stand_in import CALLER, GROUP, SUBNET, SUBSCRIPTION, Arm, arm
from tests.product.unit.azure_fake import Reply, Request

__all__ = ["arm"]

READER = "acdd72a7-3385-48ef-bd42-f606fba81ae7"
READ = Ask("Microsoft.RedHatOpenShift/openShiftClusters/read", GROUP)
WRITE = Ask("Microsoft.RedHatOpenShift/openShiftClusters/write", GROUP)
LISTS = ["denyAssignments", "roleAssignments"]
# Only a hang takes as long.
PATIENCE_SECONDS = 120.0


def assign(arm: Arm, *actions: str) -> None:
    """Assign a role with these actions to the caller, at the group."""
    arm.assignments = []
    arm.assign(arm.define(READER, {"actions": list(actions), "notActions": []}), GROUP)


def test_an_answer_serves_for_a_minute(arm: Arm) -> None:
    """This is what a change in Azure may take to arrive here, in addition to Azure's own delay."""
    assign(arm, "*/read")
    rights = arm.rights()
    assert rights.may(CALLER, READ)
    assign(arm)
    arm.now = 60
    assert rights.may(CALLER, READ)
    assert arm.asked() == [READER, *LISTS]
    arm.now = 60.1
    assert not rights.may(CALLER, READ)
    assert arm.asked() == sorted([READER, *LISTS] * 2)


def test_a_definition_is_never_older_than_a_minute(arm: Arm) -> None:
    """An answer may be put together from reads of different ages."""
    assign(arm, "*/read")
    rights = arm.rights()
    assert rights.may(CALLER, READ)
    arm.now = 50
    assert rights.may(CALLER, Ask(READ.action, SUBNET))
    assign(arm)
    arm.now = 61
    assert not rights.may(CALLER, Ask(READ.action, SUBNET))


def test_a_no_serves_for_a_minute_too(arm: Arm) -> None:
    """Otherwise those without rights would cost ARM the most."""
    rights = arm.rights()
    arm.azure.fails("GET", "roleAssignments$", 403, "AuthorizationFailed")
    for _ in range(3):
        assert not rights.may(CALLER, READ)
    assert arm.asked() == LISTS


def test_a_fresh_question_is_asked_of_arm_with_everything_that_answers_it(arm: Arm) -> None:
    """Later ones use what it read."""
    assign(arm, "*/read")
    rights = arm.rights()
    assert rights.may(CALLER, READ)
    assign(arm, "*/write")
    assert not rights.may(CALLER, READ, fresh=True)
    assert arm.asked() == sorted([READER, *LISTS] * 2)
    assert rights.may(CALLER, WRITE)
    arm.now = 60
    assert rights.may(CALLER, WRITE)
    assert arm.asked() == sorted([READER, *LISTS] * 2)


def test_questions_about_one_scope_share_their_reads(arm: Arm) -> None:
    """The case of the scope does not matter."""
    assign(arm, "*/read")
    asks = [READ, WRITE, Ask(READ.action, GROUP.upper())]
    assert arm.rights().may_each(CALLER, asks) == [True, False, True]
    assert arm.asked() == [READER, *LISTS]


def test_no_question_has_no_answer(arm: Arm) -> None:
    """And costs nothing."""
    assert arm.rights().may_each(CALLER, []) == []
    assert arm.azure.calls == []


@pytest.mark.parametrize("path", ["roleAssignments$", "denyAssignments$", "roleDefinitions/"])
@pytest.mark.parametrize("status", [408, 429, 500, 503])
def test_while_arm_is_away_there_is_no_answer(arm: Arm, path: str, status: int) -> None:
    """Neither yes nor no: the caller repeats the request. The failure is not kept."""
    assign(arm, "*/read")
    arm.azure.fails("GET", path, status, "ServerBusy")
    rights = arm.rights()
    with pytest.raises(CloudError) as away:
        rights.may(CALLER, READ)
    assert (away.value.status_code, away.value.code) == (503, "ServiceUnavailable")
    arm.azure._scripts.pop(0)
    assert rights.may(CALLER, READ)


class Gate:
    """Holds calls back until it opens, and counts them."""

    def __init__(self, arm: Arm, path: str, answer: Reply) -> None:
        self.arrived = threading.Semaphore(0)
        self.opens = threading.Event()
        arm.azure.on("GET", path, self._pass)
        self._answer = answer

    def _pass(self, _: Request) -> Reply:
        self.arrived.release()
        assert self.opens.wait(PATIENCE_SECONDS)
        return self._answer


def test_those_who_ask_at_the_same_time_share_one_read(arm: Arm) -> None:
    """A list of clusters and a page that polls would otherwise be throttled by ARM."""
    assign(arm, "*/read")
    rights, gate = arm.rights(), Gate(arm, "denyAssignments$", (200, {"value": []}, {}))
    with ThreadPoolExecutor(8) as pool:
        first = pool.submit(rights.may, CALLER, READ)
        assert gate.arrived.acquire(timeout=PATIENCE_SECONDS)
        others = [pool.submit(rights.may, CALLER, READ) for _ in range(7)]
        gate.opens.set()
        assert all(each.result() for each in (first, *others))
    assert arm.asked() == [READER, *LISTS]


def test_a_fresh_question_does_not_join_a_read_that_began_before(arm: Arm) -> None:
    """What that read will return may have been true before the caller lost the right."""
    assign(arm, "*/read")
    rights, gate = arm.rights(), Gate(arm, "denyAssignments$", (200, {"value": []}, {}))
    with ThreadPoolExecutor(2) as pool:
        usual = pool.submit(rights.may, CALLER, READ)
        assert gate.arrived.acquire(timeout=PATIENCE_SECONDS)
        fresh = pool.submit(lambda: rights.may(CALLER, READ, fresh=True))
        assert gate.arrived.acquire(timeout=PATIENCE_SECONDS)
        gate.opens.set()
        assert usual.result()
        assert fresh.result()
    assert arm.asked().count("denyAssignments") == 2


def test_lists_are_read_at_the_same_time(arm: Arm) -> None:
    """So one question takes two round trips, however many scopes it is about."""
    assign(arm, "*")
    gate = Gate(arm, "Assignments$", (200, {"value": []}, {}))
    with ThreadPoolExecutor(1) as pool:
        answer = pool.submit(arm.rights().may_each, CALLER, [READ, Ask(READ.action, SUBNET), Ask("x", SUBSCRIPTION)])
        for _ in range(6):
            assert gate.arrived.acquire(timeout=PATIENCE_SECONDS)
        gate.opens.set()
        assert answer.result() == [False] * 3


def test_definitions_are_read_at_the_same_time(arm: Arm) -> None:
    """A caller may have many roles."""
    for digit in "abcd":
        arm.assign(arm.define(READER[:-1] + digit, {"actions": [], "notActions": []}), GROUP)
    gate = Gate(arm, "roleDefinitions/", (200, {}, {}))
    with ThreadPoolExecutor(1) as pool:
        answer = pool.submit(arm.rights().may, CALLER, READ)
        for _ in range(4):
            assert gate.arrived.acquire(timeout=PATIENCE_SECONDS)
        gate.opens.set()
        assert not answer.result()


def test_nobody_waits_longer_than_two_seconds_for_arm(arm: Arm, monkeypatch: pytest.MonkeyPatch) -> None:
    """However slowly an answer arrives. Who asks again joins the read that goes on."""
    assign(arm, "*/read")
    rights, gate = arm.rights(), Gate(arm, "denyAssignments$", (200, {"value": []}, {}))
    with monkeypatch.context() as impatient:
        impatient.setattr(deadline, "ARM_READS_SECONDS", 0.2)
        with pytest.raises(CloudError, match="Azure Resource Manager") as late, deadline.request():
            rights.may(CALLER, READ)
    assert late.value.status_code == 503
    gate.opens.set()
    assert rights.may(CALLER, READ)
    assert arm.asked().count("denyAssignments") == 1


def test_a_read_belongs_to_the_request_that_began_it(arm: Arm) -> None:
    """ARM's log shows its correlation id."""
    assign(arm, "*/read")
    token = tracing.current.set(tracing.Correlation("corr"))
    arm.rights().may(CALLER, READ)
    tracing.current.reset(token)
    assert {call.headers["x-ms-correlation-request-id"] for call in arm.azure.calls} == {"corr"}


def counting(counts: dict[str, int], key: str) -> Callable[[], int]:
    """Return a read that counts itself."""

    def read() -> int:
        counts[key] = counts.get(key, 0) + 1
        return counts[key]

    return read


def test_the_least_recently_used_answer_goes_first() -> None:
    """Memory is bounded, whoever asks about whatever."""
    counts: dict[str, int] = {}
    reads: RecentReads[int] = RecentReads(lambda: 0.0, most=2)
    for key in ["a", "b", "a", "c", "a", "b"]:
        with deadline.arm_reads():
            recent_reads.wait(reads.get(key, counting(counts, key), fresh=False))
    assert counts == {"a": 1, "b": 2, "c": 1}
    assert len(reads._reads) == 2


def test_a_read_that_failed_is_not_kept() -> None:
    """The next one may succeed."""
    reads: RecentReads[Any] = RecentReads(lambda: 0.0)
    with pytest.raises(ZeroDivisionError), deadline.arm_reads():
        recent_reads.wait(reads.get("a", lambda: 1 / 0, fresh=False))
    with deadline.arm_reads():
        assert recent_reads.wait(reads.get("a", lambda: 1, fresh=False)) == 1
