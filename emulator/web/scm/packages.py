"""The zip that is published: whether it is a function app, and how it is unpacked."""

import shutil
import stat
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from zipfile import BadZipFile, ZipFile, ZipInfo

NEEDED = ("host.json", "function_app.py")


class PackageError(Exception):
    """A package cannot be deployed; the message says why."""


def unpack(package: Path, folder: Path) -> int:
    """Unpack a package into a new folder; return the number of its files.

    Raises:
        PackageError: the file is not a zip, or has no function app in it.
    """
    try:
        with ZipFile(package) as archive:
            broken = archive.testzip()
            if broken is not None:
                raise PackageError(f"Package deployment failed: the zip is damaged at {broken}.")
            problems = list(_problems(archive.infolist()))
            if problems:
                raise PackageError(" ".join(problems))
            draft = folder.with_name(f"{folder.name}.new")
            shutil.rmtree(draft, ignore_errors=True)
            archive.extractall(draft)
            shutil.rmtree(folder, ignore_errors=True)
            draft.rename(folder)
            return sum(not member.is_dir() for member in archive.infolist())
    except (BadZipFile, NotImplementedError, RuntimeError) as error:
        raise PackageError(
            f"Package deployment failed: the content is not a zip file that can be read ({error})."
        ) from error


def _problems(members: list[ZipInfo]) -> Iterator[str]:
    names = {member.filename for member in members}
    for member in members:
        path = PurePosixPath(member.filename)
        if path.is_absolute() or ".." in path.parts or stat.S_ISLNK(member.external_attr >> 16):
            yield f"The zip has the entry {member.filename}, which leads out of the package."
    missing = [name for name in NEEDED if name not in names]
    if not missing:
        return
    nested = next((name.rpartition("/")[0] for name in sorted(names) if name.endswith(f"/{missing[0]}")), "")
    hint = f" They are in the folder {nested}: zip its contents, not the folder itself." if nested else ""
    yield f"The root of the zip has no {' and no '.join(missing)}, so it is not a function app.{hint}"
