"""The OpenAPI documents, versions 2 and 3: the schemas of all kinds, and the options of writes.

kubectl reads them for `explain`, to learn that the server validates fields and does dry runs, and a kubectl before 1.27
also to validate objects itself and to merge lists. It asks for version 2 as protobuf.
"""

import functools
import json
import re
from collections.abc import Callable, Iterator
from typing import Any

from emulator.openshift.kubernetes.kinds import BUILT_IN, Json, Kind, Kinds
from emulator.openshift.kubernetes.objects import descriptions, types
from emulator.openshift.kubernetes.objects.fields import schemas

OPTIONS = ("dryRun", "fieldManager", "fieldValidation")
INFO = {"title": "Kubernetes", "version": "v1.32.5"}
VERSION_2, VERSION_3 = "/openapi/v2", "/openapi/v3"
# By the rules of MIME, the type that kubectl asks for is not a media type. Its parser of responses follows these rules,
# so the response has another type.
PROTOBUF_ASKED = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf"
PROTOBUF = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf"
GVK = "x-kubernetes-group-version-kind"
TYPE_PREFIX = "io.k8s.api"
REFERENCES_2, REFERENCES_3 = "#/definitions/", "#/components/schemas/"
# What a schema in version 2 can say. kubectl refuses what a schema leaves out, so an open object has no members there.
KEPT_2 = ("format", "description", "required", "type")


def answer(kinds: Kinds, path: str) -> Json | None:
    """Return the document at `/openapi/v3` or a path below it, or None if there is none."""
    groups = dict.fromkeys(_group_of(kind) for kind in kinds)
    if path == VERSION_3:
        return {"paths": {name: {"serverRelativeURL": f"{VERSION_3}/{name}"} for name in groups}}
    wanted = path.removeprefix(f"{VERSION_3}/")
    if wanted not in groups:
        return None
    of_group = [kind for kind in kinds if _group_of(kind) == wanted]
    definitions = _definitions(of_group, REFERENCES_3)
    components = {name: _version_3(schema) for name, schema in definitions.items()}
    info = {"title": "Kubernetes", "version": of_group[0].version}
    paths = {
        at: {"patch": {GVK: gvk, "parameters": [_parameter_3(name) for name in OPTIONS], "responses": {}}}
        for at, gvk in _patches(of_group)
    }
    return {"openapi": "3.0.0", "info": info, "paths": paths, "components": {"schemas": components}}


def version_2_json(kinds: Kinds) -> Json:
    """Return the document of version 2."""
    parameters = [{"name": name, "in": "query", "type": "string"} for name in OPTIONS]
    paths = {at: {"patch": {GVK: gvk, "parameters": parameters, "responses": {}}} for at, gvk in _patches(kinds)}
    definitions = {name: _version_2(schema) for name, schema in _definitions(kinds, REFERENCES_2).items()}
    return {"swagger": "2.0", "info": INFO, "paths": paths, "definitions": definitions}


def version_2_protobuf(kinds: Kinds) -> bytes:
    """Return the document of version 2 as message `openapi.v2.Document`.

    Source: google/gnostic, openapiv2/OpenAPIv2.proto, which has the numbers.
    """
    parameters = b"".join(
        _part(8, _part(1, _part(2, _part(3, _text(2, "query") + _text(4, name) + _text(6, "string")))))
        for name in OPTIONS
    )
    paths = b"".join(
        _part(2, _text(1, at) + _part(2, _part(8, parameters + _part(13, _any(GVK, gvk)))))
        for at, gvk in _patches(kinds)
    )
    custom = [kind for kind in kinds if kind.is_custom]
    return (
        _text(1, "2.0")
        + _part(2, _text(1, INFO["title"]) + _text(2, INFO["version"]))
        + _part(8, paths)
        + _part(9, _built_in_protobuf() + _named(_definitions(custom, REFERENCES_2, base=False)))
    )


@functools.cache
def _built_in_protobuf() -> bytes:
    return _named(_definitions(BUILT_IN, REFERENCES_2))


def _group_of(kind: Kind) -> str:
    return f"apis/{kind.api_version}" if kind.group else f"api/{kind.version}"


def _patches(kinds: Any) -> Iterator[tuple[str, Json]]:
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


