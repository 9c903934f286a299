"""Files in the folder of the installer's command: one run at a time, and each file complete or absent."""

import fcntl
import os
import signal
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from installer.command.command_inputs import Wrong

# Nearly all of them contain the pull secret, private keys or passwords.
_MODE, _FOLDER_MODE = 0o600, 0o700


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Keep other runs out of a folder. It is created if necessary, and removed again if it stays empty.

    Raises:
        Wrong: if another run is working there, or it is not a folder.
    """
    if folder.exists() and not folder.is_dir():
        raise Wrong([(str(folder), "It is not a folder.")])
    is_new = not folder.exists()
    folder.mkdir(mode=_FOLDER_MODE, parents=True, exist_ok=True)
    lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Wrong([(str(folder), "Another run is at work in this folder. Wait until it has ended.")]) from None
        yield
    finally:
        os.close(lock)
        if is_new:
            with suppress(OSError):
                folder.rmdir()


def write(folder: Path, files: Mapping[str, str], gone: Iterable[str] = ()) -> list[str]:
    """Write files, and return what was done, a line for each.

    All texts are on the disk before the first file is moved into place, so a full disk leaves the former files. Moving
    them into place is not interrupted.

    Args:
        folder: folder of all files.
        files: text by path in the folder, in the order in which they are written.
        gone: files that must not exist beside them; they are removed first.

    Raises:
        OSError: with the file that could not be written.
    """
    parts: dict[Path, Path] = {}
    try:
        for name, text in files.items():
            parts[folder / name] = _part(folder / name, text)
        before = signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGINT, signal.SIGTERM))
        try:
            return [*_take_away(folder, gone, files), *(_put(part, file) for file, part in parts.items())]
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
    finally:
        for part in parts.values():
            part.unlink(missing_ok=True)


def _part(file: Path, text: str) -> Path:
    file.parent.mkdir(mode=_FOLDER_MODE, parents=True, exist_ok=True)
    part = file.with_name(f".{file.name}.part")
    try:
        # A killed run may have left files there that anybody can read.
        part.unlink(missing_ok=True)
        with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _MODE), "w", encoding="utf-8") as stream:
            stream.write(text)
    except BaseException as error:
        part.unlink(missing_ok=True)
        if isinstance(error, OSError):
            error.filename = str(file)
        raise
    return part


def _take_away(folder: Path, gone: Iterable[str], files: Mapping[str, str]) -> Iterator[str]:
    for name in gone:
        if (folder / name).exists():
            (folder / name).unlink()
            if name not in files:
                yield f"deleted: {folder / name}"


def _put(part: Path, file: Path) -> str:
    verb = "overwritten" if file.exists() else "written"
    part.replace(file)
    return f"{verb}: {file}"
