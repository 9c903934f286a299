"""The rules of the structural schemas in CustomResourceDefinitions.

Source: the answers of kube-apiserver 1.20 (`tests/emulator/integration/kubernetes/objects/test_rules.py` sends each row to one).
"""

import re
from collections.abc import Iterator
from typing import Any

from emulator.openshift.kubernetes.errors import Cause, forbidden_value, invalid_value, not_supported, required
from emulator.openshift.kubernetes.kinds import Json
from emulator.openshift.kubernetes.objects import schema
from emulator.openshift.kubernetes.objects.validation.checks import Rule, go_list

TYPES = ("array", "boolean", "integer", "number", "object", "string")
SCALARS = ("boolean", "integer", "number", "string")
LIST_TYPE, LIST_KEYS, MAP_TYPE = "x-kubernetes-list-type", "x-kubernetes-list-map-keys", "x-kubernetes-map-type"
LIST_TYPES, MAP_TYPES = ("atomic", "set", "map"), ("atomic", "granular")
QUADRATIC = "uniqueItems cannot be set to true since the runtime complexity becomes quadratic"
# Members of JSON schemas that no definition may have.
UNSUPPORTED = ("$ref", "id")
# What a schema that only validates, such as one in `anyOf`, may not say, because the schema above says it.
ELSEWHERE = {
    "description": "must be empty to be structural",
    "type": "must be empty to be structural",
    "title": "must be empty to be structural",
    "default": "must be undefined to be structural",
    "nullable": "must be false to be structural",
    "additionalProperties": "must be undefined to be structural",
}
EITHER = [{"type": "integer"}, {"type": "string"}]


def at_version(versions: list[Json], index: int, lone: str, each: str) -> str:
    """Return the path of a member of a version; a lone version has its members at the top."""
    return f"spec.{lone}" if len(versions) == 1 else f"spec.versions[{index}].{each}"


def schemas(value: Any, _field: str) -> Iterator[Cause]:
    """Yield what is wrong with the schemas of versions."""
    for index, version in enumerate(value or []):
        found = (version.get("schema") or {}).get("openAPIV3Schema")
        if not isinstance(found, dict):
            continue
        field = at_version(value, index, "validation.openAPIV3Schema", "schema.openAPIV3Schema")
        unsupported = list(_unsupported(found, field))
        yield from unsupported
        if unsupported:
            continue
        if found.get("type") not in (None, "object", ""):
            yield invalid_value(f"{field}.type", found["type"], "must be object at the root")
        yield from _schema(found, field, "must not be empty at the root")
        yield from _type_meta(found, field)


def _unsupported(found: Json, field: str) -> Iterator[Cause]:
    for member in UNSUPPORTED:
        if found.get(member):
            yield forbidden_value(f"{field}.{member}", f"{member} is not supported")
    if isinstance(found.get("items"), list):
        yield forbidden_value(f"{field}.items", "items must be a schema object and not an array")
    for inner, path, _ in _inside(found, field):
        yield from _unsupported(inner, path)


def _inside(found: Json, field: str) -> Iterator[tuple[Json, str, str]]:
    """Yield the schemas of a value's members: each with its path, and what to say if it has no type."""
    for name, inner in (found.get("properties") or {}).items():
        yield inner, f"{field}.properties[{name}]", "must not be empty for specified object fields"
    for member, what in (("items", "array items"), ("additionalProperties", "object fields")):
        if isinstance(found.get(member), dict):
            yield found[member], f"{field}.{member}", f"must not be empty for specified {what}"


def _schema(found: Json, field: str, untyped: str) -> Iterator[Cause]:
    kind = found.get("type")
    if not kind and not found.get(schema.INT_OR_STRING) and not found.get(schema.PRESERVE):
        yield required(f"{field}.type", untyped)
    elif kind and kind not in TYPES:
        yield not_supported(f"{field}.type", kind, TYPES)
        return
    yield from _members(found, field)
    yield from _lists(found, field)
    yield from _extensions(found, field)
    yield from _junctions(found, field)
    for inner, path, message in _inside(found, field):
        yield from _schema(inner, path, message)


