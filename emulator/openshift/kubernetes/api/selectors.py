"""Label and field selectors of queries."""

import re
from collections.abc import Callable, Mapping
from typing import Any

from emulator.json_object import Json
from emulator.openshift.kubernetes.api_errors import BAD_REQUEST
from emulator.openshift.kubernetes.kinds import Kind
from emulator.openshift.kubernetes.objects import names

Selector = Callable[[Json], bool]
Requirement = Callable[[Mapping[str, str]], bool]

# A comma that is not inside brackets.
_COMMA = re.compile(r",(?![^(]*\))")
_WORD = r"[^\s=!,()<>]+"
_REQUIREMENT = re.compile(
    rf"\s*(?:!\s*(?P<absent>{_WORD})|(?P<key>{_WORD})"
    rf"(?:\s*(?P<sign>==?|!=)\s*(?P<value>{_WORD})?|\s+(?P<word>in|notin)\s*\((?P<listed>[^()]*)\))?)\s*"
)
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
    requirements = [_requirement(part) for part in _COMMA.split(text)]

    def selects(obj: Json) -> bool:
        labels = obj["metadata"].get("labels") or {}
        return all(requirement(labels) for requirement in requirements)

    return selects


def _requirement(text: str) -> Requirement:
    """Parse one part of a label selector."""
    found = _REQUIREMENT.fullmatch(text)
    if found is None:
        raise BAD_REQUEST(f"unable to parse requirement: '{text}'")
    part = found.groupdict("")
    key, operator = part["key"] or part["absent"], part["sign"] or part["word"]
    values = {one.strip() for one in part["listed"].split(",")} if part["word"] else {part["value"]}
    for problem in (*names.qualified_name(key), *(wrong for one in sorted(values) for wrong in names.label_value(one))):
        raise BAD_REQUEST(f"unable to parse requirement: '{text}': {problem}")
    match operator:
        case "":
            return lambda labels: (key in labels) is not bool(part["absent"])
        case "!=" | "notin":
            return lambda labels: labels.get(key) not in values
        case _:
            return lambda labels: labels.get(key) in values


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
            raise BAD_REQUEST(f"invalid selector: '{text}'; can't understand '{part}'")
        field, operator, value = found.groups()
        if "=" in value:
            raise BAD_REQUEST(f"invalid field selector: unescaped character in value: {ord('=')}")
        if field not in _LABELS + FIELDS.get(kind.name, ()):
            raise BAD_REQUEST(_unknown_field(kind, field))
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
