"""Reads the models of the Kubernetes client: pydantic classes, one a module."""

import ast
import re
from functools import cached_property
from pathlib import Path

from tests.models.description import Enumeration, Member, Model
from tests.models.sources import kind_of, parts

_IMPORT = re.compile(r"^\s*from kubernetes\.client\.models\.(\w+) import (\w+)$", re.MULTILINE)
# Groups of Kubernetes without a dot; all others that Kubernetes itself has end in this domain.
_GROUPS = frozenset({"", "apps", "autoscaling", "batch", "extensions", "policy"})
_DOMAIN = ".k8s.io"


class KubernetesModels:
    """The models of the client.

    Args:
        models: its folder `client/models`.
    """

    name = "kubernetes"

    def __init__(self, models: Path) -> None:
        self._models = models
        self._found: dict[str, Model | Enumeration] = {}

    @cached_property
    def _modules(self) -> dict[str, str]:
        text = (self._models / "__init__.py").read_text(encoding="utf-8")
        return {model: module for module, model in _IMPORT.findall(text)}

    def of(self, api_version: str, kind: str) -> str:
        """Return the name of the model of an object, or "" if its kind is not Kubernetes' own."""
        group, _, version = api_version.rpartition("/")
        if group not in _GROUPS and not group.endswith(_DOMAIN):
            return ""
        prefix = group.partition(".")[0].capitalize() or "Core"
        named = f"{version[:1].upper()}{version[1:]}{kind}"
        return next((name for name in (f"{prefix}{named}", named) if name in self._modules), "")

    def find(self, name: str) -> Model | Enumeration:
        """Return a model.

        Raises:
            LookupError: the client has none of this name.
        """
        if name not in self._found:
            self._found[name] = self._read(name)
        return self._found[name]

    def _read(self, name: str) -> Model:
        source = dict(parts(self._models / f"{self._modules[name]}.py"))[name]
        declared = ast.parse(source).body[0]
        if not isinstance(declared, ast.ClassDef):
            raise LookupError(f"the client has no model {name}")  # noqa: TRY004 - absent, not of a wrong type
        members = {}
        for statement in declared.body:
            if isinstance(statement, ast.AnnAssign) and not ast.unparse(statement.annotation).startswith("ClassVar"):
                kind = kind_of(_Qualified(self._modules).visit(statement.annotation))
                members[_json_name(statement)] = Member(kind, required=not _has_default(statement))
        return Model(name, members)


def _has_default(statement: ast.AnnAssign) -> bool:
    if isinstance(statement.value, ast.Call):
        return any(keyword.arg == "default" for keyword in statement.value.keywords)
    return statement.value is not None


def _json_name(statement: ast.AnnAssign) -> str:
    given = statement.value.keywords if isinstance(statement.value, ast.Call) else []
    aliases = {keyword.arg: keyword.value for keyword in given}
    alias = aliases.get("serialization_alias", aliases.get("alias"))
    return ast.unparse(statement.target) if alias is None else ast.literal_eval(alias)


class _Qualified(ast.NodeTransformer):
    """Writes `V1Pod` as `_models.V1Pod`, as other SDKs do."""

    def __init__(self, models: dict[str, str]) -> None:
        self._models = models

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """Replace the name of a model."""
        return ast.Attribute(ast.Name("_models"), node.id) if node.id in self._models else node
