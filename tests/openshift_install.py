"""The stand-in for `openshift-install` as tests use it: it notes its runs, and checks how it was started."""

import hashlib
import itertools
import json
import os
import stat
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import cast

from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from installer import pki
from tools.openshift_install import program

ROOT = Path(__file__).parents[1]
# The environment variables that the service may pass to it.
ENVIRONMENT = {
    *("PATH", "HOME", "TMPDIR", "OPENSHIFT_INSTALL_INVOKER", "OPENSHIFT_INSTALL_RELEASE_IMAGE_OVERRIDE"),
    *("HTTPS_PROXY", "HTTP_PROXY", "IDENTITY_ENDPOINT", "IDENTITY_HEADER", "AZURE_REGIONAL_AUTHORITY_NAME"),
    *("SSL_CERT_FILE", "SSL_CERT_DIR"),
}
# Variables that Python and the shell set themselves.
_ITS_OWN = {"LC_CTYPE", "PWD", "SHLVL", "_", "__CF_USER_TEXT_ENCODING"}


def install(file: Path, version: str, keys: Sequence[rsa.RSAPrivateKey] = ()) -> Path:
    """Write the program; return the file to which it notes its runs, one JSON object a line.

    Args:
        file: path of the program.
        version: version of the program.
        keys: keys to use instead of new ones, which take seconds to generate.
    """
    notes = file.with_name("notes.jsonl")
    file.parent.mkdir(parents=True, exist_ok=True)
    if keys:
        _keys_of(notes).write_text(json.dumps([pki.private_pem(key) for key in keys]), encoding="utf-8")
    lines = (
        f"#!{sys.executable}",
        "import sys",
        f"sys.path.insert(0, {str(ROOT)!r})",
        "from tests.openshift_install import main",
        f"sys.exit(main(sys.argv[1:], {version!r}, {str(notes)!r}))",
    )
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    file.chmod(0o755)
    return notes


def _keys_of(notes: Path) -> Path:
    return notes.with_suffix(".keys")


def _hand_out(keys: Sequence[str]) -> None:
    pairs = itertools.cycle(
        [load_pem_private_key(pem.encode(), None, unsafe_skip_rsa_key_validation=True) for pem in keys]
    )
    pki.new_key = lambda: cast("rsa.RSAPrivateKey", next(pairs))


def main(words: list[str], version: str, notes: str) -> int:
    """Run as the program does; return the exit code.

    Args:
        words: the command line without the program.
        version: version of the program.
        notes: path of the file to which runs are noted.
    """
    if _keys_of(Path(notes)).exists():
        _hand_out(json.loads(_keys_of(Path(notes)).read_text(encoding="utf-8")))
    if words == ["version"]:
        return program.main(words, version)
    folder = Path(words[3])
    found = _files(folder)
    try:
        _expect_private(words, folder)
    except AssertionError as error:
        sys.stderr.write(f"level=fatal msg=stand-in: {error}\n")
        return 3
    if code := program.main(words, version):
        return code
    state = json.loads((folder / program.STATE).read_text(encoding="utf-8"))["*installconfig.ClusterID"]
    noted = {
        "words": words,
        "environment": sorted(os.environ),
        "found": found,
        "credentials": sorted(_credentials()),
        "folder": str(folder),
        "drawn": {"infraId": state["InfraID"], "clusterId": state["UUID"]},
        "sha256": {path: hashlib.sha256((folder / path).read_bytes()).hexdigest() for path in _files(folder)},
    }
    with Path(notes).open("a", encoding="utf-8") as stream:
        stream.write(json.dumps(noted) + "\n")
    return 0


def _credentials() -> set[str]:
    """Return the names of what the file of credentials has."""
    file = Path(os.environ["HOME"], ".azure", "osServicePrincipal.json")
    return set(json.loads(file.read_text(encoding="utf-8")))


def _files(folder: Path) -> list[str]:
    return sorted(str(file.relative_to(folder)) for file in folder.rglob("*") if file.is_file())


def _expect_private(words: list[str], folder: Path) -> None:
    """Check that nobody else can read what is written here, and that nothing of the service can be read here."""
    assert words[0] == "create", f"verb {words[0]}"
    assert words[2] == "--dir", f"option {words[2]}"
    assert words[4:] == ["--log-level=info"], f"options {words[4:]}"
    strange = set(os.environ) - ENVIRONMENT - _ITS_OWN
    assert not strange, f"environment {strange}"
    assert os.environ["OPENSHIFT_INSTALL_INVOKER"] == "ARO", "invoker"
    home = Path(os.environ["HOME"])
    for private in (folder.parent, folder, home, home / ".azure", Path(os.environ["TMPDIR"])):
        assert stat.S_IMODE(private.stat().st_mode) == 0o700, f"mode of {private}"
        assert private.is_relative_to(folder.parent), f"place of {private}"
    for file in (home / ".azure" / "osServicePrincipal.json", folder / "install-config.yaml"):
        assert not file.exists() or stat.S_IMODE(file.stat().st_mode) == 0o600, f"mode of {file}"
    assert not sys.stdin.read(), "it is asked something"
