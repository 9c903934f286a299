"""Plain calls to a program on this machine."""

from typing import Any

import requests

from emulator.run.command_error import RunError

TIMEOUT_SECONDS = 10


def send(address: str, method: str, **options: Any) -> requests.Response:
    """Send a request; return the answer, whatever its status.

    Raises:
        RunError: nothing answers.
    """
    with requests.Session() as session:
        # The platform is on this machine, so the shell's proxy settings must not apply.
        session.trust_env = False
        try:
            return session.request(method, address, timeout=TIMEOUT_SECONDS, **options)
        except requests.RequestException as error:
            raise RunError(f"the local Azure does not answer at {address}: {error}") from error
