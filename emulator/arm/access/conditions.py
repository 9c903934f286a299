"""Conditions of role assignments, version 2.0: those that limit who may be given which role.

A condition is parsed to a tree of nodes. Only the attributes of role assignments are known; a condition on blobs, for
example, is refused when it is assigned, because nothing here could evaluate it.

Source: https://learn.microsoft.com/azure/role-based-access-control/conditions-format, and for attributes and
operators https://learn.microsoft.com/azure/role-based-access-control/conditions-authorization-actions-attributes.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import Any

from lark import Lark, Token, Transformer, UnexpectedInput, v_args
from lark.exceptions import VisitError

from emulator.arm.ids import GUID
from emulator.core.refusals import Refusal
from emulator.core.service_error import ServiceError
from emulator.core.sources import MEMORY, OWN

VERSION = "2.0"
PREFIX = "Microsoft.Authorization/roleAssignments:"
ATTRIBUTES = ("RoleDefinitionId", "PrincipalType", "PrincipalId")
SOURCES = ("Request", "Resource")
# Whether an operator takes a set of values, and how it compares.
OPERATORS: Mapping[str, tuple[bool, Callable[[str], str]]] = {
    "GuidEquals": (False, str.lower),
    "ForAnyOfAnyValues:GuidEquals": (True, str.lower),
    "StringEqualsIgnoreCase": (False, str.lower),
    "ForAnyOfAnyValues:StringEqualsIgnoreCase": (True, str.lower),
}
_GRAMMAR = rf"""
    ?start: either
    ?either: both ((OR | "||") both)*
    ?both: single ((AND | "&&") single)*
    ?single: (NOT | "!") single -> negation
        | "(" either ")"
        | WORD "{{" STRING "}}" -> function
        | WORD attribute -> unary
        | attribute OPERATOR value -> comparison
    attribute: "@" WORD "[" ATTRIBUTE "]"
    ?value: item | "{{" item ("," item)* "}}" -> values
    item: GUID | STRING | WORD | attribute
    OR.4: /OR\b/i
    AND.4: /AND\b/i
    NOT.4: /NOT\b/i
    GUID.3: /{GUID}/
    ATTRIBUTE: /[^\]\s]+/
    OPERATOR: /[A-Za-z]+(?::[A-Za-z]+)?/
    STRING: /'(?:[^'\\]|\\.)*'/
    WORD: /[A-Za-z0-9_.]+/
    %ignore /\s+/
