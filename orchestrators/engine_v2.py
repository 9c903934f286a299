"""The interpreter of plans, version 2: it decides as version 1 does, with short inputs. Frozen, as version 1 is.

Version 1 runs here on a context that packs the inputs of instances and unpacks them. So there is one interpreter to
understand, and a change of what it decides needs a version 3 with code of its own.
"""

from typing import Any, cast

import azure.durable_functions as df

from orchestrators.engine_v1 import Yields, run_plan_v1, wait_row_v1
from orchestrators.packing import PackedStart, PackedWait, pack, unpack
from orchestrators.verdicts import Tries


def run_plan_v2(context: df.DurableOrchestrationContext) -> Yields:
    """Run a resolved plan to its end; the input is a `PackedStart`, and the result that of version 1."""
    return (yield from run_plan_v1(_packing(context)))


def wait_row_v2(context: df.DurableOrchestrationContext) -> Yields:
    """Call one row repeatedly until it ends; the input is a `PackedWait`, and the result that of version 1."""
    return (yield from wait_row_v1(_packing(context)))


def _packing(context: df.DurableOrchestrationContext) -> df.DurableOrchestrationContext:
    return cast("df.DurableOrchestrationContext", _PackingContext(context))


class _PackingContext:
    """The context that version 1 gets."""

    def __init__(self, context: df.DurableOrchestrationContext) -> None:
        self._context = context

    def __getattr__(self, name: str) -> Any:
        return getattr(self._context, name)

    def get_input(self) -> Any:
        given = cast("PackedStart | PackedWait", self._context.get_input())
        return unpack(given["packed"])

    def call_sub_orchestrator(self, _name: str, tries: Tries, instance_id: str) -> Any:
        return self._context.call_sub_orchestrator("wait_row_v2", _packed(tries), instance_id)

    def continue_as_new(self, tries: Tries) -> None:
        self._context.continue_as_new(_packed(tries))


def _packed(tries: Tries) -> PackedWait:
    call = tries["call"]
    return {
        "operationId": call["operationId"],
        "attempt": call["attempt"],
        "step": tries["row"]["name"],
        "packed": pack(tries),
    }
