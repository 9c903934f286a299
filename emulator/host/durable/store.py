"""Instances of the task hub, as the management API sees them: start, query, send, purge."""

from typing import Any

from emulator.host.durable.database import TABLES, Database
from emulator.host.durable.history import Event
from emulator.host.durable.records import Instance, InstanceActiveError


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
    ) -> list[Instance]:
        """Return instances in the order of their ids.

        Args:
            created_from: earliest time of creation, inclusive, as `stamp` writes it.
            created_to: latest time of creation, likewise.
            statuses: the statuses wanted; None or an empty list for all.
        """
        conditions: list[str] = ["TRUE"]
        values: list[Any] = []
        if created_from:
            conditions.append("created >= ?")
            values.append(created_from)
        if created_to:
            conditions.append("created <= ?")
            values.append(created_to)
        if statuses:
            conditions.append(f"status IN ({','.join('?' * len(statuses))})")
            values.extend(statuses)
        return self._database.instances(f"{' AND '.join(conditions)} ORDER BY instance_id", tuple(values))

    def start(self, name: str, instance_id: str, input_text: str | None) -> None:
        """Create an instance, overwriting an ended one with the same id, and send its ExecutionStarted.

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
