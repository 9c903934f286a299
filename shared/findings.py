"""What is wrong with something that a stranger sent, up to a number: whoever looks for it stops there.

An answer lists no more, and a body of a megabyte could be wrong in half a million places.
"""

from collections.abc import Iterable
from typing import TypeVar

T = TypeVar("T")

MOST = 100


class Enough(Exception):  # noqa: N818 - a signal: there are as many findings as anybody reads
    """The list of findings is full."""


class Findings(list[T]):
    """The findings of one check, which ends with `Enough` when there are enough."""

    def append(self, finding: T) -> None:
        """Add one.

        Raises:
            Enough: if the list is full then.
        """
        super().append(finding)
        if len(self) >= MOST:
            raise Enough

    def extend(self, more: Iterable[T]) -> None:
        """Add several, and look for no more of them than there is room for.

        Raises:
            Enough: as `append`.
        """
        for one in more:
            self.append(one)
