"""The benchmark finds the critical path, counts histories and calls, and reports them."""

import json
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from azure.core.exceptions import HttpResponseError
from cryptography.hazmat.primitives.asymmetric import rsa

from bench import aro_rp_steps, chain, creates, graph, history, page, report
from bench.chain import Chain, Expected, Link, Step
from bench.creates import CreateFailedError, Round
from bench.history import Instance
from bench.memory import Watch
from bench.quantities import JOURNAL, LOG, Meter, Quantities, idle_hour
from bench.report import Computed
from emulator.deployments.engine import BEGIN_SECONDS, END_SECONDS
from emulator.host.durable.database import Database
from emulator.openshift.boot import timeline
from frontend.operations import operation_report
from installer import pki
from orchestrators import plans, verdicts
from orchestrators.plans.create import CREATE
from orchestrators.plans.rows import to_dict
from orchestrators.tries import begin_tries
from shared.steps import Caller, Polling


def test_the_longest_chain_goes_through_what_is_waited_for() -> None:
    """It follows dependencies, not the steps that take longest by themselves."""
    steps = {"a": Step((), (2,)), "slow": Step((), (5,)), "b": Step(("a",), (4,)), "end": Step(("slow", "b"), (1,))}
    links = chain.critical_path(steps).links
    assert [(link.name, link.seconds) for link in links] == [("a", 2), ("b", 4), ("end", 1)]


def test_what_is_asked_about_lasts_until_the_poll_after_its_end() -> None:
    """This holds for each part: the next one begins when the one before is known to be over."""
    five: Polling = {"firstPollSeconds": 1, "pollSeconds": 5}
    assert chain.critical_path({"a": Step((), (2.5,), polling=five)}).links == (Link("a", 3, 0.5, calls=4),)
    assert chain.critical_path({"a": Step((), (2.5, 0.5), polling=five)}).links == (Link("a", 4, 1, calls=5),)
    assert chain.critical_path({"a": Step((), (), polling=five)}).links == (Link("a", 0, calls=1),)


def test_a_wait_that_began_long_ago_is_asked_about_rarely() -> None:
    """An end elsewhere is noticed late in proportion to how long the wait has lasted, not by the shortest pause."""
    steps = {
        "elsewhere": Step((), (101,)),
        "row": Step((), (), ("elsewhere",), {"firstPollSeconds": 12, "pollSeconds": 60}),
    }
    found = chain.critical_path(steps)
    assert [link.name for link in found.links] == ["elsewhere", "row"]
    assert 0 < found.unnoticed < 0.2 * 101 + 1
    assert found.seconds == 101 + found.unnoticed


@pytest.mark.parametrize("over", [0.5, 3, 20, 77, 500], ids=str)
def test_the_benchmark_asks_when_the_engine_asks(over: float) -> None:
    """The benchmark polls when the interpreter does."""
    begin = datetime(2026, 3, 1, tzinfo=UTC)
    row: Any = {"name": "row", "kind": "condition", "retry": "azure", "deadlineSeconds": 3600.0, "pollSeconds": 10.0}
    start: Any = dict.fromkeys(Caller.__annotations__, "") | {"plan": {"retryPolicies": {"azure": {}}}}
    tries = begin_tries(start, row | {"firstPollSeconds": 2.0}, begin)
    now = begin
    while now < begin + timedelta(seconds=over):
        _, tries = verdicts.decide(tries, {"outcome": "wait", "message": ""}, now)
        now += timedelta(seconds=tries["delaySeconds"])
    polled = chain.critical_path(
        {"row": Step((), (over,), polling={"firstPollSeconds": 2.0, "pollSeconds": 10.0})}
    ).links[0]
    assert polled.seconds == pytest.approx((now - begin).total_seconds(), abs=1e-4)
    assert polled.calls == tries["polls"] + 1


def test_a_template_takes_its_longest_chain_of_resources() -> None:
    """A storage account with its containers takes longer than anything parallel; ARM's own seconds are added."""
    alone = chain.TYPES_BY_NAME["Microsoft.Storage/storageAccounts"].create_seconds
    containers = chain.TYPES_BY_NAME["Microsoft.Storage/storageAccounts/blobServices/containers"].create_seconds
    assert chain.template("storage") == BEGIN_SECONDS + alone + containers + END_SECONDS


