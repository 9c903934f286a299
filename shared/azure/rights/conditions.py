"""Conditions of role assignments, as far as an action alone decides them.

A condition limits some actions, which it names in guards, and lets all others pass:
`!(ActionMatches{'<limited action>'}) OR <limit>`. A guard is decided by the action. A limit depends on attributes of
the request, the resource or the principal, which are not known here. So a condition is true, false or unknown, and only
a true one allows an action.

Source: https://learn.microsoft.com/azure/role-based-access-control/conditions-format
"""

import re
from functools import cache, lru_cache
from typing import Any

from lark import Lark, Token, Tree, UnexpectedInput, v_args
from lark.visitors import Transformer_NonRecursive

from shared.azure.rights import action_patterns

VERSION = "2.0"
# Azure's own limit is 8 KB.
_LONGEST_CHARACTERS = 8192
# Other characters, such as a backslash, could mean something else than themselves.
_PLAIN = re.compile(r"[A-Za-z0-9_.*/-]+")
# Azure wants parentheses where AND meets OR, so neither binds tighter here.
_GRAMMAR = r"""
    ?start: expression
    ?expression: single
        | single (_AND single)+ -> both
        | single (_OR single)+ -> either
    ?single: _NOT single -> negation
        | "(" expression ")"
        | _ACTION_MATCHES "{" STRING "}" -> action_matches
        | WORD "{" _values "}" -> limit
        | WORD ATTRIBUTE -> limit
        | ATTRIBUTE OPERATOR _value -> limit
    _value: ATTRIBUTE | _literal | "{" _values "}"
    _values: _literal ("," _literal)*
    _literal: STRING | GUID | NUMBER | WORD
    _AND.3: /AND\b|&&/i
    _OR.3: /OR\b|\|\|/i
    _NOT.3: /NOT\b|!/i
    _ACTION_MATCHES.3: /ActionMatches\b/
    ATTRIBUTE: /@[A-Za-z]+\[[^\[\]]+\]/
    GUID.2: /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/i
    NUMBER: /-?[0-9]+(\.[0-9]+)?/
    OPERATOR: /[A-Za-z]+(:[A-Za-z]+)?/
    WORD: /[A-Za-z][A-Za-z0-9_]*/
    STRING: /'([^'\\]|\\.)*'/
    %ignore /[ \t\r\n]+/
"""

# True, false, or None if it depends on what is not known here.
Verdict = bool | None


def allow(condition: Any, version: Any, action: str) -> bool:
    """Tell whether a condition certainly allows an action.

    Args:
        condition: its text, None if there is no condition, or whatever else ARM sent.
        version: of its language.
        action: such as `Microsoft.RedHatOpenShift/openShiftClusters/read`.
    """
    if condition is None:
        return True
    if version != VERSION or not isinstance(condition, str) or len(condition) > _LONGEST_CHARACTERS:
        return False
    tree = _parse(condition)
    return tree is not None and _Evaluation(action).transform(tree) is True


@lru_cache(maxsize=256)
def _parse(condition: str) -> Tree[Any] | None:
    """Return the tree of a condition, or None if it cannot be read."""
    try:
        return _language().parse(condition)
    except UnexpectedInput:
        return None


@cache
def _language() -> Lark:
    return Lark(_GRAMMAR, parser="lalr", lexer="contextual")


@v_args(inline=True)
class _Evaluation(Transformer_NonRecursive[Any, Verdict]):
    """Evaluates a tree for one action. It does not recurse, however deep a condition is."""

    def __init__(self, action: str) -> None:
        super().__init__()
        self._action = action

    def action_matches(self, text: Token) -> Verdict:
        pattern = text[1:-1]
        return action_patterns.matches(pattern, self._action) if _PLAIN.fullmatch(pattern) else None

    def limit(self, *_: Token) -> Verdict:
        return None

    def negation(self, verdict: Verdict) -> Verdict:
        return None if verdict is None else not verdict

    def both(self, *verdicts: Verdict) -> Verdict:
        return False if False in verdicts else None if None in verdicts else True

    def either(self, *verdicts: Verdict) -> Verdict:
        return True if True in verdicts else None if None in verdicts else False
