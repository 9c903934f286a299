"""Debian's Chromium, driven by Playwright, with the rules that the page's own policy sets."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from bench import page
from emulator.run.commands import browse

REPOSITORY = Path(__file__).resolve().parents[3]
AXE = REPOSITORY / "tools" / "portal" / "node_modules" / "axe-core" / "axe.min.js"
# What the page must be free of; the rules of WCAG 2.2, A and AA, and what axe calls best practice.
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


@contextmanager
def chromium(driver: Any, *options: str) -> Iterator[Any]:
    """Give a browser with more options; skip the test where there is none, because not every machine can have one."""
    program = browse.program()
    if program is None:
        pytest.skip("There is no Chromium, Chrome or Edge: run `apt-get install --no-install-recommends chromium`")
    with page.browser(driver, program, *options) as found:
        yield found


def violations(shown: Any) -> list[str]:
    """Return what axe finds wrong with what a page shows, by rule and element."""
    found = shown.evaluate("tags => axe.run({runOnly: tags})", TAGS)
    return [
        f"{violation['id']} at {node['target']}: {node['failureSummary']}"
        for violation in found["violations"]
        for node in violation["nodes"]
    ]


def eventually(shown: Any, holds: Callable[[], bool], seconds: float = 20) -> None:
    """Wait until something holds, while a page goes on."""
    for _ in range(int(seconds * 20)):
        if holds():
            return
        shown.wait_for_timeout(50)
    pytest.fail(f"It does not hold after {seconds:g} s.")


def complaints(shown: Any) -> list[str]:
    """Return a list that fills with what the browser complains about, such as what the page's policy forbids.

    That an answer is an error is not among it: the page tells that.
    """
    found: list[str] = []

    def note(said: Any) -> None:
        if said.type == "error" and not said.text.startswith("Failed to load resource"):
            found.append(said.text)

    shown.on("console", note)
    shown.on("pageerror", lambda error: found.append(str(error)))
    return found
