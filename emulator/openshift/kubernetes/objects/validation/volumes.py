"""The rules of volumes in pods, PersistentVolumes and PersistentVolumeClaims."""

from collections.abc import Iterator
from typing import Any

from emulator.openshift.kubernetes.errors import Cause, forbidden_value, invalid_value, not_supported, required
from emulator.openshift.kubernetes.kinds import Json
from emulator.openshift.kubernetes.objects import names, quantities
from emulator.openshift.kubernetes.objects.types import types
from emulator.openshift.kubernetes.objects.validation.checks import (
    Rule,
    at_least,
    between,
    given,
    one_of,
    text,
)
from emulator.openshift.kubernetes.objects.validation.containers import name_of_object, relative

# The release of the contract tests, 1.20, knows the first three.
MODES = ("ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod")
MANAGED_DISK = "/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}"
BLOB_DISK = "https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd"
HOST_PATHS = ("", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket")
MODE_MESSAGE = "must be a number between 0 and 0777 (octal), both inclusive"


def _sources(kind: str) -> list[str]:
    return [member for member, wanted in types()[kind].items() if wanted.endswith(("VolumeSource", "VolumeSource]"))]


def _one_source(value: Json, field: str) -> Iterator[Cause]:
    for member in [member for member in _sources("Volume") if value.get(member) is not None][1:]:
        yield forbidden_value(f"{field}.{member}", "may not specify more than 1 volume type")


def _persistent_source(value: Json, field: str) -> Iterator[Cause]:
    found = [member for member in _sources("PersistentVolumeSpec") if value.get(member) is not None]
    if not found:
        yield required(field, "must specify a volume type")
    for member in found[1:]:
        yield forbidden_value(f"{field}.{member}", "may not specify more than 1 volume type")


def _absolute(value: Any, field: str) -> Iterator[Cause]:
    if not (value or "").startswith("/"):
        yield invalid_value(field, value or "", "must be an absolute path")


def _inside(value: Any, field: str) -> Iterator[Cause]:
    if value and ".." in value.split("/"):
        yield invalid_value(field, value, "must not contain '..'")


def _file_mode(value: Any, field: str) -> Iterator[Cause]:
    yield from between(0, 0o777, MODE_MESSAGE)(value, field)


def _has_storage(value: Any, field: str) -> Iterator[Cause]:
    requests = (value or {}).get("requests") or {}
    if "storage" not in requests:
        yield required(f"{field}[storage]")
    elif quantities.number(requests["storage"]) <= 0:
        yield invalid_value(f"{field}[storage]", requests["storage"], "must be greater than zero")


def _modes(value: Any, field: str) -> Iterator[Cause]:
    for mode in value or []:
        if mode not in MODES:
            yield not_supported(field, mode, MODES)


def _driver(value: Any, field: str) -> Iterator[Cause]:
    yield from given()(value, field)
    yield from name_of_object(value, field)


def _size_limit(value: Any, field: str) -> Iterator[Cause]:
    if value and quantities.number(value) < 0:
        yield forbidden_value(field, "SizeLimit field must be a valid resource quantity")


def _item_paths(value: Any, field: str) -> Iterator[Cause]:
    for item in value or []:
        if not item.get("path"):
            yield required(f"{field.rpartition('.')[0]}.path")


def _downward(value: Json, field: str) -> Iterator[Cause]:
    for item in value.get("items") or []:
        if item.get("fieldRef") is None and item.get("resourceFieldRef") is None:
            yield required(field, "one of fieldRef and resourceFieldRef is required")


def _projected_paths(value: Json, field: str) -> Iterator[Cause]:
    """Refuse a path to which two sources of a projected volume write."""
    seen: set[str] = set()
    for source in value.get("sources") or []:
        for kind in ("secret", "configMap"):
            given_source = source.get(kind) or {}
            for item in given_source.get("items") or []:
                path = item.get("path") or ""
                if path and path in seen:
                    yield invalid_value(field, given_source.get("name") or "", "conflicting duplicate paths")
                seen.add(path)


def _token_paths(value: Any, field: str) -> Iterator[Cause]:
    for source in value or []:
        token = source.get("serviceAccountToken")
        if token is not None and not token.get("path"):
            yield required(f"{field.rpartition('.')[0]}.path")


def _token_seconds(value: Any, field: str) -> Iterator[Cause]:
    yield from at_least(600, "may not specify a duration less than 10 minutes")(value, field)
    if value and value > 1 << 32:
        yield invalid_value(field, value, "may not specify a duration larger than 2^32 seconds")


def _disk(value: Json, field: str) -> Iterator[Cause]:
    managed = value.get("kind") == "Managed"
    if not (value.get("diskURI") or "").startswith("/subscriptions/" if managed else "https://"):
        yield not_supported(f"{field}.diskURI", value.get("diskURI") or "", (MANAGED_DISK if managed else BLOB_DISK,))


def _capacity(value: Any, field: str) -> Iterator[Cause]:
    if not value:
        yield required(field)
        yield Cause(
            "FieldValueNotSupported", field, 'Unsupported value: core.ResourceList(nil): supported values: "storage"'
        )
    for name, amount in (value or {}).items():
        if quantities.number(amount) <= 0:
            yield invalid_value(f"{field}[{name}]", amount, "must be greater than zero")


RULES = (
    Rule(
        "DownwardAPIVolumeSource",
        _downward,
        {"items": [{"path": "labels"}]},
        "Required value: one of fieldRef and resourceFieldRef is required",
        field=".",
        reason="FieldValueRequired",
    ),
    Rule(
        "ProjectedVolumeSource",
        _projected_paths,
        {"sources": [{"secret": {"name": name, "items": [{"key": "k", "path": "p"}]}} for name in ("a", "b")]},
        'Invalid value: "b": conflicting duplicate paths',
        field=".",
    ),
    Rule("Volume.name", given(), None, "Required value", reason="FieldValueRequired"),
    Rule(
        "Volume.name",
        text(names.label),
        "Scratch_1",
        "Invalid value: \"Scratch_1\": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
    ),
    Rule(
        "Volume",
        _one_source,
        {"emptyDir": {}, "hostPath": {"path": "/a", "type": ""}},
        "Forbidden: may not specify more than 1 volume type",
        field="hostPath",
        reason="FieldValueForbidden",
    ),
    Rule(
        "EmptyDirVolumeSource.sizeLimit",
        _size_limit,
        "-1Gi",
        "Forbidden: SizeLimit field must be a valid resource quantity",
        reason="FieldValueForbidden",
    ),
    Rule("HostPathVolumeSource.path", given(), None, "Required value", reason="FieldValueRequired"),
    Rule("HostPathVolumeSource.path", _inside, "/a/../b", "Invalid value: \"/a/../b\": must not contain '..'"),
    Rule(
        "HostPathVolumeSource.type",
        one_of(*HOST_PATHS),
        "Folder",
        'Unsupported value: "Folder": supported values: "", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket"',
        reason="FieldValueNotSupported",
    ),
    Rule("SecretVolumeSource.secretName", given(), None, "Required value", reason="FieldValueRequired"),
    Rule(
        "SecretVolumeSource.defaultMode",
        _file_mode,
        512,
        "Invalid value: 512: must be a number between 0 and 0777 (octal), both inclusive",
    ),
    Rule("ConfigMapVolumeSource.name", given(), None, "Required value", reason="FieldValueRequired"),
    Rule(
        "ConfigMapVolumeSource.defaultMode",
        _file_mode,
        512,
        "Invalid value: 512: must be a number between 0 and 0777 (octal), both inclusive",
    ),
    Rule("KeyToPath.key", given(), None, "Required value", reason="FieldValueRequired"),
    Rule("KeyToPath.path", given(), None, "Required value", reason="FieldValueRequired"),
    Rule("KeyToPath.path", relative, "/a", 'Invalid value: "/a": must be a relative path'),
    Rule(
        "KeyToPath.mode",
        _file_mode,
        512,
        "Invalid value: 512: must be a number between 0 and 0777 (octal), both inclusive",
    ),
    Rule("PersistentVolumeClaimVolumeSource.claimName", given(), None, "Required value", reason="FieldValueRequired"),
    Rule(
        "DownwardAPIVolumeSource.items",
        _item_paths,
        [{"fieldRef": {"fieldPath": "metadata.labels"}}],
        "Required value",
        field="path",
        reason="FieldValueRequired",
    ),
    Rule("NFSVolumeSource.server", given(), None, "Required value", reason="FieldValueRequired"),
    Rule("NFSVolumeSource.path", given(), None, "Required value", reason="FieldValueRequired"),
    Rule("NFSVolumeSource.path", _absolute, "export", 'Invalid value: "export": must be an absolute path'),
    Rule("AzureFileVolumeSource.secretName", given(), None, "Required value", reason="FieldValueRequired"),
    Rule("AzureFileVolumeSource.shareName", given(), None, "Required value", reason="FieldValueRequired"),
    Rule("AzureDiskVolumeSource.diskName", given(), None, "Required value", reason="FieldValueRequired"),
    Rule("AzureDiskVolumeSource.diskURI", given(), None, "Required value", reason="FieldValueRequired"),
    Rule(
        "AzureDiskVolumeSource",
        _disk,
        {"diskURI": "disk"},
        'Unsupported value: "disk": supported values: "/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}"',
        field="diskURI",
        reason="FieldValueNotSupported",
    ),
    Rule(
        "AzureDiskVolumeSource.cachingMode",
        one_of("None", "ReadOnly", "ReadWrite"),
        "Write",
        'Unsupported value: "Write": supported values: "None", "ReadOnly", "ReadWrite"',
        reason="FieldValueNotSupported",
    ),
    Rule("CSIVolumeSource.driver", _driver, None, "Required value", reason="FieldValueRequired"),
    Rule(
        "ProjectedVolumeSource.sources",
        _token_paths,
        [{"serviceAccountToken": {}}],
        "Required value",
        field="path",
        reason="FieldValueRequired",
    ),
    Rule(
        "ServiceAccountTokenProjection.expirationSeconds",
        _token_seconds,
        599,
        "Invalid value: 599: may not specify a duration less than 10 minutes",
    ),
    Rule("SecretProjection.name", given(), None, "Required value", reason="FieldValueRequired"),
    Rule("ConfigMapProjection.name", given(), None, "Required value", reason="FieldValueRequired"),
    Rule("PersistentVolumeSpec.accessModes", given(), None, "Required value", reason="FieldValueRequired"),
    Rule(
        "PersistentVolumeSpec.accessModes",
        _modes,
        ["ReadWrite"],
        'Unsupported value: "ReadWrite": supported values: "ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", '
        '"ReadWriteOncePod"',
        field="accessModes",
        reason="FieldValueNotSupported",
    ),
    Rule("PersistentVolumeSpec.capacity", _capacity, None, "Required value", reason="FieldValueRequired"),
    Rule(
        "PersistentVolumeSpec.capacity",
        _capacity,
        {"storage": "0"},
        'Invalid value: "0": must be greater than zero',
        field="capacity[storage]",
    ),
    Rule(
        "PersistentVolumeSpec",
        _persistent_source,
        {"azureDisk": None},
        "Required value: must specify a volume type",
        reason="FieldValueRequired",
    ),
    Rule(
        "PersistentVolumeSpec.persistentVolumeReclaimPolicy",
        one_of("Delete", "Recycle", "Retain"),
        "Keep",
        'Unsupported value: "Keep": supported values: "Delete", "Recycle", "Retain"',
        reason="FieldValueNotSupported",
    ),
    Rule(
        "PersistentVolumeSpec.volumeMode",
        one_of("Block", "Filesystem"),
        "Raw",
        'Unsupported value: "Raw": supported values: "Block", "Filesystem"',
        reason="FieldValueNotSupported",
    ),
    Rule(
        "PersistentVolumeSpec.storageClassName",
        text(names.subdomain),
        "Fast_1",
        "Invalid value: \"Fast_1\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
    ),
    Rule(
        "PersistentVolumeClaimSpec.accessModes",
        given("at least 1 access mode is required"),
        None,
        "Required value: at least 1 access mode is required",
        reason="FieldValueRequired",
    ),
    Rule(
        "PersistentVolumeClaimSpec.accessModes",
        _modes,
        ["ReadWrite"],
        'Unsupported value: "ReadWrite": supported values: "ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", '
        '"ReadWriteOncePod"',
        field="accessModes",
        reason="FieldValueNotSupported",
    ),
    Rule(
        "PersistentVolumeClaimSpec.resources",
        _has_storage,
        None,
        "Required value",
        field="resources[storage]",
        reason="FieldValueRequired",
    ),
    Rule(
        "PersistentVolumeClaimSpec.resources",
        _has_storage,
        {"requests": {"storage": "0"}},
        'Invalid value: "0": must be greater than zero',
        field="resources[storage]",
    ),
    Rule(
        "PersistentVolumeClaimSpec.storageClassName",
        text(names.subdomain),
        "Fast_1",
        "Invalid value: \"Fast_1\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
    ),
    Rule(
        "PersistentVolumeClaimSpec.volumeMode",
        one_of("Block", "Filesystem"),
        "Raw",
        'Unsupported value: "Raw": supported values: "Block", "Filesystem"',
        reason="FieldValueNotSupported",
    ),
)
