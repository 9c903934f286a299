"""The options that verbs share."""

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from aroctl.output import Format
from aroctl.problems import wrong

SECRET_VARIABLE = "CLIENT_SECRET"  # noqa: S105 - a name

Name = Annotated[str, typer.Argument(metavar="CLUSTER", help="The cluster's name, or its resource id.")]
Group = Annotated[
    str,
    typer.Option(
        "--resource-group", "-g", metavar="GROUP", help="Its resource group.", envvar="AROCTL_RESOURCE_GROUP",
        show_default=False,
    ),
]  # fmt: skip
Subscription = Annotated[
    str,
    typer.Option("--subscription", metavar="ID", help="Its subscription.", envvar="AZURE_SUBSCRIPTION_ID"),
]
Output = Annotated[Format, typer.Option("--output", "-o", help="How to print.")]
NoWait = Annotated[bool, typer.Option("--no-wait", help="Begin it, and do not wait for its end.")]
OperationId = Annotated[str, typer.Argument(metavar="[OPERATION]", help="Its id; the newest by default.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")]
Body = Annotated[
    Path | None,
    typer.Option("--file", "-f", metavar="FILE", help="The body of the request, JSON or YAML; - for standard input."),
]


def application_secret() -> str:
    """Return the secret of a cluster's application: that of the environment, or what is typed.

    Raises:
        Problem: it is not set, and nobody can be asked.
    """
    known = os.environ.get(SECRET_VARIABLE, "")
    if not known and not sys.stdin.isatty():
        raise wrong(
            "The secret of the cluster's application is missing.",
            f"Set {SECRET_VARIABLE}. On the command line others on this machine would see it.",
        )
    return known or str(typer.prompt("Secret of the application", hide_input=True, err=True))


def sure(question: str, *, yes: bool) -> None:
    """Ask whether to do it; end the command if not.

    Args:
        question: the question.
        yes: whether the answer is known.

    Raises:
        Problem: nobody can be asked.
    """
    if yes:
        return
    if not sys.stdin.isatty():
        raise wrong(f"Nobody can be asked: {question}", "Add --yes.")
    typer.confirm(question, abort=True, err=True)
