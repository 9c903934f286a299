"""Records a history of each kind for the current interpreters: `python -m tests.product.unit.orchestrators.record`.

Run it after adding a new version of an interpreter. Histories of older versions are never recorded again: they
represent instances that run somewhere and replay the code that they began with.
"""

import json
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import azure.durable_functions as df

from orchestrators import ORCHESTRATORS
from orchestrators.packed_inputs import pack_start
from orchestrators.plans import RUN_PLAN
from tests.product.unit.orchestrators.simulation import Host
from tests.product.unit.orchestrators.test_engine import DONE, WAIT, Script, failed, in_turn, lasts, row, start

HISTORIES = Path(__file__).parent / "histories"
ROWS = (row("A"), row("B", "A", kind="begin-and-poll"), row("C", "A"), row("D", "C"), row("E", "B", "D"))
DEAD = RuntimeError("python exited with code 137 (0x89)")
# Each makes its script: a script remembers which result comes next.
STORIES: dict[str, Callable[[], Script]] = {
    "succeeds": lambda: {"B": in_turn(*[WAIT] * 12, DONE), "C": in_turn(DEAD, failed("slow down", "throttled"), DONE)},
    "fails": lambda: {"B": in_turn(WAIT, WAIT, {"outcome": "stopped"}), "C": lasts(30, failed("broken"))},
    "fenced": lambda: {"C": lasts(2, {"outcome": "fenced"})},
    "cancels": lambda: {"B": in_turn(WAIT, failed("broken"), WAIT, {"outcome": "stopped"})},
}


def replay(name: str, text: str) -> dict[str, Any]:
    """Run an interpreter over a recorded input."""
    state: dict[str, Any] = json.loads(df.Orchestrator.create(ORCHESTRATORS[name])(text))
    return state


def record(story: str) -> None:
    """Write the last episode of each interpreter in a story, with its decisions."""
    script = STORIES[story]()

    def activity(name: str, call: dict[str, Any], now: datetime) -> tuple[float, Any]:
        return script.get(call["step"] or name, lasts(1))(call, now)

    host = Host(activity)
    host.run(RUN_PLAN, "op-1", pack_start(start(*ROWS)))
    _write(host, story)


def record_dry_run() -> None:
    """Write the history of a dry run."""
    host = Host(lambda _name, _given, _now: (1, {"rows": [], "rendered": []}))
    host.run("dry_run_v1", "try-1", {"plan": {"name": "create"}})
    _write(host, "succeeds")


def _write(host: Host, story: str) -> None:
    for episode in {kept["name"]: kept for kept in host.kept_histories}.values():
        recorded = {"name": episode["name"], "input": json.loads(episode["text"])}
        recorded["state"] = replay(episode["name"], episode["text"])
        file = HISTORIES / f"{episode['name']}-{story}.json"
        file.write_text(json.dumps(recorded, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    HISTORIES.mkdir(exist_ok=True)
    for each in STORIES:
        record(each)
    record_dry_run()
