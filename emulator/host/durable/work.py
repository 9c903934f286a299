"""Work of the task hub, as the dispatcher sees it: claim under a lease, commit while the lease holds, put back.

A host that takes work writes its lease (owner and expiry) in the same transaction. Its result counts only while it
still has the lease. Messages, timers and activities that nobody finished become visible again when the lease ends.
"""

import json
import sqlite3
import time
from contextlib import closing

from emulator.host.durable.database import Database
from emulator.host.durable.history import Event
from emulator.host.durable.records import Activity, Commit, Episode, Instance, Message, now_stamp

_LEASED_TABLES = ("instances", "activities", "timers")
# When messages and activities that this host does not hold become visible, and when the leases of others on them end.
_WAITING = (
    """
    SELECT m.visible_at, COALESCE(i.lease_until, 0) FROM messages m LEFT JOIN instances i USING (instance_id)
    WHERE COALESCE(i.lease_owner, '') <> ? ORDER BY m.visible_at
    """,
    "SELECT visible_at, lease_until FROM activities WHERE COALESCE(lease_owner, '') <> ? ORDER BY visible_at",
)


class WorkQueue:
    """Leases on the episodes and activities of one task hub."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @property
    def owner(self) -> str:
        """The name under which this host takes leases."""
        return self._database.owner

    @property
    def lease_seconds(self) -> float:
        """How long a lease holds without renewal."""
        return self._database.lease_seconds

    def data_version(self) -> int:
        """Return a number that changes when another connection has written."""
        return self._database.data_version()

    def claim_episodes(self, limit: int) -> list[Episode]:
        """Lease instances that have visible messages, at most as many as the limit."""
        now = time.time()
        ready = """
            SELECT m.instance_id FROM messages m LEFT JOIN instances i ON i.instance_id = m.instance_id
            WHERE m.visible_at <= ? AND COALESCE(i.lease_until, 0) <= ?
            GROUP BY m.instance_id ORDER BY MIN(m.visible_at), MIN(m.id) LIMIT ?
        """
        if not self._database.connection.execute(ready, (now, now, 1)).fetchone():
            return []
        leased: list[tuple[Instance, list[Message]]] = []
        with self._database.transaction() as connection:
            for (instance_id,) in connection.execute(ready, (now, now, limit)).fetchall():
                rows = connection.execute(
                    "SELECT id, execution_id, event FROM messages WHERE instance_id = ? AND visible_at <= ? "
                    "ORDER BY visible_at, id",
                    (instance_id, now),
                ).fetchall()
                messages = [Message(row[0], row[1], json.loads(row[2])) for row in rows]
                instance = self._database.instance(instance_id)
                if instance is None or instance.is_terminal:
                    _delete_messages(connection, messages)
                    continue
                current = (None, instance.execution_id)
                _delete_messages(connection, [one for one in messages if one.execution_id not in current])
                fresh = [one for one in messages if one.execution_id in current]
                if not fresh:
                    continue
                connection.execute(
                    "UPDATE instances SET lease_owner = ?, lease_until = ? WHERE instance_id = ?",
                    (self._database.owner, now + self._database.lease_seconds, instance_id),
                )
                leased.append((instance, fresh))
        # While the leases hold, no other episode writes these histories, so they are read outside the transaction.
        return [Episode(instance, self._database.history(instance.instance_id), fresh) for instance, fresh in leased]

    def claim_activities(self, limit: int) -> list[Activity]:
        """Lease visible activities, at most as many as the limit."""
        now = time.time()
        ready = "FROM activities WHERE visible_at <= ? AND lease_until <= ?"
        if not self._database.connection.execute(f"SELECT 1 {ready} LIMIT 1", (now, now)).fetchone():
            return []
        with self._database.transaction() as connection:
            rows = connection.execute(
                "SELECT id, instance_id, execution_id, task_id, name, input, deliveries + 1 "
                f"{ready} ORDER BY visible_at, id LIMIT ?",
                (now, now, limit),
            ).fetchall()
            connection.executemany(
                "UPDATE activities SET lease_owner = ?, lease_until = ?, deliveries = deliveries + 1 WHERE id = ?",
                [(self._database.owner, now + self._database.lease_seconds, row[0]) for row in rows],
            )
        return [Activity(*row) for row in rows]

    def next_due(self) -> float | None:
        """Return when the next work that this host does not hold becomes visible, in seconds since the epoch.

        It reads in the order of time and stops early: timers that lost their race stay in the file until they are due.
        """
        first: float | None = None
        for waiting in _WAITING:
            with closing(self._database.connection.execute(waiting, (self._database.owner,))) as rows:
                for visible_at, lease_until in rows:
                    if first is not None and visible_at >= first:
                        break
                    due = max(visible_at, lease_until)
                    first = due if first is None else min(first, due)
        return first

    def commit_episode(self, episode: Episode, commit: Commit) -> bool:
        """Write the changes of an episode; return False, with nothing written, if the lease was lost."""
        instance = episode.instance
        with self._database.transaction() as connection:
            if not self._holds_lease(connection, instance):
                return False
            _delete_messages(connection, episode.messages)
            position = len(episode.history)
            if commit.next_execution is not None:
                connection.execute("DELETE FROM history WHERE instance_id = ?", (instance.instance_id,))
                position = 0
            connection.executemany(
                "INSERT INTO history (instance_id, position, event) VALUES (?, ?, ?)",
                [
                    (instance.instance_id, position + offset, json.dumps(one, ensure_ascii=False))
                    for offset, one in enumerate(commit.new_events)
                ],
            )
            execution_id, input_text = commit.next_execution or (instance.execution_id, instance.input)
            now = now_stamp()
            connection.execute(
                "UPDATE instances SET execution_id = ?, status = ?, input = ?, output = ?, "
                "custom_status = COALESCE(?, custom_status), created = ?, updated = ?, "
                "generation = generation + ?, lease_owner = NULL, lease_until = 0 WHERE instance_id = ?",
                (
                    execution_id,
                    commit.status,
                    input_text,
                    commit.output,
                    commit.custom_status,
                    now if commit.next_execution else instance.created,
                    now,
                    commit.generations,
                    instance.instance_id,
                ),
            )
            self._insert_work(connection, instance.instance_id, execution_id, commit)
        return True

    def complete_activity(self, activity: Activity, event: Event) -> bool:
        """Replace an activity by the message with its result; return False if the lease was lost."""
        with self._database.transaction() as connection:
            deleted = connection.execute(
                "DELETE FROM activities WHERE id = ? AND lease_owner = ? AND deliveries = ?",
                (activity.id, self._database.owner, activity.deliveries),
            ).rowcount
            if deleted:
                self._database.insert_message(activity.instance_id, activity.execution_id, event)
        return bool(deleted)

    def release_episode(self, episode: Episode, delay_seconds: float = 0) -> None:
        """Put an episode's messages back, to become visible after a delay."""
        with self._database.transaction() as connection:
            if self._holds_lease(connection, episode.instance):
                connection.execute(
                    "UPDATE instances SET lease_owner = NULL, lease_until = 0 WHERE instance_id = ?",
                    (episode.instance.instance_id,),
                )
                if delay_seconds:
                    connection.executemany(
                        "UPDATE messages SET visible_at = ? WHERE id = ?",
                        [(time.time() + delay_seconds, message.id) for message in episode.messages],
                    )

    def release_activity(self, activity: Activity, delay_seconds: float = 0) -> None:
        """Put an activity back, to become visible after a delay."""
        with self._database.transaction() as connection:
            connection.execute(
                "UPDATE activities SET lease_owner = NULL, lease_until = 0, visible_at = ? "
                "WHERE id = ? AND lease_owner = ?",
                (time.time() + delay_seconds, activity.id, self._database.owner),
            )

    def renew_leases(self) -> None:
        """Extend every lease of this host."""
        until = time.time() + self._database.lease_seconds
        with self._database.transaction() as connection:
            for table in _LEASED_TABLES:
                connection.execute(
                    f"UPDATE {table} SET lease_until = ? WHERE lease_owner = ?",  # noqa: S608 - constant names
                    (until, self._database.owner),
                )

    def lease_owners(self) -> set[str]:
        """Return the owners of all leases."""
        rows = self._database.connection.execute(
            "SELECT lease_owner FROM instances WHERE lease_owner IS NOT NULL "
            "UNION SELECT lease_owner FROM activities WHERE lease_owner IS NOT NULL "
            "UNION SELECT lease_owner FROM timers WHERE lease_owner IS NOT NULL"
        )
        return {row[0] for row in rows}

    def drop_leases(self, owner: str) -> None:
        """End the leases of a host that is known to be dead."""
        with self._database.transaction() as connection:
            for table in _LEASED_TABLES:
                connection.execute(
                    f"UPDATE {table} SET lease_owner = NULL, lease_until = 0 "  # noqa: S608 - constant names
                    "WHERE lease_owner = ?",
                    (owner,),
                )

    def _holds_lease(self, connection: sqlite3.Connection, instance: Instance) -> bool:
        row = connection.execute(
            "SELECT 1 FROM instances WHERE instance_id = ? AND execution_id = ? AND lease_owner = ?",
            (instance.instance_id, instance.execution_id, self._database.owner),
        ).fetchone()
        return row is not None

    def _insert_work(self, connection: sqlite3.Connection, instance_id: str, execution_id: str, commit: Commit) -> None:
        now = time.time()
        connection.executemany(
            "INSERT INTO activities (instance_id, execution_id, task_id, name, input, visible_at) "
            "VALUES (?, ?, ?, ?, ?, ?)",
            [(instance_id, execution_id, task_id, name, text, now) for task_id, name, text in commit.activities],
        )
        for fire_at, event in commit.timers:
            self._database.insert_message(instance_id, execution_id, event, fire_at.timestamp())
        for name, child_id, input_text, parent in commit.children:
            existing = self._database.instance(child_id)
            if existing is None or existing.is_terminal:
                self._database.insert_instance(name, child_id, input_text, parent)
        for target_id, target_execution, event in commit.messages:
            self._database.insert_message(target_id, target_execution, event)


def _delete_messages(connection: sqlite3.Connection, messages: list[Message]) -> None:
    connection.executemany("DELETE FROM messages WHERE id = ?", [(message.id,) for message in messages])
