"""State on disk: JSON documents under string keys, in named tables of one SQLite file.

Every service keeps its whole state here, so that neither `down` and `up` nor a kill loses anything.
"""

import json
import re
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

SCHEMA_VERSION = 2

Document = dict[str, Any]


class SchemaMismatchError(Exception):
    """The state folder was written by another version of the local Azure."""


class Table:
    """Documents of one kind, ordered by key. Each read returns a fresh copy; each write is on disk when it returns."""

    def __init__(self, connection: sqlite3.Connection, lock: threading.RLock, name: str) -> None:
        if not re.fullmatch(r"[a-z][a-z0-9_]*", name):
            raise ValueError(f"{name!r} is not a table name: lower-case letters, digits and underscores")
        self._connection, self._lock, self._name = connection, lock, name
        with lock:
            connection.execute(f"CREATE TABLE IF NOT EXISTS {name} (key TEXT PRIMARY KEY, document TEXT) WITHOUT ROWID")

    def get(self, key: str) -> Document | None:
        """Return the document under this key, or None."""
        with self._lock:
            row = self._connection.execute(
                f"SELECT document FROM {self._name} WHERE key = ?",  # noqa: S608 - the name was checked above
                (key,),
            ).fetchone()
        return None if row is None else json.loads(row[0])

    def put(self, key: str, document: Document) -> None:
        """Write the document under this key, and replace an older one."""
        with self._lock:
            self._connection.execute(
                f"INSERT INTO {self._name} VALUES (?, ?) ON CONFLICT(key) DO UPDATE SET document = excluded.document",  # noqa: S608 - a checked name
                (key, json.dumps(document)),
            )

    def delete(self, key: str) -> bool:
        """Remove the document under this key; return whether there was one."""
        with self._lock:
            cursor = self._connection.execute(f"DELETE FROM {self._name} WHERE key = ?", (key,))  # noqa: S608 - checked
        return cursor.rowcount > 0

    def scan(self, prefix: str = "", after: str = "") -> Iterator[tuple[str, Document]]:
        """Yield (key, document) for every key with this prefix, in key order, as stored at the time of the call.

        Args:
            prefix: the beginning of the keys.
            after: the last key of an earlier scan, to resume after it.
        """
        with self._lock:
            rows = self._connection.execute(
                f"SELECT key, document FROM {self._name} WHERE key >= ? AND key < ? AND key > ? ORDER BY key",  # noqa: S608 - a checked name
                (prefix, prefix + "\U0010ffff", after),
            ).fetchall()
        for key, document in rows:
            yield key, json.loads(document)


class Store:
    """The state file of one process. Safe to use from several threads."""

    def __init__(self, path: Path | str) -> None:
        """Open or create the file.

        Raises:
            SchemaMismatchError: the file has another schema version; `reset` removes it.
        """
        self._lock = threading.RLock()
        self._connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        self._connection.execute("PRAGMA journal_mode = WAL")
        # Without fsync, the writes of a killed process survive; only a power cut could lose the last ones.
        self._connection.execute("PRAGMA synchronous = OFF")
        found = self._connection.execute("PRAGMA user_version").fetchone()[0]
        if found not in (0, SCHEMA_VERSION):
            raise SchemaMismatchError(f"the state in {path} has schema {found}, this build writes {SCHEMA_VERSION}")
        self._connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
        self._tables: dict[str, Table] = {}

    def table(self, name: str) -> Table:
        """Return the table of this name, and create it if it is missing."""
        with self._lock:
            if name not in self._tables:
                self._tables[name] = Table(self._connection, self._lock, name)
            return self._tables[name]

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Write everything that the block writes, or nothing if the block raises or the process dies."""
        with self._lock:
            if self._connection.in_transaction:
                yield
                return
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield
            except BaseException:
                self._connection.execute("ROLLBACK")
                raise
            self._connection.execute("COMMIT")

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._connection.close()
