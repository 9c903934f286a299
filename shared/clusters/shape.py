"""The tree of an API version's members, made from the tables. Everything that walks a cluster follows it."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cache, partial
from typing import Any

from shared.arm.errors import shown
from shared.clusters.api_versions import changed_fields, has_member
from shared.clusters.member_types import ANY_CASE, ApiVersion, Kind
from shared.clusters.members import INTERNAL_MEMBERS, MEMBERS, Member


@dataclass
class Node:
    """One member in the tree: its row, as the version has it, its place in the table, and its children."""

    name: str
    member: Member
    position: int = 0
    children: dict[str, "Node"] = field(default_factory=dict)

    @property
    def kind(self) -> Kind:
        """The JSON type."""
        return self.member.kind


@cache
def tree(version: ApiVersion) -> Node:
    """Return the root of a version's tree. Objects without a row of their own are fixed at create."""
    rows = (*MEMBERS, *INTERNAL_MEMBERS) if version.for_operators else MEMBERS
    return _grow((row for row in rows if has_member(version, row.path)), partial(changed_fields, version))


@cache
def whole_tree() -> Node:
    """Return the root of a tree with the members of all public versions, as the table has them."""
    return _grow(MEMBERS, lambda _path: {})


def _grow(rows: Iterable[Member], changed: Callable[[str], dict[str, Any]]) -> Node:
    root = Node("", Member("", Kind.OBJECT))
    for position, row in enumerate(rows):
        node, path = root, ""
        for part in row.path.split("."):
            path = f"{path}.{part}" if path else part
            name = part.removesuffix("[]").removesuffix("{}")
            if name not in node.children:
                member = replace(Member(path, Kind.OBJECT), **changed(path))
                node.children[name] = Node(name, member, position)
            node = node.children[name]
        node.member, node.position = replace(row, **changed(row.path)), position
    return root


def step(target: str, node: Node) -> str:
    """Return the JSON path of a child."""
    return f"{target}.{node.name}" if target else node.name


def item_target(target: str, item: Any, index: int) -> str:
    """Return the JSON path of an array's element, by its name if it has one.

    Args:
        target: JSON path of the array.
        item: the element.
        index: its position.
    """
    name = item.get("name") if isinstance(item, dict) else None
    return f"{target}['{shown(name)}']" if name and isinstance(name, str) else f"{target}[{index}]"


def entry_target(target: str, key: str) -> str:
    """Return the JSON path of an entry of a map.

    Args:
        target: JSON path of the map.
        key: the entry's key.
    """
    return f'{target}["{shown(key)}"]'


def entry_key(member: Member, key: str) -> str:
    """Return the key of an entry of a map as it is compared."""
    return key.lower() if member.rule in ANY_CASE else key


def is_empty(value: Any) -> bool:
    """Tell whether a value counts as absent, as JSON written by other languages often has it."""
    # False counts, too, because it is equal to 0.
    return value is None or value in ("", 0, [], {})


def is_same(member: Member, one: Any, other: Any) -> bool:
    """Tell whether two values of a member are equal: absent equals empty and the default; spelling may not matter.

    Args:
        member: the member's row.
        one: a value.
        other: another value.
    """
    one, other = (member.default if is_empty(value) else value for value in (one, other))
    if is_empty(one) and is_empty(other):
        return True
    if member.rule in ANY_CASE and isinstance(one, str) and isinstance(other, str):
        return one.lower() == other.lower()
    return bool(in_normal_form(member, one) == in_normal_form(member, other))


def in_normal_form(member: Member, value: Any) -> Any:
    """Return a value as it is compared, stored and shown."""
    return member.normal(value) if member.normal is not None and isinstance(value, str) else value


def secret_paths(node: Node, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Yield the paths of a cluster's secrets."""
    for child in node.children.values():
        if child.member.secret:
            yield (*path, child.name)
        yield from secret_paths(child, (*path, child.name))
