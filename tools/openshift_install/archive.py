"""Packs the stand-in as the program is released: one file that starts, in an archive for each version.

It contains `installer/` and what that needs, compiled, because Python could not keep what it compiles. Its interpreter
is the one that packs it, with the packages of this checkout. The same sources make the same archive.
"""

import gzip
import hashlib
import io
import sys
import tarfile
import zipfile
from collections.abc import Iterable
from pathlib import Path, PurePosixPath

from tools.openshift_install import signature
from tools.package import bytecode
from tools.package.archive import TIME

ROOT = Path(__file__).parents[2]
PROGRAM = "openshift-install"
_PACKAGES = ("installer", "shared", "tools/openshift_install")
_SUFFIXES = (".py", ".sh")
_MODE = 0o755
_MAIN = """
import sys

from tools.openshift_install.program import main

sys.exit(main(sys.argv[1:], {version!r}))
"""


def archive_name(version: str) -> str:
    """Return the name that the archive of a version has on a mirror."""
    return f"{PROGRAM}-linux-{version}.tar.gz"


def pack(folder: Path, versions: Iterable[str]) -> None:
    """Write the archives as a mirror has them: `<version>/<archive>`, with a signed list of checksums beside it.

    Args:
        folder: where the versions' folders go.
        versions: OpenShift versions, x.y.z.
    """
    contained = modules()
    for version in versions:
        packed = _packed(program(contained, version))
        place = folder / version
        place.mkdir(parents=True, exist_ok=True)
        for name, content in (
            (archive_name(version), packed),
            ("sha256sum.txt", f"{hashlib.sha256(packed).hexdigest()}  {archive_name(version)}\n".encode()),
        ):
            new = place / f"{name}.new"
            new.write_bytes(content)
            new.replace(place / name)
    signature.sign(folder, folder.glob("*/sha256sum.txt"))


def modules() -> dict[str, bytes]:
    """Return what the program contains, by path in its zip."""
    found = {"tools/__init__.py": b""}
    for package in _PACKAGES:
        for file in (ROOT / package).rglob("*"):
            if file.suffix in _SUFFIXES and file.is_file():
                found[file.relative_to(ROOT).as_posix()] = file.read_bytes()
    compiled = bytecode.compiled(found, sys.executable)
    # Python looks for compiled modules of a zip beside their sources, under the sources' names.
    modules = {_beside(PurePosixPath(path)): content for path, content in compiled.items()}
    return modules | {path: content for path, content in found.items() if not path.endswith(".py")}


def _beside(path: PurePosixPath) -> str:
    return str(path.parent.parent / f"{path.name.partition('.')[0]}.pyc")


def program(modules: dict[str, bytes], version: str) -> bytes:
    """Return the program of a version: a zip that the interpreter in its first line runs."""
    made = io.BytesIO()
    made.write(f"#!{sys.executable} -I\n".encode())
    with zipfile.ZipFile(made, "a", zipfile.ZIP_DEFLATED) as archive:
        for path, content in sorted((modules | {"__main__.py": _MAIN.format(version=version).encode()}).items()):
            entry = zipfile.ZipInfo(path, TIME)
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)
    return made.getvalue()


def _packed(content: bytes) -> bytes:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as tar:
        entry = tarfile.TarInfo(PROGRAM)
        entry.size, entry.mode = len(content), _MODE
        tar.addfile(entry, io.BytesIO(content))
    return gzip.compress(made.getvalue(), mtime=0)
