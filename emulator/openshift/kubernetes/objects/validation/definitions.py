"""The rules of CustomResourceDefinitions, and of the structural schemas in them."""

import re
from collections.abc import Iterator
from typing import Any

from emulator.openshift.kubernetes.errors import Cause, forbidden_value, invalid_value, not_supported, required
from emulator.openshift.kubernetes.kinds import Json
from emulator.openshift.kubernetes.objects import names, schema
from emulator.openshift.kubernetes.objects.validation.checks import Rule, one_of, text

TYPES = ("array", "boolean", "integer", "number", "object", "string")
QUADRATIC = "uniqueItems cannot be set to true since the runtime complexity becomes quadratic"
PRESERVED = "cannot set to true, set x-preserve-unknown-fields to true in spec.versions[*].schema instead"


def _group(value: Any, field: str) -> Iterator[Cause]:
    if value and "." not in value:
        yield invalid_value(field, value, "should be a domain with at least one dot")


def _short_names(value: Any, field: str) -> Iterator[Cause]:
    for index, name in enumerate(value or []):
        yield from text(names.service_name)(name, f"{field}[{index}]")


def _webhook(value: Json, field: str) -> Iterator[Cause]:
    if value.get("strategy") == "Webhook" and not value.get("webhook"):
        yield required(f"{field}.webhookClientConfig", "required when strategy is set to Webhook")
        yield required(f"{field}.conversionReviewVersions")


def _preserved(value: Any, field: str) -> Iterator[Cause]:
    if value:
        yield invalid_value(field, value, PRESERVED)


def _at_version(versions: list[Json], index: int, lone: str, each: str) -> str:
    """Return the path of a member of a version; a lone version has its members at the top."""
    return f"spec.{lone}" if len(versions) == 1 else f"spec.versions[{index}].{each}"


def _scales(value: Any, _field: str) -> Iterator[Cause]:
    for index, version in enumerate(value or []):
        scale = (version.get("subresources") or {}).get("scale")
        if scale is None:
            continue
        field = _at_version(value, index, "subresources.scale", "subresources.scale")
        for member, within in (("specReplicasPath", "spec"), ("statusReplicasPath", "status")):
            path = scale.get(member)
            if not path:
                yield required(f"{field}.{member}")
            elif not re.fullmatch(r"(\.[a-zA-Z0-9_-]+)+", path):
                yield invalid_value(f"{field}.{member}", path, "must be a simple json path starting with .")
            elif not path.startswith(f".{within}."):
                yield invalid_value(f"{field}.{member}", path, f"should be a json path under .{within}")


def _schemas(value: Any, _field: str) -> Iterator[Cause]:
    for index, version in enumerate(value or []):
        found = (version.get("schema") or {}).get("openAPIV3Schema")
        if isinstance(found, dict):
            field = _at_version(value, index, "validation.openAPIV3Schema", "schema.openAPIV3Schema")
            if found.get("type") not in (None, "object", ""):
                yield invalid_value(f"{field}.type", found["type"], "must be object at the root")
            yield from _schema(found, field, "must not be empty at the root")


def _schema(found: Json, field: str, untyped: str) -> Iterator[Cause]:
    kind = found.get("type")
    if not kind and not found.get(schema.INT_OR_STRING) and not found.get(schema.PRESERVE):
        yield required(f"{field}.type", untyped)
    elif kind and kind not in TYPES:
        yield not_supported(f"{field}.type", kind, TYPES)
        return
    yield from _members(found, field)
    for name, inner in (found.get("properties") or {}).items():
        yield from _schema(inner, f"{field}.properties[{name}]", "must not be empty for specified object fields")
    for member, message in (
        ("items", "must not be empty for specified array items"),
        ("additionalProperties", "must not be empty for specified object fields"),
    ):
        if isinstance(found.get(member), dict):
            yield from _schema(found[member], f"{field}.{member}", message)


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


def _pattern(value: Any, field: str) -> Iterator[Cause]:
    try:
        re.compile(value or "")
    except re.error as error:
        why = f"missing closing ): `{value}`" if error.msg.startswith("missing )") else f"{error.msg}: `{value}`"
        message = f"must be a valid regular expression, but isn't: error parsing regexp: {why}"
        yield invalid_value(field, value, message)


def _version(found: Json, **more: Any) -> list[Json]:
    return [{"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": found}} | more]


def _with(name: str, found: Json) -> list[Json]:
    return _version({"type": "object", "properties": {name: found}})


