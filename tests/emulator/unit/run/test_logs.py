"""The log lines of all processes, merged into one list."""

import json
from collections.abc import Mapping
from pathlib import Path

from emulator.run.commands.logs import merged


def _write(path: Path, *lines: Mapping[str, object] | str) -> None:
    path.write_text("".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines))


def test_lines_of_all_processes_come_in_the_order_of_time(tmp_path: Path) -> None:
    """A request can be followed from one process to the next."""
    _write(tmp_path / "azure.log", {"time": "2026-01-01T00:00:02", "level": "INFO", "message": "second id-1"})
    _write(tmp_path / "functions.log", {"time": "2026-01-01T00:00:01", "level": "INFO", "message": "first ID-1"})
    _write(
        tmp_path / "journal.jsonl",
        {
            "time": "2026-01-01T00:00:03",
            "service": "arm",
            "operation": "PUT x",
            "status": 503,
            "correlation_id": "id-1",
        },
    )
    lines = merged(tmp_path, "id-1", 10)
    assert [line.split()[1] for line in lines] == ["functions", "azure", "journal"]
    assert "503  arm PUT x" in lines[2]


def test_a_line_without_a_time_stays_behind_the_one_before(tmp_path: Path) -> None:
    """A program that crashes writes its last lines as plain text."""
    _write(tmp_path / "functions.log", {"time": "2026-01-01T00:00:01", "message": "a"}, "Traceback", "ValueError: b")
    _write(tmp_path / "azure.log", {"time": "2026-01-01T00:00:02", "message": "c"})
    assert [line.split(maxsplit=2)[-1] for line in merged(tmp_path, "", 10)][1:3] == ["Traceback", "ValueError: b"]


def test_only_the_last_lines_are_shown(tmp_path: Path) -> None:
    """The end is what matters."""
    _write(tmp_path / "azure.log", *[{"time": f"2026-01-01T00:00:{second:02}", "message": "m"} for second in range(30)])
    assert [line[17:19] for line in merged(tmp_path, "", 2)] == ["28", "29"]
