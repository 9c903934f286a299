"""YAML as Kubernetes reads and writes it: by the rules of Go's library, which differ from PyYAML's YAML 1.1.

`yes` and `on` are true, and `0644` is octal. But a lone `=` is a text, `<<` is one unless it is a key, a time is a
text, `1:30` is one, and what is JSON's number, `1e3`, is a number. The keys of objects are texts. Unknown tags do not
matter.

Source: kubernetes-sigs/yaml `yaml.go` (`YAMLToJSON`), `goyaml.v2/resolve.go`, `goyaml.v2/decode.go`.
"""

import base64
import binascii
import math
import re
from collections.abc import Iterator
from typing import Any

import yaml

# The exceptions of PyYAML, which are not only its own if a tag such as `!!timestamp` or `!!bool` is on the wrong kind
# of value.
NO_YAML = (yaml.YAMLError, ValueError, LookupError, AttributeError, ArithmeticError, TypeError, RecursionError)
_TAGS = "tag:yaml.org,2002:"
_WORDS: dict[str, tuple[str, Any]] = {
    spelled: (tag, value)
    for tag, value, words in (
        ("bool", True, "y yes true on"),
        ("bool", False, "n no false off"),
        ("null", None, "null"),
        ("float", math.nan, ".nan"),
        ("float", math.inf, ".inf +.inf"),
        ("float", -math.inf, "-.inf"),
    )
    for word in words.split()
    for spelled in (word, word.capitalize(), word.upper())
} | {
    "": ("null", None),
    "~": ("null", None),
    **{f"{sign}.Inf": ("float", math.inf) for sign in ("", "+")},
    "-.Inf": ("float", -math.inf),
    ".NaN": ("float", math.nan),
    "<<": ("merge", "<<"),
}
_INTEGER = re.compile(r"([-+]?)(0[bB][01]+|0[oO][0-7]+|0[xX][0-9a-fA-F]+|0[0-7]*|[1-9][0-9]*)")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
# Longer ones are not integers of 64 bits.
_LONGEST_INTEGER = 70
# From here on Go writes a number with an exponent.
_LARGEST_WITHOUT_EXPONENT = 1e21


def resolve(text: str) -> tuple[str, Any]:
    """Return what a plain scalar is: its tag, without the prefix of YAML's own, and its value."""
    if text in _WORDS:
        return _WORDS[text]
    if text[0] in "+-0123456789":
        plain = text.replace("_", "")
        integer = _INTEGER.fullmatch(plain) if len(plain) <= _LONGEST_INTEGER else None
        if integer is not None and -(2**63) <= (number := _number(*integer.groups())) < 2**64:
            return "int", number
    elif text[0] == ".":
        plain = text
    else:
        return "str", text
    if _FLOAT.fullmatch(plain) and not math.isinf(float(plain)):
        return "float", float(plain)
    return "str", text


def _number(sign: str, digits: str) -> int:
    prefixed = digits[:2].lower() in {"0b", "0o", "0x"}
    octal = digits.startswith("0") and not prefixed
    return int(f"{sign}{digits}", 0 if prefixed else 8 if octal else 10)


class _Rules:
    """What differs from PyYAML's safe loaders. The values are those of JSON."""

    def resolve(self, kind: type[yaml.Node], value: Any, implicit: Any) -> str:
        """Return the tag of a node that has none."""
        if kind is yaml.ScalarNode and implicit[0]:
            return f"{_TAGS}{resolve(value)[0]}"
        tag: str = super().resolve(kind, value, implicit)  # type: ignore[misc]  # of the loader
        return tag

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[str, Any]:
        """Return an object; of a key that is there twice, the last."""
        loader: Any = self
        loader.flatten_mapping(node)
        return {
            _key(loader.construct_object(key, deep=True), key): loader.construct_object(value, deep=deep)
            for key, value in node.value
        }


_InC: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_DumperInC: Any = getattr(yaml, "CSafeDumper", yaml.SafeDumper)


class Loader(_Rules, yaml.SafeLoader):  # type: ignore[misc]  # keys are texts
    """For texts of strangers: one that is nested too deeply is a RecursionError."""


class FastLoader(_Rules, _InC):  # type: ignore[misc]  # one of two classes
    """Ten times faster, for texts whose depth is known: one that is nested too deeply ends the process."""


class Dumper(_DumperInC):  # type: ignore[misc]  # one of two classes
    """Quotes each text that Kubernetes or a reader of YAML 1.1 would take for something else."""

    def resolve(self, kind: type[yaml.Node], value: Any, implicit: Any) -> str:
        """Return the tag that a reader finds."""
        tag: str = super().resolve(kind, value, implicit)
        if kind is yaml.ScalarNode and implicit[0] and (reading := resolve(value)[0]) != "str":
            return f"{_TAGS}{reading}"
        return tag


def load(text: str | bytes) -> Any:
    """Return the only document of a YAML text; None if it has none.

    Raises:
        YAMLError: it is not YAML, has two documents, or something in it that JSON cannot say.
        RecursionError: it is nested too deeply.
    """
    return yaml.load(text, Loader)  # noqa: S506 - a safe loader


def load_all(text: str | bytes) -> Iterator[Any]:
    """Yield the documents of a YAML text; None for an empty one.

    Raises:
        YAMLError: it is not YAML, or something in it cannot be said in JSON.
        RecursionError: it is nested too deeply.
    """
    return yaml.load_all(text, Loader)


def dump(value: Any) -> str:
    """Return a value as YAML, its members in their order."""
    text: str = yaml.dump(value, Dumper=Dumper, sort_keys=False, allow_unicode=True)
    return text


def _key(value: Any, node: yaml.Node) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return str(value)
    raise _error("this is not a key of an object: an object's keys are texts", node)


def _scalar(_loader: Any, node: yaml.ScalarNode) -> Any:
    wanted = node.tag.removeprefix(_TAGS)
    tag, value = resolve(node.value)
    if tag != wanted and (tag, wanted) != ("int", "float"):
        raise _error(f"'{node.value}' is not of type {wanted}", node)
    if isinstance(value, float) and not math.isfinite(value):
        raise _error(f"'{node.value}' is not a number that JSON has", node)
    if isinstance(value, float) and value.is_integer() and abs(value) < _LARGEST_WITHOUT_EXPONENT:
        return int(value)
    return value


def _binary(_loader: Any, node: yaml.ScalarNode) -> str:
    try:
        return base64.b64decode("".join(node.value.split()), validate=True).decode(errors="replace")
    except binascii.Error as error:
        raise _error("this is not base64", node) from error


def _untagged(loader: Any, node: yaml.Node) -> Any:
    """Return a value of which only the kind counts: a text, a list or an object."""
    if isinstance(node, yaml.ScalarNode):
        return node.value
    if isinstance(node, yaml.SequenceNode):
        return loader.construct_sequence(node, deep=True)
    return loader.construct_mapping(node, deep=True)


def _error(problem: str, node: yaml.Node) -> yaml.YAMLError:
    return yaml.constructor.ConstructorError(None, None, problem, node.start_mark)


Loader.yaml_constructors = FastLoader.yaml_constructors = {
    **{f"{_TAGS}{tag}": _scalar for tag in ("bool", "int", "float", "null")},
    **{f"{_TAGS}{tag}": yaml.SafeLoader.yaml_constructors[f"{_TAGS}{tag}"] for tag in ("map", "seq")},
    f"{_TAGS}binary": _binary,
    None: _untagged,
}
