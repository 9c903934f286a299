"""The engine stops an operation: open waits cancel what they began, and the step that failed is marked."""

from activities.runtime import progress
from activities.runtime.executor import Executor
from activities.runtime.step import Step
from shared.documents import ClusterDocument


def _stop_operation(step: Step) -> None:
    """Tell the open waits of this attempt to cancel what they began, and mark the step that failed."""

    def change(document: ClusterDocument) -> bool:
        if document.get("stopping"):
            return False
        document["stopping"] = True
        return True

    step.decide(change)
    progress.fail(step.call, step.call["failedStep"], step.call["error"] or {})


stop_operation = Executor(run=_stop_operation, control=True)
