"""`tools/installer-digest` believes a signature, and nothing else."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tools.openshift_install import signature

SCRIPT = Path(__file__).resolve().parents[4] / "tools" / "installer-digest"
VERSION = "4.19.24"
DIGEST = "0a" * 32
LIST = f"{'1' * 64}  openshift-client-linux-{VERSION}.tar.gz\n{DIGEST}  openshift-install-linux-{VERSION}.tar.gz\n"
OTHER_LIST = LIST.replace(DIGEST, "0b" * 32)

pytestmark = pytest.mark.skipif(not shutil.which("gpg"), reason="gpg is not installed")


@pytest.fixture
def mirror(tmp_path: Path) -> Path:
    """Give a mirror with a signed list, in a folder."""
    return lay(tmp_path / "mirror")


def lay(folder: Path, text: str = LIST) -> Path:
    """Write a mirror with a signed list, and the key; return its folder."""
    place = folder / VERSION / "sha256sum.txt"
    place.parent.mkdir(parents=True)
    place.write_text(text, encoding="ascii")
    signature.sign(folder, [place])
    return folder


def digest(mirror: Path, key_of: Path | None = None, **variables: str) -> tuple[int, str]:
    """Run the script; return its exit code, and what it says.

    Args:
        mirror: the mirror's folder.
        key_of: the folder with the key that is wanted; by default the mirror's.
        **variables: further variables.
    """
    wanted = key_of or mirror
    environment = {
        "PATH": os.environ["PATH"],
        "OPENSHIFT_INSTALL_MIRROR": f"file://{mirror}",
        "INSTALLER_KEY": (wanted / signature.FINGERPRINT).read_text(encoding="ascii").strip(),
        "INSTALLER_KEY_URL": f"file://{mirror / signature.KEY}",
    }
    done = subprocess.run(
        [SCRIPT, VERSION], env=environment | variables, capture_output=True, text=True, check=False, timeout=60
    )
    return done.returncode, (done.stderr if done.returncode else done.stdout).strip()


def test_the_digest_in_a_signed_list_is_printed(mirror: Path) -> None:
    """As the catalogue's entry wants it."""
    assert digest(mirror) == (0, f"sha256:{DIGEST}")


def test_a_list_beside_its_signature_counts_as_well(mirror: Path, tmp_path: Path) -> None:
    """Publishers sign in either way."""
    place, home = mirror / VERSION / "sha256sum.txt", tmp_path / "h"
    home.mkdir(mode=0o700)
    gpg = ("gpg", "--homedir", str(home), "--batch", "--yes", "--pinentry-mode", "loopback", "--passphrase", "")
    subprocess.run([*gpg, "--quick-generate-key", "x", "ed25519", "sign", "never"], check=True, capture_output=True)
    subprocess.run([*gpg, "--output", f"{place}.gpg", "--detach-sign", place], check=True, capture_output=True)
    exported = subprocess.run([*gpg, "--armor", "--export"], check=True, capture_output=True, text=True).stdout
    (mirror / signature.KEY).write_text(exported, encoding="ascii")
    listed = subprocess.run([*gpg, "--with-colons", "--list-keys"], check=True, capture_output=True, text=True).stdout
    fingerprint = next(line.split(":")[9] for line in listed.splitlines() if line.startswith("fpr"))
    subprocess.run(["gpgconf", "--homedir", home, "--kill", "gpg-agent"], check=True)
    assert digest(mirror, INSTALLER_KEY=fingerprint) == (0, f"sha256:{DIGEST}")
    place.write_text(OTHER_LIST, encoding="ascii")
    assert digest(mirror, INSTALLER_KEY=fingerprint)[0] == 1


def test_a_list_that_was_changed_afterwards_does_not_count(mirror: Path) -> None:
    """What was signed does."""
    (mirror / VERSION / "sha256sum.txt").write_text(OTHER_LIST, encoding="ascii")
    assert digest(mirror) == (0, f"sha256:{DIGEST}")


def test_a_mirror_with_a_key_of_its_own_is_not_believed(mirror: Path, tmp_path: Path) -> None:
    """It serves a list, a signature and a key that fit together, but not the wanted key."""
    other = lay(tmp_path / "other", OTHER_LIST)
    code, said = digest(other, key_of=mirror)
    assert code == 1
    assert "is not signed by the key" in said
    assert "Check INSTALLER_KEY" in said


@pytest.mark.parametrize(
    ("spoil", "want"),
    [
        (lambda mirror: (mirror / VERSION / "sha256sum.txt.gpg").unlink(), "sha256sum.txt.gpg cannot be read."),
        (lambda mirror: (mirror / VERSION / "sha256sum.txt.gpg").write_text("x"), "is not signed by the key"),
        (lambda mirror: (mirror / signature.KEY).write_text("x"), "is not an OpenPGP key."),
    ],
    ids=["no signature", "not a signature", "not a key"],
)
def test_what_is_missing_is_named(mirror: Path, spoil: object, want: str) -> None:
    """Nothing is printed that could be taken for a digest."""
    spoil(mirror)  # type: ignore[operator]  # a function above
    code, said = digest(mirror)
    assert code == 1
    assert want in said


def test_a_signed_list_without_the_archive_has_no_digest(tmp_path: Path) -> None:
    """Of another version, for example."""
    code, said = digest(lay(tmp_path / "mirror", LIST.replace(VERSION, "4.19.25")))
    assert (code, said) == (
        1,
        f"The signed list of version {VERSION} has no digest of openshift-install-linux-{VERSION}.tar.gz.",
    )
