"""The host's log: one JSON object a line, to a file or to standard error.

Every line has time, level, category and message. It also has invocation id, instance id, correlation id and other
fields if they are known. Categories follow the real host: `Host.*`, `Function.<name>`, `Worker`.
"""

import json
import logging
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

LOGGER_NAME = "emulator.host"


class _JSONFormatter(logging.Formatter):
    """Formats a record as one JSON line, including the record's own `fields`."""

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "category": getattr(record, "category", record.name),
            "message": record.getMessage(),
        }
        line |= {name: value for name, value in getattr(record, "fields", {}).items() if value is not None}
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False, default=str)


def configure_logging(path: Path | None) -> None:
    """Send this process's records to a file, or to standard error if there is no path."""
    handler: logging.Handler = (
        logging.FileHandler(path, encoding="utf-8") if path else logging.StreamHandler(sys.stderr)
    )
    handler.setFormatter(_JSONFormatter())
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(logging.INFO)
    # Warnings of libraries are for the log: whoever watches the terminal can do nothing about them.
    logging.captureWarnings(True)
    # uvicorn announces each start and stop of the three listeners; the host says `ready` once instead.
    logging.getLogger("uvicorn").setLevel(logging.WARNING)


def log(level: str, category: str, message: str, **fields: Any) -> None:
    """Write one line."""
    logging.getLogger(LOGGER_NAME).log(
        logging.getLevelNamesMapping().get(level, logging.INFO),
        "%s",
        message,
        extra={"category": category, "fields": fields},
    )
