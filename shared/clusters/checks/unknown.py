"""Members whose values are not known yet, because a template computes them while it is deployed."""

import re
from dataclasses import dataclass
from functools import cached_property

_STEP = re.compile(r"[.\[]")


class NotKnownError(Exception):
    """A check needs a member whose value is not known yet, so it cannot decide."""


@dataclass(frozen=True)
class Unknown:
    """The members of a body that have an expression instead of a value.

    Args:
        targets: their JSON paths, as errors name members.
    """

    targets: frozenset[str] = frozenset()

    @cached_property
    def _touched(self) -> frozenset[str]:
        # A body may have thousands of expressions, so nothing compares a member with each of them.
        return frozenset(path for target in self.targets for path in _with_parents(target))

    def covers(self, target: str) -> bool:
        """Tell whether a member, or an object that it belongs to, is not known."""
        return not self.targets.isdisjoint(_with_parents(target))

    def touches(self, target: str) -> bool:
        """Tell whether a member, an object that it belongs to, or anything in it is not known."""
        return self.covers(target) or target in self._touched


# A request sends values, and no expressions.
ALL_KNOWN = Unknown()


def _with_parents(target: str) -> list[str]:
    return [target, *(target[: step.start()] for step in _STEP.finditer(target))]


def is_expression(value: object) -> bool:
    """Tell whether a value is an expression of the template language, such as `[reference('x').id]`."""
    return isinstance(value, str) and value.startswith("[") and value.endswith("]") and not value.startswith("[[")