"""


@dataclass(frozen=True)
class Facts:
    """What conditions may ask of a write or a deletion: attribute to value.

    Args:
        request: of a write, the attributes in its body.
        resource: of a deletion, the attributes of the resource as it is stored. A write has none.
    """

    request: Mapping[str, str] = field(default_factory=dict)
    resource: Mapping[str, str] = field(default_factory=dict)


# True, False, or None if it depends on facts that are not known yet.
Verdict = bool | None
Node = Callable[[str, Facts | None], Verdict]


def check(condition: str, version: str | None) -> None:
    """Check the condition of a role assignment before it is stored.

    Raises:
        ServiceError: 400; the message names what is wrong, or what the local Azure does not support.
    """
    if version != VERSION:
        raise _INVALID(f"Its conditionVersion is '{version or ''}'; it must be '{VERSION}'.")
    parse(condition)


def holds(condition: str, action: str, facts: Facts | None) -> Verdict:
    """Tell whether a condition allows an action."""
    return parse(condition)(action, facts)


@lru_cache(maxsize=256)
def parse(condition: str) -> Node:
    """Return a condition as a function of the action and the facts.

    Raises:
        ServiceError: 400 for a condition that is wrong or not supported.
    """
    try:
        tree = _grammar().parse(condition)
    except UnexpectedInput as error:
        ended = getattr(getattr(error, "token", None), "type", "") == "$END"
        where = "" if ended else condition[error.pos_in_stream or 0 :][:40]
        raise _INVALID(f"It is wrong at '{where}'." if where else "It ends too early.") from error
    try:
        node: Node = _Builder().transform(tree)
    except VisitError as error:
        if isinstance(error.orig_exc, ServiceError):
            raise error.orig_exc from error
        raise
    return node


@cache
def _grammar() -> Lark:
    return Lark(_GRAMMAR, parser="lalr", lexer="contextual")


@v_args(inline=True)
class _Builder(Transformer[Any, Any]):
    """Builds the function of each node of the tree."""

    def either(self, *parts: Node | Token) -> Node:
        nodes = _nodes(parts)
        return lambda action, facts: _either([node(action, facts) for node in nodes])

    def both(self, *parts: Node | Token) -> Node:
        nodes = _nodes(parts)
        return lambda action, facts: _negate(_either([_negate(node(action, facts)) for node in nodes]))

    def negation(self, *parts: Node | Token) -> Node:
        (node,) = _nodes(parts)
        return lambda action, facts: _negate(node(action, facts))

    def function(self, name: Token, argument: Token) -> Node:
        if name != "ActionMatches":
            raise _UNSUPPORTED(f"the function '{name}'")
        pattern = re.compile(re.escape(_text(argument)).replace(r"\*", ".*"), re.IGNORECASE)
        return lambda action, _facts: pattern.fullmatch(action) is not None

    def unary(self, name: Token, _attribute: tuple[str, str]) -> Node:
        raise _UNSUPPORTED(f"the operator '{name}'")

    def attribute(self, source: Token, name: Token) -> tuple[str, str]:
        return str(source), str(name)

    def comparison(self, left: tuple[str, str], operator: Token, values: list[str]) -> Node:
        source, attribute = left
        name = attribute.removeprefix(PREFIX)
        known = {each.lower(): each for each in OPERATORS}.get(operator.lower())
        if source not in SOURCES:
            raise _UNSUPPORTED(f"the source '@{source}'")
        if name == attribute or name not in ATTRIBUTES:
            raise _UNSUPPORTED(f"the attribute '{attribute}'")
        if known is None:
            raise _UNSUPPORTED(f"the operator '{operator}'")
        several, normal = OPERATORS[known]
        if not several and len(values) > 1:
            raise _INVALID(f"The operator '{operator}' takes one value.")
        if "Guid" in known and (wrong := [value for value in values if not re.fullmatch(GUID, value)]):
            raise _INVALID(f"The operator '{operator}' takes GUIDs, not '{wrong[0]}'.")
        wanted = {normal(value) for value in values}

        def compare(_action: str, facts: Facts | None) -> Verdict:
            if facts is None:
                return None
            found = (facts.request if source == "Request" else facts.resource).get(name)
            return found is not None and normal(found) in wanted

        return compare

    def values(self, *items: list[str]) -> list[str]:
        return [value for item in items for value in item]

    def item(self, part: Token | tuple[str, str]) -> list[str]:
        if isinstance(part, tuple):
            raise _UNSUPPORTED(f"the attribute '{part[1]}' as a value")
        if part.type == "WORD":
            raise _UNSUPPORTED(f"the value '{part}'")
        return [_text(part)]


def _nodes(parts: tuple[Node | Token, ...]) -> list[Node]:
    """Return the nodes among the parts of an expression, without its operators."""
    return [part for part in parts if not isinstance(part, Token)]


def _either(verdicts: list[Verdict]) -> Verdict:
    return True if True in verdicts else None if None in verdicts else False


def _negate(verdict: Verdict) -> Verdict:
    return None if verdict is None else not verdict


def _text(token: Token) -> str:
    return re.sub(r"\\(.)", r"\1", token[1:-1]) if token.startswith("'") else str(token)


# fmt: off
_INVALID = Refusal(400, "InvalidConditionSyntax", MEMORY,
    "The given role assignment condition is invalid. {why}", "condition")
_UNSUPPORTED = Refusal(400, "ConditionNotSupported", OWN,
    "The local Azure does not support {what} in the condition of a role assignment.", "condition")
# fmt: on
