"""The interpreter of plans, version 2: it decides as version 1 does, with short histories. Frozen, as version 1 is.

`run_plan_v2` runs the code of version 1 on a context that packs the inputs of instances and unpacks them. So there is
one interpreter to understand, and a change of what it decides needs a version 3 with code of its own. `wait_row_v2` is
version 1's with a packed input and shorter generations.
"""

from datetime import timedelta
from typing import TYPE_CHECKING, Any, cast

import azure.durable_functions as df

from orchestrators import verdicts
from orchestrators.engine_v1 import Yields, _crash, _payload, run_plan_v1
from orchestrators.packed_inputs import PackedStart, PackedWait, pack, unpack
from orchestrators.tries import Tries

if TYPE_CHECKING:
    from shared.steps import Heard

# The history of a wait keeps the polls of its last generation. A generation begins with a turn of its own, so shorter
# ones would cost more than they save.
POLLS_PER_GENERATION = 3


def run_plan_v2(context: df.DurableOrchestrationContext) -> Yields:
    """Run a resolved plan to its end; the input is a `PackedStart`, and the result that of version 1."""
    return (yield from run_plan_v1(cast("df.DurableOrchestrationContext", _PackingContext(context))))


class _PackingContext:
    """The context that version 1 gets."""

    def __init__(self, context: df.DurableOrchestrationContext) -> None:
        self._context = context

    def __getattr__(self, name: str) -> Any:
        return getattr(self._context, name)

    def get_input(self) -> Any:
        return unpack(cast("PackedStart", self._context.get_input())["packed"])

    def call_sub_orchestrator(self, _name: str, tries: Tries, instance_id: str) -> Any:
        packed: PackedWait = {"packed": pack(tries)}
        return self._context.call_sub_orchestrator("wait_row_v2", packed, instance_id)


def wait_row_v2(context: df.DurableOrchestrationContext) -> Yields:
    """Call one row repeatedly from durable timers until it ends. The result is its ending."""
    tries: Tries = unpack(cast("PackedWait", context.get_input())["packed"])
    for _ in range(POLLS_PER_GENERATION):
        if tries["delaySeconds"]:
            yield context.create_timer(context.current_utc_datetime + timedelta(seconds=tries["delaySeconds"]))
        task = context.call_activity(tries["row"]["executor"], _payload(tries))
        try:
            outcome: Heard = yield task
        except Exception as failure:  # noqa: BLE001 - the SDK raises a bare Exception for TaskFailed
            outcome = _crash(failure)
        ending, tries = verdicts.decide(tries, outcome, context.current_utc_datetime)
        if ending is not None:
            return ending
    context.continue_as_new({"packed": pack(tries)})
    return None
