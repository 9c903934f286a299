"""Route templates as the Functions host uses those of ASP.NET Core: literals, `{name}`, `{name?}` and `{*rest}`.

Routes are tried in the order of their functions' names. The first whose template and method match wins, so a literal
does not beat a parameter. Literals match in any case; captured values keep their case. Constraints, defaults, and
parameters in the middle of a segment are refused.
"""

import re
from dataclasses import dataclass
from urllib.parse import unquote

_PARAMETER = re.compile(r"\{(\*?)([^/{}?*:=]+)(\??)\}")


class RouteTemplateError(ValueError):
    """A template that is malformed, or that the local host does not understand."""


@dataclass(frozen=True)
class _Segment:
    """One path segment: a literal, or a parameter, which has a name."""

    text: str
    name: str = ""
    optional: bool = False
    catch_all: bool = False

    @property
    def shape(self) -> str:
        return "{" + "*" * self.catch_all + "?" * self.optional + "}" if self.name else self.text.lower()


class RouteTemplate:
    """One parsed template."""

    def __init__(self, template: str) -> None:
        """Parse a template.

        Raises:
            RouteTemplateError: the template is malformed, or has what the local host does not understand.
        """
        text = template.strip("/").removeprefix("~/")
        self._segments = tuple(_parse_segment(segment) for segment in text.split("/")) if text else ()
        names = [segment.name.lower() for segment in self._segments if segment.name]
        if len(names) != len(set(names)):
            raise RouteTemplateError(f"the route parameter names of '{template}' are not unique")
        if any(segment.catch_all for segment in self._segments[:-1]):
            raise RouteTemplateError(f"a catch-all parameter can only be the last segment of '{template}'")

    @property
    def shape(self) -> str:
        """The template without parameter names; two routes with the same shape collide."""
        return "/".join(segment.shape for segment in self._segments)

    def match(self, segments: list[str], *, trailing_slash: bool) -> dict[str, str] | None:
        """Return the captured values, or None if the path does not match."""
        values: dict[str, str] = {}
        for position, segment in enumerate(self._segments):
            if segment.catch_all:
                rest = segments[position:] + ([""] if trailing_slash else [])
                value = "/".join(_decode(part) for part in rest)
                return values | ({segment.name: value} if value else {})
            if position >= len(segments):
                if not segment.optional:
                    return None
            elif segment.name:
                values[segment.name] = _decode(segments[position])
            elif segment.text.lower() != _decode(segments[position]).lower():
                return None
        return values if len(segments) <= len(self._segments) else None


def split_path(raw_path: str) -> tuple[list[str], bool] | None:
    """Split an escaped path into segments and resolve dot segments; return None if a segment is empty.

    Returns:
        The segments and whether the path ended in a slash.
    """
    folded: list[str] = []
    parts = raw_path.removeprefix("/").split("/")
    for position, part in enumerate(parts):
        plain = part.replace("%2e", ".").replace("%2E", ".")
        if plain == "..":
            if folded:
                folded.pop()
        elif plain != ".":
            folded.append(part)
            continue
        if position == len(parts) - 1:
            folded.append("")
    trailing = len(folded) > 1 and folded[-1] == ""
    if trailing or folded == [""]:
        folded.pop()
    if any(part == "" for part in folded):
        return None
    return folded, trailing


def _decode(value: str) -> str:
    """Decode percent escapes, except %2F, which stays as it was written."""
    return "%2F".join("%2f".join(unquote(part) for part in piece.split("%2f")) for piece in value.split("%2F"))


def _parse_segment(segment: str) -> _Segment:
    parameter = _PARAMETER.fullmatch(segment)
    if parameter is not None:
        return _Segment(segment, parameter[2], bool(parameter[3]), bool(parameter[1]))
    if not segment or any(character in "{}?*" for character in segment):
        raise RouteTemplateError(
            f"'{segment}' is not a route segment that the local host understands: write a literal, {{name}}, {{name?}} "
            "or {*rest}"
        )
    return _Segment(segment)