def test_every_figure_belongs_to_a_row_or_to_the_clusters_timeline() -> None:
    """Otherwise a renamed row would silently lose its latency."""
    steps = chain.graph(CREATE)
    assert set(chain.SECONDS) | set(chain.INSIDE) <= set(steps)
    assert {need for step in steps.values() for need in step.needs + step.awaits} <= set(steps)


def test_every_row_that_waits_for_something_has_its_figure() -> None:
    """A deployment or a condition without a figure would seem to take no time."""
    waiting = {row.name for row in CREATE if row.kind != "action"}
    nothing_to_wait_for = {"storage_containers_ready", "private_dns_ready", "console_exists", "remove_expired_machines"}
    # The image of the model's cluster exists already.
    nothing_to_make = {"copy_machine_disk", "deploy_image_template"}
    assert waiting - set(chain.SECONDS) - set(chain.INSIDE) == nothing_to_wait_for | nothing_to_make


def test_the_router_waits_for_what_its_cluster_makes_in_azure() -> None:
    """In addition to its line's own seconds: an address, a frontend with it, and a rule for each of two ports."""
    line = next(row for row in timeline.rows(chain.FLAVOUR) if row.name == "router")
    assert sum(chain.graph(CREATE)["router"].seconds) > line.seconds + 2


def test_a_create_takes_about_as_long_as_in_azure() -> None:
    """More than half an hour, mostly for the machines and for what starts in them."""
    found = chain.longest()
    assert 30 <= found.seconds / 60 <= 40
    assert found.seconds / 2 < found.in_cluster < found.seconds
    assert {"deploy_storage_template", "deploy_network_template", "masters up"} <= {link.name for link in found.links}
    assert found.rows[-1] == "finish"
    assert found.unnoticed == 0
    assert chain.with_polls(20).seconds == pytest.approx(found.seconds / 20, rel=0.05)


def test_a_row_is_due_when_its_latency_is_usually_over() -> None:
    """A row that names its usual time takes about as long in the model."""
    usual = {row.name: row.usual.total_seconds() for row in CREATE if row.usual}
    taken = chain.taken(CREATE)
    assert usual == {name: pytest.approx(taken[name], rel=0.1) for name in usual}


def test_a_deadline_leaves_a_row_four_times_what_it_usually_takes() -> None:
    """A create that is slow must not fail."""
    taken = chain.taken(CREATE)
    assert not [row.name for row in CREATE if row.deadline.total_seconds() < 4 * taken[row.name]]


@pytest.mark.parametrize("tenths", range(11))
def test_percent_complete_goes_with_the_time(tenths: int) -> None:
    """What a polling client reads is never further from the share of the time than a tenth."""
    begins, ends = chain.times(CREATE)
    now = ends["finish"] * tenths / 10
    begin = datetime(2026, 3, 1, tzinfo=UTC)
    plan = {"rows": [to_dict(row) for row in CREATE]}
    items: Any = [
        {
            "step": name,
            "attempt": 1,
            "status": "Succeeded" if ends[name] <= now else "Running",
            "startTime": (begin + timedelta(seconds=begins[name])).isoformat(),
            "lastProgressTime": (begin + timedelta(seconds=now)).isoformat(),
        }
        for name in ends
        if begins[name] <= now
    ]
    operation: Any = {"plan": plan}
    percent = operation_report.progress(operation, items, "Creating")["percentComplete"]
    assert percent == pytest.approx(10 * tenths, abs=10)


def test_the_originals_order_has_all_its_steps_on_one_chain() -> None:
    """One after the other, and everything in the machines that they wait for is in the model."""
    steps = aro_rp_steps.graph()
    rows = [name for name, *_ in aro_rp_steps._STEPS]
    assert [steps[name].needs for name in rows] == [(), *((name,) for name in rows[:-1])]
    assert {need for step in steps.values() for need in step.needs + step.awaits} <= set(steps)
    assert [link.name for link in chain.unpolled(steps).links if link.name in rows][-1] == rows[-1]
    assert aro_rp_steps.seconds() > chain.unpolled(steps).seconds > chain.longest().seconds


def test_the_originals_order_takes_as_long_in_the_model_as_its_service_has_recorded() -> None:
    """Otherwise the model's latencies are wrong, and everything that is compared with them."""
    assert min(aro_rp_steps.RECORDED) <= aro_rp_steps.seconds() <= max(aro_rp_steps.RECORDED)


