"""The rules of metadata, which all kinds share, custom ones too. Names and labels are in `names.py`."""

import json
from collections.abc import Iterator

from emulator.openshift.kubernetes.errors import Cause, invalid_value
from emulator.openshift.kubernetes.kinds import Json
from emulator.openshift.kubernetes.objects import names
from emulator.openshift.kubernetes.objects.validation.checks import Rule

MOST_BYTES = 256 << 10
STANDARD_FINALIZERS = frozenset({"foregroundDeletion", "kubernetes", "orphan"})
OWNER = {"apiVersion": "v1", "kind": "Pod", "name": "web", "uid": "1"}


def _annotations(value: Json, field: str) -> Iterator[Cause]:
    size = sum(len(key.encode()) + len(text.encode()) for key, text in (value.get("annotations") or {}).items())
    if size > MOST_BYTES:
        yield Cause("FieldValueTooLong", f"{field}.annotations", f"Too long: must have at most {MOST_BYTES} bytes")


def _finalizers(value: Json, field: str) -> Iterator[Cause]:
    for one in value.get("finalizers") or []:
        for problem in names.qualified_name(one):
            yield invalid_value(f"{field}.finalizers", one, problem)


def known_finalizers(value: Json, field: str) -> Iterator[Cause]:
    """Refuse finalizers of nobody's domain, which only custom kinds may have."""
    for index, one in enumerate(value.get("finalizers") or []):
        if "/" not in one and one not in STANDARD_FINALIZERS:
            message = "name is neither a standard finalizer name nor is it fully qualified"
            yield invalid_value(f"{field}.finalizers[{index}]", one, message)


def _opposed_finalizers(value: Json, field: str) -> Iterator[Cause]:
    listed = value.get("finalizers") or []
    if {"orphan", "foregroundDeletion"} <= {*listed}:
        shown = f"[]string{{{', '.join(json.dumps(one) for one in listed)}}}"
        message = "finalizer orphan and foregroundDeletion cannot be both set"
        yield Cause("FieldValueInvalid", f"{field}.finalizers", f"Invalid value: {shown}: {message}")


def _has_no_version(text: str) -> bool:
    return text.count("/") > 1 or text.endswith("/")


def _owners(value: Json, field: str) -> Iterator[Cause]:
    owners, at = value.get("ownerReferences") or [], f"{field}.ownerReferences"
    for owner in owners:
        for member, shown in (("apiVersion", "version"), ("kind", "kind"), ("name", "name"), ("uid", "uid")):
            if not owner.get(member):
                yield invalid_value(f"{at}.{member}", "", f"{shown} must not be empty")
        if _has_no_version(owner.get("apiVersion") or ""):
            yield invalid_value(f"{at}.apiVersion", owner["apiVersion"], "version must not be empty")
        if (owner.get("apiVersion"), owner.get("kind")) == ("v1", "Event"):
            shown = "v1.OwnerReference{...}"
            message = "/v1, Kind=Event is disallowed from being an owner"
            yield Cause("FieldValueInvalid", at, f"Invalid value: {shown}: {message}")
    controllers = [str(owner.get("name")) for owner in owners if owner.get("controller")]
    if len(controllers) > 1:
        message = "Only one reference can have Controller set to true. Found "
        found = f'"true" in references for {controllers[0]} and {controllers[1]}'
        yield Cause("FieldValueInvalid", at, f"Invalid value: []v1.OwnerReference{{...}}: {message}{found}")


RULES = (
    Rule(
        "ObjectMeta",
        _opposed_finalizers,
        {"finalizers": ["orphan", "foregroundDeletion"]},
        'Invalid value: []string{"orphan", "foregroundDeletion"}: finalizer orphan and foregroundDeletion cannot be both set',
        field="finalizers",
    ),
    Rule(
        "ObjectMeta",
        _owners,
        {"ownerReferences": [OWNER | {"apiVersion": "a/b/c"}]},
        'Invalid value: "a/b/c": version must not be empty',
        field="ownerReferences.apiVersion",
    ),
    Rule(
        "ObjectMeta",
        _annotations,
        {"annotations": {"a": "b" * MOST_BYTES}},
        "Too long: must have at most 262144 bytes",
        field="annotations",
        reason="FieldValueTooLong",
    ),
    Rule(
        "ObjectMeta",
        known_finalizers,
        {"finalizers": ["abc"]},
        'Invalid value: "abc": name is neither a standard finalizer name nor is it fully qualified',
        field="finalizers[0]",
    ),
    Rule(
        "ObjectMeta",
        _finalizers,
        {"finalizers": ["example.com/a b"]},
        "Invalid value: \"example.com/a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
        field="finalizers",
    ),
    Rule(
        "ObjectMeta",
        _owners,
        {"ownerReferences": [OWNER | {"uid": ""}]},
        'Invalid value: "": uid must not be empty',
        field="ownerReferences.uid",
    ),
    Rule(
        "ObjectMeta",
        _owners,
        {"ownerReferences": [OWNER | {"name": ""}]},
        'Invalid value: "": name must not be empty',
        field="ownerReferences.name",
    ),
    Rule(
        "ObjectMeta",
        _owners,
        {"ownerReferences": [OWNER | {"kind": ""}]},
        'Invalid value: "": kind must not be empty',
        field="ownerReferences.kind",
    ),
    Rule(
        "ObjectMeta",
        _owners,
        {"ownerReferences": [OWNER | {"apiVersion": ""}]},
        'Invalid value: "": version must not be empty',
        field="ownerReferences.apiVersion",
    ),
    Rule(
        "ObjectMeta",
        _owners,
        {"ownerReferences": [OWNER | {"kind": "Event"}]},
        "Invalid value: v1.OwnerReference{...}: /v1, Kind=Event is disallowed from being an owner",
        field="ownerReferences",
    ),
    Rule(
        "ObjectMeta",
        _owners,
        {"ownerReferences": [OWNER | {"controller": True}, OWNER | {"uid": "2", "controller": True}]},
        'Invalid value: []v1.OwnerReference{...}: Only one reference can have Controller set to true. Found "true" in references for web and web',
        field="ownerReferences",
    ),
)
