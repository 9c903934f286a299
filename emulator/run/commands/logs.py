"""The log lines of all processes, merged in chronological order."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

# Members of a line that have a fixed place in the output.
SHOWN = ("time", "level", "category", "message")


def merged(folder: Path, identifier: str, count: int) -> list[str]:
    """Return the last lines that contain an identifier, from the logs of all processes and from the journal."""
    found = []
    for path in sorted(folder.glob("*.log")) + sorted(folder.glob("*.jsonl")):
        found += list(_lines(path, identifier.lower()))
    found.sort(key=lambda line: line[0])
    return [text for _, text in found[-count:]]


def read_json_lines(path: Path, identifier: str = "") -> Iterator[dict[str, Any]]:
    """Yield the objects from the lines of a JSON lines file that contain a lower-case text; skip incomplete lines."""
    if not path.exists():
        return
    with path.open(encoding="utf-8", errors="replace") as file:
        for line in file:
            if identifier in line.lower():
                try:
                    document = json.loads(line)
                except ValueError:
                    continue
                if isinstance(document, dict):
                    yield document


def _lines(path: Path, identifier: str) -> Iterator[tuple[str, str]]:
    """Yield (time, text) for each line with an identifier; a line without a time gets that of the line before."""
    moment = ""
    with path.open(encoding="utf-8", errors="replace") as file:
        for line in file:
            document = _parse(line)
            moment = str(document.get("time", moment))[:23]
            if identifier in line.lower():
                text = _journal_text(document) if path.suffix == ".jsonl" else _log_text(document, line)
                yield moment, f"{moment:23} {path.stem:10} {text}"


def _parse(line: str) -> dict[str, Any]:
    try:
        document = json.loads(line)
    except ValueError:
        return {}
    return document if isinstance(document, dict) else {}


def _log_text(document: dict[str, Any], line: str) -> str:
    if "message" not in document:
        return line.rstrip()
    # The last line of a trace says the most.
    rest = " ".join(
        f"{name}={str(value).strip().rsplit(chr(10), 1)[-1]}" for name, value in document.items() if name not in SHOWN
    )
    return f"{document.get('level', ''):7} {document.get('category', '')}: {document['message']} {rest}".rstrip()


def _journal_text(entry: dict[str, Any]) -> str:
    fault = f" fault={entry['fault']}" if entry.get("fault") else ""
    error = f" {entry['error']}: {entry['message']}" if entry.get("error") else ""
    return (
        f"{entry.get('status', 0):<4} {entry.get('service', '')} {entry.get('operation', '')} "
        f"caller={entry.get('caller') or '-'} {entry.get('seconds', 0):.3f}s{fault}{error}"
    )
