"""The contents of requests: objects in JSON or YAML, patches by content type, options."""

import json
import re
from collections.abc import Mapping
from typing import Any

import yaml
from starlette.requests import Request

from emulator.openshift.kubernetes import errors, go_yaml, refusals
from emulator.openshift.kubernetes.api import protobuf
from emulator.openshift.kubernetes.kinds import Json, Kind
from emulator.openshift.kubernetes.objects import metadata

OBJECT_TYPES = ("application/json", "application/yaml")
PROTOBUF = "application/vnd.kubernetes.protobuf"
MANAGER_BYTES = 128
# A Go struct, as the real server shows it in its message.
TYPE_META = 'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }'


NO_KIND = "couldn't get version/kind; json parse error: "
# As many bytes of a body as messages show.
SHOWN_BYTES = 30
# What Python's decoder says, and where Go's says that it is.
NO_COMMA = "Expecting ',' delimiter"
AFTER: Mapping[str, str] = {
    NO_COMMA: "after object key:value pair",
    "Expecting ':' delimiter": "after object key",
    "Expecting property name enclosed in double quotes": "looking for beginning of object key string",
    "Extra data": "after top-level value",
    "Invalid control character at": "in string literal",
}


class UnreadableError(Exception):
    """A body that is not an object in its media type, in Go's words."""


def content_type(request: Request) -> str:
    """Return the media type of the body; without a Content-Type it is JSON."""
    return request.headers.get("content-type", "").partition(";")[0].strip().lower() or OBJECT_TYPES[0]


def parse(text: bytes, media_type: str, kind: Kind) -> Json:
    """Parse an object.

    Args:
        text: the body.
        media_type: media type of the body.
        kind: the expected kind.

    Raises:
        ServiceError: 400 for a body that is not an object; 415 for a media type in which objects do not come.
    """
    try:
        return load(text, media_type, "" if kind.is_custom else kind.kind)
    except UnreadableError as error:
        raise errors.bad_request(
            f"the object provided is unrecognized (must be of type {kind.kind}): {error} ({_summary(text)})"
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
        raise errors.unsupported_media_type(OBJECT_TYPES)
    try:
        found = json.loads(text) if media_type == OBJECT_TYPES[0] else go_yaml.load(text)
    except ValueError as error:
        raise UnreadableError(f"{NO_KIND}{go_error(error, text)}") from error
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        problem = re.sub(r"(?<=found character) '.+?'", "", error.problem or "").replace(
            "allowed here", "allowed in this context"
        )
        raise UnreadableError(f"yaml: line {line}: {problem}") from error
    except yaml.YAMLError as error:
        raise UnreadableError(f"yaml: {error}") from error
    if found is None and text.strip():
        # Go decodes null as an object without members.
        return {}
    if not isinstance(found, dict):
        raise UnreadableError(f"{NO_KIND}json: cannot unmarshal {go_kind(found)} into Go value of type {TYPE_META}")
    return found


def _summary(text: bytes) -> str:
    """Show a body that cannot be read, in hexadecimal digits unless it begins like an object in JSON."""
    if not text:
        return "<empty>"
    begin = text[:SHOWN_BYTES]
    shown = begin.decode(errors="replace") if text.startswith(b"{") else begin.hex()
    return shown if begin == text else f"{shown} ..."


def go_error(error: ValueError, text: bytes) -> str:
    """Return what Go's decoder says of a text that is not JSON."""
    if not isinstance(error, json.JSONDecodeError):
        return f"invalid JSON: {error}"
    document = text.decode(errors="replace")
    rest = document[error.pos :].lstrip()
    if not rest or error.msg.startswith("Unterminated string"):
        return "unexpected end of JSON input"
    where = AFTER.get(error.msg, "looking for beginning of value")
    if error.msg == NO_COMMA and _is_in_list(document[: error.pos]):
        where = "after array element"
    shown = rest[0] if rest[0].isprintable() else f"\\x{ord(rest[0]):02x}"
    return f"invalid character '{shown}' {where}"


def _is_in_list(begin: str) -> bool:
    """Tell whether the last value that is still open is a list."""
    open_ones: list[str] = []
    for character in re.sub(r'"(\\.|[^"\\])*"', "", begin):
        if character in "[{":
            open_ones.append(character)
        elif character in "]}" and open_ones:
            open_ones.pop()
    return open_ones[-1:] == ["["]


def go_kind(value: Any) -> str:
    """Name the kind of a decoded JSON value, which is not an object, as Go does."""
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
    problem = unregistered(kind, obj)
    if problem:
        raise errors.bad_request(
            f'{name or kind.kind} in version "{version or kind.version}" cannot be handled as a {kind.kind}: {problem}'
        )


def unregistered(kind: Kind, obj: Json) -> str:
    """Return why an object is not of a built-in kind, "" if it is. It may leave out its version and kind."""
    version, name = obj.get("apiVersion"), obj.get("kind")
    if version in (None, "", kind.api_version) and name in (None, "", kind.kind):
        return ""
    return f'no kind "{name}" is registered for version "{version or kind.version}"'


def config_of(kind: Kind, text: bytes) -> Json:
    """Return the object to apply.

    Args:
        kind: kind of the object.
        text: the body, in YAML.

    Raises:
        ServiceError: 400 for a body that is not an object, of another version, or with managers; 500 for another kind.
    """
    try:
        found = go_yaml.load(text)
    except yaml.YAMLError as error:
        raise refusals.not_yaml(f"error converting YAML to JSON: yaml: {error}") from error
    found = {} if found is None else found
    if not isinstance(found, dict):
        raise refusals.not_yaml(
            "error unmarshaling JSON: while decoding JSON: json: cannot unmarshal "
            f"{go_kind(found)} into Go value of type map[string]interface {{}}"
        )
    version = str(found.get("apiVersion") or "")
    if version != kind.api_version:
        raise refusals.another_version_applied(version, kind.api_version)
    if not found.get("kind"):
        raise refusals.untyped([f"no corresponding type for {kind.group}/{kind.version}, Kind="])
    if found["kind"] != kind.kind:
        raise refusals.another_kind_applied()
    given = found.get("metadata")
    metadata.decode(kind, given)
    if given and given.get("managedFields") is not None:
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


def dry_run(wanted: list[str], options: str) -> bool:
    """Tell whether a request is a dry run, which stores nothing.

    Args:
        wanted: every `dryRun` of its options.
        options: type of the options of its verb, `CreateOptions`.

    Raises:
        ServiceError: 422 for a value other than `All`.
    """
    if any(value != "All" for value in wanted):
        shown = "[]string{" + ", ".join(f'"{value}"' for value in wanted) + "}"
        message = f'Unsupported value: {shown}: supported values: "All"'
        cause = errors.Cause("FieldValueNotSupported", "dryRun", message)
        raise errors.invalid("meta.k8s.io", options, "", [cause])
    return bool(wanted)