def _members(found: Json, field: str) -> Iterator[Cause]:
    """Yield what is wrong with the members of a schema that are not schemas themselves."""
    if found.get("type") == "array" and found.get("items") is None:
        yield required(f"{field}.items", "must be specified")
    if found.get("properties") and found.get("additionalProperties"):
        yield forbidden_value(
            f"{field}.additionalProperties", "additionalProperties and properties are mutual exclusive"
        )
    if found.get("uniqueItems"):
        yield forbidden_value(f"{field}.uniqueItems", QUADRATIC)
    if found.get("default") is not None:
        for cause in schema.causes_of(found, found["default"]):
            yield Cause(cause.reason, f"{field}.default", cause.message)
    yield from _pattern(found.get("pattern"), f"{field}.pattern")


def _lists(found: Json, field: str) -> Iterator[Cause]:
    """Yield what is wrong with the way in which the items of a list are merged."""
    kind, keys, items = found.get(LIST_TYPE), found.get(LIST_KEYS) or [], found.get("items") or {}
    if kind is not None and kind not in LIST_TYPES:
        yield not_supported(f"{field}.{LIST_TYPE}", kind, LIST_TYPES)
        return
    if kind is not None and found.get("type") != "array":
        yield invalid_value(f"{field}.type", found.get("type"), "must be array if x-kubernetes-list-type is specified")
    if kind == "map" and not keys:
        yield required(f"{field}.{LIST_KEYS}", "must not be empty if x-kubernetes-list-type is map")
    if keys and kind != "map":
        yield required(f"{field}.{LIST_TYPE}", "must be map if x-kubernetes-list-map-keys is non-empty")
        return
    if kind == "set" and items.get("type") == "object" and items.get(MAP_TYPE) != "atomic":
        shown = items.get(MAP_TYPE) or "null"
        atomic = "must be atomic as item of a list with x-kubernetes-list-type=set"
        yield invalid_value(f"{field}.items.{MAP_TYPE}", shown, atomic)
    yield from _keys(keys, items, field)


def _keys(keys: list[str], items: Json, field: str) -> Iterator[Cause]:
    known = items.get("properties") or {}
    if any(key not in known for key in keys):
        shown = f"Invalid value: {go_list(keys)}: entries must all be names of item properties"
        yield Cause("FieldValueInvalid", f"{field}.{LIST_KEYS}", shown)
        return
    for key in keys:
        at, kind = f"{field}.items.properties[{key}]", known[key].get("type")
        if kind not in SCALARS:
            yield invalid_value(
                f"{at}.type", kind, "must be a scalar type if parent array's x-kubernetes-list-type is map"
            )
        elif key not in (items.get("required") or ()) and known[key].get("default") is None:
            yield required(
                f"{at}.default",
                "this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property",
            )


def _extensions(found: Json, field: str) -> Iterator[Cause]:
    kind = found.get(MAP_TYPE)
    if kind is not None and kind not in MAP_TYPES:
        yield not_supported(f"{field}.{MAP_TYPE}", kind, MAP_TYPES)
    elif kind is not None and found.get("type") != "object":
        yield invalid_value(f"{field}.type", found.get("type"), "must be object if x-kubernetes-map-type is specified")
    if found.get(schema.PRESERVE) is False:
        yield invalid_value(f"{field}.{schema.PRESERVE}", False, "must be true or undefined")
    if found.get(schema.EMBEDDED):
        if not found.get("properties") and not found.get(schema.PRESERVE):
            yield required(
                f"{field}.properties",
                "must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields",
            )
        yield from _type_meta(found, field)


def _junctions(found: Json, field: str) -> Iterator[Cause]:
    """Yield what is wrong with the schemas of which all, any, one or none must hold."""
    for member in ("allOf", "anyOf", "oneOf"):
        for index, inner in enumerate(found.get(member) or []):
            either = bool(found.get(schema.INT_OR_STRING)) and _is_either(member, found[member], inner)
            if not either:
                yield from _only_validates(inner, f"{field}.{member}[{index}]")
    if found.get("not"):
        yield from _only_validates(found["not"], f"{field}.not")


def _is_either(member: str, given: list[Json], inner: Json) -> bool:
    """Tell whether a schema is of the form in which a whole number or a text is written."""
    return (member == "anyOf" and given == EITHER) or (member == "allOf" and inner.get("anyOf") == EITHER)


