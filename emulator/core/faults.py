"""Faults that people and tests inject: which service, which operation, how often, what happens."""

import re
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, get_args
from uuid import uuid4

Kind = Literal["status", "reset", "lost-response", "delay", "silence"]
Each = Literal["", "operation", "step"]
# The service at which faults are added and lifted: `*` spares it.
CONTROL = "control"
ALLOWED = {
    "count": (1, 10**9),
    "skip": (0, 10**9),
    "status_code": (400, 599),
    "delay_seconds": (0, 3600),
    "seconds": (0, 3600),
}
KINDS: tuple[Kind, ...] = get_args(Kind)
EACH: tuple[Each, ...] = get_args(Each)


@dataclass
class Fault:
    """One rule.

    Args:
        service: a service's name (`arm`, `keyvault`, `cosmos` ...), or `*` for all but the control service.
        operation: a regular expression that the operation's name must match in whole, without regard to case,
            such as `PUT Microsoft.Network/virtualNetworks/subnets`.
        kind: `status` answers with `status_code` before the work; `reset` cuts the connection before the work;
            `lost-response` does the work and cuts the connection; `delay` waits `delay_seconds` (unscaled) first;
            `silence` waits as long, then cuts the connection before the work.
        correlation_id: of the calls that are meant; "" for all.
        step: a regular expression for the step that a call names, in whole; "" for calls that name none.
        count: how many calls it meets before it is spent.
        skip: how many matching calls pass before the first is met.
        each: "operation": count and skip hold for each operation of each step by itself; "step": for each step. Such a
            rule is never spent.
        seconds: an outage: the rule meets every matching call for so long (unscaled), whatever count, skip and each say.
        begins_at: a regular expression for the step whose first matching call begins the outage; without it the outage
            begins when the rule is added. From then on calls of every step meet it, and calls that name none.
    """

    service: str = "*"
    operation: str = ".*"
    correlation_id: str = ""
    step: str = ".*"
    kind: Kind = "status"
    count: int = 1
    skip: int = 0
    each: Each = ""
    status_code: int = 503
    code: str = ""
    message: str = "This failure was injected."
    retry_after: int | None = None
    delay_seconds: float = 0.0
    seconds: float = 0.0
    begins_at: str = ""
    id: str = field(default_factory=lambda: uuid4().hex[:8])

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ValueError(f"kind {self.kind!r} is unknown; use one of {', '.join(KINDS)}")
        if self.each not in EACH:
            raise ValueError(f"each {self.each!r} is unknown; use operation, step, or nothing")
        for name, (least, most) in ALLOWED.items():
            value = getattr(self, name)
            if not isinstance(value, int | float) or not least <= value <= most:
                raise ValueError(f"{name} {value!r} is not between {least} and {most}")
        if self.begins_at and not self.seconds:
            raise ValueError("begins_at says when an outage begins; say with seconds how long it lasts")
        self._operation, self._step = re.compile(self.operation, re.IGNORECASE), re.compile(self.step)
        self._begins_at = re.compile(self.begins_at)
        self._calls: Counter[tuple[str, ...]] = Counter()
        self._ends: float | None = None

    def begin(self, now: float) -> None:
        """Begin the outage, if this rule is one and it has not begun."""
        if self.seconds and self._ends is None:
            self._ends = now + self.seconds

    def meets(self, service: str, operation: str, correlation_id: str, step: str, now: float) -> bool:
        """Tell whether a call meets this rule; one that is meant is counted."""
        if self.correlation_id not in ("", correlation_id):
            return False
        if self.service != service and (self.service != "*" or service == CONTROL):
            return False
        if not self._operation.fullmatch(operation) or not self._step.fullmatch(step):
            return False
        if self.seconds:
            if self._begins_at.fullmatch(step):
                self.begin(now)
            return self._ends is not None and now < self._ends
        kind = {"": (), "step": (step,), "operation": (step, service, operation.lower())}[self.each]
        self._calls[kind] += 1
        return self.skip < self._calls[kind] <= self.skip + self.count

    def spent(self, now: float) -> bool:
        """Tell whether it meets no further call."""
        if self.seconds:
            return self._ends is not None and now >= self._ends
        return not self.each and self._calls[()] >= self.skip + self.count

    def describe(self) -> dict[str, Any]:
        """Return the rule as JSON, with the calls that it will still let pass and meet."""
        if self.each or self.seconds:
            return asdict(self)
        seen = self._calls[()]
        left = {"skip": max(self.skip - seen, 0), "count": self.count - max(seen - self.skip, 0)}
        return asdict(self) | left


class Faults:
    """The rules in force, in the order they were added; the first that matches a call meets it.

    Args:
        now: monotonic seconds; tests inject their own.
    """

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._faults: list[Fault] = []
        self._now = now

    def add(self, fault: Fault) -> Fault:
        """Put a rule in force."""
        if not fault.begins_at:
            fault.begin(self._now())
        self._faults.append(fault)
        return fault

    def clear(self, fault_id: str | None = None) -> int:
        """Lift one rule, or all; return how many were lifted."""
        keep = [] if fault_id is None else [fault for fault in self._faults if fault.id != fault_id]
        lifted = len(self._faults) - len(keep)
        self._faults = keep
        return lifted

    def list(self) -> list[Fault]:
        """Return the rules in force."""
        now = self._now()
        return [fault for fault in self._faults if not fault.spent(now)]

    def take(self, service: str, operation: str, correlation_id: str = "", step: str = "") -> Fault | None:
        """Return the rule that meets this call, or None; a rule that is spent goes."""
        now = self._now()
        met = next(
            (fault for fault in self._faults if fault.meets(service, operation, correlation_id, step, now)), None
        )
        self._faults = [fault for fault in self._faults if not fault.spent(now)]
        return met
