"""Runs of the program `openshift-install`: its inputs, its limits, and its failures.

It sees only its own working folder, which also contains HOME and TMPDIR, and the system's programs and libraries. Of
the network it sees only the gateway. Of the service's environment it gets only where authorities of certificates are.

It asks Azure as a managed identity, because its file of credentials has no secret. So the customer's secret never
reaches it. It accepts that only with the credentials mode `Manual`, in which it leaves out the Secret of the cluster's
credentials and nothing else: `back_end.py` lays that, and the install-config without the mode.

Source: openshift/installer `pkg/asset/installconfig/azure/session.go`, `pkg/asset/installconfig/platformcredscheck.go`,
`pkg/asset/manifests/openshift.go`; azure-sdk-for-go `sdk/azidentity/managed_identity_client.go`.
"""

import base64
import binascii
import errno
import json
import os
import re
import subprocess
import sys
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

from installer import manifest_yaml
from installer.back_end_errors import InstallerError, may_pass
from installer.graph import Content, Inputs
from installer.openshift_install.gateway import Gateway
from shared.children import child_process
from shared.children.child_process import Confinement
from shared.release import release_rules

PROGRAM = "openshift-install"
VERSION = f"{PROGRAM} version"
# Without calls to Azure.
IGNITION_SECONDS, _VERSION_SECONDS = 60, 30
# Ignition and state have a few MiB, and lie in memory, as its output does.
LARGEST_FILE = 64 << 20
# Ten times what was measured (docs/figures.md). A plan's instance has two GiB at least, also for other creates.
_CPU_SECONDS, _MEMORY_BYTES = 120, 1 << 30
_AUTHORITIES = ("SSL_CERT_FILE", "SSL_CERT_DIR")
_INHERITED = ("PATH", *_AUTHORITIES)
# A script of this interpreter may take the program's place.
_STARTABLE = ("/usr", "/lib", "/lib64", "/bin", sys.prefix, sys.base_prefix)
_READABLE = (
    *("/etc/ssl", "/etc/pki", "/etc/ld.so.cache", "/etc/localtime", "/etc/passwd"),
    *("/dev/zero", "/dev/random", "/dev/urandom"),
)
_WRITABLE = ("/dev/null",)
_PRINCIPAL = (".azure", "osServicePrincipal.json")
_INVOKER, _OVERRIDE = "ARO", "OPENSHIFT_INSTALL_RELEASE_IMAGE_OVERRIDE"
# Programs from before 4.12 do not say what they install, and those whose marker is empty say `unknown`.
_ARCHITECTURES = ("amd64", "multi", "unknown", "")
_SAID_BYTES, _SAID_LINES, _SAID_CHARACTERS = 16_384, 8, 300
_HIDDEN = "***"
# Shorter ones also occur as words of any sentence.
_SHORTEST_SECRET = 6
# Secrets that the program made itself, which cannot be listed.
_PEM = re.compile(r"-----BEGIN [A-Z ]+-----[^-]*(-----END [A-Z ]+-----)?|[A-Za-z0-9+/=\s]+-----END [A-Z ]+-----")
_LIKE_A_KEY = re.compile(r"[A-Za-z0-9+/=_-]{64,}")
_NOT_STARTED = {
    errno.ENOENT: "is not there, or the interpreter that it names is not",
    errno.EACCES: "is not executable, or lies where nothing may be executed",
    errno.ENOEXEC: "is not a program for this machine: another architecture, or not a program",
}


@dataclass(frozen=True)
class _Surroundings:
    """What one run of the program has besides its folder.

    Args:
        variables: more of its environment.
        port: where its connections lead; None if it has no network.
        secrets: what its errors must not repeat.
    """

    variables: Mapping[str, str] = field(default_factory=dict)
    port: int | None = None
    secrets: Collection[str] = ()