ANY: Json = {"type": "object"}
SPEC = "CustomResourceDefinitionSpec"
RULES = (
    Rule(
        f"{SPEC}.scope",
        one_of("Cluster", "Namespaced"),
        "Global",
        'Unsupported value: "Global": supported values: "Cluster", "Namespaced"',
        reason="FieldValueNotSupported",
    ),
    Rule(f"{SPEC}.group", _group, "x", 'Invalid value: "x": should be a domain with at least one dot'),
    Rule(
        "CustomResourceDefinitionNames.plural",
        text(names.service_name),
        "Samples",
        "Invalid value: \"Samples\": a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
    ),
    Rule(
        "CustomResourceDefinitionNames.shortNames",
        _short_names,
        ["S_1"],
        "Invalid value: \"S_1\": a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
        field="shortNames[0]",
    ),
    Rule(
        "CustomResourceConversion.strategy",
        one_of("None", "Webhook"),
        "Other",
        'Unsupported value: "Other": supported values: "None", "Webhook"',
        reason="FieldValueNotSupported",
    ),
    Rule(
        "CustomResourceConversion",
        _webhook,
        {"strategy": "Webhook"},
        "Required value: required when strategy is set to Webhook",
        field="webhookClientConfig",
        reason="FieldValueRequired",
    ),
    Rule(
        f"{SPEC}.preserveUnknownFields",
        _preserved,
        True,
        "Invalid value: true: cannot set to true, set x-preserve-unknown-fields to true in spec.versions[*].schema instead",
    ),
    Rule(
        f"{SPEC}.versions",
        _scales,
        _version(ANY, subresources={"scale": {"specReplicasPath": "spec.a", "statusReplicasPath": ".status.a"}}),
        'Invalid value: "spec.a": must be a simple json path starting with .',
        field="subresources.scale.specReplicasPath",
    ),
    Rule(
        f"{SPEC}.versions",
        _scales,
        _version(ANY, subresources={"scale": {"specReplicasPath": ".spec.a"}}),
        "Required value",
        field="subresources.scale.statusReplicasPath",
        reason="FieldValueRequired",
    ),
    Rule(
        f"{SPEC}.versions",
        _scales,
        _version(ANY, subresources={"scale": {"specReplicasPath": ".a", "statusReplicasPath": ".status.a"}}),
        'Invalid value: ".a": should be a json path under .spec',
        field="subresources.scale.specReplicasPath",
    ),
    Rule(
        f"{SPEC}.versions",
        _schemas,
        _version({"type": "string"}),
        'Invalid value: "string": must be object at the root',
        field="validation.openAPIV3Schema.type",
    ),
    Rule(
        f"{SPEC}.versions",
        _schemas,
        _with("a", {"description": "b"}),
        "Required value: must not be empty for specified object fields",
        field="validation.openAPIV3Schema.properties[a].type",
        reason="FieldValueRequired",
    ),
    Rule(
        f"{SPEC}.versions",
        _schemas,
        _with("a", {"type": "text"}),
        'Unsupported value: "text": supported values: "array", "boolean", "integer", "number", "object", "string"',
        field="validation.openAPIV3Schema.properties[a].type",
        reason="FieldValueNotSupported",
    ),
    Rule(
        f"{SPEC}.versions",
        _schemas,
        _with("a", {"type": "array"}),
        "Required value: must be specified",
        field="validation.openAPIV3Schema.properties[a].items",
        reason="FieldValueRequired",
    ),
    Rule(
        f"{SPEC}.versions",
        _schemas,
        _with("a", {"type": "array", "items": {"description": "b"}}),
        "Required value: must not be empty for specified array items",
        field="validation.openAPIV3Schema.properties[a].items.type",
        reason="FieldValueRequired",
    ),
    Rule(
        f"{SPEC}.versions",
        _schemas,
        _with("a", {"type": "array", "items": {"type": "string"}, "uniqueItems": True}),
        "Forbidden: uniqueItems cannot be set to true since the runtime complexity becomes quadratic",
        field="validation.openAPIV3Schema.properties[a].uniqueItems",
        reason="FieldValueForbidden",
    ),
    Rule(
        f"{SPEC}.versions",
        _schemas,
        _with("a", ANY | {"properties": {"b": {"type": "string"}}, "additionalProperties": {"type": "string"}}),
        "Forbidden: additionalProperties and properties are mutual exclusive",
        field="validation.openAPIV3Schema.properties[a].additionalProperties",
        reason="FieldValueForbidden",
    ),
    Rule(
        f"{SPEC}.versions",
        _schemas,
        _with("a", {"type": "string", "pattern": "("}),
        'Invalid value: "(": must be a valid regular expression, but isn\'t: error parsing regexp: missing closing ): `(`',
        field="validation.openAPIV3Schema.properties[a].pattern",
    ),
    Rule(
        f"{SPEC}.versions",
        _schemas,
        _with("a", {"type": "string", "default": 1}),
        'Invalid value: "integer":  in body must be of type string: "integer"',
        field="validation.openAPIV3Schema.properties[a].default",
    ),
)
