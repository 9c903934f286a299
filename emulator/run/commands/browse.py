"""`python -m emulator browse`: shows the local Azure in a browser that has its proxy, its authority, and no other profile."""

import base64
import hashlib
import shutil
import subprocess
from pathlib import Path
from typing import Annotated

import typer
from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from emulator.run.children import last_lines
from emulator.run.command_error import RunError
from emulator.run.commands import client
from emulator.run.state import StateFolder, default_root

# As Linux finds them, and where macOS keeps them.
PROGRAMS = (
    *("chromium", "chromium-browser", "google-chrome", "microsoft-edge"),
    *(f"/Applications/{name}.app/Contents/MacOS/{name}" for name in ("Chromium", "Google Chrome", "Microsoft Edge")),
)
# Nothing on the local Azure answers what a browser asks its maker, and each question is a line of the journal.
QUIET = (
    *("--no-first-run", "--no-default-browser-check", "--disable-background-networking", "--disable-component-update"),
    *("--disable-sync", "--no-pings", "--disable-features=AutofillServerCommunication,OptimizationHints"),
)


State = Annotated[Path, typer.Option("--state", help="State folder of the platform.")]
DEFAULT_STATE = default_root()


def program() -> str | None:
    """Return the path of a browser of this machine that takes these options, or None."""
    return next(filter(None, map(shutil.which, PROGRAMS)), None)


def options(proxy: str, authority: Path) -> tuple[str, ...]:
    """Return the options that lead a browser to a local Azure: nothing else is believed than its authority's key.

    Args:
        proxy: address of the proxy.
        authority: file with the authority's certificate, as PEM.
    """
    key = x509.load_pem_x509_certificate(authority.read_bytes()).public_key()
    digest = hashlib.sha256(key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)).digest()
    return (f"--proxy-server={proxy}", f"--ignore-certificate-errors-spki-list={base64.b64encode(digest).decode()}")


def browse(state: State = DEFAULT_STATE) -> None:
    """Open the local Azure's page, and the service's if it has one, in a browser with a profile of its own."""
    folder = StateFolder(state)
    document = client.require_endpoints(folder)
    pages = [document[name] for name in ("control", "portal") if document[name]]
    found = program()
    if found is None:
        typer.echo(
            f"This machine has no Chromium, Chrome or Edge. Any browser shows {pages[0]}; that page says what a browser "
            "needs for Azure's names."
        )
        return
    typer.echo(f"{Path(found).name} shows {' and '.join(pages)}. This command ends when you close it.")
    log = folder.logs / "browser.log"
    command = [found, f"--user-data-dir={folder.root / 'browser'}", *QUIET]
    command += [*options(document["proxy"], Path(document["ca_bundle"])), *pages]
    with log.open("wb") as output:
        code = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, check=False).returncode
    if code:
        raise RunError("\n".join([f"{found} ended with {code}:", *last_lines(log)]))
