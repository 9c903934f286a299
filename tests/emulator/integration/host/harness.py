"""A host under test: a real process on a free port, with its own state folder."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

import httpx
import psutil

APPS = Path(__file__).parent / "apps"
REPOSITORY = Path(__file__).resolve().parents[4]
# Only a hang takes that long, however busy the machine is.
LIMIT_SECONDS = 120.0
# An app's threads: more than activities and episodes may run at once, because waiting activities hold one each.
THREADS = 32
# More than any test sends but one.
BODY_BYTES = 24 * 1024 * 1024
ENDED = frozenset({"Completed", "Failed", "Terminated"})


def wait_until(condition: Callable[[], Any], seconds: float = LIMIT_SECONDS) -> Any:
    """Poll a condition; return its first true value."""
    deadline = time.monotonic() + seconds
    while not (value := condition()):
        if time.monotonic() > deadline:
            raise AssertionError(f"not within {seconds:g} s: {condition}")
        time.sleep(0.02)
    return value


@dataclass
class HostUnderTest:
    """One host process and how to talk to it.

    Args:
        app: folder of the app: a name in `apps`, or an absolute path.
        folder: folder of the state, the marks and the logs.
        name: the host's name, which its files have.
        time_scale: divides leases, which are of 300 s; 1 for a test that must not see one end.
        grace_seconds: how long the host waits for calls in flight when it stops; None for its default.
        settings: environment of the host and the app.
    """

    app: str
    folder: Path
    name: str = "host"
    time_scale: float = 60
    grace_seconds: float | None = None
    settings: dict[str, str] = field(
        default_factory=lambda: {
            "TICK_SCHEDULE": "0 0 0 1 1 *",
            "AzureWebJobs.switched_off.Disabled": "true",
            "PYTHON_THREADPOOL_THREAD_COUNT": str(THREADS),
            "FUNCTIONS_REQUEST_BODY_SIZE_LIMIT": str(BODY_BYTES),
        }
    )
    process: subprocess.Popen[str] | None = None
    url: str = ""

    def start(self) -> "HostUnderTest":
        """Start the process and wait for its `ready` line."""
        app = APPS / self.app if not Path(self.app).is_absolute() else Path(self.app)
        self.marks.mkdir(parents=True, exist_ok=True)
        with self.error_file.open("w", encoding="utf-8") as errors:
            self.process = subprocess.Popen(
                [
                    *(sys.executable, "-m", "emulator.host"),
                    *("--app", str(app), "--state", str(self.folder / "state"), "--port", "0"),
                    *("--socket", str(self.socket), "--time-scale", str(self.time_scale), "--log", str(self.log_file)),
                    *("--worker", os.environ.get("FUNCTIONS_HOST_WORKER", "builtin")),
                    *(() if self.grace_seconds is None else ("--grace", str(self.grace_seconds))),
                ],
                cwd=REPOSITORY,
                env={**os.environ, "MARKS": str(self.marks), **self.settings},
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
            )
        if self.process.stdout is None:
            raise AssertionError("the process has no output")
        line = self.process.stdout.readline()
        if not line.startswith("ready "):
            self.process.wait(LIMIT_SECONDS)
            self.process.stdout.close()
            raise AssertionError(f"the host did not start: {line!r} {self.error_file.read_text()}")
        self.url = line.split()[1]
        return self

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_error: object) -> None:
        self.stop()

    def stop(self) -> int:
        """Stop the process in order; return its exit code."""
        return self._end(lambda process: process.terminate())

    def kill(self) -> None:
        """End the process with SIGKILL."""
        self._end(lambda process: process.kill())

    def _end(self, how: Callable[[subprocess.Popen[str]], None]) -> int:
        process = self.process
        if process is None:
            return 0
        how(process)
        return_code = process.wait(LIMIT_SECONDS)
        if process.stdout is not None:
            process.stdout.close()
        self.process = None
        return return_code

    @property
    def marks(self) -> Path:
        """The folder in which activities leave marks; hosts of one folder share it."""
        return self.folder / "marks"

    @property
    def socket(self) -> Path:
        """The socket for a front end."""
        return self.folder / f"{self.name}.sock"

    @property
    def log_file(self) -> Path:
        """The host's log."""
        return self.folder / f"{self.name}.log"

    @property
    def error_file(self) -> Path:
        """The file with the host's standard error."""
        return self.folder / f"{self.name}.err"

    @property
    def worker_pid(self) -> int:
        """The id of the process that has loaded the app."""
        if self.process is None:
            raise AssertionError("the host does not run")
        return psutil.Process(self.process.pid).children()[0].pid

    def log_lines(self) -> list[dict[str, Any]]:
        """Return the lines of the log, parsed."""
        return [json.loads(line) for line in self.log_file.read_text(encoding="utf-8").splitlines()]

    def marked(self, name: str) -> list[float]:
        """Return the times at which a mark was left, one for each execution."""
        path = self.marks / name
        return [float(line) for line in path.read_text(encoding="utf-8").split()] if path.exists() else []

    def mark(self, name: str) -> None:
        """Leave a mark for which a function waits."""
        (self.marks / name).touch()

    def keys(self) -> dict[str, Any]:
        """Return the published keys."""
        document: dict[str, Any] = json.loads((self.folder / "state" / "keys.json").read_text(encoding="utf-8"))
        return document

    def request(self, method: str, path: str, **options: Any) -> httpx.Response:
        """Call the host's port.

        Args:
            method: HTTP method.
            path: path with a leading slash, and the query.
            options: further arguments of `httpx.request`.
        """
        return httpx.request(method, self.url + path, timeout=LIMIT_SECONDS, **options)

    def manage(self, method: str, path: str, **options: Any) -> httpx.Response:
        """Call the public management API with its key.

        Args:
            method: HTTP method.
            path: path below the management API, and the query.
            options: further arguments of `httpx.request`.
        """
        headers = {"x-functions-key": self.keys()["systemKeys"]["durabletask_extension"], **options.pop("headers", {})}
        return self.request(method, f"/runtime/webhooks/durabletask/{path}", headers=headers, **options)

    def start_instance(self, orchestrator: str, instance_id: str, value: Any = None) -> str:
        """Start an orchestration through the SDK's client in the app; return the instance's id.

        Args:
            orchestrator: name of the orchestrator function.
            instance_id: id of the new instance.
            value: input of the orchestration.
        """
        response = self.request("POST", f"/start/{orchestrator}/{instance_id}", json=value)
        if response.status_code != 202:
            raise AssertionError(f"{response.status_code} {response.text}")
        return instance_id

    def status(self, instance_id: str, query: str = "") -> dict[str, Any]:
        """Return an instance as the management API shows it."""
        document: dict[str, Any] = self.manage("GET", f"instances/{instance_id}?{query}").json()
        return document

    def history(self, instance_id: str) -> list[dict[str, Any]]:
        """Return the events of an instance, as the management API shows them."""
        return self.status(instance_id, "showHistory=true").get("historyEvents") or []

    def wait_for(
        self, instance_id: str, wanted: frozenset[str] = ENDED, seconds: float = LIMIT_SECONDS
    ) -> dict[str, Any]:
        """Wait until an instance has one of these statuses; return it as the management API shows it.

        Args:
            instance_id: id of the instance.
            wanted: values of `runtimeStatus`.
            seconds: how long to wait.
        """

        def look() -> dict[str, Any] | None:
            status = self.status(instance_id)
            return status if status["runtimeStatus"] in wanted else None

        found: dict[str, Any] = wait_until(look, seconds)
        return found
