"""The dependencies of a published package, and what is wrong with them if the app cannot be imported.

The worker process imports this module with the Python of the site, so it needs the standard library only.
"""

import sys
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

FOLDER = Path(".python_packages", "lib", "site-packages")
_NATIVE = (".so", ".pyd", ".dylib")
_EXAMPLES = 3


def hint(app_directory: Path) -> str:
    """Return what is wrong with the dependencies of a package, in a sentence; "" if nothing is."""
    folder = app_directory / FOLDER
    if not folder.is_dir():
        return f"The package has no folder {FOLDER.as_posix()}, where its dependencies belong."
    foreign = sorted(path.name for path in folder.rglob("*") if path.suffix in _NATIVE and _is_foreign(path.name))
    if not foreign:
        return ""
    version = ".".join(map(str, sys.version_info[:2]))
    return (
        f"The package has {len(foreign)} modules for another Python or platform than Python {version} on "
        f"{sys.platform}, such as {', '.join(foreign[:_EXAMPLES])}. Build it for the site's Python."
    )


def _is_foreign(name: str) -> bool:
    """Tell whether a file is an extension module that this Python does not load: its tag is another one."""
    tagged = ".cpython-" in name or name.endswith((".pyd", ".dylib"))
    return tagged and not name.endswith(tuple(EXTENSION_SUFFIXES[:-1]))
