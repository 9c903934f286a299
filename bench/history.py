"""The histories that Durable Functions keeps of an operation, as stored in the task hub of the local Azure.

The management API leaves out events that every replay reads: those that begin and end a turn of the engine, and those
that say what it began. So this module reads the task hub's own file.
"""

import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from orchestrators.plans import RUN_PLAN

_SIZES = """
    SELECT instances.instance_id, name, count(*), sum(length(CAST(event AS BLOB)))
    FROM instances JOIN history USING (instance_id)
    WHERE instances.instance_id LIKE ? || '-%'
    GROUP BY instances.instance_id
"""


@dataclass(frozen=True)
class Instance:
    """The history of the newest generation of one orchestration.

    Args:
        id: id of the instance.
        main: whether it is the plan, not the wait of one row.
        events: number of events.
        size: their size in bytes.
    """

    id: str
    main: bool
    events: int
    size: int


def instances(state: Path, operation_id: str) -> list[Instance]:
    """Return the instances of an operation.

    Args:
        state: folder of the local Azure.
        operation_id: the operation; the ids of its instances begin with it.
    """
    (hub,) = (state / "functions").glob("*.sqlite")
    with closing(sqlite3.connect(f"{hub.resolve().as_uri()}?mode=ro", uri=True)) as connection:
        rows = connection.execute(_SIZES, (operation_id,)).fetchall()
    return [Instance(instance_id, name == RUN_PLAN, events, size) for instance_id, name, events, size in rows]
