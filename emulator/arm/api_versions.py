"""The api-versions of resource providers and types, from `api_versions.json`: those that Azure lists, oldest first."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

_FOUND: Mapping[str, Sequence[str]] = json.loads(Path(__file__).with_name("api_versions.json").read_text("utf-8"))


def versions(name: str) -> tuple[str, ...]:
    """Return the api-versions of a namespace or type.

    Raises:
        KeyError: the file does not have it.
    """
    return tuple(_FOUND[name])
