"""A zip that depends on its files' paths and contents only: not on their order, times, modes or owners."""

import zipfile
from collections.abc import Mapping
from pathlib import Path
from stat import S_IFREG

# The earliest time that a zip can hold.
TIME = (1980, 1, 1, 0, 0, 0)
MODE = 0o644
UNIX = 3


def write(path: Path, files: Mapping[str, bytes]) -> None:
    """Write the zip, and replace an old one at once.

    Args:
        path: the zip; its folder is made if it is missing.
        files: content by path inside the zip.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_name(f"{path.name}.new")
    with zipfile.ZipFile(new, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        for name in sorted(files):
            entry = zipfile.ZipInfo(name, TIME)
            entry.create_system = UNIX
            entry.external_attr = (S_IFREG | MODE) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, files[name])
    new.replace(path)
