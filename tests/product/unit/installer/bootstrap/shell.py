"""Scripts of the bootstrap machine, run here in a temporary folder with stand-ins for its programs."""

import os
import subprocess
from pathlib import Path

from tests.product.unit.installer.bootstrap import bootstrap_machine

# The machine's own folders; scripts use no others.
_FOLDERS = ("/opt/openshift", "/usr/local/bin", "/etc/crio", "/etc/kubernetes", "/etc/containers", "/var/log")


class Machine:
    """A folder that represents the machine.

    Args:
        root: the folder.
        flavour: flavour of its scripts.
    """

    def __init__(self, root: Path, flavour: str) -> None:
        self.root, self._flavour = root, flavour
        self._stand_ins = root / "stand-ins"
        for folder in (*_FOLDERS, "/tmp", "/root", "/stand-ins"):  # noqa: S108 - below the root
            self.path(folder).mkdir(parents=True, exist_ok=True)
        for path, text in bootstrap_machine.scripts(flavour).items():
            self.write(path, self._here(text), 0o755)

    def path(self, path: str) -> Path:
        """Return where a path of the machine is on this one."""
        return self.root / path.removeprefix("/")

    def write(self, path: str, text: str, mode: int = 0o644) -> None:
        """Write a file of the machine."""
        self.path(path).parent.mkdir(parents=True, exist_ok=True)
        self.path(path).write_text(text)
        self.path(path).chmod(mode)

    def stand_in(self, name: str, does: str) -> None:
        """Replace a program by a stand-in; it finds the machine's folder in ROOT."""
        self.write(f"/stand-ins/{name}", f"#!/usr/bin/env bash\n{does}\n", 0o755)

    def run(self, script: str, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        """Run a script to its end."""
        return subprocess.run(
            ["/usr/bin/env", "bash", str(self.path(f"/usr/local/bin/{script}")), *arguments],
            env={"PATH": f"{self._stand_ins}:{os.environ['PATH']}", "HOME": str(self.path("/root"))}
            | {"ROOT": str(self.root)}
            | environment,
            capture_output=True,
            text=True,
            timeout=200,
            check=False,
        )

    def _here(self, text: str) -> str:
        for folder in _FOLDERS:
            text = text.replace(folder, f"{self.root}{folder}")
        return text
