"""How much a create and an idle hour use of what Azure charges for, so that operators can put prices beside it.

The calls to the vaults, the charges of the database and the durations of the functions are measured. The transactions
of Durable Functions are computed, because the emulated host keeps its task hub in a file of its own.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import astuple, dataclass, replace
from datetime import timedelta
from pathlib import Path
from typing import Any

from bench.history import Instance

JOURNAL, LOG = Path("logs/journal.jsonl"), Path("logs/functions.log")
_ACTIVITY = re.compile(r"^(?:Executed|Failed to execute) '\w+' in ([\d.]+) s")
_REQUEST = re.compile(r"^[A-Z]+ \S+ -> \d+ in ([\d.]+) ms")
# How the operations of Cosmos DB begin that read.
_READS = ("read ", "query ")
# The memory of an instance, `instanceMemoryMB` in infra/service.json.
GIB = 2
# An activity takes two messages, the call and its result, and each message is put, got and deleted.
TRANSACTIONS_OF_AN_ACTIVITY = 6
# Each turn of an orchestration writes its new events to the history in one batch, and then updates the instance. A turn
# has at least three events, so one transaction an event leaves some for the messages of timers and of waits.
TRANSACTIONS_OF_AN_EVENT = 1
# Source of both: https://learn.microsoft.com/azure/azure-functions/durable/durable-functions-azure-storage-provider
# The watchdog runs when the service is idle, and nobody else asks which sites name an operation.
WATCHDOG = "query Sites"
WATCHDOG_RUNS_AN_HOUR = 60
REPOSITORY = Path(__file__).parents[1]


@dataclass(frozen=True)
class Quantities:
    """What was used.

    Args:
        gib_seconds: memory of an instance times the seconds that functions ran, as if each ran alone.
        request_units: of Cosmos DB.
        transactions: of the storage account of Durable Functions.
        vault_operations: of Key Vault.
        watchdog_runs: how often the watchdog ran.
        session_units: request units, if the account's level were `Session`.
    """

    gib_seconds: float = 0
    request_units: float = 0
    transactions: float = 0
    vault_operations: float = 0
    watchdog_runs: float = 0
    session_units: float = 0

    def each(self, count: float) -> "Quantities":
        """Return an equal share of the quantities.

        Args:
            count: the number of shares.
        """
        return Quantities(*(value / count for value in astuple(self)))


class Meter:
    """Reads what has been added to the journal and the log of the functions since it was made."""

    def __init__(self, state: Path) -> None:
        self._files = {path: (state / path, (state / path).stat().st_size) for path in (JOURNAL, LOG)}

    def read(self, instances: list[Instance], activities: int) -> Quantities:
        """Return the quantities.

        Args:
            instances: the orchestrations that have run meanwhile.
            activities: how many activities they have called.
        """
        calls = list(self._lines(JOURNAL))
        events = sum(instance.events for instance in instances)
        return Quantities(
            gib_seconds=GIB * sum(_seconds(line.get("message", "")) for line in self._lines(LOG)),
            request_units=sum(float(call.get("charge", 0)) for call in calls),
            transactions=activities * TRANSACTIONS_OF_AN_ACTIVITY + events * TRANSACTIONS_OF_AN_EVENT,
            vault_operations=sum(call["service"] == "keyvault" for call in calls),
            session_units=sum(_at_session(call) for call in calls),
            watchdog_runs=sum(call["service"] == "cosmos" and call["operation"] == WATCHDOG for call in calls),
        )

    def _lines(self, path: Path) -> Iterator[dict[str, Any]]:
        file, begin = self._files[path]
        with file.open("rb") as lines:
            lines.seek(begin)
            for line in lines:
                try:
                    yield json.loads(line)
                except ValueError:
                    continue  # Not every line is the host's: a dying worker writes a trace.


def idle_hour(measured: Quantities, repository: Path = REPOSITORY) -> Quantities:
    """Return the quantities of an hour in which nothing happens.

    Args:
        measured: the quantities of a shorter time in which nothing happened but runs of the watchdog, at least one.
        repository: folder with the `host.json` that tells how often the queues are polled.
    """
    hour = measured.each(measured.watchdog_runs / WATCHDOG_RUNS_AN_HOUR)
    return replace(hour, transactions=_polls_an_hour(repository))


def _polls_an_hour(repository: Path) -> float:
    """Return how often one instance asks its queues: one for each partition, and one for activities."""
    host = json.loads((repository / "host.json").read_text(encoding="utf-8"))
    hub = host["extensions"]["durableTask"]["storageProvider"]
    hours, minutes, seconds = (int(part) for part in hub["maxQueuePollingInterval"].split(":"))
    interval = timedelta(hours=hours, minutes=minutes, seconds=seconds)
    queues: int = hub["partitionCount"] + 1
    return queues * (timedelta(hours=1) / interval)


def _at_session(call: dict[str, Any]) -> float:
    """Return what a call would have cost at `Session`: half, if it reads, because at `Strong` two replicas answer."""
    charge = float(call.get("charge", 0))
    return charge / 2 if call["operation"].startswith(_READS) else charge


def _seconds(message: str) -> float:
    if found := _ACTIVITY.match(message):
        return float(found[1])
    found = _REQUEST.match(message)
    return float(found[1]) / 1000 if found else 0.0