def _definitions(kinds: Any, references: str, *, base: bool = True) -> dict[str, Json]:
    """Return the schemas of kinds and of all types that they reach, by name.

    Args:
        kinds: the kinds.
        references: how references begin.
        base: whether to include the types of the table of members.
    """
    listed = list(kinds)
    named = {_name_of(kind): schemas.of_kind(kind) | {GVK: [_gvk(kind)]} for kind in listed}
    found = {name: _described(schema, name, references) for name, schema in named.items()}
    waiting = [schema for schema in named.values() if base]
    seen = {kind.kind for kind in listed if not kind.is_custom}
    while waiting:
        for name in re.findall(r'"\$ref": "(\w+)"', json.dumps(waiting.pop())):
            if name not in seen:
                seen.add(name)
                found[f"{TYPE_PREFIX}.{name}"] = _described(schemas.of_type(name), name, references)
                waiting.append(schemas.of_type(name))
    return found


def _described(schema: Json, name: str, references: str) -> Json:
    """Return a schema with the texts of its type, and with whole references."""
    kind = name.rpartition(".")[2]
    told = descriptions.of(kind) if kind in types.types() else descriptions.Described()
    whole = _referring(schema, references)
    properties = {
        member: ({"description": told.members[member]} if member in told.members else {}) | inner
        for member, inner in (whole.get("properties") or {}).items()
    }
    required = sorted(told.required & set(properties))
    more: Json = {"description": told.text} if told.text else {}
    return (
        more | whole | ({"properties": properties} if properties else {}) | ({"required": required} if required else {})
    )


def _referring(schema: Json, references: str) -> Json:
    """Return a schema with whole references."""
    if schemas.REFERENCE in schema and isinstance(schema[schemas.REFERENCE], str):
        return {schemas.REFERENCE: f"{references}{TYPE_PREFIX}.{schema[schemas.REFERENCE]}"}
    return schema | _nested(schema, lambda inner: _referring(inner, references))


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


def _version_2(schema: Json) -> Json:
    """Return a schema of version 2."""
    if schemas.REFERENCE in schema:
        return {name: schema[name] for name in ("description", schemas.REFERENCE) if name in schema}
    extensions = {name: value for name, value in schema.items() if name.startswith("x-kubernetes-")}
    if schema.get(schemas.PRESERVE):
        return {name: schema[name] for name in ("description",) if name in schema} | extensions
    kept = {name: schema[name] for name in KEPT_2 if name in schema}
    return kept | _nested(schema, _version_2) | extensions


def _parameter_3(name: str) -> Json:
    return {"name": name, "in": "query", "schema": {"type": "string"}}


def _named(definitions: dict[str, Json]) -> bytes:
    """Encode schemas by name: members of `Definitions` and of `Properties`."""
    return b"".join(
        _part(1, _text(1, name) + _part(2, _schema(_version_2(schema)))) for name, schema in definitions.items()
    )


def _schema(schema: Json) -> bytes:
    """Encode a schema of version 2."""
    encoded = _text(1, schema.get(schemas.REFERENCE, "")) + _text(2, schema.get("format", ""))
    encoded += _text(4, schema.get("description", ""))
    encoded += b"".join(_text(19, name) for name in schema.get("required") or ())
    if isinstance(schema.get("additionalProperties"), dict):
        encoded += _part(21, _part(1, _schema(schema["additionalProperties"])))
    if "type" in schema:
        encoded += _part(22, _text(1, schema["type"]))
    if "items" in schema:
        encoded += _part(23, _part(1, _schema(schema["items"])))
    if "properties" in schema:
        encoded += _part(25, _named(schema["properties"]))
    return encoded + b"".join(
        _part(31, _any(name, value)) for name, value in schema.items() if name.startswith("x-kubernetes-")
    )


def _any(name: str, value: Any) -> bytes:
    """Encode an extension: a name, and a value as YAML, of which JSON is a part."""
    return _text(1, name) + _part(2, _text(2, json.dumps(value)))


def _text(number: int, text: str) -> bytes:
    return _part(number, text.encode()) if text else b""


def _part(number: int, content: bytes) -> bytes:
    """Encode a string or a message."""
    return _number(number << 3 | 2) + _number(len(content)) + content


def _number(value: int) -> bytes:
    encoded = bytearray()
    while value > 0x7F:  # noqa: PLR2004 - seven bits to a byte
        encoded.append(value & 0x7F | 0x80)
        value >>= 7
    encoded.append(value)
    return bytes(encoded)
