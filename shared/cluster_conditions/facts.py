"""What a cluster reports about itself, as far as its conditions need it: pure functions from objects of its API.

The customer's administrators write these objects, so each function takes any JSON, leaves out what it cannot use, and
never raises. Names are checked, texts lose their control characters and are shortened, times that are none are absent.
"""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from shared.cluster_conditions.calendar import NOT_AFTER

_NAME = re.compile(r"[A-Za-z0-9_.:-]{1,253}")
_WORD = re.compile(r"[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?")
_MOST_CHARACTERS = 300
_MASTER = ("node-role.kubernetes.io/master", "node-role.kubernetes.io/control-plane")
_INT32 = range(2**31)


@dataclass(frozen=True)
class Reported:
    """One entry of `status.conditions`.

    Attributes:
        status: `True`, `False` or `Unknown`.
        reason: a word, or "".
        message: a text, or "".
        since: when it became so; None if the cluster does not say.
    """

    status: str
    reason: str = ""
    message: str = ""
    since: datetime | None = None


@dataclass(frozen=True)
class Thing:
    """An object with conditions: an operator, a version, a pool, a node.

    Attributes:
        name: its name.
        conditions: its conditions by type.
        is_master: whether it is a node of the control plane.
    """

    name: str
    conditions: Mapping[str, Reported] = field(default_factory=dict)
    is_master: bool = False

    def status(self, kind: str) -> str:
        """Return the status of a condition, or "" if there is none."""
        return self.conditions[kind].status if kind in self.conditions else ""


@dataclass(frozen=True)
class Machine:
    """A Machine of machine-api: its name, its phase, and why it failed."""

    name: str
    phase: str
    message: str = ""


@dataclass(frozen=True)
class MachineSet:
    """A MachineSet: its name, how many machines it wants, and how many are available."""

    name: str
    wanted: int
    available: int


@dataclass(frozen=True)
class Ending:
    """A Secret that is annotated with the end of its certificate."""

    namespace: str
    name: str
    end: datetime


def things(found: Iterable[Any]) -> list[Thing]:
    """Return the objects of a list that have names, in the order of these."""
    made = [each for one in found if (each := thing(one))]
    return sorted(made, key=lambda each: each.name)


def thing(found: Any) -> Thing | None:
    """Return an object with its conditions, or None if it has no name."""
    name = _name(found)
    if not name:
        return None
    reported = at(found, "status", "conditions")
    conditions = {
        kind: _reported(one)
        for one in (reported if isinstance(reported, list) else [])
        if (kind := _matching(_NAME, at(one, "type")))
    }
    labels = at(found, "metadata", "labels")
    is_master = isinstance(labels, dict) and any(label in labels for label in _MASTER)
    return Thing(name, conditions, is_master)


def machines(found: Iterable[Any]) -> list[Machine]:
    """Return the machines of a list that are not being deleted."""
    made = [
        Machine(name, text(at(one, "status", "phase")), text(at(one, "status", "errorMessage")))
        for one in found
        if (name := _name(one)) and not at(one, "metadata", "deletionTimestamp")
    ]
    return sorted(made, key=lambda each: each.name)


def machine_sets(found: Iterable[Any]) -> list[MachineSet]:
    """Return the machine sets of a list."""
    made = [
        MachineSet(name, _number(at(one, "spec", "replicas"), 1), _number(at(one, "status", "availableReplicas"), 0))
        for one in found
        if (name := _name(one))
    ]
    return sorted(made, key=lambda each: each.name)


def endings(table: Any) -> list[Ending]:
    """Return the Secrets of a table of Kubernetes that are annotated with an end."""
    rows = at(table, "rows")
    made = []
    for row in rows if isinstance(rows, list) else []:
        secret = at(row, "object")
        name, namespace = _name(secret), _matching(_NAME, at(secret, "metadata", "namespace"))
        end = time(at(secret, "metadata", "annotations", NOT_AFTER))
        if name and namespace and end:
            made.append(Ending(namespace, name, end))
    return made


def at(value: Any, *path: str) -> Any:
    """Return a member of JSON, or None if an object on the way to it is missing or is something else."""
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def text(value: Any, characters: int = _MOST_CHARACTERS) -> str:
    """Return a stranger's text on one line, shortened, without characters that are not printed."""
    if not isinstance(value, str):
        return ""
    # A character becomes one blank at most, so a longer beginning than this is never needed.
    seen = "".join(" " if _is_hidden(character) else character for character in value[: 4 * characters])
    one_line = " ".join(seen.split())
    return one_line if len(one_line) <= characters else f"{one_line[:characters]}..."


def time(value: Any) -> datetime | None:
    """Return a time of RFC 3339, or None."""
    try:
        found = datetime.fromisoformat(value) if isinstance(value, str) else None
        return found.astimezone(UTC) if found and found.tzinfo else None
    except (ValueError, OverflowError):
        return None


def _is_hidden(character: str) -> bool:
    """Tell whether a character controls a terminal or a page, or hides others, such as a change of direction."""
    return unicodedata.category(character).startswith(("C", "Z"))


def _reported(one: Any) -> Reported:
    status = at(one, "status")
    return Reported(
        status if status in ("True", "False") else "Unknown",
        _matching(_WORD, text(at(one, "reason"), 100)) or "",
        text(at(one, "message")),
        time(at(one, "lastTransitionTime")),
    )


def _name(found: Any) -> str:
    return _matching(_NAME, at(found, "metadata", "name")) or ""


def _matching(pattern: re.Pattern[str], value: Any) -> str | None:
    return value if isinstance(value, str) and pattern.fullmatch(value) else None


def _number(value: Any, default: int) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value in _INT32 else default
