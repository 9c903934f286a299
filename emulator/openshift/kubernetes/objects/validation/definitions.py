"""The rules of CustomResourceDefinitions. `structural.py` has those of the schemas in them."""

import re
from collections.abc import Iterator
from typing import Any

from emulator.openshift.kubernetes.errors import Cause, forbidden_value, invalid_value, required
from emulator.openshift.kubernetes.kinds import Json
from emulator.openshift.kubernetes.objects import names
from emulator.openshift.kubernetes.objects.validation.checks import Rule, every, one_of, text
from emulator.openshift.kubernetes.objects.validation.structural import at_version, lone_version

PRESERVED = "cannot set to true, set x-preserve-unknown-fields to true in spec.versions[*].schema instead"


def _group(value: Any, field: str) -> Iterator[Cause]:
    if value and "." not in value:
        yield invalid_value(field, value, "should be a domain with at least one dot")


def _labels(value: Any, field: str) -> Iterator[Cause]:
    for index, name in enumerate(value or []):
        yield from text(names.service_name)(name, f"{field}[{index}]")


def _mixed_case(value: str) -> Iterator[str]:
    for problem in names.service_name(value.lower()):
        yield f"may have mixed case, but should otherwise match: {problem}"


def _list_kind(value: Json, field: str) -> Iterator[Cause]:
    if value.get("kind") and value.get("kind") == value.get("listKind"):
        yield invalid_value(f"{field}.listKind", value["listKind"], "kind and listKind may not be the same")


def _webhook(value: Json, field: str) -> Iterator[Cause]:
    webhook = value.get("webhook")
    at_client, at_versions = f"{field}.webhookClientConfig", f"{field}.conversionReviewVersions"
    if value.get("strategy") != "Webhook":
        for member, at in (("conversionReviewVersions", at_versions), ("clientConfig", at_client)):
            if (webhook or {}).get(member):
                yield forbidden_value(at, "should not be set when strategy is not set to Webhook")
        return
    client = (webhook or {}).get("clientConfig")
    if client is None:
        yield required(at_client, "required when strategy is set to Webhook")
    elif bool(client.get("url")) == bool(client.get("service")):
        yield required(at_client, "exactly one of url or service is required")
    if not webhook:
        yield required(at_versions)


def _preserved(value: Any, field: str) -> Iterator[Cause]:
    if value:
        yield invalid_value(field, value, PRESERVED)


def _scales(value: Any, _field: str) -> Iterator[Cause]:
    for index, version in enumerate(value or []):
        scale = (version.get("subresources") or {}).get("scale")
        if scale is None:
            continue
        field = at_version(value, index, "subresources.scale", "subresources.scale")
        for member, within in (("specReplicasPath", "spec"), ("statusReplicasPath", "status")):
            path = scale.get(member)
            if not path:
                yield required(f"{field}.{member}")
            elif not re.fullmatch(r"(\.[a-zA-Z0-9_-]+)+", path):
                yield invalid_value(f"{field}.{member}", path, "must be a simple json path starting with .")
            elif not path.startswith(f".{within}."):
                yield invalid_value(f"{field}.{member}", path, f"should be a json path under .{within}")


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
    Rule(
        f"{SPEC}.group",
        every(text(names.subdomain), _group),
        "x",
        'Invalid value: "x": should be a domain with at least one dot',
    ),
    Rule(
        f"{SPEC}.group",
        text(names.subdomain),
        "Example.com",
        f'Invalid value: "Example.com": {names.SUBDOMAIN_MESSAGE}',
    ),
    Rule(
        "CustomResourceDefinitionNames.plural",
        text(names.service_name),
        "Samples",
        "Invalid value: \"Samples\": a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
    ),
    Rule(
        "CustomResourceDefinitionNames.shortNames",
        _labels,
        ["S_1"],
        "Invalid value: \"S_1\": a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
        field="shortNames[0]",
    ),
    Rule(
        "CustomResourceDefinitionNames.categories",
        _labels,
        ["All"],
        f'Invalid value: "All": {names.SERVICE_MESSAGE}',
        field="categories[0]",
    ),
    Rule(
        "CustomResourceDefinitionNames.singular",
        text(names.service_name),
        "Sample",
        f'Invalid value: "Sample": {names.SERVICE_MESSAGE}',
    ),
    Rule(
        "CustomResourceDefinitionNames.kind",
        text(_mixed_case),
        "A Sample",
        f'Invalid value: "A Sample": may have mixed case, but should otherwise match: {names.SERVICE_MESSAGE}',
    ),
    Rule(
        "CustomResourceDefinitionNames.listKind",
        text(_mixed_case),
        "Sample_List",
        f'Invalid value: "Sample_List": may have mixed case, but should otherwise match: {names.SERVICE_MESSAGE}',
    ),
    Rule(
        "CustomResourceDefinitionNames",
        _list_kind,
        {"kind": "Sample", "listKind": "Sample"},
        'Invalid value: "Sample": kind and listKind may not be the same',
        field="listKind",
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
        "CustomResourceConversion",
        _webhook,
        {"strategy": "Webhook", "webhook": {"conversionReviewVersions": ["v1"], "clientConfig": {}}},
        "Required value: exactly one of url or service is required",
        field="webhookClientConfig",
        reason="FieldValueRequired",
    ),
    Rule(
        "CustomResourceConversion",
        _webhook,
        {"strategy": "None", "webhook": {"conversionReviewVersions": ["v1"]}},
        "Forbidden: should not be set when strategy is not set to Webhook",
        field="conversionReviewVersions",
        reason="FieldValueForbidden",
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
        lone_version(ANY, subresources={"scale": {"specReplicasPath": "spec.a", "statusReplicasPath": ".status.a"}}),
        'Invalid value: "spec.a": must be a simple json path starting with .',
        field="subresources.scale.specReplicasPath",
    ),
    Rule(
        f"{SPEC}.versions",
        _scales,
        lone_version(ANY, subresources={"scale": {"specReplicasPath": ".spec.a"}}),
        "Required value",
        field="subresources.scale.statusReplicasPath",
        reason="FieldValueRequired",
    ),
    Rule(
        f"{SPEC}.versions",
        _scales,
        lone_version(ANY, subresources={"scale": {"specReplicasPath": ".a", "statusReplicasPath": ".status.a"}}),
        'Invalid value: ".a": should be a json path under .spec',
        field="subresources.scale.specReplicasPath",
    ),
)
