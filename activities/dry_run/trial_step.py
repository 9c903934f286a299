"""The context of executors in a dry run: a step whose decisions stay in memory, and which may change nothing else."""

import copy
from collections.abc import Callable
from typing import Any

from activities.runtime.step import Step
from shared import fence
from shared.documents import ClusterDocument


class SecretNeeded(Exception):  # noqa: N818 - an answer more than an error
    """A row needs a secret that a dry run does not have."""


class Secrets(dict[str, str]):
    """The secret ids of a document. A dry run has no secret of its request, so some may be missing."""

    def __missing__(self, purpose: str) -> str:
        """Tell that the row cannot be tried.

        Raises:
            SecretNeeded: always.
        """
        raise SecretNeeded(purpose)


class TrialStep(Step):
    """One row of a dry run. It does not use the document in the store, which need not exist."""

    def decide(self, change: Callable[[ClusterDocument], bool]) -> None:
        """Change a copy of the document, for the rows after this one."""
        document = copy.deepcopy(self.document)
        change(document)
        self.document = self._newest = document

    def check_fence(self) -> None:
        """Refuse the change.

        Raises:
            WouldChange: always.
        """
        raise fence.WouldChange(self.call["row"]["name"])


def with_secrets(document: dict[str, Any]) -> ClusterDocument:
    """Return a document whose missing secrets are told."""
    found: Any = {**document, "secrets": Secrets(document.get("secrets") or {})}
    typed: ClusterDocument = found
    return typed