def test_polls_are_close_once_the_end_is_near() -> None:
    """The row's executor knows it, however long the row has waited."""
    polling: Polling = {"firstPollSeconds": 3, "pollSeconds": 15}
    late, near = 0.0, 0.0
    for far in range(1000, 1015):
        steps = {"far": Step((), (far,)), "end": Step(("far",), (20,)), "row": Step((), (), ("end",), polling)}
        late += chain.critical_path(steps).unnoticed
        near += chain.critical_path(steps | {"row": replace(steps["row"], near="end")}).unnoticed
    assert near < late / 2


def test_a_create_costs_more_calls_at_azures_pace_than_its_rows_are() -> None:
    """Every row of a principal is called once, and those that wait are polled; what is unnoticed belongs to rows."""
    expected, rows = chain.expected(), {row.name for row in CREATE if "identity" not in row.when}
    assert expected.calls == expected.polls + len(rows)
    assert expected.calls <= report.AIM_CALLS
    assert 0 < expected.unnoticed < report.AIM_ADDED * chain.longest().seconds
    assert expected.rows.keys() == rows


def test_the_histories_of_an_operation_are_its_plan_and_its_waits(tmp_path: Path) -> None:
    """Including the events that the management API leaves out."""
    (tmp_path / "functions").mkdir()
    path = tmp_path / "functions" / "Hub.sqlite"
    hub = Database(path, "owner", 60)
    events = {"op-1": ["a" * 10, "ä"], "op-1-row": ["b" * 5], "other-1": ["c"]}
    for instance, found in events.items():
        name = "wait_row_v2" if instance == "op-1-row" else plans.RUN_PLAN
        with hub.transaction() as connection:
            connection.execute(
                "INSERT INTO instances (instance_id, execution_id, name, status, created, updated)"
                " VALUES (?, '', ?, '', '', '')",
                (instance, name),
            )
            connection.executemany(
                "INSERT INTO history VALUES (?, ?, ?)", [(instance, place, event) for place, event in enumerate(found)]
            )
    hub.close()
    want = [Instance("op-1", main=True, events=2, size=12), Instance("op-1-row", main=False, events=1, size=5)]
    assert history.instances(tmp_path, "op") == want


def test_calls_are_counted_from_where_the_round_began(tmp_path: Path) -> None:
    """By service, without those to the control service, which Azure does not have."""
    journal = tmp_path / "journal.jsonl"
    journal.write_text(json.dumps({"service": "arm"}) + "\n")
    begin = journal.stat().st_size
    with journal.open("a") as more:
        more.writelines(json.dumps({"service": name}) + "\n" for name in ("arm", "cosmos", "arm", "control"))
    assert creates._calls(journal, begin) == Counter(arm=2, cosmos=1)


def create(failure: HttpResponseError | None) -> Any:
    """Make a create that has ended."""

    def result() -> None:
        if failure:
            raise failure

    person = SimpleNamespace(endpoints={}, cluster_id="/c1", cluster="c1")
    return creates._Create(person, 0.1, "op-1", SimpleNamespace(done=lambda: True, result=result))  # type: ignore[arg-type]  # a customer is more than this test needs


def test_a_create_that_fails_ends_the_benchmark_with_its_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """A failed create has no figures."""
    details = [{"code": "Remedy", "message": "Ask for more."}]
    error = {"code": "QuotaExceeded", "message": "No cores are left.", "details": details}
    monkeypatch.setattr("demo.watch.Operations", lambda *_of: SimpleNamespace(get=lambda _operation: {"error": error}))
    creates._await([create(None)])
    with pytest.raises(CreateFailedError) as caught:
        creates._await([create(None), create(HttpResponseError("failed"))])
    assert str(caught.value) == (
        "1 of 2 creates failed. c1, operation op-1: QuotaExceeded: No cores are left.\n  Remedy: Ask for more."
    )


def test_memory_is_measured_at_the_begin_and_at_the_end_and_rarely_between(monkeypatch: pytest.MonkeyPatch) -> None:
    """The watch must not cost what it watches, and most memory is held at the end."""
    figures = iter([100.0, 300.0])
    monkeypatch.setattr("demo.platform.memory", lambda _endpoints: next(figures))
    with Watch({}) as watch:
        pass
    assert watch.peak == 300
    assert next(figures, None) is None


