"""The request bodies in `examples/`, with their placeholders filled in."""

import json
import re
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[1] / "examples"
# What whoever uses the example of a version takes from a signed list.
INSTALLER_DIGEST = f"sha256:{'5' * 64}"
PLACEHOLDER = re.compile(r"\$\{([A-Z_]+)\}")


def example(path: str, **values: str) -> Any:
    """Return an example.

    Args:
        path: its path below `examples/`.
        values: the values of its placeholders, by name. Others may be given as well.
    """
    return json.loads(PLACEHOLDER.sub(lambda match: values[match[1]], (FOLDER / path).read_text(encoding="utf-8")))
