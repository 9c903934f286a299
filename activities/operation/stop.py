"""The engine stops an operation: open waits cancel what they began, and the step that failed is marked."""

from typing import Any

from activities.runtime import progress
from activities.runtime.executor import Executor
from activities.runtime.fenced_call import FencedCall
from shared.documents import FencedDocument


def _stop_operation(step: FencedCall[Any]) -> None:
    """Tell the open waits of this attempt to cancel what they began, and mark the step that failed."""

    def change(document: FencedDocument) -> bool:
        if document.get("stopping"):
            return False
        document["stopping"] = True
        return True

    step.decide(change)
    progress.fail(step.call, step.call["failedStep"], step.call["error"] or {})


stop_operation = Executor(run=_stop_operation, control=True)