def _only_validates(found: Json, field: str) -> Iterator[Cause]:
    for member, message in ELSEWHERE.items():
        if found.get(member) not in (None, "", False):
            yield forbidden_value(f"{field}.{member}", message)
    for name, inner in (found.get("properties") or {}).items():
        yield from _only_validates(inner, f"{field}.properties[{name}]")
    if isinstance(found.get("items"), dict):
        yield from _only_validates(found["items"], f"{field}.items")
    yield from _junctions(found, field)


def _type_meta(found: Json, field: str) -> Iterator[Cause]:
    """Yield what is wrong with what a schema says of the members that every object has."""
    members = found.get("properties") or {}
    for member in ("kind", "apiVersion"):
        kind = members.get(member, {}).get("type", "string")
        if kind != "string":
            yield invalid_value(f"{field}.properties[{member}].type", kind, "must be string")
    metadata, at = members.get("metadata"), f"{field}.properties[metadata]"
    if metadata is None:
        return
    if metadata.get("type") != "object":
        yield invalid_value(f"{at}.type", metadata.get("type") or "", "must be object")
    elif set(metadata) - {"type", "properties", "default"} or set(metadata.get("properties") or ()) - {
        "name",
        "generateName",
    }:
        yield forbidden_value(
            at, "must not specify anything other than name and generateName, but metadata is implicitly specified"
        )


def _pattern(value: Any, field: str) -> Iterator[Cause]:
    try:
        re.compile(value or "")
    except re.error as error:
        why = f"missing closing ): `{value}`" if error.msg.startswith("missing )") else f"{error.msg}: `{value}`"
        message = f"must be a valid regular expression, but isn't: error parsing regexp: {why}"
        yield invalid_value(field, value, message)


def lone_version(found: Json, **more: Any) -> list[Json]:
    """Return a lone version with a schema, for examples."""
    return [{"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": found}} | more]


def _rule(root: Json, where: str, says: str, reason: str = "FieldValueInvalid") -> Rule:
    """Return the rule that refuses a schema, at a path in it."""
    field = f"validation.openAPIV3Schema{where}"
    return Rule("CustomResourceDefinitionSpec.versions", schemas, lone_version(root), says, field=field, reason=reason)


def _of(member: Json, where: str, says: str, reason: str = "FieldValueInvalid") -> Rule:
    """Return the rule that refuses the schema of the member `a`."""
    return _rule({"type": "object", "properties": {"a": member}}, f".properties[a]{where}", says, reason)


def _meta(member: str, value: Json, where: str, says: str, reason: str = "FieldValueInvalid") -> Rule:
    """Return the rule that refuses what a schema says of a member that every object has."""
    return _rule({"type": "object", "properties": {member: value}}, f".properties[{member}]{where}", says, reason)


