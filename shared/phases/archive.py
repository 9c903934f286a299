"""Bundles as archives: a gzipped tar with regular files and folders, named by the digest of its bytes.

The same folder always gives the same bytes, so a digest says which documents an operation ran.
"""

import gzip
import hashlib
import io
import shutil
import tarfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from shared.phases.problems import BundleError, Problem, refused

# The limits of a bundle. The largest site of airshipctl's own manifests has some 900 files and 3 MiB.
MOST_BYTES_PACKED = 16 * 1024**2
MOST_BYTES = 64 * 1024**2
MOST_FILES = 5000
LONGEST_PATH = 500
# Folders that no bundle needs.
LEFT_OUT = frozenset({".git", "__pycache__"})
# The only names that are the digest of a bundle, so that a name can never be a path.
DIGEST_LENGTH = 64


def pack(folder: Path) -> bytes:
    """Return a folder as an archive.

    Args:
        folder: the folder that is the root of the bundle.

    Raises:
        BundleError: it holds links or other special files, or is over a limit.
    """
    files = sorted(_files(folder))
    _check_size(sum(path.stat().st_size for path in files), len(files))
    content = io.BytesIO()
    with gzip.GzipFile(fileobj=content, mode="wb", mtime=0) as zipped, tarfile.open(fileobj=zipped, mode="w") as tar:
        for path in files:
            member = tarfile.TarInfo(path.relative_to(folder).as_posix())
            member.size = path.stat().st_size
            with path.open("rb") as file:
                tar.addfile(member, file)
    packed = content.getvalue()
    _check_packed(len(packed))
    return packed


def digest(packed: bytes) -> str:
    """Return the name of an archive: the SHA-256 of its bytes, in hexadecimal."""
    return hashlib.sha256(packed).hexdigest()


def unpack(packed: bytes, folder: Path) -> None:
    """Write the files of an archive into a new folder.

    Args:
        packed: the archive.
        folder: where to; it must not exist.

    Raises:
        BundleError: it is not such an archive, is over a limit, or has members that are not plain files inside it.
    """
    _check_packed(len(packed))
    try:
        with tarfile.open(fileobj=_Bounded(gzip.GzipFile(fileobj=io.BytesIO(packed))), mode="r|") as tar:
            folder.mkdir(parents=True)
            _write(tar, folder)
    except BundleError:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    except (tarfile.TarError, OSError, EOFError) as error:
        shutil.rmtree(folder, ignore_errors=True)
        raise refused(f"The bundle is not a gzipped tar archive: {error}.") from error


def _write(tar: tarfile.TarFile, folder: Path) -> None:
    """Write the members that may be written; refuse the archive, with all problems, if any may not."""
    problems: list[Problem] = []
    for count, member in enumerate(tar, 1):
        _check_size(0, count)
        reason = _unsafe(member)
        if reason:
            problems.append(Problem(member.name[:LONGEST_PATH], "", reason))
        elif member.isfile() and not problems:
            target = folder / member.name
            target.parent.mkdir(parents=True, exist_ok=True)
            content = tar.extractfile(member)
            if content is not None:
                target.write_bytes(content.read())
    if problems:
        raise BundleError(problems)


def _unsafe(member: tarfile.TarInfo) -> str:
    """Return why a member may not be written, or ""."""
    path = PurePosixPath(member.name)
    if path.is_absolute() or ".." in path.parts or "\\" in member.name:
        return "The path leads out of the bundle. Paths are relative to its root, without '..' and backslashes."
    if len(member.name) > LONGEST_PATH:
        return f"The path has {len(member.name)} characters. At most {LONGEST_PATH} are allowed."
    if not (member.isfile() or member.isdir()):
        return "This is a link or a special file. A bundle holds regular files and folders only."
    return ""


def _files(folder: Path) -> Iterator[Path]:
    for path in folder.rglob("*"):
        name = path.relative_to(folder)
        if LEFT_OUT.intersection(name.parts):
            continue
        if path.is_symlink() or not (path.is_file() or path.is_dir()):
            raise refused(
                "This is a link or a special file. A bundle holds regular files and folders only.", file=str(name)
            )
        if path.is_file():
            yield path


def _check_packed(size: int) -> None:
    if size > MOST_BYTES_PACKED:
        raise refused(f"The archive has {size} bytes. At most {MOST_BYTES_PACKED} are allowed.")


def _check_size(size: int, count: int) -> None:
    if size > MOST_BYTES:
        raise refused(f"The files of the bundle have more than {MOST_BYTES} bytes. At most that many are allowed.")
    if count > MOST_FILES:
        raise refused(f"The bundle has more than {MOST_FILES} files. At most that many are allowed.")


class _Bounded(io.RawIOBase):
    """Reads another stream, and refuses it once it has given more bytes than a bundle may have.

    A small archive can unpack to any size, so the bytes are counted as they come.
    """

    def __init__(self, stream: gzip.GzipFile) -> None:
        self._stream = stream
        self._given = 0

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        content = self._stream.read(size)
        self._given += len(content)
        # A tar pads each file to blocks and adds a header to it.
        _check_size(max(0, self._given - MOST_FILES * 2 * tarfile.BLOCKSIZE), 0)
        return content
