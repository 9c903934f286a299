"""Where the codes, texts and limits of the local Azure come from.

Each row of refusals (`refusals.py`) names a source. A function that builds a `ServiceError` by itself, because no row
could, is marked with `@said(…)`.
Those from memory are the ones to doubt first: the README of the emulator lists them.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Literal, ParamSpec, TypeVar

from emulator.core.service_error import ServiceError

Given = ParamSpec("Given")
Built = TypeVar("Built", bound=ServiceError)


@dataclass(frozen=True)
class Source:
    """Where a code, a text or a limit comes from.

    Args:
        kind: what was read.
        where: a public address, or repository and path; "" for what is from memory or our own.
    """

    kind: Literal["documentation", "public output", "published schema", "memory", "own"]
    where: str = ""


MEMORY = Source("memory")
# What Azure never says: that the local Azure lacks something, that a test injected a fault, or what somebody else said.
OWN = Source("own")
# The marked functions, by module and name.
SAID: dict[str, Source] = {}


def documentation(where: str) -> Source:
    """Return the source of what a page of documentation says."""
    return Source("documentation", where)


def public_output(where: str) -> Source:
    """Return the source of what Azure answered somebody who published the answer, such as in an issue or a recording."""
    return Source("public output", where)


def said(source: Source) -> Callable[[Callable[Given, Built]], Callable[Given, Built]]:
    """Mark a function that builds an error with the source of its code and text; its errors then carry its name."""

    def mark(builder: Callable[Given, Built]) -> Callable[Given, Built]:
        name = name_of(builder)
        SAID[name] = source

        @wraps(builder)
        def build(*args: Given.args, **kwargs: Given.kwargs) -> Built:
            error = builder(*args, **kwargs)
            error.said = name
            return error

        return build

    return mark


def name_of(builder: Callable[..., ServiceError]) -> str:
    """Return the name of a function that builds an error, as `SAID` and the errors have it."""
    return f"{builder.__module__}.{builder.__qualname__}"
