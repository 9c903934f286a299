"""The contents of the task hub: instances, messages, activities, and the commit of an episode."""

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from emulator.host.durable.history import Event, format_time

TERMINAL = frozenset({"Completed", "Failed", "Terminated", "Canceled"})


class InstanceActiveError(Exception):
    """An instance with this id is already active."""

    def __init__(self, status: str) -> None:
        super().__init__(f"An Orchestration instance with the status {status} already exists.")


@dataclass(frozen=True)
class Instance:
    """One row of `instances`; `input`, `output` and `custom_status` are JSON text."""

    instance_id: str
    execution_id: str
    name: str
    status: str
    input: str | None
    output: str | None
    custom_status: str | None
    created: str
    updated: str
    parent: dict[str, Any] | None
    generation: int

    @property
    def is_terminal(self) -> bool:
        """Whether the instance has ended."""
        return self.status in TERMINAL


@dataclass(frozen=True)
class Message:
    """An event on its way to an instance."""

    id: int
    execution_id: str | None
    event: Event


@dataclass(frozen=True)
class Episode:
    """An instance leased for one episode, with its history and the messages taken together."""

    instance: Instance
    history: list[Event]
    messages: list[Message]


@dataclass(frozen=True)
class Activity:
    """An activity leased for one run."""

    id: int
    instance_id: str
    execution_id: str
    task_id: int
    name: str
    input: str | None
    deliveries: int


@dataclass
class Commit:
    """Everything that one episode changes, written in one transaction."""

    status: str
    new_events: list[Event]
    output: str | None = None
    custom_status: str | None = None
    activities: list[tuple[int, str, str | None]] = field(default_factory=list)
    timers: list[tuple[datetime, Event]] = field(default_factory=list)
    children: list[tuple[str, str, str | None, dict[str, Any]]] = field(default_factory=list)
    messages: list[tuple[str, str | None, Event]] = field(default_factory=list)
    next_execution: tuple[str, str | None] | None = None
    generations: int = 0


def now_text() -> str:
    """Return the current time in the format of events."""
    return format_time(datetime.now(UTC))


def stamp(moment: datetime) -> str:
    """Write a time with a fixed width, so that times compare as text."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def now_stamp() -> str:
    """Return the current time in the format of rows."""
    return stamp(datetime.now(UTC))
