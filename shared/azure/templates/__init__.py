"""The ARM templates that the product deploys. They are files, so reviewers read exactly what Azure gets."""

import hashlib
import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

# The parameters of a template: name to value.
Parameters = Mapping[str, object]
# Parameters that make no other deployment: without what only a create needs, an update has the same content; and the
# addresses that a deployment has found itself change nothing.
_NOT_COUNTED = ("isCreated", "masterAddresses")


@cache
def _text(name: str) -> str:
    return (Path(__file__).parent / f"{name}.json").read_text(encoding="utf-8")


def load(name: str) -> dict[str, Any]:
    """Return a template by its name."""
    template: dict[str, Any] = json.loads(_text(name))
    return template


def digest(name: str, parameters: Parameters) -> str:
    """Return a digest of a template and its parameters. A deployment is tagged with it, to be recognized later.

    The parameters must not include secret ones.
    """
    counted = {key: value for key, value in parameters.items() if key not in _NOT_COUNTED}
    text = _text(name) + json.dumps(counted, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]
