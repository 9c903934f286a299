"""Writes the bodies of calls, which the journal leaves out, so that tests can compare them with Azure's models.

`observer` is what the environment variable `LOCAL_AZURE_OBSERVER` names in a run of tests. Nothing is written unless
`LOCAL_AZURE_EXCHANGES` names a folder. A body is written as a
sample: the names and kinds of its members, and words that may belong to an enumeration, but no other values. So the
files hold no secrets, and calls that differ in values only give one line.
"""

import json
import os
import re
from dataclasses import asdict
from functools import cache
from http import HTTPStatus
from pathlib import Path
from typing import Any
from uuid import uuid4

from emulator.core.journal import Entry
from emulator.json_object import Json

FOLDER = "LOCAL_AZURE_EXCHANGES"
# What a local Azure loads to observe its journal.
PLUG = f"{__name__}:observer"
TEXT = "…"
TIME = "2000-01-01T00:00:00Z"
DURATION = "PT1H"
# The name of members whose own names are data.
ANY_NAME = "*"

_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)")
_DURATION = re.compile(r"P(?=.)(\d+[YMWD])*(T(\d+(\.\d+)?[HMS])+)?")
# Names of resources are written in lower case, words of enumerations mostly begin with a capital. Only these
# distinguish one sample from another.
_WORD = re.compile(r"[A-Z][A-Za-z0-9_.]{0,40}")
_LOWER_WORD = re.compile(r"[a-z]{2,20}")
_NAME = re.compile(r"[A-Za-z@$][A-Za-z0-9_.@$-]{0,60}")
# Members with secrets, and those with only data below them.
_SECRET = re.compile(r"(?i)secret|password|token|credential|customdata|userdata|key|value$|code")
_LONG = 64
# What a Kubernetes object is.
_IDENTITY = frozenset({"apiVersion", "kind"})
_DATA = frozenset({"data", "stringData", "protectedSettings"})


class Exchanges:
    """Writes one line for each kind of exchange to a file of this process."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / f"{uuid4()}.jsonl"
        self._seen: set[int] = set()

    def add(self, entry: Entry, request: bytes, reply: bytes) -> None:
        """Write an answered call, unless one like it was written before. Only JSON is written."""
        if not entry.status:
            return
        if entry.status >= HTTPStatus.BAD_REQUEST:
            request = b""
        call = (entry.service, entry.operation, _version(entry.path), entry.status, bool(entry.step))
        if self._is_known((*call, request, reply)):
            return
        sent, answered = _parsed(request), _parsed(reply)
        if self._is_known((*call, json.dumps(sample(sent)), json.dumps(sample(answered)))):
            return
        named = {"request": sample(sent, lower=True), "reply": sample(answered, lower=True)}
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(asdict(entry) | named) + "\n")

    def _is_known(self, key: tuple[object, ...]) -> bool:
        number = hash(key)
        known = number in self._seen
        self._seen.add(number)
        return known


def observer() -> Exchanges | None:
    """Return this process's writer if the environment asks for one."""
    folder = os.environ.get(FOLDER, "")
    return _of_process(Path(folder)) if folder else None


@cache
def _of_process(folder: Path) -> Exchanges:
    """Return one writer for all platforms of this process: tests start hundreds."""
    return Exchanges(folder)


def sample(value: Any, *, lower: bool = False, name: str = "") -> Any:
    """Return a JSON value without its data: equal for values that differ in data only.

    Args:
        value: the value.
        lower: whether to keep words in lower case too, which may be names.
        name: the name of the member that has the value; "*" below data.
    """
    if isinstance(value, dict):
        below = {part: ANY_NAME if name == ANY_NAME or part in _DATA else part for part in value}
        return _members((part, sample(member, lower=lower, name=below[part])) for part, member in value.items())
    if isinstance(value, list):
        kinds: Json = {}
        for item in value:
            kind = sample(item, lower=lower, name=name)
            kinds.setdefault(json.dumps(kind), kind)
        return list(kinds.values())
    if isinstance(value, str):
        return _text(value, name, lower=lower)
    if isinstance(value, bool) or value is None:
        return value
    return 0 if isinstance(value, int) else 0.5


def _members(pairs: Any) -> Json:
    """Return an object; members whose names are data are merged under a common name, as far as they are alike."""
    found: Json = {}
    for name, kind in pairs:
        if _NAME.fullmatch(name):
            found[name] = kind
        elif kind not in (member for known, member in found.items() if known.startswith(ANY_NAME)):
            number = sum(known.startswith(ANY_NAME) for known in found)
            found[f"{ANY_NAME}{number or ''}"] = kind
    return dict(sorted(found.items()))


def _text(value: str, name: str, *, lower: bool) -> str:
    if name in _IDENTITY and len(value) < _LONG:
        return value
    if _TIME.fullmatch(value):
        return TIME
    if _DURATION.fullmatch(value):
        return DURATION
    if name == ANY_NAME or _SECRET.search(name):
        return TEXT
    if not value or _WORD.fullmatch(value) or (lower and _LOWER_WORD.fullmatch(value)):
        return value
    return TEXT


def _parsed(body: bytes) -> Any:
    try:
        return json.loads(body) if body else None
    except (ValueError, RecursionError):
        return None


def _version(path: str) -> str:
    return path.partition("api-version=")[2].partition("&")[0]
