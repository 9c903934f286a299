"""The pages of `docs/` that are made from the code, so that they cannot tell anything else, and the provider's manifest.

`make docs` writes them, a unit test compares. Each module here makes one; `PAGES` says which.
"""

from collections.abc import Callable
from pathlib import Path

from tools.pages import bootstrap, install_graph, manifest, messages, mind_map, parameters, plans

REPOSITORY = Path(__file__).resolve().parents[2]

# Path in the repository: what makes its text, from the text that stands there now ("" where there is none).
PAGES: dict[str, Callable[[str], str]] = {
    "docs/plans.md": lambda _now: plans.page(),
    "docs/mind-map.md": lambda _now: mind_map.page(),
    "docs/parameters.md": lambda _now: parameters.page(),
    "docs/install-graph.md": lambda _now: install_graph.page(),
    "docs/bootstrap.md": lambda _now: bootstrap.page(),
    "docs/operations.md": messages.put_into,
    "emulator/arm/provider/provider.json": lambda _now: manifest.page(),
}


def text(path: str) -> str:
    """Return what a page has to say today."""
    file = REPOSITORY / path
    return PAGES[path](file.read_text(encoding="utf-8") if file.exists() else "")


def write() -> list[str]:
    """Write all pages; return those that have changed."""
    changed = []
    for path in PAGES:
        file, new = REPOSITORY / path, text(path)
        if not file.exists() or file.read_text(encoding="utf-8") != new:
            file.write_text(new, encoding="utf-8")
            changed.append(path)
    return changed
