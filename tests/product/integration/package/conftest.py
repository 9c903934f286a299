"""A package that is built once, unpacked where nothing else is."""

import sys
import zipfile
from pathlib import Path

import pytest

from tools.package.__main__ import main


@pytest.fixture(scope="package")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder with the contents of the package for this Python."""
    folder = tmp_path_factory.mktemp("package")
    version = ".".join(map(str, sys.version_info[:2]))
    assert main(["--python", version, "--output", str(folder / "package.zip")]) == 0
    with zipfile.ZipFile(folder / "package.zip") as package:
        package.extractall(folder / "app")
    return folder / "app"
