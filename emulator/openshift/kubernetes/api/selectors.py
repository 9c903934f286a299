"""Label and field selectors of queries."""

import re
from collections.abc import Callable, Mapping
from typing import Any

from emulator.openshift.kubernetes.errors import bad_request
from emulator.openshift.kubernetes.kinds import Json, Kind
from emulator.openshift.kubernetes.objects import names

Selector = Callable[[Json], bool]
Requirement = Callable[[Mapping[str, str]], bool]

_TOKEN = re.compile(r"\s*(==|!=|=|,|\(|\)|!|<|>|[^\s=!,()<>]+)")
_WORD = re.compile(r"[^=!,()<>]+")
_INTEGER = re.compile(r"[+-]?[0-9]+")
_LABELS = ("metadata.name", "metadata.namespace")
# The members of built-in kinds that field selectors can use, besides name and namespace.
FIELDS: Mapping[str, tuple[str, ...]] = {
    "Event": (
        "involvedObject.kind",
        "involvedObject.namespace",
        "involvedObject.name",
        "involvedObject.uid",
        "involvedObject.apiVersion",
        "involvedObject.resourceVersion",
        "involvedObject.fieldPath",
        "reason",
        "reportingComponent",
        "source",
        "type",
    ),
    "Namespace": ("status.phase",),
    "Node": ("spec.unschedulable",),
    "Pod": (
        "spec.nodeName",
        "spec.restartPolicy",
        "spec.schedulerName",
        "spec.serviceAccountName",
        "status.phase",
        "status.podIP",
        "status.nominatedNodeName",
    ),
    "Secret": ("type",),
    "CertificateSigningRequest.certificates.k8s.io": ("spec.signerName",),
}


def everything(_obj: Json) -> bool:
    """Select every object."""
    return True


def both(first: Selector, second: Selector) -> Selector:
    """Return a selector of the objects that both select."""
    if first is everything:
        return second
    if second is everything:
        return first
    return lambda obj: first(obj) and second(obj)


def label_selector(text: str) -> Selector:
    """Parse a label selector: `a=b`, `a!=b`, `a in (b,c)`, `a notin (b)`, `a`, `!a`, `a>1`, `a<2`, joined by commas.

    Raises:
        ServiceError: 400 for a selector that cannot be parsed.
    """
    tokens = _TOKEN.findall(text)
    if not tokens:
        return everything
    if not _is_word(tokens[:1], "!"):
        raise bad_request(f"found '{tokens[0]}', expected: !, identifier, or 'end of string'")
    requirements: list[Requirement] = []
    while tokens:
        try:
            requirements.append(_requirement(tokens))
        except _UnreadableError as error:
            raise bad_request(f"unable to parse requirement: {error}") from error
        if tokens:
            _next_requirement(tokens)

    def selects(obj: Json) -> bool:
        labels = obj["metadata"].get("labels") or {}
        return all(requirement(labels) for requirement in requirements)

    return selects


class _UnreadableError(Exception):
    """A requirement that means nothing."""


def _next_requirement(tokens: list[str]) -> None:
    found = tokens.pop(0)
    if found != ",":
        raise bad_request(f"found '{found}', expected: ',' or 'end of string'")
    if not _is_word(tokens[:1], "!"):
        raise bad_request(f"found '{''.join(tokens[:1])}', expected: identifier after ','")


def _is_word(tokens: list[str], *more: str) -> bool:
    return bool(tokens) and (tokens[0] in more or _WORD.fullmatch(tokens[0]) is not None)


def _requirement(tokens: list[str]) -> Requirement:
    if tokens[0] == "!":
        tokens.pop(0)
        absent = _key(tokens)
        return lambda labels: absent not in labels
    key = _key(tokens)
    if not tokens or tokens[0] == ",":
        return lambda labels: key in labels
    operator = tokens.pop(0)
    if operator in ("in", "notin"):
        values = _values(tokens)
    elif operator in ("=", "==", "!=", ">", "<"):
        values = {_value(tokens)}
    else:
        raise _UnreadableError(f"found '{operator}', expected: '=', '!=', '==', 'in', notin'")
    if operator in (">", "<"):
        return _compared(key, operator, values.pop())
    for value in sorted(values):
        for problem in names.label_value(value):
            raise _UnreadableError(f'invalid label value: "{value}": at key: "{key}": {problem}')
    if operator in ("!=", "notin"):
        return lambda labels: labels.get(key) not in values
    return lambda labels: labels.get(key) in values


