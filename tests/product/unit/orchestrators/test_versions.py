"""Two versions of the interpreter: they decide alike, run side by side, and one goes on where the other stopped."""

import json
from collections import Counter
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest

from orchestrators import plans
from orchestrators.packed_inputs import pack, pack_start, unpack
from shared.settings import parse
from shared.steps import StartInput
from tests.product.unit.orchestrators.record import ROWS, STORIES
from tests.product.unit.orchestrators.simulation import Host, Instance
from tests.product.unit.orchestrators.test_engine import DONE, WAIT, Script, in_turn, lasts, start
from tests.product.unit.product_world import ENVIRONMENT, cluster_document

V1, V2 = "run_plan_v1", "run_plan_v2"
# A row that older packages did not have.
LATER = "validate_installer"


def host_of(script: Script) -> Host:
    """Make a host whose activities follow a script."""

    def activity(name: str, call: dict[str, Any], now: datetime) -> tuple[float, Any]:
        return script.get(call["step"] or name, lasts(1))(call, now)

    return Host(activity)


def run(host: Host, version: str, start_: StartInput, instance_id: str = "op-1", seconds: float = 1e5) -> Instance:
    """Run a plan for some seconds, as the package starts it whose newest version this is."""
    input_ = pack_start(start_) if version == V2 else start_
    return host.run(version, instance_id, input_, timedelta(seconds=seconds))


def create(**properties: str) -> StartInput:
    """Make the input of a create of a cluster with further properties."""
    document = cluster_document()
    document["openShiftCluster"]["properties"] |= properties
    plan = plans.resolve("create", document, parse(ENVIRONMENT | {"TIME_SCALE": "1"}))
    operation: Any = {"id": "op", "plan": plan, "correlationData": {"correlationId": "corr"}}
    owner: Any = {"id": "doc-1", "key": "/subscriptions/s/c", "attempt": 1}
    return plans.start_input(operation, owner)


def waits() -> Script:
    """Make a script in which every row that polls is polled twice."""
    return {row["name"]: in_turn(WAIT, WAIT, DONE) for row in create()["plan"]["rows"] if row["kind"] != "action"}


CREATE = {"a create": (waits, create)}
PLANS: dict[str, tuple[Callable[[], Script], Callable[[], StartInput]]] = CREATE | {
    story: (script, lambda: start(*ROWS)) for story, script in STORIES.items()
}


@pytest.mark.parametrize(("script", "begin"), PLANS.values(), ids=PLANS)
def test_both_versions_decide_alike(script: Callable[[], Script], begin: Callable[[], StartInput]) -> None:
    """They make the same calls at the same times with the same inputs, and end alike."""
    first, second = host_of(script()), host_of(script())
    instances = run(first, V1, begin()), run(second, V2, begin())
    assert second.calls == first.calls
    assert instances[0].status == instances[1].status == "Completed"
    assert instances[0].output == instances[1].output
    assert instances[0].custom_status == instances[1].custom_status
    assert first.instances.keys() == second.instances.keys()


@pytest.mark.parametrize("version", [V1, V2])
def test_a_create_of_an_older_package_goes_on_without_a_row_that_came_later(version: str) -> None:
    """Its stored plan is what runs: `validate_installer` came after the other checks, and nobody waits for it."""
    began = create(installer="openshift-install")
    rows = [row for row in began["plan"]["rows"] if row["name"] != LATER]
    assert len(rows) == len(began["plan"]["rows"]) - 1
    needs = {row["name"]: [need for need in row["needs"] if need != LATER] for row in rows}
    began["plan"]["rows"] = [row | {"needs": needs[row["name"]]} for row in rows]
    host = host_of(waits())
    assert run(host, version, began).output == {"result": "done"}
    assert set(host.names()) >= {row["name"] for row in rows}
    assert LATER not in host.names()


def test_instances_of_both_versions_run_side_by_side() -> None:
    """A package with a new version comes in the middle of a create; each instance keeps its version to its end."""
    host = host_of(waits())
    run(host, V1, create(), seconds=20)
    assert host.instances["op-1"].status == "Running"
    run(host, V2, create() | {"operationId": "other"}, "other-1")
    assert {instance.status for instance in host.instances.values()} == {"Completed"}
    for operation, version in (("op-1", "v1"), ("other-1", "v2")):
        names = {instance.name for id_, instance in host.instances.items() if id_.startswith(operation)}
        assert names == {f"run_plan_{version}", f"wait_row_{version}"}
        assert host.instances[operation].output == {"result": "done"}


def test_what_one_version_left_undone_the_other_finishes() -> None:
    """The watchdog starts the next attempt with the plan as it was stored, and with the rows that are done."""
    former, rows = host_of(waits()), {row["name"] for row in create()["plan"]["rows"]}
    run(former, V1, create(), seconds=20)
    done = [step for step, calls in _calls(former).items() if calls == (3 if step in waits() else 1)]
    assert 5 < len(done) < len(rows) - 5
    host = host_of(waits())
    instance = run(host, V2, create() | {"attempt": 2, "done": done}, "op-2")
    assert instance.output == {"result": "done"}
    assert set(_calls(host)) == rows - set(done)
    assert {call["attempt"] for _, _, call in host.calls} == {2}


def _calls(host: Host) -> Counter[str]:
    return Counter(call["step"] for _, _, call in host.calls)


def test_a_create_of_version_two_has_inputs_of_a_quarter() -> None:
    """They are most of its history. Whose it is, an operator still sees; the id of a wait says which row waits."""
    hosts = {version: host_of(waits()) for version in (V1, V2)}
    for version, host in hosts.items():
        run(host, version, create())
    sizes = {
        version: sum(len(json.dumps(instance.input)) for instance in host.instances.values())
        for version, host in hosts.items()
    }
    assert sizes[V2] < sizes[V1] / 4
    plan = json.loads(hosts[V2].instances["op-1"].input)
    assert (plan["operationId"], plan["clusterKey"], plan["correlationId"]) == ("op", "/subscriptions/s/c", "corr")


def test_what_was_packed_is_unpacked() -> None:
    """Whatever JSON it is, in whatever language."""
    value = {"text": "ä\n\"'\\", "numbers": [1, 2.5, None], "nested": {"empty": {}, "true": True}}
    assert unpack(pack(value)) == value
    assert pack(value) == pack(dict(value))
    assert pack(value).isascii()


def test_a_text_that_was_packed_once_opens_for_ever() -> None:
    """A running instance has it in its history, whatever the texts of later packages have in common."""
    packed = "ePl2J5jUq8bwPNQtxhiGo5oDSv15+SmpxQpZ+ZnAMAUAkS8ZCg=="
    assert unpack(packed) == {"verb": "status", "polls": 3, "silent": False, "lastMessage": "the nodes join"}
