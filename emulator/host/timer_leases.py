"""The leases and run times of timer functions: rows in the task hub's file."""

import time
from datetime import datetime

from emulator.host.durable.database import Database


class TimerLeases:
    """Leases and run times of the timer functions that share one task hub."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @property
    def lease_seconds(self) -> float:
        """How long a lease holds without renewal."""
        return self._database.lease_seconds

    def hold(self, name: str) -> bool:
        """Take or renew the lease of a timer function; return whether this host has it.

        One host runs the function as long as that host lives.
        """
        now = time.time()
        with self._database.transaction() as connection:
            connection.execute("INSERT OR IGNORE INTO timers (name) VALUES (?)", (name,))
            held = connection.execute(
                "UPDATE timers SET lease_owner = ?, lease_until = ? "
                "WHERE name = ? AND (lease_until <= ? OR lease_owner = ?)",
                (self._database.owner, now + self._database.lease_seconds, name, now, self._database.owner),
            ).rowcount
        return bool(held)

    def status(self, name: str) -> tuple[str | None, str | None, str | None]:
        """Return a timer function's last run, next run and last update."""
        row = self._database.connection.execute(
            "SELECT last, next, updated FROM timers WHERE name = ?", (name,)
        ).fetchone()
        return row or (None, None, None)

    def record(self, name: str, last: datetime, following: datetime) -> None:
        """Record when a timer function ran and when it runs next."""
        with self._database.transaction() as connection:
            connection.execute(
                "UPDATE timers SET last = ?, next = ?, updated = ? WHERE name = ? AND lease_owner = ?",
                (last.isoformat(), following.isoformat(), last.isoformat(), name, self._database.owner),
            )
