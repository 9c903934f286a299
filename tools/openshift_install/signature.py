"""Signs the lists of checksums of the local mirror, as Red Hat signs those of its own, with a key made for it."""

import shutil
import subprocess
import tempfile
from collections.abc import Iterable
from pathlib import Path

KEY, FINGERPRINT = "release-key.asc", "release-key.fingerprint"
_NAME = "Local mirror <mirror@localhost>"


def sign(folder: Path, lists: Iterable[Path]) -> None:
    """Write the signature of each list beside it, and the public key with its fingerprint into the folder.

    Without gpg there are none: only whoever follows `docs/deploy.md` needs them, and that page needs gpg, too.

    Args:
        folder: the mirror's.
        lists: the lists in it.
    """
    if not shutil.which("gpg"):
        return
    # The agent's socket needs a short path.
    with tempfile.TemporaryDirectory(prefix="gpg-") as home:
        try:
            _gpg(home, "--passphrase", "", "--quick-generate-key", _NAME, "ed25519", "sign", "never")
            for each in lists:
                _gpg(home, "--output", f"{each}.gpg", "--sign", str(each))
            (folder / KEY).write_text(_gpg(home, "--armor", "--export"), encoding="ascii")
            listed = _gpg(home, "--with-colons", "--list-keys")
            fingerprint = next(line.split(":")[9] for line in listed.splitlines() if line.startswith("fpr:"))
            (folder / FINGERPRINT).write_text(f"{fingerprint}\n", encoding="ascii")
        finally:
            subprocess.run(["gpgconf", "--homedir", home, "--kill", "gpg-agent"], check=False, timeout=60)


def _gpg(home: str, *words: str) -> str:
    command = ("gpg", "--homedir", home, "--batch", "--yes", "--quiet", "--pinentry-mode", "loopback", *words)
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=120).stdout
