"""Operations on somebody's own machine: what was run, how far it came, and how it ended, in a folder of JSON files.

An operation is one run of a plan. Its items have the shape of the service's progress items (`docs/documents.md`), so
both are read in the same way. Nothing here is secret: documents and kubeconfigs stay where they are.
"""

import fcntl
import hashlib
import json
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

from shared.bundles.problems import bundle_error
from shared.json_object import Json
from shared.steps import ProgressItem, ResolvedPlan, StepStatus

FOLDER = ".phases"
# The status of a run whose process has died: the record says that it is running.
INTERRUPTED = "Interrupted"


@dataclass(frozen=True)
class Operations:
    """The operations on a bundle.

    Args:
        folder: the folder that keeps them.
    """

    folder: Path

    def begin(self, plan: ResolvedPlan, digest: str) -> "Operation":
        """Make an operation.

        Args:
            plan: the plan as the engine runs it.
            digest: digest of the bundle.
        """
        now = datetime.now(UTC).isoformat(timespec="seconds")
        document = {
            "id": str(uuid4()),
            "plan": plan,
            "bundle": digest,
            "attempt": 1,
            "status": StepStatus.RUNNING,
            "startTime": now,
        }
        made = Operation(self.folder, document)
        made.save()
        return made

    def last(self, plan_name: str) -> "Operation | None":
        """Return the newest operation of a plan, or None."""
        operations = [one for one in self._all() if one.document["plan"]["name"] == plan_name]
        return max(operations, key=lambda one: (one.document["startTime"], one.document["id"]), default=None)

    @contextmanager
    def alone(self, plan_name: str) -> Iterator[None]:
        """Keep every other process from running a plan; the lock goes with the process, however it ends.

        Raises:
            BundleError: another process runs it.
        """
        with self._lock(plan_name).open("w", encoding="utf-8") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise bundle_error(
                    f"Another process runs the plan '{plan_name}'. Wait for it, or press Ctrl-C there. For another "
                    "site with a plan of that name, give another folder with --state."
                ) from None
            yield

    def interrupted(self, operation: "Operation") -> bool:
        """Tell whether an operation has not ended, and no process works on it."""
        if operation.document["status"] != StepStatus.RUNNING:
            return False
        with self._lock(operation.document["plan"]["name"]).open("w", encoding="utf-8") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                return False
        return True

    def _lock(self, plan_name: str) -> Path:
        folder = self.folder / "locks"
        folder.mkdir(parents=True, exist_ok=True)
        return folder / hashlib.sha256(plan_name.encode()).hexdigest()

    def _all(self) -> Iterator["Operation"]:
        for path in self.folder.glob("*/operation.json"):
            with suppress(ValueError):
                yield Operation(self.folder, json.loads(path.read_text(encoding="utf-8")))


@dataclass
class Operation:
    """One run of a plan.

    Args:
        folder: the folder that keeps all operations.
        document: what is stored of it besides its items.
    """

    folder: Path
    document: Json
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    @property
    def id(self) -> str:
        """Its id."""
        return str(self.document["id"])

    def save(self) -> None:
        """Write what is stored of it besides its items."""
        _write(self.folder / self.id / "operation.json", self.document)

    def again(self) -> list[str]:
        """Begin the next attempt; return the phases that need not run again."""
        done = [item["step"] for item in self.items() if item["status"] == StepStatus.SUCCEEDED]
        self.document["attempt"] += 1
        self.document["status"] = StepStatus.RUNNING
        self.document.pop("error", None)
        self.save()
        return done

    def end(self, status: StepStatus, error: Json | None) -> None:
        """Record how it ended."""
        self.document["status"] = status
        self.document["endTime"] = datetime.now(UTC).isoformat(timespec="seconds")
        if error is not None:
            self.document["error"] = error
        self.save()

    def items(self) -> list[ProgressItem]:
        """Return the newest item of each phase that has begun, in the order in which they began."""
        newest: dict[str, ProgressItem] = {}
        for path in (self.folder / self.id / "progress").glob("*.json"):
            item: ProgressItem = json.loads(path.read_text(encoding="utf-8"))
            if item["step"] not in newest or item["attempt"] > newest[item["step"]]["attempt"]:
                newest[item["step"]] = item
        return sorted(newest.values(), key=lambda item: item["startTime"])

    def write(self, item: ProgressItem) -> None:
        """Store an item."""
        with self._lock:
            _write(self.folder / self.id / "progress" / f"{item['id']}.json", item)


def _write(path: Path, document: Any) -> None:
    """Replace a file as a whole, so that a process that dies leaves the former one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile("w", dir=path.parent, encoding="utf-8", delete=False) as file:
        json.dump(document, file, indent=1)
    Path(file.name).replace(path)
