"""The fence before each change in Azure and in a cluster: an attempt that was superseded begins nothing.

An activity checks its fence when it starts, but it may sleep between that check and its call, in a paused process or
behind a slow token. So the pipeline of every client asks again right before a request that changes something leaves.
"""

from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

from azure.core.pipeline import PipelineRequest
from azure.core.pipeline.policies import SansIOHTTPPolicy

CHANGES = frozenset({"PUT", "PATCH", "POST", "DELETE"})

# Raises when somebody newer drives the cluster. The wrapper of activities sets it for as long as one runs.
check: ContextVar[Callable[[], None] | None] = ContextVar("fence", default=None)


class UnfencedChange(RuntimeError):  # noqa: N818 - a bug, named by what happened
    """Code outside an activity tried to change something in Azure or in a cluster."""


def ask(method: str) -> None:
    """Let a change pass only while the fence holds.

    Raises:
        UnfencedChange: outside of an activity.
        Exception: whatever the check raises.
    """
    holds = check.get()
    if holds is None:
        raise UnfencedChange(f"{method} outside of an activity")
    holds()


class FencePolicy(SansIOHTTPPolicy[Any, Any]):
    """Asks for the fence before each PUT, PATCH, POST and DELETE, and again before each retry of one."""

    def __init__(self, *, requests_too: bool = False) -> None:
        """Choose who may send changes.

        Args:
            requests_too: also whoever runs outside of activities: a request that writes a secret before there is a
                document, and so a fence.
        """
        self._requests_too = requests_too

    def on_request(self, request: PipelineRequest[Any]) -> None:
        """Let reads pass; let a change pass only while the fence holds.

        Raises:
            UnfencedChange: outside of an activity, where only activities may.
            Exception: whatever the check raises, which is no `AzureError` and so is never retried by the pipeline.
        """
        if request.http_request.method not in CHANGES:
            return
        if check.get() is not None or not self._requests_too:
            ask(request.http_request.method)
