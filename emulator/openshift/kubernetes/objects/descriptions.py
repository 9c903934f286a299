"""What the members of built-in kinds are for, and which are required, for `kubectl explain`.

The texts are those of the installed Python client, whose models are made from the OpenAPI document of Kubernetes. Its
files are read when somebody asks, but not imported: importing all models would cost every process 100 MB.
"""

import ast
import functools
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path

# The client's models have the group in their name if several groups have the type.
PREFIXES = ("CoreV1", "RbacV1", "ApiextensionsV1", "V1")
IMPORT = re.compile(r"from kubernetes\.client\.models\.(\w+) import (\w+)")
CLASS = re.compile(r'^class \w+\(BaseModel\):\n    """\n(.*?)\n\n', re.MULTILINE | re.DOTALL)
MEMBER = re.compile(r"^    (\w+): (.*)$", re.MULTILINE)
ALIAS = re.compile(r'serialization_alias="([^"]+)"')
TEXT = re.compile(r'description=("(?:[^"\\]|\\.)*")\)$')


@dataclass(frozen=True)
class Described:
    """The texts of a type.

    Args:
        text: what the type is.
        members: what each member is for; members without a text are missing.
        required: the members that every value of the type has.
    """

    text: str = ""
    members: Mapping[str, str] = field(default_factory=dict)
    required: frozenset[str] = frozenset()


@functools.cache
def of(name: str) -> Described:
    """Return the texts of a type, such as `PodSpec`; empty ones if the client has no such type."""
    path = next((found for prefix in PREFIXES if (found := _files().get(f"{prefix}{name}"))), None)
    if path is None:
        return Described()
    source = path.read_text(encoding="utf-8")
    head = CLASS.search(source)
    if head is None:
        return Described()
    body = source[head.end() :].partition("openapi_types: ClassVar")[0]
    members: dict[str, str] = {}
    required: set[str] = set()
    for attribute, rest in MEMBER.findall(body):
        alias, text = ALIAS.search(rest), TEXT.search(rest)
        json_name = alias[1] if alias else attribute
        if text:
            members[json_name] = ast.literal_eval(text[1])
        if "default=" not in rest.partition("description=")[0] and not rest.endswith("= None"):
            required.add(json_name)
    return Described(" ".join(head[1].split()), members, frozenset(required))


@functools.cache
def _files() -> Mapping[str, Path]:
    """Return the file of each model of the client, by the name of its class."""
    spec = find_spec("kubernetes")
    folder = Path((spec.submodule_search_locations or [""])[0] if spec else "") / "client" / "models"
    index = folder / "__init__.py"
    if not index.is_file():
        return {}
    return {name: folder / f"{module}.py" for module, name in IMPORT.findall(index.read_text(encoding="utf-8"))}