@dataclass(frozen=True)
class Program:
    """The program in its working folder.

    Args:
        file: the program.
        work: private folder with HOME, temporary files and its output, beside `assets`.
    """

    file: Path
    work: Path

    @property
    def assets(self) -> Path:
        """Its `--dir`."""
        return self.work / "assets"

    def expect_release(self, release: Content) -> None:
        """Check that it belongs to the release to install.

        Args:
            release: `version` and `pullspec`.

        Raises:
            InstallerError: if it cannot be started, or belongs to another release.
        """
        self._make_folders(self._home, self._temporary)
        output = self._run(VERSION, ("version",), _VERSION_SECONDS, _Surroundings())
        lines = [line.split() for line in output.splitlines()]
        version = next((line[1].removeprefix("v") for line in lines[:1] if len(line) > 1), "")
        image, architecture = (
            next((line[2] for line in lines if line[:2] == ["release", name] and len(line) > 2), "")  # noqa: PLR2004 - release, image, its name
            for name in ("image", "architecture")
        )
        own, wanted = release_rules.pinned_digest(image), release_rules.pinned_digest(release["pullspec"])
        if version != release["version"]:
            cause = f"is of version '{version}', and the catalogue wants '{release['version']}'"
        elif own and wanted and own != wanted:
            cause = f"installs the release image {own}, and the catalogue's 'openShiftPullspec' is {wanted}"
        elif architecture not in _ARCHITECTURES:
            cause = f"installs machines of the architecture {architecture}, and Azure's here are {_ARCHITECTURES[0]}"
        else:
            return
        remedy = "correct the catalogue's entry, or take the program away that lies where OPENSHIFT_INSTALL says"
        raise InstallerError(VERSION, f"{PROGRAM} {cause}: {remedy}", place=str(self.file))

    def prepare(self, inputs: Inputs) -> None:
        """Make the folders, and put where the cluster will be where the program looks for its credentials.

        Args:
            inputs: those of the graph.
        """
        self._make_folders(self.assets, self._home, self._home / _PRINCIPAL[0], self._temporary)
        names = {name: inputs["platform-credentials"][name] for name in ("subscriptionId", "tenantId")}
        write(self._home.joinpath(*_PRINCIPAL), json.dumps(names))
        config = inputs["install-config"] | {"credentialsMode": "Manual"}
        write(self.assets / "install-config.yaml", manifest_yaml.to_yaml(config))

    def create(self, what: str, seconds: int, inputs: Inputs, gateway: Gateway) -> None:
        """Run `openshift-install create ...`.

        Args:
            what: `manifests` or `ignition-configs`.
            seconds: how long it may take.
            inputs: those of the graph.
            gateway: its way to Azure.

        Raises:
            InstallerError: if it fails or takes too long.
        """
        words = ("create", what, "--dir", str(self.assets), "--log-level=info")
        variables = {
            _OVERRIDE: inputs["release-image"]["pullspec"],
            # With a region, Azure's library does not ask Entra which names it has, which it would do before each token.
            "AZURE_REGIONAL_AUTHORITY_NAME": inputs["install-config"]["platform"]["azure"]["region"],
            **gateway.environment,
        }
        self._run(f"create {what}", words, seconds, _Surroundings(variables, gateway.port, secrets(inputs)))

    @property
    def _home(self) -> Path:
        return self.work / "home"

    @property
    def _temporary(self) -> Path:
        return self.work / "tmp"

    def _make_folders(self, *folders: Path) -> None:
        for folder in folders:
            folder.mkdir(mode=0o700)

    def _environment(self) -> dict[str, str]:
        return {name: os.environ[name] for name in _INHERITED if name in os.environ} | {
            "HOME": str(self._home),
            "TMPDIR": str(self._temporary),
            "OPENSHIFT_INSTALL_INVOKER": _INVOKER,
        }

    def _confinement(self, port: int | None) -> Confinement:
        authorities = [Path(os.environ[name]) for name in _AUTHORITIES if name in os.environ]
        return Confinement(
            readable=[*map(Path, _READABLE), *authorities],
            startable=[*map(Path, _STARTABLE), *_environment_of(self.file)],
            writable=[self.work, *map(Path, _WRITABLE)],
            port=port,
        )

    def _run(self, step: str, words: tuple[str, ...], seconds: float, surroundings: _Surroundings) -> str:
        """Run it; return its output, or at most its beginning."""
        output_file = self.work / "said"
        limits = child_process.Limits(seconds, _CPU_SECONDS, _MEMORY_BYTES, LARGEST_FILE)
        command = (str(self.file), *words)
        try:
            code = child_process.run(
                command,
                limits,
                folder=self.work,
                environment={**self._environment(), **surroundings.variables},
                output=output_file,
                confinement=self._confinement(surroundings.port),
            )
        except OSError as error:
            cause = _NOT_STARTED.get(error.errno or 0, f"cannot be started ({error.strerror})")
            cause = f"{PROGRAM} {cause}"
            raise InstallerError(step, cause, passing=may_pass(error), place=str(self.file)) from None
        except subprocess.TimeoutExpired:
            cause = f"it did not end within {seconds:g} seconds"
            raise InstallerError(
                step, cause, self._last_lines(output_file, surroundings.secrets), passing=True
            ) from None
        text = child_process.text_of(output_file, _SAID_BYTES)
        if code:
            end = child_process.text_of(output_file, _SAID_BYTES, max(0, output_file.stat().st_size - _SAID_BYTES))
            how = f"it ended with code {code}" if code > 0 else f"signal {-code} ended it"
            last_lines = self._last_lines(output_file, surroundings.secrets)
            raise InstallerError(step, limits.exceeded(code, text + end) or how, last_lines)
        return text

    def _last_lines(self, output_file: Path, hidden: Collection[str]) -> tuple[str, ...]:
        left_out = max(0, output_file.stat().st_size - _SAID_BYTES)
        text = child_process.text_of(output_file, _SAID_BYTES, left_out)
        if left_out:
            # A cut line could begin with part of a secret, which would not be recognized.
            text = text.partition("\n")[2]
        # Folders of this machine are not for customers either.
        text = text.replace(str(self.file), PROGRAM).replace(f"{self.work}/", "")
        for secret in sorted(hidden, key=len, reverse=True):
            text = text.replace(secret, _HIDDEN)
        text = _LIKE_A_KEY.sub(_HIDDEN, _PEM.sub(_HIDDEN, text))
        lines = [line.strip() for line in text.splitlines() if line.strip()]
        return tuple(line[:_SAID_CHARACTERS] for line in lines[-_SAID_LINES:])


