"""Instances of the task hub, as the management API sees them: start, query, send, rewind, purge."""

import json
from typing import Any

from emulator.host.durable.database import TABLES, Database
from emulator.host.durable.history import Event, EventType, control
from emulator.host.durable.records import Instance, InstanceActiveError, now_stamp, now_text

_REWOUND = frozenset({EventType.TASK_FAILED, EventType.SUB_ORCHESTRATION_FAILED, EventType.EXECUTION_COMPLETED})


class TaskHub:
    """The instances of one task hub."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def get(self, instance_id: str) -> Instance | None:
        """Return an instance, or None."""
        return self._database.instance(instance_id)

    def history(self, instance_id: str) -> list[Event]:
        """Return the history of an instance's newest execution."""
        return self._database.history(instance_id)

    def query(
        self,
        *,
        created_from: str | None = None,
        created_to: str | None = None,
        statuses: list[str] | None = None,
        prefix: str = "",
        after: str = "",
        top: int = -1,
    ) -> list[Instance]:
        """Return instances in the order of their ids.

        Args:
            created_from: earliest time of creation, inclusive, as `stamp` writes it.
            created_to: latest time of creation, likewise.
            statuses: the statuses wanted; None or an empty list for all.
            prefix: prefix of the ids.
            after: id after which to begin.
            top: how many instances to return at most; -1 for all.
        """
        conditions: list[str] = ["instance_id > ?"]
        values: list[Any] = [after]
        if created_from:
            conditions.append("created >= ?")
            values.append(created_from)
        if created_to:
            conditions.append("created <= ?")
            values.append(created_to)
        if statuses:
            conditions.append(f"status IN ({','.join('?' * len(statuses))})")
            values.extend(statuses)
        if prefix:
            conditions.append("substr(instance_id, 1, length(?)) = ?")
            values.extend((prefix, prefix))
        values.append(top)
        return self._database.instances(f"{' AND '.join(conditions)} ORDER BY instance_id LIMIT ?", tuple(values))

    def start(self, name: str, instance_id: str, input_text: str | None) -> None:
        """Create an instance, overwriting an ended one with the same id, and send its ExecutionStarted.

        Args:
            name: the orchestrator's name.
            instance_id: the new instance's id.
            input_text: its input as JSON text, or None.

        Raises:
            InstanceActiveError: an active instance has the id.
        """
        with self._database.transaction():
            existing = self._database.instance(instance_id)
            if existing is not None and not existing.is_terminal:
                raise InstanceActiveError(existing.status)
            self._database.insert_instance(name, instance_id, input_text, None)

    def send(self, instance_id: str, event: Event) -> None:
        """Send an event to an instance, whichever execution is current."""
        with self._database.transaction():
            self._database.insert_message(instance_id, None, event)

    def rewind(self, instance_id: str, reason: str) -> None:
        """Replace failures by generic events, also in failed sub-orchestrations, and run the instance again."""
        with self._database.transaction():
            self._rewind(instance_id, reason)

    def delete(self, instance_ids: list[str]) -> int:
        """Delete instances with their history, messages and activities."""
        with self._database.transaction():
            for instance_id in instance_ids:
                self._database.delete_instance(instance_id)
        return len(instance_ids)

    def delete_all(self) -> None:
        """Empty the task hub, as deleting its storage does."""
        with self._database.transaction() as connection:
            for table in TABLES:
                connection.execute(f"DELETE FROM {table}")  # noqa: S608 - constant names

    def _rewind(self, instance_id: str, reason: str) -> None:
        history = self._database.history(instance_id)
        failed = {
            event["TaskScheduledId"]
            for event in history
            if event["EventType"] in (EventType.TASK_FAILED, EventType.SUB_ORCHESTRATION_FAILED)
        }
        for position, event in enumerate(history):
            kind = event["EventType"]
            if kind == EventType.SUB_ORCHESTRATION_CREATED and event["EventId"] in failed:
                self._rewind(event["InstanceId"], reason)
            elif kind in _REWOUND or (kind == EventType.TASK_SCHEDULED and event["EventId"] in failed):
                generic = control(EventType.GENERIC, f"Rewound: {kind}", event["Timestamp"])
                self._database.connection.execute(
                    "UPDATE history SET event = ? WHERE instance_id = ? AND position = ?",
                    (json.dumps(generic), instance_id, position),
                )
        self._database.connection.execute(
            "UPDATE instances SET status = 'Running', output = NULL, updated = ? WHERE instance_id = ?",
            (now_stamp(), instance_id),
        )
        self._database.insert_message(instance_id, None, control(EventType.GENERIC, reason, now_text()))
