"""Compile the modules of a package, so that no new worker has to.

A function app runs from its package, which is read-only, so Python could not keep what it compiles. The compiled
modules carry a hash that Python does not check (PEP 552, unchecked hash): they depend on the sources alone, not on
times.
"""

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory


def interpreter(python: str) -> str | None:
    """Return an interpreter of this machine that compiles for a Python, or None.

    Args:
        python: the Python of the function app, such as 3.11. Bytecode is the same for all its patch releases.
    """
    if python == ".".join(map(str, sys.version_info[:2])):
        return sys.executable
    command = [str(Path(sys.executable).with_name("uv")), "python", "find", "--system", "--no-python-downloads", python]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout.strip() or None if done.returncode == 0 else None


def compiled(files: Mapping[str, bytes], python: str) -> dict[str, bytes]:
    """Return the compiled modules of a package: content by path. Modules that do not compile are left out.

    Args:
        files: the package: content by path.
        python: an interpreter of the Python that the function app runs on.
    """
    with TemporaryDirectory() as folder:
        root = Path(folder)
        for name, content in files.items():
            if name.endswith(".py"):
                path = root / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)
        command = [python, "-I", "-m", "compileall", "-q", "-q", "-j", "0", "--invalidation-mode", "unchecked-hash"]
        # Compiled modules name their source relative to the package; Python puts in the real path when it loads them.
        subprocess.run([*command, "-s", folder, folder], capture_output=True, check=False)
        return {path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*.pyc")}
