"""The fence before each change in Azure and in a cluster: a superseded attempt begins no change.

An activity checks its fence when it starts. But it may be delayed between that check and its call, by a paused process
or a slow token. So the pipeline of every client checks again right before it sends a request that changes something.

A dry run changes nothing at all, so it also refuses what the service writes into its own store and vault.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from azure.core.pipeline import PipelineRequest
from azure.core.pipeline.policies import SansIOHTTPPolicy

CHANGES = frozenset({"PUT", "PATCH", "POST", "DELETE"})

# Raises if a newer attempt drives the cluster. The wrapper sets it while an activity runs.
check: ContextVar[Callable[[], None] | None] = ContextVar("fence", default=None)

_reads_only: ContextVar[bool] = ContextVar("reads_only", default=False)


class WouldChange(Exception):  # noqa: N818 - an answer more than an error
    """A dry run has come to a change, which it does not make."""


class UnfencedChange(RuntimeError):  # noqa: N818 - a bug, named after what happened
    """Code outside an activity tried to change something in Azure or in a cluster."""


@contextmanager
def reads_only() -> Iterator[None]:
    """Refuse every change for the duration of the block: in Azure, in clusters, in the store and in the vault."""
    token = _reads_only.set(True)
    try:
        yield
    finally:
        _reads_only.reset(token)


def refuse_in_dry_run(change: str) -> None:
    """Let a change pass unless a dry run is at work.

    Args:
        change: what would be changed, for the error.

    Raises:
        WouldChange: if a dry run is at work.
    """
    if _reads_only.get():
        raise WouldChange(change)


def ask(method: str) -> None:
    """Let a change pass only while the fence holds.

    Raises:
        WouldChange: if a dry run is at work.
        UnfencedChange: if called outside an activity.
        Exception: whatever the check raises.
    """
    refuse_in_dry_run(method)
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
            WouldChange: if a dry run is at work.
            UnfencedChange: if called outside an activity and only activities may send changes.
            Exception: whatever the check raises. It is not an `AzureError`, so the pipeline never retries it.
        """
        if request.http_request.method not in CHANGES:
            return
        refuse_in_dry_run(request.http_request.method)
        if check.get() is not None or not self._requests_too:
            ask(request.http_request.method)
