"""A login by ssh with a key that stays in memory: an agent of its own has it, and ends with the login.

The jump host does not see the key: there, ssh uses the keys and the configuration of whoever runs the command.
"""

import os
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from shared.openshift.client import NotDone

# An agent answers within milliseconds.
_AGENT_SECONDS, _POLL_SECONDS = 10.0, 0.05


@dataclass(frozen=True)
class Target:
    """Whom to log in as, and where.

    Args:
        user: the user on the machine.
        address: its address.
        jump: a host that reaches it, as ssh's option -J takes it; "" if this machine does.
        options: further options for ssh, `NAME=VALUE`.
    """

    user: str
    address: str
    jump: str = ""
    options: tuple[str, ...] = ()


def run(target: Target, private_key: str, command: Sequence[str]) -> int:
    """Log in, run a command or a shell, and return its exit code; 255 if ssh itself fails.

    Args:
        target: whom and where.
        private_key: PEM.
        command: what to run there; a shell if it is empty.

    Raises:
        NotDone: ssh's programs are not installed, or refuse the key.
    """
    with tempfile.TemporaryDirectory(prefix="aro-ssh-") as folder:
        try:
            with _agent(Path(folder), private_key) as socket:
                arguments = _arguments(target, socket, Path(folder))
                return subprocess.run(["ssh", *arguments, "--", target.address, *command], check=False).returncode
        except FileNotFoundError as error:
            raise NotDone(f"'{error.filename}' is not installed. Install the OpenSSH client.") from error


def _arguments(target: Target, socket: Path, folder: Path) -> list[str]:
    """Return ssh's options. What the caller gives comes first: ssh takes the first value of each option."""
    options = (
        *target.options,
        f"User={target.user}",
        f"IdentityAgent={socket}",
        # Of this login's own agent, not of files.
        "IdentityFile=none",
        "PreferredAuthentications=publickey",
        # The machine has made its host key itself, so nobody can know it; it must not change during the login.
        "StrictHostKeyChecking=accept-new",
        f"UserKnownHostsFile={folder / 'known_hosts'}",
        "GlobalKnownHostsFile=none",
    )
    jump = ["-J", target.jump] if target.jump else []
    return [*jump, *(word for option in options for word in ("-o", option))]


@contextmanager
def _agent(folder: Path, private_key: str) -> Iterator[Path]:
    """Yield the socket of an agent that has the key, in a folder that only we may open."""
    socket = folder / "agent"
    with subprocess.Popen(["ssh-agent", "-D", "-a", str(socket)], stdout=subprocess.DEVNULL) as agent:
        try:
            until = time.monotonic() + _AGENT_SECONDS
            while not socket.exists():
                if agent.poll() is not None or time.monotonic() > until:
                    raise NotDone("ssh-agent does not start.")
                time.sleep(_POLL_SECONDS)
            added = subprocess.run(
                ["ssh-add", "-q", "-"],
                input=private_key,
                text=True,
                capture_output=True,
                env={**os.environ, "SSH_AUTH_SOCK": str(socket)},
                check=False,
            )
            if added.returncode:
                raise NotDone(f"ssh-add refuses the cluster's key: {added.stderr.strip()}")
            yield socket
        finally:
            agent.terminate()
