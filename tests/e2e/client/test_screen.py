"""What the stories see of a terminal."""

import io

from rich.console import Console
from rich.live import Live

from tests.e2e.client.screen import screen


def test_a_frame_that_was_drawn_over_is_gone() -> None:
    """As in a terminal: only the last frame, and what was printed after it, is left."""
    written = io.StringIO()
    console = Console(file=written, force_terminal=True, width=80, color_system=None)
    console.print("before")
    with Live("one\ntwo\nthree", console=console, auto_refresh=False, transient=True) as live:
        assert screen(written.getvalue())[:4] == ["before", "one", "two", "three"]
        live.update("four\nfive", refresh=True)
        assert [line for line in screen(written.getvalue()) if line] == ["before", "four", "five"]
    console.print("after")
    assert [line for line in screen(written.getvalue()) if line] == ["before", "after"]
