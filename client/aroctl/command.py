"""The command: its verbs, one file each, and how it ends."""

import sys
from collections.abc import Callable
from functools import wraps
from typing import Any

import typer

from aroctl import settings
from aroctl.commands.cancel import cancel
from aroctl.commands.configure import configure
from aroctl.commands.create import create
from aroctl.commands.credentials import credentials
from aroctl.commands.delete import delete
from aroctl.commands.explain import explain
from aroctl.commands.list import list_clusters
from aroctl.commands.operations import list_operations
from aroctl.commands.publish import publish
from aroctl.commands.renew import renew
from aroctl.commands.resume import resume
from aroctl.commands.revoke import revoke
from aroctl.commands.schedule import schedule
from aroctl.commands.show import show
from aroctl.commands.start import start
from aroctl.commands.stop import stop
from aroctl.commands.try_plan import render, try_plan
from aroctl.commands.update import update
from aroctl.commands.watch import watch
from aroctl.problems import EXIT_CODES, Exit, Problem
from aroctl.progress import console

app = typer.Typer(
    name=settings.NAME,
    help="Create, watch and use OpenShift clusters of the service in your own subscription. Behind Azure Resource "
    "Manager (a hosted service), use `az aro`.",
    epilog=f"Begin with: {settings.NAME} configure https://ADDRESS. {EXIT_CODES}",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
VERBS: dict[str, Callable[..., None]] = {
    "configure": configure,
    "create": create,
    "list": list_clusters,
    "show": show,
    "publish": publish,
    "credentials": credentials,
    "update": update,
    "stop": stop,
    "start": start,
    "schedule": schedule,
    "renew": renew,
    "revoke": revoke,
    "delete": delete,
    "operations": list_operations,
    "watch": watch,
    "explain": explain,
    "cancel": cancel,
    "resume": resume,
    "try": try_plan,
    "render": render,
}


def interruptible(verb: Callable[..., None]) -> Callable[..., None]:
    """Return a verb that tells what Ctrl-C leaves open."""

    @wraps(verb)
    def run(*words: Any, **options: Any) -> None:
        try:
            verb(*words, **options)
        except KeyboardInterrupt:
            raise Problem(
                Exit.INTERRUPTED,
                "Interrupted. A request that was under way may have arrived, and what it has begun goes on.",
                f"Look at it: {settings.NAME} operations CLUSTER",
            ) from None

    return run


for name, each in VERBS.items():
    app.command(name)(interruptible(each))


def main() -> None:
    """Run the command; end with what scripts can tell apart."""
    try:
        app(prog_name=settings.NAME)
    except Problem as problem:
        tell(problem)
        sys.exit(problem.exit_code)


def tell(problem: Problem) -> None:
    """Print what is wrong, and what to do."""
    err = console()
    word = "" if problem.exit_code is Exit.INTERRUPTED else "error: "
    err.print(f"{word}{problem.cause}", markup=False)
    for detail in problem.details:
        err.print(f"  {detail}", markup=False)
    for line in problem.remedy.splitlines():
        err.print(line, markup=False)
