"""Where the log of a process goes."""

import json
import logging
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest

from emulator.host.logs import configure_logging


@pytest.fixture
def own_logging() -> Iterator[None]:
    """Take back what a test does to the logging of the process."""
    root = logging.getLogger()
    before, level = list(root.handlers), root.level
    logging.captureWarnings(False)
    yield
    logging.captureWarnings(False)
    for handler in set(root.handlers) - set(before):
        handler.close()
    root.handlers = before
    root.setLevel(level)


@pytest.mark.usefixtures("own_logging")
@pytest.mark.filterwarnings("always")
def test_warnings_of_libraries_go_to_the_log(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The terminal of `up` stays quiet."""
    configure_logging(tmp_path / "azure.log")
    warnings.warn("soon unsupported", DeprecationWarning, stacklevel=1)
    assert capsys.readouterr().err == ""
    line = json.loads((tmp_path / "azure.log").read_text(encoding="utf-8"))
    assert (line["level"], line["category"]) == ("WARNING", "py.warnings")
    assert "DeprecationWarning: soon unsupported" in line["message"]