def made(at_once: int, wall: float, cpu: float, waits: int) -> Round:
    """Make a round whose creates are all alike."""
    plan, wait = (
        Instance("op-1", main=True, events=200, size=50 * 1024),
        Instance("w", main=False, events=80, size=10240),
    )
    return Round(
        at_once,
        0.01,
        [0.2] * at_once,
        [wall] * at_once,
        [plan, *[wait] * waits] * at_once,
        40 * at_once,
        Counter(arm=20 * at_once, cosmos=30 * at_once),
        {"azure": cpu * at_once},
        300 + 10 * at_once,
        Quantities(47 * at_once, 9000 * at_once, 2600 * at_once, 50 * at_once),
    )


COMPUTED = Computed(
    time_scale=20,
    chain=Chain((Link("ensure_resource_group", 100), Link("masters up", 80), Link("finish", 20))),
    polled=Chain((Link("ensure_resource_group", 5.2, 0.2), Link("masters up", 4), Link("finish", 1))),
    expected=Expected(calls=300, polls=250, unnoticed=4, rows={"ensure_resource_group": 4, "finish": 0}),
    original=408,
)


def test_the_report_has_a_column_for_each_round() -> None:
    """The figures are per create, so they stay comparable however many there were at once."""
    rounds = [made(1, 11, 2, 1), made(10, 20, 3, 2)]
    lines = list(report.lines(rounds, COMPUTED, 200))
    cells = {line[:34].strip(): line[34:].split() for line in lines}
    assert cells["creates at once, all succeeded"] == ["1", "10"]
    assert cells["create against its latencies"] == ["1.10", "x", "2.00", "x"]
    assert cells["Azure calls of a create"] == ["50", "50"]
    assert cells["CPU seconds of a create"] == ["2.00", "3.00"]
    assert cells["history of a create, KiB"] == ["60", "70"]
    assert cells["events in the plan's instance"] == ["200", "200"]
    assert (
        "Cost of a create, 10 at once against 1: CPU seconds 1.50 x, Azure calls 1.00 x, history 1.17 x"
        in "\n".join(lines)
    )
    assert "Azure calls of a create, 10 at once: cosmos 30, arm 20." in lines
    assert "Largest history of a plan: 200 events, 50 KiB (aim: at most 300 and 200)." in lines
    assert "Largest history of a wait: 80 events, 10 KiB; waits continue as new." in lines
    assert any("200 MiB without a cluster, 18 MiB more for each" in line for line in lines)


def test_the_quantities_have_a_column_for_each_round_and_one_for_an_idle_hour() -> None:
    """Those of a round are per create."""
    lines = list(report.quantities([made(1, 11, 2, 1), made(10, 20, 3, 2)], Quantities(3, 968, 6480, 0)))
    cells = {line[:34].strip(): line[34:].split() for line in lines}
    assert cells["functions, GiB-seconds"] == ["47", "47", "3"]
    assert cells["Cosmos DB, request units"] == ["9000", "9000", "968"]
    assert cells["Durable storage, transactions"] == ["2600", "2600", "6480"]
    assert cells["Key Vault, operations"] == ["50", "50", "0"]


def test_the_meter_reads_what_was_added_since_it_was_made(tmp_path: Path) -> None:
    """It adds up durations, charges and calls, and passes over lines that are not the host's."""
    charge = {"service": "cosmos", "operation": "query Sites", "charge": "10.5"}
    for path in (JOURNAL, LOG):
        (tmp_path / path).parent.mkdir(exist_ok=True)
    (tmp_path / JOURNAL).write_text(json.dumps(charge) + "\n")
    (tmp_path / LOG).write_text("")
    meter = Meter(tmp_path)
    calls = [charge, {"service": "keyvault", "operation": "get secret"}]
    messages = ["Executed 'step' in 1.5 s", "PUT /a -> 201 in 500 ms", "Worker is ready"]
    with (tmp_path / JOURNAL).open("a") as journal, (tmp_path / LOG).open("a") as log:
        journal.writelines(json.dumps(call) + "\n" for call in calls)
        log.writelines(json.dumps({"message": message}) + "\n" for message in messages)
        log.write("Traceback (most recent call last):\n")
    plan = Instance("op-1", main=True, events=200, size=1024)
    assert meter.read([plan], 40) == Quantities(4, 10.5, 40 * 6 + 200, 1, 1, 5.25)


