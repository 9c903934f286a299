"""The pinned dependencies of the package, as wheels for the Python and the system of Azure Functions.

uv reads the user's own configuration of package indexes; nothing of that gets into the package.
"""

import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

# The Pythons on which the service runs; `infra/service.json` offers the same.
PYTHONS = ("3.11", "3.12", "3.13")
# The base images of Azure Functions are Debian 11 and later: their glibc is 2.31 or newer.
PLATFORM = "x86_64-manylinux_2_28"
FOLDER = ".python_packages/lib/site-packages"
# Command-line scripts, the installer's lock, and the tests that the wheel of azure-functions-durable has at its root.
LEFT_OUT_AT_ROOT = ("bin", ".lock", "tests")
# The typed and the asynchronous client of Kubernetes, 70 MiB that the service never loads: it uses `ApiClient` alone,
# which loads each of them by name when it is asked for.
LEFT_OUT_OF_KUBERNETES = ("kubernetes/aio/", "kubernetes/client/api/", "kubernetes/client/models/")
# What installers write about an installation, which differs between two.
WRITTEN_BY_INSTALLER = ("RECORD", "INSTALLER", "REQUESTED", "direct_url.json", "uv_cache.json")


class DependenciesError(Exception):
    """The dependencies cannot be had; the message says what to do."""


def dependency_files(requirements: Path, python: str) -> dict[str, bytes]:
    """Return the dependencies' files in the package: content by path.

    Args:
        requirements: the lock file, with hashes.
        python: the Python that the function app runs on, one of `PYTHONS`.

    Raises:
        DependenciesError: the Python is not supported, or a wheel is missing.
    """
    if python not in PYTHONS:
        raise DependenciesError(f"Python {python} is not supported. Choose one of {', '.join(PYTHONS)}.")
    with TemporaryDirectory() as folder:
        target = Path(folder)
        _install(requirements, python, target)
        return {f"{FOLDER}/{path}": (target / path).read_bytes() for path in _kept(target)}


def _install(requirements: Path, python: str, target: Path) -> None:
    command = [str(Path(sys.executable).with_name("uv")), "pip", "install", "--quiet", "--target", str(target)]
    command += ["--python", sys.executable, "--python-version", python, "--python-platform", PLATFORM]
    command += ["--only-binary", ":all:", "--require-hashes", "--no-compile-bytecode", "-r", str(requirements)]
    # A virtual environment that is active in the terminal must not take part.
    environment = {name: value for name, value in os.environ.items() if name != "VIRTUAL_ENV"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise DependenciesError(
            f"{done.stderr.strip()}\n\nEvery dependency needs a wheel for Python {python} on Linux x86_64 (glibc "
            "2.28). If one has none, package for another Python (--python), or pin a version that has one "
            "(requirements.in, then make lock). If the index did not answer, try again."
        )


def _kept(target: Path) -> list[str]:
    paths = (path.relative_to(target) for path in target.rglob("*") if path.is_file())
    return [
        path.as_posix()
        for path in paths
        if path.parts[0] not in LEFT_OUT_AT_ROOT
        and "__pycache__" not in path.parts
        and not (path.as_posix().startswith(LEFT_OUT_OF_KUBERNETES) and path.name != "__init__.py")
        and not (path.name in WRITTEN_BY_INSTALLER and path.parent.suffix == ".dist-info")
    ]
