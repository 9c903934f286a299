"""Compressed tar archives: a file of one is unpacked while the archive arrives, so the archive is never kept.

Its digest is known when the last byte has arrived. So what is written before is used only if `unpack` returns, and
until then nothing that the archive claims is believed: no size, and no length of a name.
"""

import gzip
import hashlib
import io
import shutil
import tarfile
import time
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO, Any, Self

import requests

from installer.release.downloads import Downloads, place

_PIECE_BYTES = 1 << 20
# Entries that hold the names of others. They are read as a whole.
_NAMES = (tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE, tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK)
_LONGEST_NAMES = 1 << 20


@dataclass(frozen=True)
class Limits:
    """How large an archive and a file in it may be.

    Args:
        archive_bytes: the archive, as it arrives.
        file_bytes: the file.
    """

    archive_bytes: int
    file_bytes: int

    @property
    def unpacked_bytes(self) -> int:
        """How large the file and all files before it in the archive may be together."""
        return self.archive_bytes + 2 * self.file_bytes


@dataclass(frozen=True)
class Archive:
    """An archive that is about to arrive.

    Args:
        downloads: limits of the download.
        answer: the answer with the archive.
        url: its address, for errors.
        digest: required SHA-256 of the archive, hexadecimal.
    """

    downloads: Downloads
    answer: requests.Response
    url: str
    digest: str

    def unpack(self, member: str, target: IO[bytes], limits: Limits) -> bool:
        """Write one file of the archive to another file; return whether the archive has it.

        Args:
            member: path of the file in the archive.
            target: the file to write.
            limits: how large both may be.

        Raises:
            InstallerError: if the archive is cut, too large, something else, or has another digest.
            OSError: if the target cannot be written.
        """
        with self.answer, self.downloads.in_time():
            arriving = _Arriving(self.downloads.pieces(self.answer, self.url, limits.archive_bytes))
            is_there = self._write(arriving, member, target, limits)
            arriving.read_rest()
        if arriving.digest() != self.digest:
            cause = (
                f"has SHA-256 {arriving.digest()}, and not {self.digest}: correct the digest, or what the server has"
            )
            raise self.downloads.failed(f"{place(self.url)} {cause}")
        return is_there

    def _write(self, arriving: "_Arriving", member: str, target: IO[bytes], limits: Limits) -> bool:
        unpacked = _Unpacked(arriving, self, limits.unpacked_bytes)
        try:
            with tarfile.open(fileobj=unpacked, mode="r|", tarinfo=_Entry) as entries:
                for entry in entries:
                    if entry.name.removeprefix("./") != member or not entry.isfile():
                        continue
                    if entry.size > limits.file_bytes:
                        raise self.downloads.failed(f"'{member}' has {entry.size} bytes, more than {limits.file_bytes}")
                    content = entries.extractfile(entry)
                    if content is None:
                        return False
                    shutil.copyfileobj(content, target, _PIECE_BYTES)
                    return True
        except (tarfile.TarError, EOFError, zlib.error, gzip.BadGzipFile) as error:
            cause = f"cannot be unpacked ({type(error).__name__}): it is cut, or not a compressed tar archive"
            raise self.downloads.failed(f"{place(self.url)} {cause}") from None
        return False


class _Arriving(io.RawIOBase):
    """A body that is read once, while it arrives, and whose digest is known at its end."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces = pieces
        self._left = memoryview(b"")
        self._sha256 = hashlib.sha256()

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        if not self._left:
            self._left = memoryview(self._next())
        size = min(len(buffer), len(self._left))
        buffer[:size], self._left = self._left[:size], self._left[size:]
        return size

    def read_rest(self) -> None:
        """Read what the archive's reader did not need."""
        while self._next():
            pass

    def digest(self) -> str:
        """Return the SHA-256 of what has arrived, hexadecimal."""
        return self._sha256.hexdigest()

    def _next(self) -> bytes:
        piece = next(self._pieces, b"")
        self._sha256.update(piece)
        return piece


class _Entry(tarfile.TarInfo):
    """An entry whose names fit into memory, whatever it claims."""

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> Self:
        entry = super().frombuf(buf, encoding, errors)
        if entry.type in _NAMES and entry.size > _LONGEST_NAMES:
            raise tarfile.ReadError("too long a name")
        return entry


class _Unpacked(gzip.GzipFile):
    """What an archive holds, read while there is time and room: a gigabyte may unpack to a thousand."""

    def __init__(self, arriving: _Arriving, archive: Archive, longest: int) -> None:
        super().__init__(fileobj=io.BufferedReader(arriving, _PIECE_BYTES), mode="rb")
        self._archive = archive
        self._longest = longest

    def read(self, size: int | None = -1) -> bytes:
        downloads, where = self._archive.downloads, place(self._archive.url)
        if time.monotonic() > downloads.until:
            raise downloads.failed(f"{where} could not be unpacked in time", passing=True)
        if self.tell() > self._longest:
            raise downloads.failed(f"{where} unpacks to more than {self._longest} bytes")
        return super().read(size)
