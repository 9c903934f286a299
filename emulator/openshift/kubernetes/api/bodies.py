"""The contents of requests: objects in JSON or YAML, patches by content type, options."""

import json
from collections.abc import Callable
from typing import Any

import yaml
from starlette.requests import Request

from emulator.openshift.kubernetes import errors, refusals
from emulator.openshift.kubernetes.api.patches import json_patch, merge_patch
from emulator.openshift.kubernetes.api.strategic import strategic_merge_patch
from emulator.openshift.kubernetes.errors import APPLY_PATCH, JSON_PATCH, MERGE_PATCH, STRATEGIC_MERGE_PATCH
from emulator.openshift.kubernetes.kinds import Json, Kind
from emulator.openshift.kubernetes.objects import metadata

OBJECT_TYPES = ("application/json", "application/yaml")
PROTOBUF = "application/vnd.kubernetes.protobuf"
MANAGER_BYTES = 128
# A Go struct, as the real server shows it in its message.
TYPE_META = 'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }'


def content_type(request: Request) -> str:
    """Return the media type of the body; without a Content-Type it is JSON."""
    return request.headers.get("content-type", "").partition(";")[0].strip().lower() or OBJECT_TYPES[0]


def parse(text: bytes, media_type: str, kind: str) -> Json:
    """Parse an object.

    Args:
        text: the body.
        media_type: media type of the body.
        kind: name of the expected kind, for the message.

    Raises:
        ServiceError: 400 for a body that is not an object; 415 for a media type other than JSON and YAML.
    """
    if media_type == PROTOBUF:
        raise refusals.protobuf_unread(OBJECT_TYPES)
    if media_type not in OBJECT_TYPES:
        raise errors.unsupported_media_type(OBJECT_TYPES)
    try:
        found = json.loads(text) if media_type == OBJECT_TYPES[0] else yaml.safe_load(text)
    except (ValueError, yaml.YAMLError) as error:
        shown = text.decode(errors="replace") or "<empty>"
        raise errors.bad_request(
            f"the object provided is unrecognized (must be of type {kind}): couldn't get version/kind; "
            f"json parse error: {_go_error(error, text)} ({shown})"
        ) from error
    if not isinstance(found, dict):
        raise errors.bad_request(
            f"the object provided is unrecognized (must be of type {kind}): couldn't get version/kind; "
            f"json parse error: json: cannot unmarshal {_go_kind(found)} into Go value of type {TYPE_META} "
            f"({text[:32].hex()})"
        )
    return found


def _go_error(error: Exception, text: bytes) -> str:
    ends = isinstance(error, json.JSONDecodeError) and error.pos >= len(text.decode(errors="replace").rstrip())
    # If the text ends too early inside an object, Python reports a position after the last token.
    cut = isinstance(error, json.JSONDecodeError) and not text.rstrip().endswith((b"}", b"]", b'"'))
    return "unexpected end of JSON input" if ends or cut else f"invalid JSON: {error}"


def _go_kind(value: Any) -> str:
    match value:
        case list():
            return "array"
        case str():
            return "string"
        case bool():
            return "bool"
        case _:
            return "number"


def check_kind(kind: Kind, obj: Json) -> None:
    """Check that an object names the expected version and kind; objects of built-in kinds may leave them out.

    Raises:
        ServiceError: 400; for custom kinds also 422 for another kind, and 500 for a missing version or kind.
    """
    version, name = obj.get("apiVersion"), obj.get("kind")
    if kind.is_custom:
        if not version:
            raise errors.internal("Object 'apiVersion' is missing in 'object has no apiVersion field'")
        if not name:
            raise errors.internal("Object 'Kind' is missing in 'object has no kind field'")
        if version != kind.api_version:
            raise errors.bad_request(
                f"the API version in the data ({version}) does not match the expected API version ({kind.api_version})"
            )
        if name != kind.kind:
            object_name = metadata.decode(kind, obj.get("metadata")).get("name", "")
            causes = [errors.invalid_value("kind", name, f"must be {kind.kind}")]
            raise errors.invalid(kind.group, name, object_name, causes)
        return
    if version not in (None, "", kind.api_version) or name not in (None, "", kind.kind):
        raise errors.bad_request(
            f'{name} in version "{version or kind.version}" cannot be handled as a {kind.kind}: '
            f'no kind "{name}" is registered for version "{version or kind.version}"'
        )


