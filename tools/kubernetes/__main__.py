"""Write the types of the members of Kubernetes' objects, and the numbers that these have in protobuf.

Which members a type has is said by the models of the Python client, which are generated from the OpenAPI document of
one Kubernetes release; what they are in Go and in protobuf, by the structs of the same release. So both must be of it:
checkouts of kubernetes/api, kubernetes/apimachinery and kubernetes/apiextensions-apiserver at v0.32.5, and

    uv run --no-project --with kubernetes==32.0.1 python -m tools.kubernetes api apimachinery apiextensions-apiserver
"""

import json
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from emulator.openshift.kubernetes.kinds import BUILT_IN

OBJECTS = Path(__file__).parents[2] / "emulator/openshift/kubernetes/objects"
# The packages of the groups that have built-in kinds. Of structs of the same name, the first counts.
PACKAGES = (
    *("pkg/apis/meta/v1", "core/v1", "apps/v1", "batch/v1", "rbac/v1", "pkg/apis/apiextensions/v1"),
    *("admissionregistration/v1", "authentication/v1", "authorization/v1", "autoscaling/v2", "certificates/v1"),
    *("coordination/v1", "networking/v1", "policy/v1", "scheduling/v1", "storage/v1"),
)
STRUCT = re.compile(r"^type (\w+) struct \{\n(.*?)^\}", re.MULTILINE | re.DOTALL)
FIELD = re.compile(r'^\t(?:\w+ +)?([\w.*\[\]]+) +`json:"([^",]*)([^"]*)"[^`]* protobuf:"\w+,(\d+)', re.MULTILINE)
PREFIX = re.compile(r"\b(?:CoreV1|RbacV1|ApiextensionsV1|AdmissionregistrationV1|V1|V2)(?=[A-Z])")
# Members whose types the client does not tell apart, by what their type in Go contains.
SPECIAL = {
    "Quantity": "Quantity",
    "ResourceList": "Quantity",
    "IntOrString": "IntOrString",
    "[]byte": "bytes",
    "int64": "int64",
}
PLAIN = {"str": "string", "int": "int32", "float": "float64", "bool": "bool", "object": "any", "datetime": "Time"}
# No kind of its own, but what the body of a deletion may have.
OPTIONS = "DeleteOptions"


@dataclass(frozen=True)
class Field:
    """A field of a struct.

    Args:
        member: its name in JSON; "" if its own members are inline.
        number: its number in protobuf.
        type: its type in Go.
    """

    member: str
    number: int
    type: str

    def encoded(self) -> str:
        """Return the entry of the table of numbers: `*VolumeSource` for an inline struct, `?replicas` for a pointer."""
        if not self.member:
            return f"*{self.type}"
        return f"?{self.member}" if self.type.startswith("*") else self.member


def structs(folders: list[Path]) -> dict[str, list[Field]]:
    """Return the fields of every struct of the API."""
    found: dict[str, list[Field]] = {}
    for path in (folder / package / "types.go" for package in PACKAGES for folder in folders):
        for file in [path, path.with_name("types_jsonschema.go")]:
            for name, body in STRUCT.findall(file.read_text()) if file.is_file() else ():
                found.setdefault(name, list(_fields(body)))
    return found


def _fields(body: str) -> Iterator[Field]:
    for written, member, options, number in FIELD.findall(body):
        if "inline" not in options or not member:
            yield Field("" if "inline" in options else member, int(number), written.removeprefix("metav1."))


def members(models: Any, fields: Mapping[str, list[Field]]) -> dict[str, dict[str, str]]:
    """Return the types of the members of every type that the built-in kinds reach.

    Args:
        models: the module `kubernetes.client.models`.
        fields: the fields of every struct.
    """
    classes = {PREFIX.sub("", name): model for name, model in vars(models).items() if name[:1].isupper()}
    named = {name: getattr(models, f"V1{name}", classes.get(name)) for name in classes}
    named |= {"Event": models.CoreV1Event, "Subject": models.RbacV1Subject}
    named |= {name[2:]: model for name, model in vars(models).items() if name.startswith("V2")}
    special = {
        f"{struct}.{field.member}": name
        for struct, listed in fields.items()
        for field in listed
        for part, name in SPECIAL.items()
        if part in field.type
    }
    found: dict[str, dict[str, str]] = {}
    reached = [kind.kind for kind in BUILT_IN] + [OPTIONS]
    while reached:
        name = reached.pop()
        if name in found:
            continue
        model: Any = named[name]
        inline = [field.type for field in fields.get(name, ()) if not field.member]
        found[name] = {
            member: _type(next((special[at] for at in _places(name, inline, member) if at in special), ""), written)
            for member, written in (
                (model.attribute_map[attribute], written) for attribute, written in model.openapi_types.items()
            )
        }
        reached += [word for written in found[name].values() for word in re.findall(r"\w+", written) if word in named]
    return dict(sorted(found.items()))


def _places(name: str, inline: list[str], member: str) -> Iterator[str]:
    yield from (f"{struct}.{member}" for struct in (name, *inline))


def _type(special: str, written: str) -> str:
    """Return a type as `string`, `[Container]` for a list or `{string}` for a map."""
    plain = PREFIX.sub("", written)
    inner = re.fullmatch(r"(?:list\[|dict\(str, )?(.+?)[\])]*", plain)
    item = special or (PLAIN.get(inner[1], inner[1]) if inner else plain)
    if plain.startswith("list["):
        return f"[{item}]"
    if plain.startswith("dict(str, list["):
        return "{[string]}"
    return f"{{{item}}}" if plain.startswith("dict(") else item


def numbers(fields: Mapping[str, list[Field]], types: Mapping[str, Any]) -> dict[str, dict[str, str]]:
    """Return the members of each type by their numbers in protobuf, with the structs that are inline in them."""
    inline = {field.type for name in types for field in fields.get(name, ()) if not field.member}
    return {
        name: {str(field.number): field.encoded() for field in fields[name]}
        for name in sorted({*types, *inline})
        if fields.get(name)
    }


def main() -> None:
    """Write the files."""
    fields = structs([Path(folder) for folder in sys.argv[1:]])
    types = members(import_module("kubernetes.client.models"), fields)
    for file, table in (("members.json", types), ("numbers.json", numbers(fields, types))):
        lines = [f"{json.dumps(name)}: {json.dumps(row)}" for name, row in table.items()]
        (OBJECTS / file).write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main()
