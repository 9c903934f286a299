"""Label and field selectors of queries."""

import re
from collections.abc import Callable, Mapping
from typing import Any

from emulator.openshift.kubernetes.errors import bad_request
from emulator.openshift.kubernetes.kinds import Json, Kind

Selector = Callable[[Json], bool]

_TOKEN = re.compile(r"\s*(==|!=|=|,|\(|\)|!|<|>|[^\s=!,()<>]+)")
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
    """Parse a label selector: `a=b`, `a!=b`, `a in (b,c)`, `a notin (b)`, `a`, `!a`, joined by commas.

    Raises:
        ServiceError: 400 for a selector that cannot be parsed.
    """
    if not text.strip():
        return everything
    tokens = _TOKEN.findall(text)
    requirements: list[Callable[[Mapping[str, str]], bool]] = []
    while tokens:
        requirements.append(_requirement(tokens))
        if tokens and tokens.pop(0) != ",":
            raise bad_request(f"unable to parse requirement: found '{text}', expected: ',' or 'end of string'")

    def selects(obj: Json) -> bool:
        labels = obj["metadata"].get("labels") or {}
        return all(requirement(labels) for requirement in requirements)

    return selects


def _requirement(tokens: list[str]) -> Callable[[Mapping[str, str]], bool]:
    if tokens[0] == "!":
        tokens.pop(0)
        absent = _word(tokens)
        return lambda labels: absent not in labels
    key = _word(tokens)
    if not tokens or tokens[0] == ",":
        return lambda labels: key in labels
    operator = tokens.pop(0)
    match operator:
        case "=" | "==":
            value = _value(tokens)
            return lambda labels: labels.get(key) == value
        case "!=":
            value = _value(tokens)
            return lambda labels: labels.get(key) != value
        case "in":
            values = _values(tokens)
            return lambda labels: labels.get(key) in values
        case "notin":
            values = _values(tokens)
            return lambda labels: labels.get(key) not in values
        case _:
            raise bad_request(
                f"unable to parse requirement: found '{operator}', expected: '=', '!=', '==', 'in', notin'"
            )


def _word(tokens: list[str]) -> str:
    if not tokens or not re.fullmatch(r"[^=!,()<>]+", tokens[0]):
        found = tokens[0] if tokens else ""
        raise bad_request(f"unable to parse requirement: found '{found}', expected: identifier")
    return tokens.pop(0)


def _value(tokens: list[str]) -> str:
    return "" if not tokens or tokens[0] == "," else _word(tokens)


def _values(tokens: list[str]) -> set[str]:
    if not tokens or tokens.pop(0) != "(":
        raise bad_request("unable to parse requirement: found '', expected: '('")
    values = set()
    while tokens and tokens[0] != ")":
        if tokens[0] == ",":
            tokens.pop(0)
        else:
            values.add(_word(tokens))
    if not tokens:
        raise bad_request("unable to parse requirement: found '', expected: ',', or ')'")
    tokens.pop(0)
    return values


def field_selector(kind: Kind, text: str) -> Selector:
    """Parse a field selector: `metadata.name=a`, `status.phase!=b`, joined by commas.

    Raises:
        ServiceError: 400 for a member that the kind does not support, or a selector that cannot be parsed.
    """
    if not text:
        return everything
    requirements: list[tuple[str, bool, str]] = []
    for part in text.split(","):
        found = re.fullmatch(r"([^=!]+)(==|!=|=)(.*)", part)
        if not found:
            raise bad_request(f"invalid selector: '{text}'; can't understand '{part}'")
        field, operator, value = found.groups()
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
