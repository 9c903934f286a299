"""The variables in the components of providers: `${NAME}`, `${NAME:=default}` and `${NAME:-default}`.

clusterctl replaces text before it reads the YAML. Here the YAML is read first, and only its scalars change: a value
with a line break or a colon stays a value. A scalar that is not quoted is read again, so that `${REPLICAS}` may become
a number.

Source: kubernetes-sigs/cluster-api `cmd/clusterctl/client/yamlprocessor/simple_processor.go`.
"""

import re
from collections.abc import Iterator, Mapping

import yaml

from shared.kubernetes_yaml import Dumper, FastLoader
from shared.phase_documents.bounded_yaml import DEEPEST

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
# A default that follows these is taken if the variable is not set, or is empty.
_DEFAULTS = (":=", ":-", "=", "-")
_OPEN, _CLOSE, _ESCAPED = "${", "}", "$${"
_TEXT_TAG = "tag:yaml.org,2002:str"


class MissingVariables(ValueError):  # noqa: N818 - what is missing, not an error of the caller
    """Variables without a value and without a default.

    Args:
        names: their names.
    """

    def __init__(self, names: set[str]) -> None:
        self.names = sorted(names)
        super().__init__(", ".join(self.names))


def substitute(text: str, variables: Mapping[str, str]) -> str:
    """Return YAML documents with every variable replaced by its value.

    Args:
        text: the documents.
        variables: the values by name; an empty one counts as none.

    Raises:
        MissingVariables: with all variables that have neither a value nor a default.
        ValueError: an expression is not one of the three forms.
    """
    if _OPEN not in text:
        return text
    roots = list(yaml.compose_all(text, FastLoader))
    missing: set[str] = set()
    for scalar in {id(one): one for root in roots for one in _scalars(root, DEEPEST)}.values():
        if _OPEN not in scalar.value:
            continue
        value = _replaced(scalar.value, variables, missing)
        scalar.tag, scalar.value = (_TEXT_TAG, value) if scalar.style else _read_again(value)
    if missing:
        raise MissingVariables(missing)
    changed: str = yaml.serialize_all(roots, Dumper=Dumper, explicit_start=True)
    return changed


def _scalars(node: yaml.Node, depth: int) -> Iterator[yaml.ScalarNode]:
    if isinstance(node, yaml.ScalarNode):
        yield node
    elif depth:
        below = node.value if isinstance(node, yaml.SequenceNode) else [one for pair in node.value for one in pair]
        for one in below:
            yield from _scalars(one, depth - 1)


def _replaced(text: str, variables: Mapping[str, str], missing: set[str]) -> str:
    """Return a text with its expressions replaced; add the names of those that cannot be to `missing`."""
    parts = []
    place = 0
    while (begin := text.find(_OPEN, place)) >= 0:
        if text.startswith(_ESCAPED, begin - 1) and begin > place:
            parts += [text[place : begin - 1], _OPEN]
            place = begin + len(_OPEN)
            continue
        end = _end(text, begin + len(_OPEN))
        parts += [text[place:begin], _value(text[begin + len(_OPEN) : end], variables, missing)]
        place = end + len(_CLOSE)
    return "".join([*parts, text[place:]])


def _end(text: str, place: int) -> int:
    """Return where an expression ends; a default may contain others."""
    open_expressions = 1
    while place < len(text):
        if text.startswith(_OPEN, place):
            open_expressions += 1
            place += len(_OPEN)
            continue
        if text[place] == _CLOSE:
            open_expressions -= 1
            if not open_expressions:
                return place
        place += 1
    raise ValueError(f"'{text}' has '{_OPEN}' without '{_CLOSE}'")


def _value(expression: str, variables: Mapping[str, str], missing: set[str]) -> str:
    bare = expression.strip()
    name = _NAME.match(bare)
    if name is None:
        raise ValueError(f"'{_OPEN}{expression}{_CLOSE}' does not name a variable")
    rest = bare[name.end() :]
    default = next((rest.removeprefix(sign) for sign in _DEFAULTS if rest.startswith(sign)), None)
    if rest and default is None:
        raise ValueError(
            f"'{_OPEN}{expression}{_CLOSE}' is not one of: ${{NAME}}, ${{NAME:=default}}, ${{NAME:-default}}"
        )
    value = variables.get(name[0])
    if value:
        return value
    if default is not None:
        return _replaced(default, variables, missing)
    if value is None:
        missing.add(name[0])
    return ""


def _read_again(value: str) -> tuple[str, str]:
    """Return the tag and the value of a text as YAML reads it if it is a scalar, otherwise as text."""
    try:
        node = yaml.compose(value, FastLoader)
    except yaml.YAMLError:
        node = None
    if isinstance(node, yaml.ScalarNode):
        return node.tag, node.value
    return _TEXT_TAG, value
