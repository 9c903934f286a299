"""A login with the cluster's key, on a real sshd that accepts no other."""

import getpass
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from phases.local import ssh
from shared.openshift.client import NotDone
from tests.platform_server import free_port

SSHD = shutil.which("sshd", path="/usr/sbin:/usr/local/sbin:/usr/bin:/bin")
pytestmark = pytest.mark.skipif(SSHD is None, reason="sshd is not on this machine (Debian: openssh-server)")
SECONDS = 20.0


def private_key() -> tuple[str, str]:
    """Return a key as a create makes it, and its public half."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    pem = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.TraditionalOpenSSL, serialization.NoEncryption()
    )
    public = key.public_key().public_bytes(serialization.Encoding.OpenSSH, serialization.PublicFormat.OpenSSH)
    return pem.decode(), public.decode()


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[ssh.Target, str]]:
    """Yield a machine that runs sshd, and the key that it accepts."""
    folder = tmp_path_factory.mktemp("sshd")
    pem, public = private_key()
    (folder / "accepted").write_text(public)
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", folder / "host"], check=True)
    port = free_port()
    settings = {
        "ListenAddress": f"127.0.0.1:{port}",
        "HostKey": folder / "host",
        "AuthorizedKeysFile": folder / "accepted",
        "PasswordAuthentication": "no",
        "KbdInteractiveAuthentication": "no",
        "PermitRootLogin": "prohibit-password",
        # The folder of a test may be below one that others may write.
        "StrictModes": "no",
        "UsePAM": "no",
        "PidFile": "none",
    }
    (folder / "config").write_text("".join(f"{name} {value}\n" for name, value in settings.items()))
    Path("/run/sshd").mkdir(exist_ok=True)
    log = folder / "log"
    with log.open("w") as said, subprocess.Popen([str(SSHD), "-D", "-e", "-f", folder / "config"], stderr=said) as sshd:
        until = time.monotonic() + SECONDS
        while "Server listening" not in log.read_text():
            assert sshd.poll() is None, log.read_text()
            assert time.monotonic() < until
            time.sleep(0.05)
        yield ssh.Target(getpass.getuser(), "127.0.0.1", options=(f"Port={port}",)), pem
        sshd.terminate()


def test_the_clusters_key_opens_the_machine(machine: tuple[ssh.Target, str]) -> None:
    """The command runs there, and its exit code is ours."""
    target, key = machine
    assert ssh.run(target, key, ["exit 7"]) == 7


def test_another_key_opens_nothing(machine: tuple[ssh.Target, str]) -> None:
    """Ssh fails with 255, and asks for no password."""
    assert ssh.run(machine[0], private_key()[0], ["true"]) == 255


def test_a_key_that_is_none_is_refused(machine: tuple[ssh.Target, str]) -> None:
    """Before anybody is called."""
    with pytest.raises(NotDone, match="ssh-add refuses the cluster's key"):
        ssh.run(machine[0], "no key", ["true"])
