"""The types of which the tables of members and of API versions are made."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class Kind(StrEnum):
    """The JSON type of a member."""

    STRING = "string"
    INTEGER = "integer"
    OBJECT = "object"
    ARRAY = "array"
    MAP = "map of strings"
    OBJECTS = "map of objects"
    BOOLEAN = "boolean"
    STRINGS = "array of strings"
    TIME = "time"


class Rule(StrEnum):
    """Who may write a member, and when."""

    CREATE = "C"  # fixed at create
    CREATE_ANY_CASE = "Ci"  # the same, compared without regard to case, stored as it first came
    MUTABLE = "M"  # the customer's at any time
    MUTABLE_ANY_CASE = "Mi"  # the same, compared without regard to case
    LASTING = "L"  # the customer's at any time, but never taken away again
    READ_ONLY = "R"  # the service's: an update that sends another value is refused
    PROVIDED = "P"  # filled by the service; an update may repeat the value
    IGNORED = "I"  # the service's, and changes by itself: what a request sends is checked and dropped


BY_SERVICE = frozenset({Rule.READ_ONLY, Rule.PROVIDED, Rule.IGNORED})
ANY_CASE = frozenset({Rule.CREATE_ANY_CASE, Rule.MUTABLE_ANY_CASE})


@dataclass(frozen=True, eq=False)
class ApiVersion:
    """The changes that one version makes.

    Args:
        name: the value of `api-version`.
        adds: paths of members that appear; a path includes everything below it.
        removes: paths of members that disappear, also of those that this row adds as a part of others.
        changes: by path, the fields of `Member` that have another value.
        features: other routes that this version begins to serve.
        retires: other routes that it no longer serves.
        generated: whether its model is generated from TypeSpec; None if the row before says it. Then names are
            case-sensitive, and replies leave out empty objects except `ALWAYS_SHOWN`. Other models are plain
            structures, which are always present.
        for_operators: whether it is the view of operators, which shows internal members and refuses PUT and PATCH.
        own: whether it is this provider's own. Microsoft's API does not have it.
    """

    name: str
    adds: tuple[str, ...] = ()
    removes: tuple[str, ...] = ()
    changes: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    features: frozenset[str] = frozenset()
    retires: frozenset[str] = frozenset()
    generated: bool | None = None
    for_operators: bool = False
    own: bool = False
