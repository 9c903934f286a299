"""The options that say which service to ask, and as whom."""

from pathlib import Path
from typing import Annotated

import typer

from phases.local.service import Service
from shared.bundles.problems import bundle_error

Address = Annotated[str, typer.Option("--service", help="Address of the service.", envvar="ARO_SERVICE")]
Certificate = Annotated[
    Path | None, typer.Option("--certificate", help="An operator's certificate and key, PEM.", dir_okay=False)
]
Scope = Annotated[
    str,
    typer.Option(
        "--scope",
        help="Scope of the service's tokens, to sign in with this terminal's credentials.",
        envvar="ARO_SCOPE",
    ),
]


def service_of(address: str, certificate: Path | None, scope: str) -> Service:
    """Return the service at an address.

    Raises:
        BundleError: none is named.
    """
    if not address:
        raise bundle_error("Name the address of the service: --service, or the variable ARO_SERVICE.")
    return Service(address, certificate, scope)
