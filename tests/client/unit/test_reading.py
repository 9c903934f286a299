"""`list` and `show`: what is printed, in each form, and on what."""

import json
import re
import time
from collections.abc import Callable
from typing import Any

import pytest
import yaml

from aroctl import progress
from aroctl.problems import Exit
from tests.client.unit.conftest import Run
from tests.client.unit.fake_service import CLUSTER, CLUSTERS, SUBSCRIPTION, FakeService, Reply, cluster, refusal

EVERYWHERE = f"/subscriptions/{SUBSCRIPTION}/providers/Microsoft.RedHatOpenShift/openShiftClusters"


SCHEDULE = {"timeZone": "Europe/Berlin", "days": ["Monday", "Sunday"], "stopTime": "19:00", "startTime": "07:00"}
ENDS = [
    {"name": "user-kubeconfig", "what": "admin kubeconfig", "end": "2027-03-01T12:00:00Z", "renewedBy": "Service"},
    {"name": "secret", "what": "secret of the application", "end": "2026-06-01T12:00:00Z", "renewedBy": "Customer"},
]


def condition(kind: str, state: str, reason: str = "AsExpected") -> dict[str, str]:
    """Return a condition."""
    return {"type": kind, "status": state, "reason": reason, "message": f"{kind} is {state}."}


LIVING: dict[str, Any] = {
    "powerState": "Running",
    "powerSchedule": SCHEDULE,
    "conditions": [
        condition("Available", "True"),
        condition("Degraded", "True", "OperatorDegraded"),
        condition("Progressing", "True", "Updating"),
        condition("NetworkMisconfigured", "Unknown", "NotReachable"),
        condition("HibernationPossible", "True"),
    ],
}


@pytest.fixture(autouse=True)
def expirations(service: FakeService) -> None:
    """Let the cluster have what ends."""
    service.on("GET", f"{CLUSTER}/expirations", Reply(200, {"value": ENDS}))


def test_the_list_has_a_line_for_each_cluster(run: Run, service: FakeService) -> None:
    """In a pipe nothing is folded, coloured or padded; all pages are read."""
    link = f"https://service.example{EVERYWHERE}?api-version=2026-12-01-preview&%24skipToken=next"
    service.on(
        "GET", EVERYWHERE, Reply(200, {"value": [cluster()], "nextLink": link}), Reply(200, {"value": [cluster()]})
    )
    done = run("list")
    assert done.code == 0
    heading, *lines = done.out.splitlines()
    assert heading.split() == ["NAME", "GROUP", "LOCATION", "VERSION", "STATE", "WORKERS"]
    assert lines == ["c1    group  eastus    4.19.24  Succeeded  3"] * 2
    assert "\x1b" not in done.out
    assert service.sent[1].query.endswith("%24skipToken=next")


def test_a_list_may_be_of_one_group(run: Run, service: FakeService) -> None:
    """Whoever may only read that group asks for it."""
    service.on("GET", CLUSTERS, Reply(200, {"value": [cluster()]}))
    assert "c1" in run("list", "-g", "group").out


def test_an_empty_list_says_so(run: Run, service: FakeService) -> None:
    """To people, where results are not."""
    service.on("GET", EVERYWHERE, Reply(200, {"value": []}))
    done = run("list")
    assert (done.code, done.out) == (0, "")
    assert "There is no cluster that you may read" in done.err
    assert json.loads(run("list", "-o", "json").out) == []


@pytest.mark.parametrize(("form", "load"), [("json", json.loads), ("yaml", yaml.safe_load)])
def test_programs_get_the_cluster_as_the_service_gives_it(
    run: Run, service: FakeService, form: str, load: Callable[[str], Any]
) -> None:
    """Nothing is renamed or left out; what ends is added, the next first."""
    service.on("GET", CLUSTER, Reply(200, cluster(**LIVING)))
    assert load(run("show", "c1", "-o", form).out) == cluster(**LIVING) | {"expirations": [ENDS[1], ENDS[0]]}


