"""`python -m phases` in the process of a test."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from phases.command import app
from shared.bundles.problems import BundleError


def run(folder: Path, *words: str) -> str:
    """Return what a command prints about the site in a folder."""
    done = CliRunner().invoke(app, [*words, "--bundle", str(folder)], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.output


def refused(folder: Path, *words: str) -> list[str]:
    """Return the problems for which a command on the site in a folder is refused, as lines."""
    with pytest.raises(BundleError) as caught:
        CliRunner().invoke(app, [*words, "--bundle", str(folder)], catch_exceptions=False)
    return [str(one) for one in caught.value.problems]
