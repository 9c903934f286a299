"""Right requests of today's kubectl are answered: all commands of the table, in their order."""

import base64
import os
import re
import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509.oid import NameOID

from tests.emulator.integration.kubernetes import servers
from tests.emulator.integration.kubernetes.commands import COMMANDS, Command
from tests.emulator.integration.kubernetes.servers import Api, EmulatedApi

PROGRAMS = Path(__file__).parents[4] / ".venv-kubectl"
VERSIONS = ("1.36", "1.37")
TIMEOUT_SECONDS = 60


@pytest.fixture(scope="module")
def controlled_api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmulatedApi]:
    """Run the emulated server with controllers."""
    with servers.controlled(tmp_path_factory.mktemp("controlled")) as api:
        yield api


@pytest.mark.timeout(600)
@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("server", ["controlled_api", "real_api"])
def test_right_commands_of_kubectl_work(
    server: str, version: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    """Each prints what the table says; the failure lists every command that does not."""
    program = PROGRAMS / version / "bin" / "kubectl"
    if not program.exists():
        pytest.skip("kubectl is not installed: run `tools/bootstrap kubectl`")
    api: Api = request.getfixturevalue(server)
    run = Run(api, program, f"shop-{version.replace('.', '-')}", tmp_path)
    wrong = [problem for command in COMMANDS for problem in run.problems(command)]
    assert not wrong, "\n".join([f"{len(wrong)} of {len(COMMANDS)} commands:", *wrong])


class Run:
    """One kubectl, in a namespace of its own, with its own cache of discovered kinds."""

    def __init__(self, api: Api, program: Path, namespace: str, home: Path) -> None:
        certificate = str(api.client_certificate("admin", "system:masters"))
        self._is_real, self._namespace = api.is_real, namespace
        self._program = [
            str(program),
            f"--server={api.url}",
            f"--certificate-authority={api.authority.certificate_path}",
            f"--client-certificate={certificate}",
            f"--client-key={certificate}",
        ]
        # `edit` opens the editor, and sees that it has changed nothing.
        self._environment = {"PATH": os.environ["PATH"], "HOME": str(home), "EDITOR": "true"}

    def problems(self, command: Command) -> Iterator[str]:
        """Run a command; yield what is wrong with its outcome."""
        if self._is_real and command.not_real:
            return
        words, want, text = (self._of_run(text) for text in (command.words, command.prints, command.text))
        # `diff` looks for its program beside it.
        arguments = [*self._program, *shlex.split(words)]
        try:
            done = subprocess.run(
                arguments,
                input=text,
                env=self._environment,
                capture_output=True,
                text=True,
                check=False,
                timeout=TIMEOUT_SECONDS,
            )
        except subprocess.TimeoutExpired:
            yield f"kubectl {words}: hangs"
            return
        printed = done.stdout + done.stderr
        if (done.returncode != 0) != command.fails or not re.search(want, printed):
            yield f"kubectl {words}: exit code {done.returncode}, wanted {want!r}: {printed.strip()[:500]}"

    def _of_run(self, text: str) -> str:
        return text.replace("{ns}", self._namespace).replace("CERTIFICATE", _request())


def _request() -> str:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "somebody")])
    built = x509.CertificateSigningRequestBuilder().subject_name(name).sign(key, hashes.SHA256())
    return base64.b64encode(built.public_bytes(Encoding.PEM)).decode()
