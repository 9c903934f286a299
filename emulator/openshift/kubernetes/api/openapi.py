"""The OpenAPI documents of version 3: the schemas of all kinds, and the options of writes.

kubectl reads them for `explain`, and to learn that the server validates fields and does dry runs. A kubectl before 1.27
reads version 2, which is not served.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator

from emulator.json_object import Json
from emulator.openshift.kubernetes.kinds import Kind, Kinds
from emulator.openshift.kubernetes.objects import descriptions, types
from emulator.openshift.kubernetes.objects.fields import schemas

OPTIONS = ("dryRun", "fieldManager", "fieldValidation")
VERSION_3 = "/openapi/v3"
GVK = "x-kubernetes-group-version-kind"
TYPE_PREFIX = "io.k8s.api"
REFERENCES = "#/components/schemas/"


def answer(kinds: Kinds, path: str) -> Json | None:
    """Return the document at `/openapi/v3` or a path below it, or None if there is none."""
    groups = dict.fromkeys(_group_of(kind) for kind in kinds)
    if path == VERSION_3:
        return {"paths": {name: {"serverRelativeURL": f"{VERSION_3}/{name}"} for name in groups}}
    wanted = path.removeprefix(f"{VERSION_3}/")
    if wanted not in groups:
        return None
    of_group = [kind for kind in kinds if _group_of(kind) == wanted]
    definitions = _definitions(of_group)
    components = {name: _version_3(schema) for name, schema in definitions.items()}
    info = {"title": "Kubernetes", "version": of_group[0].version}
    paths = {
        at: {"patch": {GVK: gvk, "parameters": [_parameter_3(name) for name in OPTIONS], "responses": {}}}
        for at, gvk in _patches(of_group)
    }
    return {"openapi": "3.0.0", "info": info, "paths": paths, "components": {"schemas": components}}


def _group_of(kind: Kind) -> str:
    return f"apis/{kind.api_version}" if kind.group else f"api/{kind.version}"


def _patches(kinds: Iterable[Kind]) -> Iterator[tuple[str, Json]]:
    """Yield the path of every kind that can be patched, and the kind as OpenAPI names it."""
    for kind in kinds:
        if "patch" in kind.verbs:
            below = "/namespaces/{namespace}" if kind.namespaced else ""
            yield f"/{_group_of(kind)}{below}/{kind.plural}/{{name}}", _gvk(kind)


def _gvk(kind: Kind) -> Json:
    return {"group": kind.group, "version": kind.version, "kind": kind.kind}


def _name_of(kind: Kind) -> str:
    if not kind.is_custom:
        return f"{TYPE_PREFIX}.{kind.kind}"
    return ".".join([*reversed(kind.group.split(".")), kind.version, kind.kind])


def _definitions(kinds: Iterable[Kind]) -> dict[str, Json]:
    """Return the schemas of kinds and of all types that they reach, by name."""
    listed = list(kinds)
    named = {_name_of(kind): schemas.of_kind(kind) | {GVK: [_gvk(kind)]} for kind in listed}
    found = {name: _described(schema, name) for name, schema in named.items()}
    waiting = list(named.values())
    seen = {kind.kind for kind in listed if not kind.is_custom}
    while waiting:
        for name in re.findall(r'"\$ref": "(\w+)"', json.dumps(waiting.pop())):
            if name not in seen:
                seen.add(name)
                found[f"{TYPE_PREFIX}.{name}"] = _described(schemas.of_type(name), name)
                waiting.append(schemas.of_type(name))
    return found


def _described(schema: Json, name: str) -> Json:
    """Return a schema with the texts of its type, and with whole references."""
    kind = name.rpartition(".")[2]
    told = descriptions.of(kind) if kind in types.types() else descriptions.Described()
    whole = _referring(schema)
    properties = {
        member: ({"description": told.members[member]} if member in told.members else {}) | inner
        for member, inner in (whole.get("properties") or {}).items()
    }
    required = sorted(told.required & set(properties))
    more: Json = {"description": told.text} if told.text else {}
    return (
        more | whole | ({"properties": properties} if properties else {}) | ({"required": required} if required else {})
    )


def _referring(schema: Json) -> Json:
    """Return a schema with whole references."""
    if schemas.REFERENCE in schema and isinstance(schema[schemas.REFERENCE], str):
        return {schemas.REFERENCE: f"{REFERENCES}{TYPE_PREFIX}.{schema[schemas.REFERENCE]}"}
    return schema | _nested(schema, _referring)


def _nested(schema: Json, change: Callable[[Json], Json]) -> Json:
    """Return the members of a schema that hold schemas, changed."""
    nested: Json = {}
    if isinstance(schema.get("properties"), dict):
        nested["properties"] = {name: change(inner) for name, inner in schema["properties"].items()}
    for member in ("items", "additionalProperties"):
        if isinstance(schema.get(member), dict):
            nested[member] = change(schema[member])
    return nested


def _version_3(schema: Json) -> Json:
    """Return a schema of version 3, where a reference has no other members beside it."""
    if schemas.REFERENCE in schema:
        rest = {name: value for name, value in schema.items() if name != schemas.REFERENCE}
        return {**rest, "allOf": [{schemas.REFERENCE: schema[schemas.REFERENCE]}]} if rest else schema
    return schema | _nested(schema, _version_3)


def _parameter_3(name: str) -> Json:
    return {"name": name, "in": "query", "schema": {"type": "string"}}
