"""YAML as the API server and OpenShift's programs read it: with Go's rules, so that its values are those of JSON.

Source: kubernetes-sigs/yaml `yaml.go`, `goyaml.v2/resolve.go`.
"""

import base64
import math
import re
from collections.abc import Callable
from typing import Any

import yaml

TAG = "tag:yaml.org,2002:"
INTEGERS: tuple[tuple[str, int], ...] = (
    (r"[-+]?0[bB][01]+", 2),
    (r"[-+]?0[xX][0-9a-fA-F]+", 16),
    (r"[-+]?0[oO]?[0-7]*", 8),
    (r"[-+]?[1-9][0-9]{0,19}", 10),
)
PLAIN_FLOAT = r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?"
# Go writes smaller numbers without an exponent, so whole ones are integers in JSON.
SMALLEST_WITH_EXPONENT = 1e21
WORDS = {"yes": True, "y": True, "true": True, "on": True, "no": False, "n": False, "false": False, "off": False}


def plain(text: str) -> Any:
    """Return the value of a scalar without quotes."""
    word = text.lower()
    if text in {word, word.capitalize(), word.upper()} and word in WORDS:
        return WORDS[word]
    if text in {"", "~", "null", "Null", "NULL"}:
        return None
    digits = text if text.startswith(".") else text.replace("_", "") if text[0] in "+-0123456789" else ""
    for pattern, base in INTEGERS:
        if re.fullmatch(pattern, digits):
            number = int(re.sub("0[bBxXoO]", "", digits) or "0", base)
            if -(2**63) <= number < 2**64:
                return number
    if re.fullmatch(PLAIN_FLOAT, digits) and not math.isinf(float(digits)):
        real = float(digits)
        return int(real) if real.is_integer() and abs(real) < SMALLEST_WITH_EXPONENT else real
    if re.fullmatch(r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)", text):
        raise yaml.YAMLError(f"json: unsupported value: {text}")
    return text


class Loader(yaml.SafeLoader):
    """Takes a scalar for what Go takes it for."""


class FastLoader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]  # one of two classes
    """The same in C, for files of an installation: text that is nested deeply crashes it."""


def _tagged(kinds: tuple[type, ...]) -> Callable[[Any, yaml.ScalarNode], Any]:
    def construct(_loader: Any, node: yaml.ScalarNode) -> Any:
        value = plain(node.value)
        if not isinstance(value, kinds):
            raise yaml.constructor.ConstructorError(None, None, f"cannot decode `{node.value}`", node.start_mark)
        return value

    return construct


def _binary(_loader: Any, node: yaml.ScalarNode) -> str:
    try:
        return base64.b64decode("".join(node.value.split()), validate=True).decode(errors="replace")
    except ValueError as error:
        raise yaml.constructor.ConstructorError(None, None, "!!binary value contains invalid base64 data") from error


def _mapping(loader: Any, node: yaml.MappingNode) -> dict[str, Any]:
    loader.flatten_mapping(node)
    pairs = [
        (loader.construct_object(key, deep=True), loader.construct_object(one, deep=True)) for key, one in node.value
    ]
    for key, _ in pairs:
        if key is None or isinstance(key, (list, dict)):
            raise yaml.constructor.ConstructorError(None, None, f"unsupported map key of type: {key}", node.start_mark)
    return {str(key).lower() if isinstance(key, bool) else str(key): value for key, value in pairs}


def _any(loader: Any, node: yaml.Node) -> Any:
    """Return a value whose tag does not count."""
    if isinstance(node, yaml.MappingNode):
        return _mapping(loader, node)
    return loader.construct_sequence(node, deep=True) if isinstance(node, yaml.SequenceNode) else node.value


CONSTRUCTORS: dict[str | None, Callable[..., Any]] = {
    None: _any,
    "plain": lambda _, node: plain(node.value),
    f"{TAG}bool": _tagged((bool,)),
    f"{TAG}int": _tagged((int,)),
    f"{TAG}float": _tagged((int, float)),
    f"{TAG}null": _tagged((type(None),)),
    f"{TAG}binary": _binary,
}
for _one in (Loader, FastLoader):
    _one.yaml_constructors = CONSTRUCTORS
    # A plain scalar has a tag of its own. Of the implicit ones only that of a key that merges another object is left.
    _one.yaml_implicit_resolvers = {}
    _one.add_implicit_resolver(f"{TAG}merge", re.compile("<<"), ["<"])
    _one.add_implicit_resolver("plain", re.compile(".*", re.DOTALL), None)


def load(text: str | bytes) -> Any:
    """Return the document in a text.

    Raises:
        yaml.YAMLError: there is none, or JSON cannot say it.
    """
    return yaml.load(text, Loader)  # noqa: S506 - it makes values of JSON only
