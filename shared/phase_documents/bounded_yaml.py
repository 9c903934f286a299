"""YAML of strangers, read as Kubernetes reads it, within limits: how much, how deep, how often aliases repeat it."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from shared import deadline
from shared.bundles.problems import BundleError, Problem, bundle_error
from shared.kubernetes_yaml import FastLoader

Document = dict[str, Any]

# A document of any size fits into these; a bomb of aliases does not.
MOST_BYTES = 8 * 1024**2
MOST_NODES = 500_000
DEEPEST = 60
# A longer text counts as several values, because aliases repeat texts, too.
_CHARACTERS_OF_A_VALUE = 100
_EVENTS_BETWEEN_LOOKS = 10_000


def documents(text: str, file: str) -> list[Document]:
    """Return the documents of a YAML file, which must all be objects; empty ones are left out.

    Args:
        text: the content of the file.
        file: path of the file, for errors.

    Raises:
        BundleError: it is not YAML, is over a limit, or a document is not an object.
        TimeIsUp: the request that asks has no time left.
    """
    return _documents(text, file, dict)


def _documents(text: str, file: str, kind: type[Any]) -> list[Any]:
    """Return the documents of a file that are of a kind; see `documents`."""
    if len(text) > MOST_BYTES:
        raise bundle_error(f"The file has {len(text)} characters. At most {MOST_BYTES} are allowed.", file=file)
    try:
        _check_events(text, file)
        documents = list(yaml.load_all(text, FastLoader))
    except yaml.YAMLError as error:
        raise bundle_error(f"This is not YAML: {_in_words(error)}", file=file) from error
    except RecursionError as error:
        raise bundle_error(f"The document is nested deeper than {DEEPEST} levels.", file=file) from error
    result = []
    for number, document in enumerate(documents, 1):
        if document is None:
            continue
        if not isinstance(document, kind):
            raise bundle_error(f"Document {number} is not an object but {type(document).__name__}.", file=file)
        result.append(document)
    return result


def read_file(path: Path, file: str) -> list[Document]:
    """Return the documents of a file of a bundle; see `documents`.

    Args:
        path: where it is.
        file: its path in the bundle, for errors.

    Raises:
        BundleError: as for `documents`, or if it is not UTF-8.
    """
    return documents(_text(path, file), file)


def _text(path: Path, file: str) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise bundle_error(f"The file is not UTF-8: {error.reason} at byte {error.start}.", file=file) from error


def problems_of(path: Path, file: str, *, objects: bool = True) -> list[Problem]:
    """Return what is wrong with a file as YAML; see `read_file`.

    Args:
        path: where it is.
        file: its path in the bundle, for errors.
        objects: whether its documents must be objects.
    """
    try:
        _documents(_text(path, file), file, dict if objects else object)
    except BundleError as error:
        return error.problems
    return []


def _check_events(text: str, file: str) -> None:
    """Count what a reader of the documents would meet, aliases followed, before anything is built.

    A bomb is a small file whose aliases repeat each other: nine lines can stand for a thousand million values.
    """
    open_nodes = [0]
    anchors: list[str] = []
    sizes: dict[str, int] = {}
    for number, event in enumerate(yaml.parse(text, FastLoader)):
        if number % _EVENTS_BETWEEN_LOOKS == 0 and deadline.seconds_left() <= 0:
            raise deadline.TimeIsUp
        if isinstance(event, yaml.CollectionStartEvent):
            open_nodes.append(1)
            anchors.append(event.anchor or "")
            if len(open_nodes) > DEEPEST:
                raise bundle_error(f"The document is nested deeper than {DEEPEST} levels.", file=file)
            continue
        if isinstance(event, yaml.CollectionEndEvent):
            size, anchor = open_nodes.pop(), anchors.pop()
        else:
            size, anchor = _size(event, sizes, file), getattr(event, "anchor", None) or ""
        if anchor:
            sizes[anchor] = size
        open_nodes[-1] += size
        if open_nodes[-1] > MOST_NODES:
            raise bundle_error(f"The file stands for more than {MOST_NODES} values, its aliases followed.", file=file)


def _size(event: yaml.Event, sizes: Mapping[str, int], file: str) -> int:
    """Return as how many values an event counts that is neither the start nor the end of a list or an object."""
    if isinstance(event, yaml.ScalarEvent):
        return 1 + len(event.value) // _CHARACTERS_OF_A_VALUE
    if not isinstance(event, yaml.AliasEvent):
        return 0
    name = event.anchor or ""
    if name not in sizes:
        circle = f"The alias '*{name}' stands before the end of the value that it names, or names none."
        raise bundle_error(circle, file=file)
    return sizes[name]


def _in_words(error: yaml.YAMLError) -> str:
    mark = getattr(error, "problem_mark", None)
    problem = getattr(error, "problem", None) or str(error)
    return f"{problem}." if mark is None else f"{problem} in line {mark.line + 1}."
