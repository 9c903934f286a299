"""The ARM templates that the product deploys, as files: what a reviewer reads is what Azure gets."""

import hashlib
import json
from functools import cache
from pathlib import Path
from typing import Any


@cache
def _text(name: str) -> str:
    return (Path(__file__).parent / f"{name}.json").read_text(encoding="utf-8")


def load(name: str) -> dict[str, Any]:
    """Return a template by its name."""
    template: dict[str, Any] = json.loads(_text(name))
    return template


def digest(name: str, parameters: dict[str, Any]) -> str:
    """Return a digest of a template and its parameters: what a deployment is tagged with, to be known again.

    Parameters that are secret must not be among these.
    """
    text = _text(name) + json.dumps(parameters, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]
