"""Reads the models of SDKs that are generated from TypeSpec: classes with `rest_field`."""

import ast
from functools import cached_property
from pathlib import Path

from tests.models.description import INTEGER, TEXT, Enumeration, Kind, Member, Model
from tests.models.sources import enumeration, kind_of, optional, parts

_ROOTS = frozenset({"_Model"})
# How a time is written, unless as RFC 3339.
_FORMATS: dict[str, Kind] = {"unix-timestamp": INTEGER, "rfc7231": TEXT}


class GeneratedModels:
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
        return dict(parts(self._models / "_models.py"))

    @cached_property
    def _enumerations(self) -> dict[str, str]:
        return dict(parts(self._models / "_enums.py"))

    def find(self, name: str) -> Model | Enumeration:
        """Return a model or an enumeration.

        Raises:
            LookupError: the package has none of this name.
        """
        if name not in self._found:
            self._found[name] = self._read(name)
        return self._found[name]

    def _read(self, name: str) -> Model | Enumeration:
        if name in self._enumerations:
            return enumeration(name, self._enumerations[name])
        (declared,) = ast.parse(self._sources[name]).body
        if not isinstance(declared, ast.ClassDef):
            raise LookupError(f"{self.name} has no model {name}")  # noqa: TRY004 - absent, not of a wrong type
        members: dict[str, Member] = {}
        for base in declared.bases:
            if ast.unparse(base) not in _ROOTS:
                inherited = self.find(ast.unparse(base))
                members |= inherited.members if isinstance(inherited, Model) else {}
        discriminator = ""
        for statement in declared.body:
            if isinstance(statement, ast.AnnAssign) and isinstance(statement.value, ast.Call):
                json_name, member = _member(statement, statement.value)
                members[json_name] = member
                if ast.unparse(statement.value.func) == "rest_discriminator":
                    discriminator = json_name
        return Model(name, members, discriminator=discriminator, variants=self._variants(name))

    def _variants(self, name: str) -> dict[str, str]:
        found = {}
        for child, source in self._sources.items():
            head = source.partition(":\n")[0]
            if "discriminator=" in head and f"({name}," in head.replace("\n    ", ""):
                found[head.partition('discriminator="')[2].partition('"')[0]] = child
        return found


def _member(statement: ast.AnnAssign, call: ast.Call) -> tuple[str, Member]:
    given = {keyword.arg: keyword.value for keyword in call.keywords}
    name = ast.literal_eval(given["name"]) if "name" in given else ast.unparse(statement.target)
    visibility = set(ast.literal_eval(given["visibility"])) if "visibility" in given else {"read", "create"}
    form = ast.literal_eval(given["format"]) if "format" in given else ""
    return name, Member(
        _FORMATS[form] if form in _FORMATS else kind_of(statement.annotation),
        required=not optional(statement.annotation),
        read_only=visibility == {"read"},
        write_only="read" not in visibility,
    )
