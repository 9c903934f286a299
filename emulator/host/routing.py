"""ASP.NET Core route templates as the Functions host uses them.

Routes are tried in the order of their functions' names. The first whose template, constraints and method match wins, so
a literal does not beat a parameter. Literals match in any case; captured values keep their case.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from urllib.parse import unquote

_GUID = r"\{?[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}\}?"


class RouteTemplateError(ValueError):
    """A template that ASP.NET Core would refuse."""


def _pattern(regex: str) -> Callable[[str], Callable[[str], bool]]:
    return lambda _argument: lambda value: re.fullmatch(regex, value, re.IGNORECASE) is not None


def _length(argument: str) -> Callable[[str], bool]:
    low, _, high = argument.partition(",")
    return lambda value: int(low) <= len(value) <= int(high or low)


def _number(low: float, high: float) -> Callable[[str], bool]:
    return lambda value: re.fullmatch(r"[+-]?\d+", value) is not None and low <= int(value) <= high


def _range(argument: str) -> Callable[[str], bool]:
    low, _, high = argument.partition(",")
    return _number(int(low), int(high))


_INT64 = 2**63

# Constraint name -> argument -> test of a value.
_CONSTRAINTS: dict[str, Callable[[str], Callable[[str], bool]]] = {
    "int": lambda _: _number(-(2**31), 2**31 - 1),
    "long": lambda _: _number(-_INT64, _INT64 - 1),
    "bool": _pattern("true|false"),
    "decimal": _pattern(r"[+-]?(\d+(\.\d*)?|\.\d+)"),
    "double": _pattern(r"[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?"),
    "float": _pattern(r"[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?"),
    "guid": _pattern(_GUID),
    "datetime": _pattern(r"\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})?)?"),
    "alpha": _pattern("[a-z]*"),
    "required": _pattern(".+"),
    "minlength": lambda argument: lambda value: len(value) >= int(argument),
    "maxlength": lambda argument: lambda value: len(value) <= int(argument),
    "length": _length,
    "min": lambda argument: _number(int(argument), _INT64),
    "max": lambda argument: _number(-_INT64, int(argument)),
    "range": _range,
    "regex": lambda argument: lambda value: re.search(argument, value, re.IGNORECASE) is not None,
}


@dataclass(frozen=True)
class _Parameter:
    name: str
    optional: bool
    catch_all: bool
    default: str | None
    constraints: tuple[Callable[[str], bool], ...]

    def accepts(self, value: str) -> bool:
        return all(constraint(value) for constraint in self.constraints)


@dataclass(frozen=True)
class _Segment:
    """One path segment: alternating literals and parameters. Most segments have only one part."""

    parts: tuple[str | _Parameter, ...]

    @property
    def parameter(self) -> _Parameter | None:
        only = self.parts[0] if len(self.parts) == 1 else None
        return only if isinstance(only, _Parameter) else None

    @property
    def shape(self) -> str:
        return "".join(
            part.lower() if isinstance(part, str) else "{" + "*" * part.catch_all + "?" * part.optional + "}"
            for part in self.parts
        )


class RouteTemplate:
    """One parsed template."""

    def __init__(self, template: str) -> None:
        """Parse a template.

        Raises:
            RouteTemplateError: the template is malformed, or names an unknown constraint.
        """
        self.template = template
        text = template.strip("/").removeprefix("~/")
        self._segments = tuple(_parse_segment(segment) for segment in _split_segments(text)) if text else ()
        names = [part.name.lower() for s in self._segments for part in s.parts if isinstance(part, _Parameter)]
        if len(names) != len(set(names)):
            raise RouteTemplateError(f"the route parameter names of '{template}' are not unique")
        for segment in self._segments[:-1]:
            if segment.parameter is not None and segment.parameter.catch_all:
                raise RouteTemplateError(f"a catch-all parameter can only be the last segment of '{template}'")

    @property
    def shape(self) -> str:
        """The template without parameter names; two routes with the same shape collide."""
        return "/".join(segment.shape for segment in self._segments)

    def match(self, segments: list[str], *, trailing_slash: bool) -> dict[str, str] | None:
        """Return the captured values, or None if the path does not match.

        Args:
            segments: The path's escaped segments, with dot segments already resolved.
            trailing_slash: Whether a slash followed the last segment; a catch-all keeps it.
        """
        values: dict[str, str] = {}
        for position, segment in enumerate(self._segments):
            parameter = segment.parameter
            if parameter is not None and parameter.catch_all:
                rest = segments[position:] + ([""] if trailing_slash else [])
                value = "/".join(_decode(part) for part in rest)
                if value:
                    values[parameter.name] = value
                return values if parameter.accepts(value) else None
            if position >= len(segments):
                if parameter is None or not (parameter.optional or parameter.default is not None):
                    return None
                if parameter.default is not None:
                    values[parameter.name] = parameter.default
                continue
            captured = _match_segment(segment, segments[position])
            if captured is None:
                return None
            values |= captured
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


def _match_segment(segment: _Segment, value: str) -> dict[str, str] | None:
    decoded = _decode(value)
    if segment.parameter is not None:
        return {segment.parameter.name: decoded} if segment.parameter.accepts(decoded) else None
    pattern = "".join(re.escape(part) if isinstance(part, str) else "(.+)" for part in segment.parts)
    match = re.fullmatch(pattern, decoded, re.IGNORECASE | re.DOTALL)
    if match is None:
        return None
    parameters = [part for part in segment.parts if isinstance(part, _Parameter)]
    captured = dict(zip(parameters, match.groups(), strict=True))
    if not all(parameter.accepts(text) for parameter, text in captured.items()):
        return None
    return {parameter.name: text for parameter, text in captured.items()}


def _split_segments(text: str) -> list[str]:
    """Split at slashes outside braces, because a regex constraint may contain slashes."""
    segments, depth, start = [], 0, 0
    for position, character in enumerate(text):
        depth += (character == "{") - (character == "}")
        if character == "/" and depth == 0:
            segments.append(text[start:position])
            start = position + 1
    segments.append(text[start:])
    if depth or any(not segment for segment in segments):
        raise RouteTemplateError(f"'{text}' is not a route template")
    return segments


def _parse_segment(segment: str) -> _Segment:
    parts: list[str | _Parameter] = []
    position = 0
    while position < len(segment):
        opening = segment.find("{", position)
        if opening != position:
            end = len(segment) if opening < 0 else opening
            literal = segment[position:end]
            if "}" in literal or "?" in literal:
                raise RouteTemplateError(f"'{segment}' is not a route segment")
            parts.append(literal)
            position = end
            continue
        closing, depth = opening, 0
        for closing in range(opening, len(segment)):
            depth += (segment[closing] == "{") - (segment[closing] == "}")
            if depth == 0:
                break
        parts.append(_parse_parameter(segment[opening + 1 : closing]))
        position = closing + 1
    if any(isinstance(one, _Parameter) and isinstance(two, _Parameter) for one, two in pairwise(parts)):
        raise RouteTemplateError(f"two parameters of '{segment}' are not separated by a literal")
    return _Segment(tuple(parts))


def _parse_parameter(text: str) -> _Parameter:
    catch_all = text.startswith("*")
    text = text.lstrip("*")
    optional = text.endswith("?")
    text = text.removesuffix("?")
    head, equals, default = text.partition("=") if ":" not in text else (text, "", "")
    name, *constraints = re.split(r":(?![^(]*\))", head)
    if not re.fullmatch(r"[^/{}?*:=]+", name):
        raise RouteTemplateError(f"'{text}' is not a route parameter")
    return _Parameter(
        name=name,
        optional=optional,
        catch_all=catch_all,
        default=default if equals else None,
        constraints=tuple(_parse_constraint(constraint) for constraint in constraints),
    )


def _parse_constraint(text: str) -> Callable[[str], bool]:
    match = re.fullmatch(r"(\w+)(?:\((.*)\))?", text)
    constraint = _CONSTRAINTS.get(match.group(1).lower()) if match else None
    if match is None or constraint is None:
        raise RouteTemplateError(f"the constraint '{text}' could not be resolved")
    return constraint(match.group(2) or "")
