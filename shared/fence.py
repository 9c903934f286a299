"""The fence before each change in Azure and in a cluster: a superseded attempt begins no change.

An activity checks its fence when it starts. But it may be delayed between that check and its call, by a paused process
or a slow token. So the pipeline of every client checks again right before it sends a request that changes something.
"""

from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

from azure.core.pipeline import PipelineRequest
from azure.core.pipeline.policies import SansIOHTTPPolicy

CHANGES = frozenset({"PUT", "PATCH", "POST", "DELETE"})

# Raises if a newer attempt drives the cluster. The wrapper sets it while an activity runs.
check: ContextVar[Callable[[], None] | None] = ContextVar("fence", default=None)


class UnfencedChange(RuntimeError):  # noqa: N818 - a bug, named after what happened
    """Code outside an activity tried to change something in Azure or in a cluster."""


def ask(method: str) -> None:
    """Let a change pass only while the fence holds.

    Raises:
        UnfencedChange: if called outside an activity.
        Exception: whatever the check raises.
    """
    holds = check.get()
    if holds is None:
        raise UnfencedChange(f"{method} outside of an activity")
    holds()


class FencePolicy(SansIOHTTPPolicy[Any, Any]):
    """Checks the fence before each PUT, PATCH, POST and DELETE, and before each retry of one."""

    def __init__(self, *, requests_too: bool = False) -> None:
        """Choose who may send changes.

        Args:
            requests_too: whether code outside activities may too, such as a request that writes a secret before a
                document, and so a fence, exists.
        """
        self._requests_too = requests_too

    def on_request(self, request: PipelineRequest[Any]) -> None:
        """Let reads pass; let a change pass only while the fence holds.

        Raises:
            UnfencedChange: if called outside an activity and only activities may send changes.
            Exception: whatever the check raises. It is not an `AzureError`, so the pipeline never retries it.
        """
        if request.http_request.method not in CHANGES:
            return
        if check.get() is not None or not self._requests_too:
            ask(request.http_request.method)
