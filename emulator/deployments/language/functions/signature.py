"""A function of the template language as a row of a table: its name, its parameters, its implementation."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from emulator.deployments.language.expression_error import ExpressionError
from emulator.deployments.language.values import type_name

TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "int": (int,),
    "bool": (bool,),
    "array": (list,),
    "object": (dict,),
    "null": (type(None),),
    "any": (str, int, bool, float, list, dict, type(None)),
}
ARTICLES = {
    "string": "a string",
    "int": "an integer",
    "bool": "a boolean",
    "array": "an array",
    "object": "an object",
    "null": "null",
    "any": "any value",
}
PARAMETER = re.compile(r"([a-z|]+)([?*]?)")


@dataclass(frozen=True)
class Function:
    """A function of the language.

    Args:
        name: as the documentation writes it.
        takes: types of its parameters in order, such as `string int string?`: `|` separates alternatives, `?` marks an
            optional parameter, and `*` after the last one allows any number of them.
        evaluate: the implementation; takes the arguments, or `(scope, name as written, arguments)` if `scoped`.
        scoped: whether it needs the scope: parameters, variables, the deployment's surroundings.
        lazy: the implementation of a function that evaluates its arguments itself; takes them as callables.
    """

    name: str
    takes: str
    evaluate: Callable[..., Any] = field(default=lambda: None)
    scoped: bool = False
    lazy: Callable[[Sequence[Callable[[], Any]]], Any] | None = None
    minimum: int = field(init=False, default=0)
    maximum: int | None = field(init=False, default=0)
    kinds: tuple[tuple[str, ...], ...] = field(init=False, default=())

    def __post_init__(self) -> None:
        parameters = []
        for word in self.takes.split():
            matched = PARAMETER.fullmatch(word)
            if matched is None:
                raise ValueError(f"{self.name}: {word!r} is not a parameter")
            parameters.append((tuple(matched[1].split("|")), matched[2]))
        repeated = bool(parameters) and parameters[-1][1] == "*"
        object.__setattr__(self, "minimum", sum(1 for _, mark in parameters if not mark))
        object.__setattr__(self, "maximum", None if repeated else len(parameters))
        object.__setattr__(self, "kinds", tuple(kinds for kinds, _ in parameters))

    def check_count(self, count: int) -> None:
        """Refuse a wrong number of arguments.

        Raises:
            ExpressionError: too few or too many.
        """
        if count >= self.minimum and (self.maximum is None or count <= self.maximum):
            return
        wanted = f"between {self.minimum} and {self.maximum}"
        if self.maximum is None:
            wanted = f"at least {self.minimum}"
        elif self.minimum == self.maximum:
            wanted = f"{self.minimum}"
        raise ExpressionError(
            f"Unable to evaluate template language function '{self.name}': function requires {wanted} argument(s) "
            f"while {count} were provided.",
            topic=f"arm-template-expressions/#{self.name}",
        )

    def check_types(self, arguments: Sequence[Any]) -> None:
        """Refuse an argument of a wrong type.

        Raises:
            ExpressionError: names the types wanted and the types given.
        """
        wanted = [self.kinds[min(position, len(self.kinds) - 1)] for position in range(len(arguments))]
        # Compare exact types: bool is a subclass of int in Python, but a separate type in JSON.
        if all(any(type(one) in TYPES[kind] for kind in kinds) for one, kinds in zip(arguments, wanted, strict=True)):
            return
        given = " and ".join(f"'{type_name(argument)}'" for argument in arguments)
        if len(arguments) == 1:
            expected = f"parameter to be {' or '.join(ARTICLES[kind] for kind in wanted[0])}"
        else:
            expected = f"parameters to be of type {' and '.join(' or '.join(kinds) for kinds in wanted)}"
        raise ExpressionError(
            f"The template language function '{self.name}' expects its {expected}. The provided value is of type {given}.",
            topic=f"arm-template-expressions#{self.name}",
        )


def failed(name: str, reason: str) -> ExpressionError:
    """Return the error for a function that cannot work with its arguments."""
    return ExpressionError(
        f"Unable to evaluate template language function '{name}': {reason}.",
        topic=f"arm-template-expressions/#{name}",
    )