def _compared(key: str, operator: str, limit: str) -> Requirement:
    if not _INTEGER.fullmatch(limit):
        raise _UnreadableError("for 'Gt', 'Lt' operators, the value must be an integer")

    def fits(labels: Mapping[str, str]) -> bool:
        found = labels.get(key, "")
        if not _INTEGER.fullmatch(found):
            return False
        return int(found) > int(limit) if operator == ">" else int(found) < int(limit)

    return fits


def _key(tokens: list[str]) -> str:
    key = _word(tokens, "identifier")
    problems = list(names.qualified_name(key))
    if problems:
        raise _UnreadableError(f'invalid label key "{key}": {"; ".join(problems)}')
    return key


def _word(tokens: list[str], expected: str) -> str:
    if not _is_word(tokens):
        raise _UnreadableError(f"found '{''.join(tokens[:1])}', expected: {expected}")
    return tokens.pop(0)


def _value(tokens: list[str]) -> str:
    return "" if not tokens or tokens[0] == "," else _word(tokens, "identifier")


def _values(tokens: list[str]) -> set[str]:
    """Return the values in brackets; brackets or a comma with nothing beside it stand for the empty text."""
    found = "".join(tokens[:1])
    if found != "(":
        raise _UnreadableError(f"found '{found}' expected: '('")
    tokens.pop(0)
    if tokens and tokens[0] == ")":
        tokens.pop(0)
        return {""}
    if not _is_word(tokens, ","):
        raise _UnreadableError(f"found '{''.join(tokens[:1])}', expected: ',', ')' or identifier")
    values: set[str] = set()
    while True:
        values.add("" if tokens and tokens[0] in (",", ")") else _word(tokens, "',', or identifier"))
        found = "".join(tokens[:1])
        if found not in (",", ")"):
            raise _UnreadableError(f"found '{found}', expected: ',' or ')'")
        tokens.pop(0)
        if found == ")":
            return values


def field_selector(kind: Kind, text: str) -> Selector:
    """Parse a field selector: `metadata.name=a`, `status.phase!=b`, joined by commas.

    Raises:
        ServiceError: 400 for a member that the kind does not support, or a selector that cannot be parsed.
    """
    if not text:
        return everything
    requirements: list[tuple[str, bool, str]] = []
    for part in filter(None, text.split(",")):
        found = re.fullmatch(r"([^=!]*)(==|!=|=)(.*)", part)
        if not found:
            raise bad_request(f"invalid selector: '{text}'; can't understand '{part}'")
        field, operator, value = found.groups()
        if "=" in value:
            raise bad_request(f"invalid field selector: unescaped character in value: {ord('=')}")
        if field not in _LABELS + FIELDS.get(kind.name, ()):
            raise bad_request(_unknown_field(kind, field))
        requirements.append((field, operator == "!=", value))

    def selects(obj: Json) -> bool:
        return all((_member(obj, field) == value) is not unequal for field, unequal, value in requirements)

    return selects


def _unknown_field(kind: Kind, field: str) -> str:
    if kind.is_custom or kind.name in FIELDS:
        return f"field label not supported: {field}"
    known = ", ".join(f'"{one}"' for one in _LABELS)
    return f'"{field}" is not a known field selector: only {known}'


def _member(obj: Json, path: str) -> str:
    value: Any = obj
    for name in path.split("."):
        value = value.get(name) if isinstance(value, dict) else None
    if isinstance(value, bool):
        return "true" if value else "false"
    return "false" if value is None and path == "spec.unschedulable" else str(value or "")
