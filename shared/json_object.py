"""The types of a JSON object whose members nothing here declares."""

from collections.abc import Mapping
from typing import Any

Json = dict[str, Any]
# One that is only read.
JsonView = Mapping[str, Any]