REQUIRED, FORBIDDEN, UNKNOWN = "FieldValueRequired", "FieldValueForbidden", "FieldValueNotSupported"
TEXT: Json = {"type": "string"}
OF_NAMED: Json = {"type": "array", "items": {"type": "object", "properties": {"n": TEXT}, "required": ["n"]}}
RULES = (
    _rule({"type": "string"}, ".type", 'Invalid value: "string": must be object at the root'),
    _of({"description": "b"}, ".type", "Required value: must not be empty for specified object fields", REQUIRED),
    _of(
        {"type": "text"},
        ".type",
        'Unsupported value: "text": supported values: "array", "boolean", "integer", "number", "object", "string"',
        UNKNOWN,
    ),
    _of({"type": "array"}, ".items", "Required value: must be specified", REQUIRED),
    _of(
        {"type": "array", "items": {"description": "b"}},
        ".items.type",
        "Required value: must not be empty for specified array items",
        REQUIRED,
    ),
    _of({"type": "array", "items": TEXT, "uniqueItems": True}, ".uniqueItems", f"Forbidden: {QUADRATIC}", FORBIDDEN),
    _of(
        {"type": "object", "properties": {"b": TEXT}, "additionalProperties": TEXT},
        ".additionalProperties",
        "Forbidden: additionalProperties and properties are mutual exclusive",
        FORBIDDEN,
    ),
    _of(
        TEXT | {"pattern": "("},
        ".pattern",
        'Invalid value: "(": must be a valid regular expression, but isn\'t: error parsing regexp: missing closing ): `(`',
    ),
    _of(TEXT | {"default": 1}, ".default", 'Invalid value: "integer":  in body must be of type string: "integer"'),
    _of({"$ref": "#/definitions/b"}, ".$ref", "Forbidden: $ref is not supported", FORBIDDEN),
    _of(TEXT | {"id": "b"}, ".id", "Forbidden: id is not supported", FORBIDDEN),
    _of(
        {"type": "array", "items": [TEXT]},
        ".items",
        "Forbidden: items must be a schema object and not an array",
        FORBIDDEN,
    ),
    _of(
        OF_NAMED | {LIST_TYPE: "bag"},
        f".{LIST_TYPE}",
        'Unsupported value: "bag": supported values: "atomic", "set", "map"',
        UNKNOWN,
    ),
    _of(
        {"type": "object", LIST_TYPE: "atomic"},
        ".type",
        'Invalid value: "object": must be array if x-kubernetes-list-type is specified',
    ),
    _of(
        OF_NAMED | {LIST_TYPE: "map"},
        f".{LIST_KEYS}",
        "Required value: must not be empty if x-kubernetes-list-type is map",
        REQUIRED,
    ),
    _of(
        OF_NAMED | {LIST_KEYS: ["n"]},
        f".{LIST_TYPE}",
        "Required value: must be map if x-kubernetes-list-map-keys is non-empty",
        REQUIRED,
    ),
    _of(
        OF_NAMED | {LIST_TYPE: "map", LIST_KEYS: ["b"]},
        f".{LIST_KEYS}",
        'Invalid value: []string{"b"}: entries must all be names of item properties',
    ),
    _of(
        {"type": "array", "items": {"type": "object", "properties": {"n": TEXT}}, LIST_TYPE: "map", LIST_KEYS: ["n"]},
        ".items.properties[n].default",
        "Required value: this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property",
        REQUIRED,
    ),
    _of(
        {
            "type": "array",
            "items": {"type": "object", "properties": {"n": {"type": "object"}}, "required": ["n"]},
            LIST_TYPE: "map",
            LIST_KEYS: ["n"],
        },
        ".items.properties[n].type",
        'Invalid value: "object": must be a scalar type if parent array\'s x-kubernetes-list-type is map',
    ),
    _of(
        {"type": "array", "items": {"type": "object"}, LIST_TYPE: "set"},
        f".items.{MAP_TYPE}",
        'Invalid value: "null": must be atomic as item of a list with x-kubernetes-list-type=set',
    ),
    _of(
        {"type": "object", MAP_TYPE: "loose"},
        f".{MAP_TYPE}",
        'Unsupported value: "loose": supported values: "atomic", "granular"',
        UNKNOWN,
    ),
    _of(
        TEXT | {MAP_TYPE: "atomic"},
        ".type",
        'Invalid value: "string": must be object if x-kubernetes-map-type is specified',
    ),
    _of(
        {"type": "object", schema.PRESERVE: False},
        f".{schema.PRESERVE}",
        "Invalid value: false: must be true or undefined",
    ),
    _of(
        {"type": "object", schema.EMBEDDED: True},
        ".properties",
        "Required value: must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields",
        REQUIRED,
    ),
    *(
        _of(
            {"type": "object", "anyOf": [{member: value}]},
            f".anyOf[0].{member}",
            f"Forbidden: {ELSEWHERE[member]}",
            FORBIDDEN,
        )
        for member, value in {
            "description": "b",
            "type": "object",
            "title": "b",
            "default": {},
            "nullable": True,
            "additionalProperties": TEXT,
        }.items()
    ),
    _of(
        {"type": "object", "properties": {"b": TEXT}, "not": {"properties": {"b": {"type": "string"}}}},
        ".not.properties[b].type",
        "Forbidden: must be empty to be structural",
        FORBIDDEN,
    ),
    _meta("kind", {"type": "integer"}, ".type", 'Invalid value: "integer": must be string'),
    _meta("apiVersion", {"type": "integer"}, ".type", 'Invalid value: "integer": must be string'),
    _meta("metadata", TEXT, ".type", 'Invalid value: "string": must be object'),
    _meta(
        "metadata",
        {"type": "object", "properties": {"labels": {"type": "object"}}},
        "",
        "Forbidden: must not specify anything other than name and generateName, but metadata is implicitly specified",
        FORBIDDEN,
    ),
    _meta(
        "metadata",
        {"type": "object", "description": "b"},
        "",
        "Forbidden: must not specify anything other than name and generateName, but metadata is implicitly specified",
        FORBIDDEN,
    ),
)