def _environment_of(program: Path) -> Iterator[Path]:
    """Yield the virtual environment of the interpreter that a script names in its first line, and its Python, if so."""
    with program.open("rb") as file:
        first = file.readline(_SAID_CHARACTERS).decode(errors="replace").split()
    if first and first[0].startswith("#!/"):
        environment = Path(first[0].removeprefix("#!")).parent.parent
        if (environment / "pyvenv.cfg").is_file():
            yield environment
            settings = (environment / "pyvenv.cfg").read_text(encoding="utf-8").splitlines()
            yield from (Path(line.partition("=")[2].strip()).parent for line in settings if line.startswith("home ="))


def write(file: Path, text: str) -> None:
    """Write a file that only its owner may read."""
    with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as stream:
        stream.write(text)


def secrets(inputs: Inputs) -> set[str]:
    """Return the inputs that must not appear in an error, in each spelling in which a program could repeat them."""
    config = inputs["install-config"]
    credentials = inputs["platform-credentials"]
    plain = {
        credentials.get("clientSecret", ""),
        credentials.get("workloadIdentity", {}).get("signingKey", ""),
        config["pullSecret"],
        config["sshKey"],
    }
    plain.update(_registry_secrets(config["pullSecret"]))
    return {
        spelled
        for text in plain
        if len(text) >= _SHORTEST_SECRET
        for spelled in (text, quote(text, safe=""), json.dumps(text)[1:-1], base64.b64encode(text.encode()).decode())
    }


def _registry_secrets(pull_secret: str) -> Iterator[str]:
    for entry in (json.loads(pull_secret or "{}").get("auths") or {}).values():
        credential = str(entry.get("auth") or "")
        yield credential
        with suppress(binascii.Error, UnicodeDecodeError):
            decoded = base64.b64decode(credential, validate=True).decode()
            yield decoded
            yield decoded.partition(":")[2]
