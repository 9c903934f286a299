"""The type of a JSON object whose members nothing here declares."""

from typing import Any

Json = dict[str, Any]
