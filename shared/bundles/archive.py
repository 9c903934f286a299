"""Bundles as archives: a gzipped tar with regular files and folders, named by the digest of its bytes.

The same folder always gives the same bytes, so a digest says which documents an operation ran.
"""

import gzip
import hashlib
import io
import shutil
import tarfile
import zlib
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Self

from shared import deadline
from shared.bundles.problems import BundleError, Problem, bundle_error

# The limits of a bundle as it is on a disk. The largest site of airshipctl's own manifests has some 900 files and 3
# MiB, in folders that are 8 deep.
MOST_BYTES_PACKED = 16 * 1024**2
MOST_BYTES = 64 * 1024**2
# Files and folders together, those included that only a longer path names.
MOST_ENTRIES = 5000
DEEPEST = 30
LONGEST_PATH = 500
# What may come before a member in an archive: its long name, times and attributes. Readers hold all of it in memory.
_EXTENSIONS = (tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE, tarfile.GNUTYPE_LONGNAME)
_LONGEST_EXTENSION = 8 * 1024
_MOST_GLOBALS = 100
_PLAIN = (tarfile.REGTYPE, tarfile.AREGTYPE, tarfile.DIRTYPE)
_NOT_PLAIN = "This is a link, a sparse file or a special file. A bundle holds regular files and folders only."
_CHUNK = 1024**2
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
    sizes = _Sizes()
    for path in files:
        sizes.add(path.relative_to(folder).as_posix(), path.stat().st_size)
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
    """Write the files of an archive into a new folder. Nothing is written before all of it has been judged.

    Args:
        packed: the archive.
        folder: where to; it must not exist.

    Raises:
        BundleError: see `check`.
        TimeIsUp: the request that asks has no time left.
    """
    check(packed)
    folder.mkdir(parents=True)
    try:
        _write(packed, folder)
    except BaseException as error:
        shutil.rmtree(folder, ignore_errors=True)
        if isinstance(error, (FileExistsError, IsADirectoryError, NotADirectoryError)):
            raise bundle_error("A path of the archive is both a file and a folder.") from error
        raise


def check(packed: bytes) -> None:
    """Read an archive as far as its last byte, without writing anything.

    Raises:
        BundleError: it is not a gzipped tar archive; or the sum of its files or something else is over a limit; or it
            has members that are not plain files inside the bundle, with all of them.
        TimeIsUp: the request that asks has no time left.
    """
    _check_packed(len(packed))
    sizes, problems = _Sizes(), list[Problem]()
    try:
        for _, member in _members(packed):
            reason = _unsafe(member)
            if reason:
                problems.append(Problem(member.name[:LONGEST_PATH], "", reason))
            else:
                sizes.add(member.name, member.size)
    except (tarfile.TarError, OSError, EOFError, RecursionError, zlib.error) as error:
        raise bundle_error(f"The bundle is not a gzipped tar archive: {error}.") from error
    if problems:
        raise BundleError(problems)


def _write(packed: bytes, folder: Path) -> None:
    for tar, member in _members(packed):
        target = folder / member.name
        if member.isdir():
            target.mkdir(parents=True, exist_ok=True)
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        content = tar.extractfile(member)
        with target.open("wb") as file:
            while content is not None and (chunk := content.read(_CHUNK)):
                file.write(chunk)


def _members(packed: bytes) -> Iterator[tuple[tarfile.TarFile, tarfile.TarInfo]]:
    """Yield the members of an archive, each with the archive, which is at the member's content."""
    stream = _Bounded(gzip.GzipFile(fileobj=io.BytesIO(packed)))
    with tarfile.open(fileobj=stream, mode="r|", tarinfo=_Header) as tar:
        for member in tar:
            if len(tar.pax_headers) > _MOST_GLOBALS:
                raise bundle_error(f"The archive has more than {_MOST_GLOBALS} global attributes.")
            yield tar, member
            # The archive keeps its members. What was before them could fill the memory.
            member.pax_headers = {}


