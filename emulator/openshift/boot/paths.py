"""The bootstrap machine's file system while a script is gone through: paths without content.

A path with an unknown part belongs to nothing, so nothing is said of it.
"""

import fnmatch
import posixpath

from emulator.openshift.boot.installation import ROOT

# Stands for what only a real run knows.
UNKNOWN = "\0"


def place(word: str) -> str:
    """Return the full path of a file that a script names, whose folder is /opt/openshift."""
    return posixpath.normpath(posixpath.join(ROOT, word)) if word else ROOT


class Paths:
    """Files and folders, by their full paths."""

    def __init__(self, files: frozenset[str]) -> None:
        self._files, self._folders = set(files), set[str]()

    def add(self, path: str, *, is_folder: bool = False) -> None:
        """Make a file, or a folder that may be empty."""
        if UNKNOWN not in path:
            (self._folders if is_folder else self._files).add(path)

    def remove(self, path: str) -> None:
        """Remove a file, or a folder with what is in it."""
        for paths in (self._files, self._folders):
            paths -= {found for found in paths if found == path or found.startswith(f"{path}/")}

    def copy(self, path: str, target: str, *, is_folder: bool = False) -> None:
        """Copy a file or a folder.

        Args:
            path: its path.
            target: path of the copy as the script has it; a folder if it ends with a slash or is one.
            is_folder: whether the target is a folder in any case, as for several files.
        """
        copy = place(target)
        if is_folder or target.endswith("/") or self.has_folder(copy):
            copy = f"{copy}/{posixpath.basename(path)}"
        below = [found for found in self._files if found.startswith(f"{path}/")]
        for found in below or [path]:
            self.add(copy + found.removeprefix(path))

    def has(self, path: str) -> bool:
        """Tell whether there is a file or a folder."""
        return path in self._files or self.has_folder(path)

    def has_folder(self, path: str) -> bool:
        """Tell whether there is a folder, even an empty one."""
        return path in self._folders or any(found.startswith(f"{path}/") for found in self._files)

    def matches(self, pattern: str) -> list[str]:
        """Return the files and folders that a name or a pattern stands for."""
        path = place(pattern)
        if "*" not in path:
            return [path] if self.has(path) else []
        depth = path.count("/")
        known = {"/".join(found.split("/")[: depth + 1]) for found in self._files if found.count("/") >= depth}
        return sorted(found for found in known if fnmatch.fnmatchcase(found, path))
