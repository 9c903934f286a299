"""Scripts of the bootstrap machine, from `scripts/`.

`@NAME@` stands for a value of the cluster, quoted for the shell. Lines that begin with `#records: ` are kept, without
that prefix, for releases whose units keep records.
"""

import re
import shlex
from collections.abc import Iterable
from importlib import resources

from installer.graph import Content
from installer.release.releases import WITH_RECORDS

# Not a path: the installer also runs from a zip.
FOLDER = resources.files("installer.bootstrap") / "scripts"
_VALUE = re.compile(r"@([A-Z_]+)@")
_RECORDED = re.compile(r"^( *)#records: (.*\n)", re.MULTILINE)


def text(name: str, release: Content, **values: str | Iterable[str]) -> str:
    """Return a script with its values filled in.

    Args:
        name: name of its file, without the suffix.
        release: the machine's release.
        values: by name; a text becomes one word, a list as many words.

    Raises:
        KeyError: if a value is missing.
    """

    def quoted(match: re.Match[str]) -> str:
        value = values[match[1].lower()]
        return shlex.quote(value) if isinstance(value, str) else shlex.join(value)

    recorded = r"\1\2" if release in WITH_RECORDS else ""
    return _VALUE.sub(quoted, _RECORDED.sub(recorded, (FOLDER / f"{name}.sh").read_text(encoding="utf-8")))
