"""Faults that people and tests inject: the calls that they meet, how often, and what happens to these calls."""

import asyncio
import re
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, get_args
from uuid import uuid4

Cut = Literal["lost-response", "cut-headers", "cut-body", "cut-chunk", "cut-end"]
Kind = Literal["status", "reset", Cut, "delay", "hold", "silence", "stale"]
Each = Literal["", "operation", "step"]
# The service that adds and lifts faults; `*` does not include it.
CONTROL = "control"
ALLOWED = {
    "count": (1, 10**9),
    "skip": (0, 10**9),
    "status_code": (400, 599),
    "delay_seconds": (0, 3600),
    "seconds": (0, 3600),
}
KINDS: tuple[Kind, ...] = get_args(Kind)
CUTS: tuple[Cut, ...] = get_args(Cut)
EACH: tuple[Each, ...] = get_args(Each)


@dataclass
class Fault:
    """One rule.

    Args:
        service: a service's name (`arm`, `keyvault`, `cosmos` ...), or `*` for all but the control service.
        operation: a regular expression that the whole name of the operation must match, regardless of case, such as
            `PUT Microsoft.Network/virtualNetworks/subnets`.
        correlation_id: correlation id of the calls; "" for all calls.
        step: a regular expression that the whole name of the call's step must match; "" for calls without a step.
        kind: `status` answers with `status_code` before the work; `reset` cuts the connection before the work;
            `lost-response` and the kinds that begin with `cut-` do the work and cut the connection, before the answer
            or in it (`cut_answers.py`); `delay` waits `delay_seconds` (unscaled) first;
            `hold` waits as long, or until the rule is lifted, even if it is spent; `silence` waits `delay_seconds`,
            then cuts the connection before the work; `stale` lets a read of Cosmos DB answer with the state of
            `delay_seconds` ago, but not before the rule, as far as the account's consistency level allows it.
        count: how many calls the rule meets before it is spent.
        skip: how many matching calls pass before the rule meets one.
        each: "operation" counts `count` and `skip` for each operation of each step separately; "step" for each step.
            Such a rule is never spent.
        status_code: HTTP status for the kind `status`.
        code: error code for the kind `status`; "" for `TooManyRequests` (429) or `ServiceUnavailable`.
        message: error message for the kind `status`.
        retry_after: Retry-After for the kind `status`, in seconds; None for no such header.
        delay_seconds: how long `delay`, `hold` and `silence` wait, and how far `stale` lags, in seconds, unscaled.
        seconds: duration of an outage, in seconds, unscaled. An outage meets every matching call, and ignores `count`,
            `skip` and `each`. 0 for no outage.
        begins_at: a regular expression for the step whose first matching call begins the outage, which then meets the
            calls of all steps that `step` matches; "" begins it when the rule is added.
        id: id of the rule.
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
        self.lifted = asyncio.Event()

    @property
    def only_delays(self) -> bool:
        """Whether what this rule meets is done as usual afterwards."""
        return self.kind in ("delay", "hold")

    async def pause(self) -> None:
        """Keep a call waiting, if this rule does so."""
        if self.kind == "hold":
            with suppress(TimeoutError):
                await asyncio.wait_for(self.lifted.wait(), self.delay_seconds)
        elif self.kind in ("delay", "silence"):
            await asyncio.sleep(self.delay_seconds)

    def begin(self, now: float) -> None:
        """Begin the outage, if this rule is one and has not begun yet."""
        if self.seconds and self._ends is None:
            self._ends = now + self.seconds

    def meets(self, service: str, operation: str, correlation_id: str, step: str, now: float) -> bool:
        """Tell whether this rule meets a call, and count the call if it matches."""
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
        """Tell whether the rule will meet no further call."""
        if self.seconds:
            return self._ends is not None and now >= self._ends
        return not self.each and self._calls[()] >= self.skip + self.count

    def describe(self) -> dict[str, Any]:
        """Return the rule as JSON; `skip` and `count` are the numbers of calls that are left."""
        if self.each or self.seconds:
            return asdict(self)
        seen = self._calls[()]
        left = {"skip": max(self.skip - seen, 0), "count": self.count - max(seen - self.skip, 0)}
        return asdict(self) | left


class Faults:
    """The rules in force, in the order in which they were added; the first rule that matches a call meets it.

    Args:
        now: returns monotonic seconds; tests inject another clock.
    """

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._faults: list[Fault] = []
        self._holding: list[Fault] = []
        self._now = now

    def add(self, fault: Fault) -> Fault:
        """Put a rule in force."""
        if not fault.begins_at:
            fault.begin(self._now())
        self._faults.append(fault)
        if fault.kind == "hold":
            self._holding.append(fault)
        return fault

    def clear(self, fault_id: str | None = None) -> int:
        """Lift one rule, or all; return how many were lifted."""
        lifted = {each.id: each for each in (*self._faults, *self._holding) if fault_id in (None, each.id)}
        for fault in lifted.values():
            fault.lifted.set()
        self._faults = [each for each in self._faults if each.id not in lifted]
        self._holding = [each for each in self._holding if each.id not in lifted]
        return len(lifted)

    def list(self) -> list[Fault]:
        """Return the rules in force."""
        now = self._now()
        return [fault for fault in self._faults if not fault.spent(now)]

    def take(self, service: str, operation: str, correlation_id: str = "", step: str = "") -> Fault | None:
        """Return the rule that meets a call, or None, and remove spent rules."""
        now = self._now()
        met = next(
            (fault for fault in self._faults if fault.meets(service, operation, correlation_id, step, now)), None
        )
        self._faults = [fault for fault in self._faults if not fault.spent(now)]
        return met
