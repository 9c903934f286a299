"""Reads the body of a deployment as leniently as ARM, which accepts more than JSON.

ARM skips comments, and accepts names of members without quotes and line breaks in strings. The Azure CLI relies on all
three: it pastes the template's file unchanged after an unquoted `template:`.
"""

import json
import re
from typing import Any

TOKEN = re.compile(
    r"""
    (?P<string> "(?:[^"\\]|\\.)*" )
    | (?P<comment> //[^\r\n]* | /\*.*?\*/ )
    | (?P<name> [A-Za-z_$][\w$]* ) (?= \s*: )
    """,
    re.DOTALL | re.VERBOSE,
)


def decode(content: bytes) -> Any:
    """Return the value of a body; {} for an empty one.

    Raises:
        ValueError: the body cannot be read.
        RecursionError: the body is nested too deep for the stack.
    """
    source = TOKEN.sub(_as_json, content.decode("utf-8-sig"))
    return json.loads(source, strict=False) if source.strip() else {}


def _as_json(token: re.Match[str]) -> str:
    if token["comment"]:
        return " "
    return f'"{token["name"]}"' if token["name"] else token["string"]
