"""Reads the models of SDKs of the older generation: classes with `_attribute_map` and `_validation`."""

import ast
import re
from functools import cached_property
from pathlib import Path
from typing import Any

from tests.models.description import (
    ANY,
    BOOLEAN,
    DURATION,
    INTEGER,
    NUMBER,
    TEXT,
    TIME,
    Enumeration,
    Kind,
    ListOf,
    MapOf,
    Member,
    Model,
    Named,
)
from tests.models.sources import enumeration, parts

_PLAIN: dict[str, Kind] = {
    "str": TEXT,
    "int": INTEGER,
    "long": INTEGER,
    "float": NUMBER,
    "bool": BOOLEAN,
    "iso-8601": TIME,
    "duration": DURATION,
    "object": ANY,
}
_DOT = re.compile(r"(?<!\\)\.")
_ENUMERATED = re.compile(r":vartype (\w+): str or ~[\w.]+\.(\w+)")


class MsrestModels:
    """The models of a package.

    Args:
        name: name of the package.
        models: its folder `models`.
    """

    def __init__(self, name: str, models: Path) -> None:
        self.name = name
        self._models = models
        self._found: dict[str, Model | Enumeration] = {}

    @cached_property
    def _sources(self) -> dict[str, str]:
        return dict(parts(self._models / "_models_py3.py"))

    @cached_property
    def _enumerations(self) -> dict[str, str]:
        return {name: source for path in self._models.glob("*_enums.py") for name, source in parts(path)}

    def find(self, name: str) -> Model | Enumeration:
        """Return a model or an enumeration.

        Raises:
            LookupError: the package has none of this name.
        """
        if name not in self._found:
            self._read(name)
        return self._found[name]

    def _read(self, name: str) -> None:
        if name in self._enumerations:
            self._found[name] = enumeration(name, self._enumerations[name])
            return
        declared = ast.parse(self._sources[name]).body[0]
        if not isinstance(declared, ast.ClassDef):
            raise LookupError(f"{self.name} has no model {name}")  # noqa: TRY004 - absent, not of a wrong type
        inherited = [self.find(ast.unparse(base)) for base in declared.bases if not ast.unparse(base).endswith("Model")]
        members = {
            part: member for base in inherited if isinstance(base, Model) for part, member in base.members.items()
        }
        constants = _constants(declared)
        enumerated = dict(_ENUMERATED.findall(re.sub(r"\s+", " ", ast.get_docstring(declared) or "")))
        tree: dict[str, Any] = {}
        for attribute, entry in constants.get("_attribute_map", {}).items():
            rules = constants.get("_validation", {}).get(attribute, {})
            kind = Named(enumerated[attribute]) if attribute in enumerated else _kind(entry["type"])
            *outer, last = [step.replace("\\", "") for step in _DOT.split(entry["key"])]
            place = tree
            for step in outer:
                place = place.setdefault(step, {})
            place[last] = Member(kind, required=bool(rules.get("required")), read_only=bool(rules.get("readonly")))
        free = tree.pop("", None) is not None
        members |= self._grown(name, tree, members)
        variants = constants.get("_subtype_map", {})
        ((discriminator, children),) = variants.items() if variants else (("", {}),)
        key = constants["_attribute_map"][discriminator]["key"] if discriminator else ""
        self._found[name] = Model(name, members, free=free, discriminator=key, variants=children)

    def _grown(self, name: str, tree: dict[str, Any], inherited: dict[str, Member]) -> dict[str, Member]:
        """Return the members of a tree: flattened ones, such as `properties.x`, become models of their own."""
        members: dict[str, Member] = {}
        for part, entry in tree.items():
            if isinstance(entry, Member):
                members[part] = entry
                continue
            inner = f"{name}.{part}"
            below = inherited.get(part)
            known = self.find(below.kind.name) if below is not None and isinstance(below.kind, Named) else None
            already = dict(known.members) if isinstance(known, Model) else {}
            self._found[inner] = Model(inner, already | self._grown(inner, entry, already))
            members[part] = Member(Named(inner))
        return members


def _constants(declared: ast.ClassDef) -> dict[str, Any]:
    return {
        ast.unparse(statement.targets[0]): ast.literal_eval(statement.value)
        for statement in declared.body
        if isinstance(statement, ast.Assign)
    }


def _kind(text: str) -> Kind:
    if text[0] == "[":
        return ListOf(_kind(text[1:-1]))
    if text[0] == "{":
        return MapOf(_kind(text[1:-1]))
    if text in _PLAIN:
        return _PLAIN[text]
    return Named(text) if text[0].isupper() else TEXT
