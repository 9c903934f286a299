"""Functions on strings: joining, cutting, searching, encoding."""

import base64
import re
from typing import Any

from emulator.deployments.language.functions.signature import Function, failed
from emulator.deployments.language.hashes import arm_guid, unique_string
from emulator.deployments.language.values import to_text, type_name

PLACEHOLDER = re.compile(r"\{\{|\}\}|\{(\d+)(?::([^{}]*))?\}|[{}]")
# A longer string can only be a mistake; ARM refuses more than 131072 characters.
MAX_TEXT = 131_072


def _concat(*values: Any) -> Any:
    if all(isinstance(value, list) for value in values):
        return [item for value in values for item in value]
    for value in values:
        if isinstance(value, list | dict):
            raise failed("concat", f"a value of type '{type_name(value)}' cannot be joined to a text")
    return _limited("concat", "".join(map(to_text, values)))


def _format(pattern: str, *values: Any) -> str:
    def fill(found: re.Match[str]) -> str:
        text, position, specification = found[0], found[1], found[2]
        if text in ("{{", "}}"):
            return str(text[0])
        if position is None or int(position) >= len(values):
            raise failed("format", f"'{text}' in the format string names no argument")
        return _formatted(values[int(position)], specification)

    return _limited("format", PLACEHOLDER.sub(fill, pattern))


def _formatted(value: Any, specification: str | None) -> str:
    if not specification:
        return to_text(value)
    # The numeric formats of .NET that make sense for integers: decimal, hexadecimal, and a mask of zeros.
    matched = re.fullmatch(r"([DdXx])(\d{0,2})|(0+)", specification)
    if matched is None or type(value) is not int:
        raise failed("format", f"the format '{specification}' is not supported for type '{type_name(value)}'")
    width = int(matched[2] or 0) if matched[3] is None else len(matched[3])
    return f"{value:0{width}{(matched[1] or 'd').replace('D', 'd')}}"


def _limited(name: str, text: str) -> str:
    if len(text) > MAX_TEXT:
        raise failed(name, f"the result is longer than {MAX_TEXT} characters")
    return text


def _substring(text: str, start: int, length: int | None = None) -> str:
    end = len(text) if length is None else start + length
    if not 0 <= start <= end <= len(text):
        raise failed("substring", "the index and length parameters must refer to a location within the string")
    return text[start:end]


def _split(text: str, delimiter: str | list[Any]) -> list[str]:
    delimiters = [delimiter] if isinstance(delimiter, str) else delimiter
    if not delimiters or not all(isinstance(item, str) and item for item in delimiters):
        raise failed("split", "the delimiter must be a string that is not empty, or an array of such")
    return re.split("|".join(map(re.escape, delimiters)), text)


def _replace(text: str, old: str, new: str) -> str:
    if not old:
        raise failed("replace", "the text to be replaced is empty")
    if len(text) + text.count(old) * (len(new) - len(old)) > MAX_TEXT:
        raise failed("replace", f"the result is longer than {MAX_TEXT} characters")
    return text.replace(old, new)


def _from_base64(text: str) -> str:
    try:
        return base64.b64decode(text, validate=True).decode()
    except ValueError:
        raise failed("base64ToString", "the text is not valid base64 of UTF-8") from None


def _join(items: list[Any], delimiter: str) -> str:
    return _limited("join", delimiter.join(map(to_text, items)))


TEXT = (
    Function("concat", "any any*", _concat),
    Function("format", "string any*", _format),
    Function("string", "any", to_text),
    Function("toLower", "string", str.lower),
    Function("toUpper", "string", str.upper),
    Function("trim", "string", str.strip),
    Function("startsWith", "string string", lambda text, start: text.lower().startswith(start.lower())),
    Function("endsWith", "string string", lambda text, end: text.lower().endswith(end.lower())),
    Function("indexOf", "string string", lambda text, part: text.lower().find(part.lower())),
    Function("substring", "string int int?", _substring),
    Function("split", "string string|array", _split),
    Function("join", "array string", _join),
    Function("replace", "string string string", _replace),
    Function("base64", "string", lambda text: base64.b64encode(text.encode()).decode()),
    Function("base64ToString", "string", _from_base64),
    Function("guid", "string string*", arm_guid),
    Function("uniqueString", "string string*", unique_string),
)
