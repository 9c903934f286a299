"""Command line to look at a task hub or to empty it, even while hosts run: `python -m emulator.host.task_hub`."""

import argparse
import json
import sys
from pathlib import Path

from emulator.host.durable.database import Database
from emulator.host.durable.status import instance_status
from emulator.host.durable.store import TaskHub


def main(arguments: list[str] | None = None) -> int:
    """List the instances of a task hub, or delete the whole hub as an operator deletes its storage."""
    parser = argparse.ArgumentParser(prog="python -m emulator.host.task_hub", description="Look at a task hub.")
    parser.add_argument("--state", type=Path, required=True, help="the state folder of the host")
    parser.add_argument("--hub", required=True, help="the hub's name, as in host.json")
    parser.add_argument("--delete", action="store_true", help="delete every instance, message and activity")
    options = parser.parse_args(arguments)
    path = options.state / f"{options.hub}.sqlite"
    if not path.exists():
        sys.stderr.write(f"There is no task hub {path}.\n")
        return 1
    database = Database(path, owner="task-hub-command", lease_seconds=0)
    hub = TaskHub(database)
    if options.delete:
        hub.delete_all()
    else:
        for instance in hub.query():
            sys.stdout.write(json.dumps(instance_status(instance)) + "\n")
    database.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
