"""The harness that runs the commands of a page (`tests/e2e/page.py`)."""

import os
import re
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from tests.e2e.page import Page, PageError, read

PAGE = """\
# Operate
## Deploy
Prose with `code`.

```sh
export WORD=first
there() { echo "$WORD"; }
cd inner
```

    indented text, which is what comes out

```text
# no heading: a sample
exit 1
```

## Publish
```sh
there >../seen
echo said; echo complained >&2
```

* In a list:

  ```sh
  pwd -P | sed 's|.*/||'
  ```

## Remove
```sh
rm ../seen
```
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder in which a page's commands begin."""
    (tmp_path / "inner").mkdir()
    return tmp_path


def _page(folder: Path, text: str, timeout_seconds: float = 200) -> Page:
    path = folder / "page.md"
    path.write_text(text, encoding="utf-8")
    return Page(path, {"PATH": "/usr/bin:/bin"}, folder, timeout_seconds)


def test_sections_run_in_order_in_one_shell(folder: Path) -> None:
    """A test looks at things between sections; variables, functions and the folder go from block to block."""
    with _page(folder, PAGE) as page:
        (first,) = page.run("Deploy")
        published, listed = page.run("Publish")
        assert (first.output, published.output, listed.output) == ("", "said\ncomplained\n", "inner\n")
        assert (first.block.line, published.block.line, listed.block.line) == (6, 20, 27)
        assert (folder / "seen").read_text() == "first\n"
        page.run("Remove")
    assert not (folder / "seen").exists()


def test_a_section_includes_the_sections_in_it(folder: Path) -> None:
    """The title of the page stands for all of it."""
    with _page(folder, PAGE) as page:
        assert len(page.run("Operate")) == 4


def test_a_block_that_was_not_run_fails_the_page(folder: Path) -> None:
    """Whoever adds a block to the page must run it."""
    with (
        pytest.raises(PageError, match=r"page\.md: these blocks were not run, by their first lines: 20, 27, 32\."),
        _page(folder, PAGE) as page,
    ):
        page.run("Deploy")


@pytest.mark.parametrize("heading", ["Publish", "Nowhere"])
def test_no_block_is_skipped_or_repeated(folder: Path, heading: str) -> None:
    """A reader goes from the top to the bottom."""
    with (
        pytest.raises(PageError, match=r"the next blocks are not those of .*, but of: Operate > Deploy"),
        _page(folder, PAGE) as page,
    ):
        page.run(heading)


@pytest.mark.parametrize(
    ("commands", "want_line", "want_code"),
    [
        ("echo so far\nfalse\necho never", 3, 1),
        ("echo so far\nfalse | cat", 3, 1),
        ("echo so far\necho $UNSET", 2, 1),
        ("echo so far\nexit 3", 2, 3),
        ("echo so far\nfail() {\n  ls /nowhere\n}\nfail", 4, 2),
        ("echo so far\nif then", 2, 2),
    ],
    ids=["command", "pipe", "unset variable", "exit", "function", "syntax"],
)
def test_a_failure_names_the_line_and_shows_block_and_output(
    folder: Path, commands: str, want_line: int, want_code: int
) -> None:
    """The rest of the page does not run."""
    text = f"```sh\n{commands}\n```\n```sh\ntouch ran\n```\n"
    with pytest.raises(PageError) as failed, _page(folder, text) as page:
        page.run_rest()
    told = str(failed.value)
    assert re.match(rf"page\.md, line {want_line}: the block failed with exit code {want_code} after [0-9.]+ s\.", told)
    assert commands in told
    assert "It printed:\nso far" in told
    assert not (folder / "ran").exists()


def test_a_block_that_takes_too_long_fails(folder: Path) -> None:
    """It does not stay behind. Its time is longer than that of a test, which it would therefore not let end."""
    # Another run of the tests on this machine waits for another time.
    sleep = f"sleep {10**6 + os.getpid()}"
    with (
        pytest.raises(PageError, match=r"line 2: the block did not end within 0 s"),
        _page(folder, f"```sh\n{sleep}\n```\n", timeout_seconds=0.2) as page,
    ):
        page.run_rest()
    assert _comes_true(
        lambda: all(process.info["cmdline"] != sleep.split() for process in psutil.process_iter(["cmdline"]))
    )


def test_what_a_block_leaves_running_ends_with_the_page(folder: Path) -> None:
    """It neither delays the next block nor outlives the test."""
    with _page(folder, "```sh\nsleep 1000000 &\necho $!\n```\n```sh\nkill -0 $!\n```\n") as page:
        started, _ = page.run_rest()
        process = psutil.Process(int(started.output))
    assert _comes_true(lambda: _has_ended(process))


def _has_ended(process: psutil.Process) -> bool:
    try:
        return bool(process.status() == psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return True


def _comes_true(condition: Callable[[], bool]) -> bool:
    """Tell whether a condition comes true. The kernel takes a moment to end a killed process."""
    until = time.monotonic() + 60
    while not condition():
        if time.monotonic() > until:
            return False
        time.sleep(0.01)
    return True


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("```bash\nls\n```\n", "line 1: a fence holds commands .* says 'bash'"),
        ("```\nls\n```\n", "line 1: a fence holds commands .* says ''"),
        ("a\n```sh no-run\nls\n```\n", "line 2: a fence holds commands"),
        ("```sh\nls\n", "line 1: the fence does not end"),
        ("````sh\nls\n```\n", "line 1: the fence does not end"),
        ("    ```sh\n    ls\n    ```\n", "line 1: the fence is indented"),
    ],
)
def test_what_would_not_run_is_refused(folder: Path, text: str, want: str) -> None:
    """No way of writing a block keeps it from running."""
    (folder / "page.md").write_text(text, encoding="utf-8")
    with pytest.raises(PageError, match=want):
        read(folder / "page.md")