class _Header(tarfile.TarInfo):
    """A header of an archive, refused before anything that follows it is read."""

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> Self:
        """Read a header; see `tarfile.TarInfo.frombuf`.

        Raises:
            BundleError: it is of a kind that a bundle does not have, or announces too much.
        """
        header = super().frombuf(buf, encoding, errors)
        if header.type in _EXTENSIONS and header.size > _LONGEST_EXTENSION:
            raise bundle_error(
                f"A header of the archive has {header.size} bytes. At most {_LONGEST_EXTENSION} are allowed."
            )
        if header.type not in _EXTENSIONS + _PLAIN:
            raise bundle_error(_NOT_PLAIN, file=header.name[:LONGEST_PATH])
        return header


def _unsafe(member: tarfile.TarInfo) -> str:
    """Return why a member may not be written, or ""."""
    path = PurePosixPath(member.name)
    if path.is_absolute() or ".." in path.parts or "\\" in member.name:
        return "The path leads out of the bundle. Paths are relative to its root, without '..' and backslashes."
    if len(member.name) > LONGEST_PATH:
        return f"The path has {len(member.name)} characters. At most {LONGEST_PATH} are allowed."
    if not member.name.isprintable():
        return "The path has characters that cannot be printed, or is not UTF-8."
    # The headers before a member can make a sparse file of a regular one.
    if member.issparse() or member.size < 0 or not (member.isfile() or member.isdir()):
        return _NOT_PLAIN
    return ""


def _files(folder: Path) -> Iterator[Path]:
    for path in folder.rglob("*"):
        name = path.relative_to(folder)
        if LEFT_OUT.intersection(name.parts):
            continue
        if path.is_symlink() or not (path.is_file() or path.is_dir()):
            raise bundle_error(_NOT_PLAIN, file=str(name))
        if path.is_file():
            yield path


def _check_packed(size: int) -> None:
    if size > MOST_BYTES_PACKED:
        raise bundle_error(f"The archive has {size} bytes. At most {MOST_BYTES_PACKED} are allowed.")


class _Sizes:
    """What the members of a bundle add up to. Refuses it as soon as that is over a limit."""

    def __init__(self) -> None:
        self._bytes = 0
        self._entries = set[str]()

    def add(self, name: str, size: int) -> None:
        """Count a member.

        Args:
            name: its path.
            size: how large it is on a disk.

        Raises:
            BundleError: it is one too many, too large or too deep.
        """
        path = PurePosixPath(name)
        if len(path.parts) > DEEPEST:
            deep = f"The path has {len(path.parts)} parts. At most {DEEPEST} are allowed."
            raise bundle_error(deep, file=name[:LONGEST_PATH])
        self._bytes += size
        self._entries |= {str(path), *map(str, path.parents)} - {"."}
        _check_bytes(self._bytes)
        if len(self._entries) > MOST_ENTRIES:
            raise bundle_error(
                f"The bundle has more than {MOST_ENTRIES} files and folders. At most that many are allowed."
            )


def _check_bytes(size: int) -> None:
    if size > MOST_BYTES:
        raise bundle_error(f"The files of the bundle have more than {MOST_BYTES} bytes. At most that many are allowed.")


class _Bounded(io.RawIOBase):
    """Reads another stream, and refuses it once it has given more bytes than a bundle may have, or time is up.

    A small archive can unpack to any size, so the bytes are counted as they come.
    """

    def __init__(self, stream: gzip.GzipFile) -> None:
        self._stream = stream
        self._given = 0

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        if deadline.seconds_left() <= 0:
            raise deadline.TimeIsUp
        content = self._stream.read(size)
        self._given += len(content)
        # A tar pads each file to blocks and adds a header to it.
        _check_bytes(max(0, self._given - MOST_ENTRIES * 2 * tarfile.BLOCKSIZE))
        return content
