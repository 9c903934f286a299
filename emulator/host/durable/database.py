"""The task hub's SQLite file: its schema, its transactions, and the rows that several operations write.

Several hosts may share one file. Every write is one short transaction. Call a `Database` from one thread only.
"""

import json
import sqlite3
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from emulator.host.durable.history import Event, execution_started
from emulator.host.durable.records import Instance, now_stamp, now_text

SCHEMA_VERSION = 1
TABLES = ("instances", "history", "messages", "activities", "timers")

_SCHEMA = """
CREATE TABLE IF NOT EXISTS instances (
    instance_id TEXT PRIMARY KEY,
    execution_id TEXT NOT NULL,
    name TEXT NOT NULL,
    status TEXT NOT NULL,
    input TEXT,
    output TEXT,
    custom_status TEXT,
    created TEXT NOT NULL,
    updated TEXT NOT NULL,
    parent TEXT,
    generation INTEGER NOT NULL DEFAULT 0,
    lease_owner TEXT,
    lease_until REAL NOT NULL DEFAULT 0
);
CREATE TABLE IF NOT EXISTS history (
    instance_id TEXT NOT NULL,
    position INTEGER NOT NULL,
    event TEXT NOT NULL,
    PRIMARY KEY (instance_id, position)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS messages (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    instance_id TEXT NOT NULL,
    execution_id TEXT,
    visible_at REAL NOT NULL,
    event TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS messages_by_time ON messages (visible_at);
CREATE INDEX IF NOT EXISTS messages_by_instance ON messages (instance_id, visible_at);
CREATE TABLE IF NOT EXISTS activities (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    instance_id TEXT NOT NULL,
    execution_id TEXT NOT NULL,
    task_id INTEGER NOT NULL,
    name TEXT NOT NULL,
    input TEXT,
    visible_at REAL NOT NULL,
    deliveries INTEGER NOT NULL DEFAULT 0,
    lease_owner TEXT,
    lease_until REAL NOT NULL DEFAULT 0
);
CREATE INDEX IF NOT EXISTS activities_by_time ON activities (visible_at);
CREATE TABLE IF NOT EXISTS timers (
    name TEXT PRIMARY KEY,
    last TEXT,
    next TEXT,
    updated TEXT,
    lease_owner TEXT,
    lease_until REAL NOT NULL DEFAULT 0
);
"""


class TaskHubVersionError(Exception):
    """The file was written by a build with another schema; it must be removed."""


INSTANCE_COLUMNS = (
    "instance_id, execution_id, name, status, input, output, custom_status, created, updated, parent, generation"
)


class Database:
    """One connection to the file of one task hub, and the name under which this host takes leases."""

    def __init__(self, path: Path, owner: str, lease_seconds: float) -> None:
        """Open or create the file.

        Raises:
            TaskHubVersionError: the file has another schema version.
        """
        self.owner = owner
        self.lease_seconds = lease_seconds
        self.connection = sqlite3.connect(path, isolation_level=None, timeout=30)
        self.connection.execute("PRAGMA journal_mode = WAL")
        # A killed process loses nothing in this mode; only a power failure may lose the last transactions.
        self.connection.execute("PRAGMA synchronous = NORMAL")
        version = self.connection.execute("PRAGMA user_version").fetchone()[0]
        if version not in (0, SCHEMA_VERSION):
            self.connection.close()
            raise TaskHubVersionError(f"{path} has schema version {version}, this build needs {SCHEMA_VERSION}.")
        self.connection.executescript(_SCHEMA)
        self.connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")

    def close(self) -> None:
        """Close the file."""
        self.connection.close()

    def data_version(self) -> int:
        """Return a number that changes when another connection has written. The call costs next to nothing."""
        return int(self.connection.execute("PRAGMA data_version").fetchone()[0])

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Run a block in one write transaction."""
        self.connection.execute("BEGIN IMMEDIATE")
        try:
            yield self.connection
        except BaseException:
            self.connection.execute("ROLLBACK")
            raise
        self.connection.execute("COMMIT")

    def instance(self, instance_id: str) -> Instance | None:
        """Return an instance, or None."""
        rows = self.instances("instance_id = ?", (instance_id,))
        return rows[0] if rows else None

    def instances(self, condition: str, values: tuple[Any, ...]) -> list[Instance]:
        """Return the instances that match an SQL condition."""
        query = f"SELECT {INSTANCE_COLUMNS} FROM instances WHERE {condition}"  # noqa: S608 - callers pass constants
        names = INSTANCE_COLUMNS.split(", ")
        found = []
        for row in self.connection.execute(query, values):
            fields = dict(zip(names, row, strict=True))
            fields["parent"] = json.loads(fields["parent"]) if fields["parent"] else None
            found.append(Instance(**fields))
        return found

    def history(self, instance_id: str) -> list[Event]:
        """Return the history of an instance's newest execution."""
        rows = self.connection.execute(
            "SELECT event FROM history WHERE instance_id = ? ORDER BY position", (instance_id,)
        )
        return [json.loads(row[0]) for row in rows]

    def insert_instance(
        self,
        name: str,
        instance_id: str,
        input_text: str | None,
        parent: dict[str, Any] | None,
    ) -> None:
        """Write a new instance, replacing an old one with the same id, and send its ExecutionStarted."""
        self.delete_instance(instance_id)
        execution_id, now = uuid.uuid4().hex, now_stamp()
        self.connection.execute(
            f"INSERT INTO instances ({INSTANCE_COLUMNS}) VALUES (?, ?, ?, 'Pending', ?, NULL, NULL, ?, ?, ?, 0)",  # noqa: S608 - names of our own tables
            (instance_id, execution_id, name, input_text, now, now, json.dumps(parent) if parent else None),
        )
        started = execution_started(
            instance_id=instance_id,
            execution_id=execution_id,
            name=name,
            input_text=input_text,
            timestamp=now_text(),
            parent=parent,
        )
        self.insert_message(instance_id, execution_id, started)

    def insert_message(
        self,
        instance_id: str,
        execution_id: str | None,
        event: Event,
        visible_at: float | None = None,
    ) -> None:
        """Send an event to an instance.

        Args:
            instance_id: the receiver.
            execution_id: the only execution that may get it; None for whichever is current.
            event: the event.
            visible_at: when it becomes visible, in seconds since the epoch; None for now.
        """
        self.connection.execute(
            "INSERT INTO messages (instance_id, execution_id, visible_at, event) VALUES (?, ?, ?, ?)",
            (instance_id, execution_id, visible_at or time.time(), json.dumps(event, ensure_ascii=False)),
        )

    def delete_instance(self, instance_id: str) -> None:
        """Remove an instance with its history, messages and activities."""
        for table in ("instances", "history", "messages", "activities"):
            self.connection.execute(f"DELETE FROM {table} WHERE instance_id = ?", (instance_id,))  # noqa: S608 - names of our own tables
