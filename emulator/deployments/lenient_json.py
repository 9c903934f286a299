"""Deployments as people write them: ARM's reader takes more than JSON.

It skips comments, and takes names of members without quotes and line breaks in strings. The Azure CLI counts on all
three: it pastes the template's file, as it is, behind a bare `template:`.
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


def decode(content: bytes) -> tuple[Any, str]:
    """Return what a body says, and the body as JSON text, in which every line keeps its number.

    Raises:
        ValueError: it cannot be read.
        RecursionError: it is nested deeper than the stack goes.
    """
    source = TOKEN.sub(_as_json, content.decode("utf-8-sig"))
    return (json.loads(source, strict=False) if source.strip() else {}), source


def _as_json(token: re.Match[str]) -> str:
    if token["comment"]:
        return re.sub(r"[^\r\n]", " ", token["comment"])
    return f'"{token["name"]}"' if token["name"] else token["string"]
