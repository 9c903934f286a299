"""YAML of strangers, read within limits: how much, how deep, and how often its aliases may repeat it."""

from pathlib import Path
from typing import Any

import yaml

from shared.phases.problems import BundleError, Problem, refused

Document = dict[str, Any]

# A document of any size fits into these; a bomb of aliases does not.
MOST_BYTES = 8 * 1024**2
MOST_NODES = 500_000
DEEPEST = 60


class _Loader(yaml.CSafeLoader if hasattr(yaml, "CSafeLoader") else yaml.SafeLoader):  # type: ignore[misc]  # one of both
    """The safe loader, without what makes numbers and times of texts that Kubernetes takes as strings."""


_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:timestamp"]
    for first, resolvers in _Loader.yaml_implicit_resolvers.items()
}


def documents(text: str, file: str) -> list[Document]:
    """Return the documents of a YAML file, which must all be objects; empty ones are left out.

    Args:
        text: the content of the file.
        file: path of the file, for errors.

    Raises:
        BundleError: it is not YAML, is over a limit, or a document is not an object.
    """
    if len(text) > MOST_BYTES:
        raise refused(f"The file has {len(text)} characters. At most {MOST_BYTES} are allowed.", file=file)
    try:
        _check_events(text, file)
        found = list(yaml.load_all(text, _Loader))
    except yaml.YAMLError as error:
        raise refused(f"This is not YAML: {_in_words(error)}", file=file) from error
    except RecursionError as error:
        raise refused(f"The document is nested deeper than {DEEPEST} levels.", file=file) from error
    result = []
    for number, document in enumerate(found, 1):
        if document is None:
            continue
        if not isinstance(document, dict):
            raise refused(f"Document {number} is not an object but {type(document).__name__}.", file=file)
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
    try:
        return documents(path.read_text(encoding="utf-8"), file)
    except UnicodeDecodeError as error:
        raise refused(f"The file is not UTF-8: {error.reason} at byte {error.start}.", file=file) from error


def problems_of(path: Path, file: str) -> list[Problem]:
    """Return what is wrong with a file as YAML; see `read_file`."""
    try:
        read_file(path, file)
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
    for event in yaml.parse(text, _Loader):
        if isinstance(event, yaml.CollectionStartEvent):
            open_nodes.append(1)
            anchors.append(event.anchor or "")
            if len(open_nodes) > DEEPEST:
                raise refused(f"The document is nested deeper than {DEEPEST} levels.", file=file)
            continue
        size, anchor = 1, getattr(event, "anchor", None) or ""
        if isinstance(event, yaml.AliasEvent):
            size = sizes.get(anchor, 1)
        elif isinstance(event, yaml.CollectionEndEvent):
            size, anchor = open_nodes.pop(), anchors.pop()
        elif not isinstance(event, yaml.ScalarEvent):
            continue
        if anchor and not isinstance(event, yaml.AliasEvent):
            sizes[anchor] = size
        open_nodes[-1] += size
        if open_nodes[-1] > MOST_NODES:
            raise refused(f"The file stands for more than {MOST_NODES} values, its aliases followed.", file=file)


def _in_words(error: yaml.YAMLError) -> str:
    mark = getattr(error, "problem_mark", None)
    problem = getattr(error, "problem", None) or str(error)
    return f"{problem}." if mark is None else f"{problem} in line {mark.line + 1}."
