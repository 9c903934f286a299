"""Ends an instance before it calls an activity that this package does not have.

Durable swallows such a call, and gives the answers of later calls to wrong tasks: a row would begin before those that
it needs have ended. The first row of an attempt compares the plan with the package that runs it, but the attempt may go
on in another package. The watchdog finds the instance ended, and decides how its operation continues.
"""

from collections.abc import Callable, Generator
from typing import Any, cast

import azure.durable_functions as df

Interpreter = Callable[[df.DurableOrchestrationContext], Generator[Any, Any, Any]]


class MissingActivityError(Exception):
    """The plan calls an activity that the deployed package does not have."""


def refuse_missing(interpreter: Interpreter, has_activity: Callable[[str], bool]) -> Interpreter:
    """Return an interpreter that raises `MissingActivityError` instead of making a call that would be lost.

    Args:
        interpreter: the interpreter.
        has_activity: tells whether the deployed package has an activity.
    """

    def interpret(context: df.DurableOrchestrationContext) -> Generator[Any, Any, Any]:
        return interpreter(cast("df.DurableOrchestrationContext", _Context(context, has_activity)))

    return interpret


class _Context:
    """The context that the interpreter gets."""

    def __init__(self, context: df.DurableOrchestrationContext, has_activity: Callable[[str], bool]) -> None:
        self._context = context
        self._has_activity = has_activity

    def __getattr__(self, name: str) -> Any:
        return getattr(self._context, name)

    def call_activity(self, name: str, payload: Any) -> Any:
        if not self._has_activity(name):
            raise MissingActivityError(f"The deployed package does not have the activity '{name}'.")
        return self._context.call_activity(name, payload)