def patch_of(kind: Kind, media_type: str, text: bytes) -> Callable[[Json], Json]:
    """Return a function that applies a patch to an object.

    Args:
        kind: kind of the object.
        media_type: media type of the patch.
        text: the body with the patch.

    Raises:
        ServiceError: 415 for a media type that the kind does not accept; 400, 422 or 500 for a malformed patch.
    """
    accepted = [JSON_PATCH, MERGE_PATCH] if kind.is_custom else [JSON_PATCH, MERGE_PATCH, STRATEGIC_MERGE_PATCH]
    if media_type not in accepted:
        if media_type not in (JSON_PATCH, MERGE_PATCH, STRATEGIC_MERGE_PATCH, APPLY_PATCH):
            raise errors.unknown_patch_type()
        raise errors.unsupported_media_type([*accepted, APPLY_PATCH])
    try:
        patch = json.loads(text)
    except ValueError as error:
        if media_type == JSON_PATCH:
            raise errors.bad_request(_go_error(error, text)) from error
        raise errors.unexpected("Invalid JSON Patch") from error
    if media_type == JSON_PATCH:
        return lambda current: json_patch(current, patch)
    if not isinstance(patch, dict):
        raise errors.invalid(
            "",
            "",
            "",
            [
                errors.invalid_value(
                    "patch",
                    text.decode(errors="replace"),
                    "couldn't get version/kind; json parse error: json: cannot unmarshal "
                    f"{_go_kind(patch)} into Go value of type {TYPE_META}",
                )
            ],
        )
    if media_type == MERGE_PATCH:
        return lambda current: dict(merge_patch(current, patch))
    return lambda current: strategic_merge_patch(kind, current, patch)


def config_of(kind: Kind, text: bytes) -> Json:
    """Return the object to apply.

    Args:
        kind: kind of the object.
        text: the body, in YAML.

    Raises:
        ServiceError: 400 for a body that is not an object, of another version, or with managers; 500 for another kind.
    """
    try:
        found = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise refusals.not_yaml(f"error converting YAML to JSON: yaml: {error}") from error
    if not isinstance(found, dict):
        raise refusals.not_yaml(
            "error unmarshaling JSON: while decoding JSON: json: cannot unmarshal "
            f"{_go_kind(found)} into Go value of type map[string]interface {{}}"
        )
    version = str(found.get("apiVersion") or "")
    if version != kind.api_version:
        raise refusals.another_version_applied(version, kind.api_version)
    if found.get("kind") != kind.kind:
        raise refusals.another_kind_applied()
    if (metadata.decode(kind, found.get("metadata"))).get("managedFields"):
        raise refusals.managers_applied()
    return found


def manager_of(request: Request, options: str) -> str:
    """Return the name of who writes: `fieldManager`, or the client's program.

    Args:
        request: the request.
        options: type of the options of its verb, `PatchOptions`; empty for those of an apply, which needs a name.

    Raises:
        ServiceError: 422 for a name that is missing, too long, or not printable.
    """
    name = request.query_params.get("fieldManager", "")
    wrong = None
    if not name and not options:
        wrong = errors.required("fieldManager", "is required for apply patch")
    elif len(name.encode()) > MANAGER_BYTES:
        message = f"Too long: must have at most {MANAGER_BYTES} bytes"
        wrong = errors.Cause("FieldValueTooLong", "fieldManager", message)
    elif name and not name.isprintable():
        at, character = next((at, one) for at, one in enumerate(name) if not one.isprintable())
        shown = "".join(one if one.isprintable() else f"\\x{ord(one):02x}" for one in name)
        message = f'Invalid value: "{shown}": invalid character U+{ord(character):04X} (at position {at})'
        wrong = errors.Cause("FieldValueInvalid", "fieldManager", message)
    if wrong is not None:
        raise errors.invalid("meta.k8s.io", options or "PatchOptions", "", [wrong])
    return name or request.headers.get("user-agent", "").partition("/")[0][:MANAGER_BYTES]


def force(request: Request, *, applies: bool) -> bool:
    """Tell whether an apply takes over fields of other managers.

    Args:
        request: the request.
        applies: whether it is an apply.

    Raises:
        ServiceError: 422 if another patch says so.
    """
    if "force" in request.query_params and not applies:
        cause = errors.forbidden_value("force", "may not be specified for non-apply patch")
        raise errors.invalid("meta.k8s.io", "PatchOptions", "", [cause])
    return request.query_params.get("force") in ("1", "true")


def dry_run(request: Request, options: str, in_body: Any = None) -> bool:
    """Tell whether a request is a dry run, which stores nothing.

    Args:
        request: the request.
        options: type of the options of its verb, `CreateOptions`.
        in_body: the `dryRun` of options in the body.

    Raises:
        ServiceError: 422 for a value other than `All`.
    """
    wanted = [*request.query_params.getlist("dryRun"), *(in_body if isinstance(in_body, list) else ())]
    if any(value != "All" for value in wanted):
        shown = "[]string{" + ", ".join(f'"{value}"' for value in wanted) + "}"
        message = f'Unsupported value: {shown}: supported values: "All"'
        cause = errors.Cause("FieldValueNotSupported", "dryRun", message)
        raise errors.invalid("meta.k8s.io", options, "", [cause])
    return bool(wanted)
