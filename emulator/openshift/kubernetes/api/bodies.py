"""The contents of requests: objects in JSON or YAML, patches by content type, options."""

import json

import yaml
from starlette.requests import Request

from emulator.json_object import Json
from emulator.openshift.kubernetes import api_errors, go_yaml, refusals
from emulator.openshift.kubernetes.api import protobuf
from emulator.openshift.kubernetes.kinds import Kind
from emulator.openshift.kubernetes.objects import metadata

OBJECT_TYPES = ("application/json", "application/yaml")
PROTOBUF = "application/vnd.kubernetes.protobuf"
MANAGER_BYTES = 128


class UnreadableError(Exception):
    """A body that is not an object in its media type."""


def content_type(request: Request) -> str:
    """Return the media type of the body; without a Content-Type it is JSON."""
    return request.headers.get("content-type", "").partition(";")[0].strip().lower() or OBJECT_TYPES[0]


def parse(text: bytes, media_type: str, kind: Kind) -> Json:
    """Parse an object.

    Raises:
        ServiceError: 400 for a body that is not an object; 415 for a media type in which objects do not come.
    """
    try:
        return load(text, media_type, "" if kind.is_custom else kind.kind)
    except UnreadableError as error:
        raise api_errors.BAD_REQUEST(
            f"the object provided is unrecognized (must be of type {kind.kind}): {error}"
        ) from error


def load(text: bytes, media_type: str, built_in: str) -> Json:
    """Load an object.

    Args:
        text: the body.
        media_type: media type of the body.
        built_in: name of the object's type; "" for a custom kind, which does not come in protobuf.

    Raises:
        ServiceError: 415 for a media type in which objects do not come.
        UnreadableError: if the body is not an object.
    """
    if media_type == PROTOBUF and built_in:
        try:
            return protobuf.decode(built_in, text)
        except protobuf.ProtobufError as error:
            raise UnreadableError(str(error)) from error
    if media_type not in OBJECT_TYPES:
        raise api_errors.UNSUPPORTED_MEDIA_TYPE(OBJECT_TYPES)
    try:
        found = json.loads(text) if media_type == OBJECT_TYPES[0] else go_yaml.load(text)
    except ValueError as error:
        raise UnreadableError(f"couldn't get version/kind; json parse error: {error}") from error
    except yaml.YAMLError as error:
        raise UnreadableError(f"yaml: {error}") from error
    if found is None and text.strip():
        # Go decodes null as an object without members.
        return {}
    if not isinstance(found, dict):
        raise UnreadableError("the body is not an object")
    return found


def check_kind(kind: Kind, obj: Json) -> None:
    """Check that an object has the expected version and kind; objects of built-in kinds may leave them out.

    Raises:
        ServiceError: 400 for another version or kind.
    """
    if problem := unregistered(kind, obj):
        name, version = obj.get("kind") or kind.kind, obj.get("apiVersion") or kind.version
        raise api_errors.BAD_REQUEST(f'{name} in version "{version}" cannot be handled as a {kind.kind}: {problem}')


def unregistered(kind: Kind, obj: Json) -> str:
    """Return why an object is not of a kind, "" if it is."""
    version, name = obj.get("apiVersion"), obj.get("kind")
    left_out = () if kind.is_custom else (None, "")
    if version in (kind.api_version, *left_out) and name in (kind.kind, *left_out):
        return ""
    return f'no kind "{name}" is registered for version "{version or kind.version}"'


def config_of(kind: Kind, text: bytes) -> Json:
    """Return the object to apply.

    Raises:
        ServiceError: 400 for a body that is not an object, of another version or kind, or with managers.
    """
    try:
        found = go_yaml.load(text)
    except yaml.YAMLError as error:
        raise refusals.NOT_YAML(f"error converting YAML to JSON: yaml: {error}") from error
    found = {} if found is None else found
    if not isinstance(found, dict):
        raise refusals.NOT_YAML("the body is not an object")
    if (found.get("apiVersion"), found.get("kind")) != (kind.api_version, kind.kind):
        raise api_errors.BAD_REQUEST(f"the object to apply is not a {kind.kind} of {kind.api_version}")
    given = found.get("metadata")
    metadata.decode(kind, given)
    if given and given.get("managedFields") is not None:
        raise refusals.MANAGERS_APPLIED()
    return found


def manager_of(request: Request, *, applies: bool) -> str:
    """Return the name of who writes: `fieldManager`, or the client's program.

    Raises:
        ServiceError: 422 for a name that is missing.
    """
    name = request.query_params.get("fieldManager", "")
    if not name and applies:
        cause = api_errors.required("fieldManager", "is required for apply patch")
        raise api_errors.invalid("meta.k8s.io", "PatchOptions", "", [cause])
    return name or request.headers.get("user-agent", "").partition("/")[0][:MANAGER_BYTES]


def force(request: Request) -> bool:
    """Tell whether an apply takes over fields of other managers."""
    return request.query_params.get("force") in ("1", "true")


def dry_run(wanted: list[str], options: str) -> bool:
    """Tell whether a request is a dry run, which stores nothing.

    Raises:
        ServiceError: 422 for a value other than `All`.
    """
    if any(value != "All" for value in wanted):
        shown = "[]string{" + ", ".join(f'"{value}"' for value in wanted) + "}"
        message = f'Unsupported value: {shown}: supported values: "All"'
        cause = api_errors.Cause("FieldValueNotSupported", "dryRun", message)
        raise api_errors.invalid("meta.k8s.io", options, "", [cause])
    return bool(wanted)
