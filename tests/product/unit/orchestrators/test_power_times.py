"""How long a stop and a start take in the engine's own time, on an Azure and a cluster that take their usual time."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

import pytest

from orchestrators import plans
from orchestrators.packed_inputs import pack_start
from shared.json_object import Json
from shared.settings import parse
from tests.product.unit.orchestrators.simulation import Host
from tests.product.unit.product_world import ENVIRONMENT, cluster_document

SETTINGS = parse(ENVIRONMENT | {"TIME_SCALE": "1"})
# A call takes a second or two. What a row waits for takes this many seconds from its first call.
CALL = 1.5
TAKES = {
    "pin_master_addresses": 4,
    "drain_workers": 20,
    "stop_workers": 120,
    "stop_masters": 120,
    "start_masters": 120,
    "start_workers": 120,
    # The API is back soon. Kubelets ask for certificates five minutes after their machines run.
    "api_server_ready": 60,
    "masters_ready": 240,
    # A pause of two minutes, then eight for the operators.
    "operators_settled": 600,
}


@pytest.fixture(autouse=True)
def _product(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shared.settings.load", lambda: SETTINGS)


def minutes(name: str, takes: Mapping[str, float] = TAKES) -> float:
    """Run a plan; return how long it took."""
    plan: Any = plans.resolve(name, cluster_document(), SETTINGS)
    operation: Any = {"id": "op", "plan": plan, "correlationData": {"correlationId": "corr"}}
    cluster: Any = {"id": "doc-1", "key": "/subscriptions/s/c", "attempt": 1}
    begun: dict[str, datetime] = {}

    def activity(_name: str, call: Json, now: datetime) -> tuple[float, Any]:
        first = begun.setdefault(call["step"], now)
        done = now + timedelta(seconds=CALL) >= first + timedelta(seconds=takes.get(call["step"], 0))
        return CALL, {"outcome": "done"} if done else {"outcome": "wait", "message": "not yet"}

    host = Host(activity)
    instance = host.run(plans.RUN_PLAN, "op-1", pack_start(plans.start_input(operation, cluster, [])))
    assert instance.output == {"result": "done"}
    times = [time for time, _, _ in host.calls]
    return (max(times) - min(times)).total_seconds() / 60


def test_a_stop_takes_five_minutes_at_most() -> None:
    """Of which Azure deallocates for four: workers, then masters."""
    assert 4 < minutes("stop") <= 5


def test_a_start_takes_twenty_minutes_at_most() -> None:
    """Until every operator is available."""
    assert 17 < minutes("start") <= 20


def test_a_start_for_which_azure_has_no_room_at_first_takes_as_much_longer() -> None:
    """It is tried again every half minute at least."""
    usual, longer = minutes("start"), minutes("start", {**TAKES, "start_workers": 120 + 600})
    assert longer - usual <= 10.5