def test_an_idle_hour_has_a_run_of_the_watchdog_a_minute_and_polls_of_every_queue(tmp_path: Path) -> None:
    """The polls follow from host.json, because the local Azure has no queues."""
    hub = {"partitionCount": 4, "maxQueuePollingInterval": "00:00:10"}
    (tmp_path / "host.json").write_text(json.dumps({"extensions": {"durableTask": {"storageProvider": hub}}}))
    measured = Quantities(gib_seconds=0.2, request_units=64, vault_operations=1, watchdog_runs=4)
    assert idle_hour(measured, tmp_path) == Quantities(3, 960, 5 * 360, 15, 60)


def test_the_report_has_our_create_beside_the_originals_in_one_model() -> None:
    """Both with their polls, and the product's own work in neither."""
    text = "\n".join(report.lines([made(10, 20, 3, 2)], COMPUTED, 200))
    assert (
        "A create in the model: 204 s; ARO-RP's steps, one after the other: 408 s; 0.50 x (aim: at most 0.60 x)."
        in text
    )


def test_the_critical_path_says_whose_time_it_is() -> None:
    """Work takes the same time at any pace: it is the rest of a fast round's clock beside its latencies and polls."""
    text = "\n".join(report.lines([made(1, 11, 2, 1)], COMPUTED, 200))
    assert "Critical path of a create at Azure's pace: 205 s." in text
    assert " 120.0 s  Azure Resource Manager" in text
    assert "  80.0 s  machines and cluster" in text
    assert "   4.0 s  until a poll finds that something is over (ensure_resource_group 4.0)" in text
    assert "   0.8 s  work of the product" in text
    assert "The product adds 2.40 % (aim: less than 0.5 %)." in text
    assert "100.0 s  ensure_resource_group" in text


def test_many_creates_at_once_say_nothing_of_the_critical_path() -> None:
    """They compete for the machine, so their times say nothing about it."""
    text = "\n".join(report.lines([made(10, 20, 3, 2)], COMPUTED, 200))
    assert "a create runs 300 activities (aim: 320), 250 of them polls." in text
    assert "Critical path: take a round of one create along" in text
    assert "The product adds" not in text


def test_the_graphs_lines_have_a_column_for_each_number_of_cores() -> None:
    """The verdict is on the last column, which has the most cores."""
    one = graph.Figures(1, 2.0, 1.9, 1.8, 0.12, 100, 90, 400 * 1024, 200 * 1024, 201 * 1024, 0.02)
    text = "\n".join(graph.graph_lines([one, replace(one, cores=2, wall=0.7)]))
    assert "wall seconds of an install graph          2.00        0.70" in text
    assert "  of these outside RSA                    0.10        0.10" in text
    assert "0.25 x (aim: at most 0.4 x" in text
    assert "90 assets, 400 KiB; compressed 200 KiB, sealed 201 KiB." in text
    assert "checks its ignition in 0.02 s (aim: 1 s)" in text
    assert not list(graph.graph_lines([]))


def test_keys_are_counted_and_the_installers_own_way_comes_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """A benchmark that left its own key maker in place would hand out the same keys forever."""
    key = rsa.generate_private_key(65537, 1024)  # noqa: S505 - quick, and of no use to anybody
    monkeypatch.setattr(pki, "new_key", lambda: key)
    before = pki.new_key
    with graph._Keys(lambda: key):
        assert pki.new_key() is key
        assert pki.new_key is not before
    assert pki.new_key is before


def test_the_page_is_measured_where_there_is_a_browser(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Otherwise the report says why it has no figures."""
    monkeypatch.setenv("PATH", str(tmp_path))
    assert page.measure() == []
    (line,) = page.lines([], report.row)
    assert "not measured, because this machine has no Chromium" in line
    figures = [page.Figures(count, 0.25, 5, 0.04, 105 * 1024) for count in page.COUNTS]
    found = list(page.lines(figures, report.row))
    assert found[0].split()[-2:] == ["500", "5,000"]
    assert found[1].split()[-2:] == ["0.25", "0.25"]
    assert found[-2].split()[-1] == "105"
