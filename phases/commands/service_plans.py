"""The plans of the service, tried on it: what a request about a cluster would do, and what its rows would send."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer
import yaml

from orchestrators.plans import PLANS
from phases import output
from phases.commands import builtin_plans
from phases.commands.command_options import FAILED
from phases.local.service import Service
from phases.output import Format
from shared import kubernetes_yaml
from shared.bundles.problems import refused
from shared.json_object import Json

COLUMNS = ("row", "verdict", "message")
API_VERSION = "2025-07-25"

Body = Annotated[
    Path | None,
    typer.Option(
        "--body", help="The body of the cluster's PUT, with its 'id'; for the service's own plans.", dir_okay=False
    ),
]
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
Version = Annotated[str, typer.Option("--api-version", help="The api-version of the body.")]


@dataclass(frozen=True)
class Asked:
    """A question about a plan of the service: the body, and whom to ask how."""

    body: Path | None
    service: str
    certificate: Path | None
    scope: str
    version: str

    def of(self, path: str) -> Json:
        """Send the question.

        Args:
            path: the path below the cluster's.

        Raises:
            BundleError: the command is wrong, or the service refuses the request.
            NotDone: the service does not answer.
        """
        if self.body is None:
            raise refused("A plan of the service is tried on the service: name --body and --service.")
        cluster, content = _read(self.body)
        return service_of(self.service, self.certificate, self.scope).post(f"{cluster}{path}", self.version, content)


def service_of(address: str, certificate: Path | None, scope: str) -> Service:
    """Return the service at an address.

    Raises:
        BundleError: none is named.
    """
    if not address:
        raise refused("Name the address of the service: --service, or the variable ARO_SERVICE.")
    return Service(address, certificate, scope)


def is_plan(name: str, namespace: str) -> bool:
    """Tell whether a name can only be that of a plan of the service: with `--body`, or in its namespace."""
    return name in PLANS and namespace in ("", builtin_plans.NAMESPACE)


def try_plan(name: str, asked: Asked, form: Format) -> None:
    """Print what each row of a plan would do; exit with 1 if one is refused."""
    found = asked.of(f"/plans/{name}/dryRun")
    output.show(found["rows"], COLUMNS, form)
    if found["refused"]:
        raise typer.Exit(FAILED)


def render_row(plan: str, row: str, asked: Asked, form: Format) -> None:
    """Print what a row would send."""
    output.documents(asked.of(f"/plans/{plan}/rows/{row}/render")["value"], form)


def _read(body: Path) -> tuple[str, Json]:
    try:
        content = kubernetes_yaml.load(body.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError, RecursionError) as error:
        raise refused(f"'{body}' cannot be read: {error}") from error
    if not isinstance(content, dict) or not str(content.get("id", "")).startswith("/subscriptions/"):
        raise refused(f"'{body}' must be a cluster with its 'id', which begins with /subscriptions/.")
    return content["id"], json.loads(json.dumps(content, default=str))
