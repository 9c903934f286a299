"""Finds lines and columns in the JSON of a request, which ARM's messages name."""

import re
from dataclasses import dataclass
from json import JSONDecoder

Path = tuple[str | int, ...]

BLANK = re.compile(r"\s*")
# Strings in templates may contain line breaks.
DECODER = JSONDecoder(strict=False)


@dataclass(frozen=True)
class Position:
    """A place in a text, counted from 1; 0, 0 if it was not found."""

    line: int = 0
    column: int = 0


def path_text(path: Path) -> str:
    """Write a path as Newtonsoft's JSON library does: `properties.template.resources[0].name`."""
    text = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return text.removeprefix(".")


def locate(text: str, path: Path) -> Position:
    """Return where the value under a path begins in a JSON text, which must be valid."""
    offset: int | None = _blank(text, 0)
    for step in path:
        offset = _descend(text, offset, step) if offset is not None else None
    if offset is None:
        return Position()
    return Position(text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset))


def _blank(text: str, offset: int) -> int:
    found = BLANK.match(text, offset)
    return found.end() if found else offset


def _descend(text: str, offset: int, step: str | int) -> int | None:
    """Return where a member or element begins in the object or array at the offset, or None."""
    is_object = text[offset] == "{"
    if text[offset] not in "{[" or is_object != isinstance(step, str):
        return None
    offset, index = _blank(text, offset + 1), 0
    while text[offset] not in "}]":
        key: str | int = index
        if is_object:
            key, offset = DECODER.raw_decode(text, offset)
            offset = _blank(text, _blank(text, offset) + 1)
        if key == step:
            return offset
        offset = _blank(text, DECODER.raw_decode(text, offset)[1])
        if text[offset] == ",":
            offset = _blank(text, offset + 1)
        index += 1
    return None