def test_people_get_addresses_and_the_records_to_publish(run: Run, service: FakeService) -> None:
    """The owner of a domain publishes two names."""
    service.on("GET", CLUSTER, Reply(200, cluster()))
    lines = run("show", "c1").out.splitlines()
    assert "state        Succeeded" in lines
    assert "records      api.c1.example.com A 192.0.2.1" in lines
    assert "             *.apps.c1.example.com A 192.0.2.2" in lines
    assert "workers      3 of Standard_D4s_v5" in lines


def test_a_cluster_may_be_named_by_its_id(run: Run, service: FakeService) -> None:
    """As other tools print it."""
    service.on("GET", CLUSTER, Reply(200, cluster()))
    assert run("show", CLUSTER).code == 0
    done = run("show", "/subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/virtualMachines/v")
    assert done.code == Exit.WRONG
    assert "of another type" in done.err


def test_a_cluster_that_is_not_there_is_an_exit_code(run: Run, service: FakeService) -> None:
    """Scripts ask whether it exists."""
    service.on("GET", CLUSTER, refusal(404, "ResourceNotFound", "There is no c1."))
    done = run("show", "c1")
    assert (done.code, done.out) == (Exit.NOT_FOUND, "")
    assert done.err == "error: ResourceNotFound: There is no c1.\n"


def test_whoever_is_not_signed_in_learns_how(run: Run, service: FakeService) -> None:
    """A person and a program."""
    service.signed_in = False
    done = run("show", "c1")
    assert done.code == Exit.SIGNED_OUT
    assert "az login" in done.err
    assert "AZURE_CLIENT_ID" in done.err


def test_people_see_power_schedule_and_what_ends_next(run: Run, service: FakeService) -> None:
    """As the page for people shows them."""
    service.on("GET", CLUSTER, Reply(200, cluster(**LIVING)))
    lines = run("show", "c1").out.splitlines()
    assert "power        Running" in lines
    assert "schedule     stops 19:00, starts 07:00 (Europe/Berlin) on Monday, Sunday" in lines
    (ends,) = (line for line in lines if line.startswith("ends next"))
    assert re.fullmatch(r"ends next +2026-06-01 \d\d:00:00, secret of the application; renewed by: Customer", ends)


def test_what_asks_for_attention_comes_first_with_its_reason(run: Run, service: FakeService) -> None:
    """An update is not an illness; what nobody knows may be one."""
    service.on("GET", CLUSTER, Reply(200, cluster(**LIVING)))
    told = run("show", "c1").out.partition("conditions")[2].partition("ends next")[0].splitlines()
    assert [line.strip() for line in told] == [
        "Degraded True: OperatorDegraded: Degraded is True.",
        "NetworkMisconfigured Unknown: NotReachable: NetworkMisconfigured is Unknown.",
        "Available True",
        "Progressing True",
        "HibernationPossible True",
    ]


def test_a_stopped_cluster_is_not_ill(run: Run, service: FakeService) -> None:
    """It is as somebody wanted it; the list says that it is stopped."""
    stopped = cluster(powerState="Stopped", conditions=[condition("Available", "Unknown", "Stopped")])
    service.on("GET", CLUSTER, Reply(200, stopped))
    service.on("GET", EVERYWHERE, Reply(200, {"value": [stopped]}))
    assert "conditions   Available Unknown\n" in run("show", "c1").out
    assert "4.19.24  Stopped  3" in run("list").out


@pytest.mark.parametrize(("silence_seconds", "told"), [(0.01, "Asking service.example ...\n"), (60.0, "")])
def test_what_takes_longer_than_a_moment_says_what_is_asked(
    run: Run, service: FakeService, monkeypatch: pytest.MonkeyPatch, silence_seconds: float, told: str
) -> None:
    """On standard error, so that a program reads results alone."""

    def slowly() -> Reply:
        time.sleep(0.2)
        return Reply(200, cluster())

    monkeypatch.setattr(progress, "SILENCE_SECONDS", silence_seconds)
    service.on("GET", CLUSTER, slowly)
    service.on("GET", f"{CLUSTER}/expirations", Reply(200, {"value": []}))
    done = run("show", "c1", "-o", "json")
    assert json.loads(done.out)["name"] == "c1"
    assert done.err.startswith(told)
    assert bool(done.err) == bool(told)
