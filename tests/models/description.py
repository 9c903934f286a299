"""What a model says of a JSON document, in the same words for every generation of SDK."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol


@dataclass(frozen=True)
class Plain:
    """A value that is not an object: `any` takes every JSON."""

    name: Literal["text", "integer", "number", "boolean", "time", "duration", "any"]


@dataclass(frozen=True)
class Enumeration:
    """A text, or a number, that the model restricts to some values.

    The generated code does not say which enumerations Azure may extend, so a value that the newest SDK lacks counts as
    a violation here.
    """

    name: str
    values: tuple[str | int, ...]


@dataclass(frozen=True)
class ListOf:
    """An array."""

    item: "Kind"


@dataclass(frozen=True)
class MapOf:
    """An object with free member names."""

    item: "Kind"


@dataclass(frozen=True)
class Named:
    """A model or an enumeration of the same library."""

    name: str


Kind = Plain | Enumeration | ListOf | MapOf | Named
TEXT, INTEGER, NUMBER, BOOLEAN = Plain("text"), Plain("integer"), Plain("number"), Plain("boolean")
TIME, DURATION, ANY = Plain("time"), Plain("duration"), Plain("any")


@dataclass(frozen=True)
class Member:
    """A member of a model.

    Args:
        kind: kind of its value.
        required: whether it must be there.
        read_only: whether only answers have it.
        write_only: whether only requests have it.
    """

    kind: Kind
    required: bool = False
    read_only: bool = False
    write_only: bool = False


@dataclass(frozen=True)
class Model:
    """An object.

    Args:
        name: name of the model in its package.
        members: its members, by their names in JSON.
        free: whether it may have more members, of any name.
        discriminator: the member that tells which variant an object is, or "".
        variants: the models of the variants, by the value of that member.
    """

    name: str
    members: Mapping[str, Member]
    free: bool = False
    discriminator: str = ""
    variants: Mapping[str, str] = field(default_factory=dict)


class Library(Protocol):
    """The models of one package."""

    @property
    def name(self) -> str:
        """Name of the package."""

    def find(self, name: str) -> Model | Enumeration:
        """Return a model or an enumeration.

        Raises:
            LookupError: the package has none of this name.
        """


def page_of(item: Kind) -> Model:
    """Return the model of one page of a list."""
    return Model("Page", {"value": Member(ListOf(item), required=True), "nextLink": Member(TEXT)})
