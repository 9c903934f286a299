"""The pages of `docs/` that are generated from the code, so that they always match it, and the provider's manifest.

`make docs` writes them, and a unit test compares them. Each module here makes one page; `PAGES` lists them.
"""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from tools.pages import (
    api_versions,
    bootstrap,
    calendar_table,
    install_graph,
    manifest,
    messages,
    mind_map,
    openapi,
    parameters,
    plans,
    sources,
    times,
)

REPOSITORY = Path(__file__).resolve().parents[2]

# Maps a path to the function that makes its text from the file's current text ("" if there is no file).
PAGES: dict[str, Callable[[str], str]] = {
    "docs/plans.md": lambda _now: plans.page(),
    "docs/mind-map.md": lambda _now: mind_map.page(),
    "docs/api-versions.md": lambda _now: api_versions.page(),
    "docs/parameters.md": lambda _now: parameters.page(),
    "docs/install-graph.md": lambda _now: install_graph.page(),
    "docs/bootstrap.md": lambda _now: bootstrap.page(),
    "docs/times.md": lambda _now: times.page(),
    "docs/operations.md": lambda now: calendar_table.put_into(messages.put_into(now)),
    "emulator/README.md": sources.put_into,
    "infra/manifest.json": lambda _now: manifest.page(),
    **{path: partial(openapi.page, row) for path, row in openapi.FILES.items()},
}


def text(path: str) -> str:
    """Return the up-to-date text of a page."""
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
