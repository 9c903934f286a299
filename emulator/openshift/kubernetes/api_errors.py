"""The errors of a Kubernetes API server, each built in one place, and the Status object that all of them become.

The code of a `ServiceError` is the reason; its extra members hold the `details`.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from emulator.core.refusals import Refusal
from emulator.core.service_error import ServiceError
from emulator.core.sources import public_output
from emulator.json_object import Json
from emulator.openshift.kubernetes.kinds import Kind

JSON_PATCH = "application/json-patch+json"
MERGE_PATCH = "application/merge-patch+json"
STRATEGIC_MERGE_PATCH = "application/strategic-merge-patch+json"
APPLY_PATCH = "application/apply-patch+yaml"

# The code of errors for which Kubernetes has no reason.
NO_REASON = "WithoutReason"
# Codes of the rest of the local Azure, and the reasons that Kubernetes has for them.
REASONS = {
    NO_REASON: "",
    "InternalServerError": "InternalError",
    "ServiceUnavailable": "ServiceUnavailable",
    "TooManyRequests": "TooManyRequests",
}


@dataclass(frozen=True)
class Cause:
    """One thing that is wrong with an object."""

    reason: str
    field: str
    message: str

    def as_json(self) -> Json:
        """Return the cause as a Status has it."""
        return {"reason": self.reason, "message": self.message, "field": self.field}


def invalid_value(field: str, value: Any, message: str) -> Cause:
    """Return the cause for a value that is not allowed."""
    shown = value if isinstance(value, str) and value.startswith("0x") else json.dumps(value, ensure_ascii=False)
    return Cause("FieldValueInvalid", field, f"Invalid value: {shown}: {message}")


def required(field: str, message: str = "") -> Cause:
    """Return the cause for a member that is missing."""
    return Cause("FieldValueRequired", field, f"Required value: {message}" if message else "Required value")


def forbidden_value(field: str, message: str) -> Cause:
    """Return the cause for a change that is not allowed."""
    return Cause("FieldValueForbidden", field, f"Forbidden: {message}")


def not_supported(field: str, value: Any, allowed: Sequence[str]) -> Cause:
    """Return the cause for a value that is not among the allowed ones."""
    listed = ", ".join(json.dumps(one) for one in allowed)
    shown = json.dumps(value, ensure_ascii=False)
    return Cause("FieldValueNotSupported", field, f"Unsupported value: {shown}: supported values: {listed}")


def status(error: ServiceError) -> Json:
    """Return the Status object of an error."""
    reason = REASONS.get(error.code, error.code)
    body: Json = {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "message": error.message,
    }
    if reason:
        body["reason"] = reason
    if "details" in error.extra:
        body["details"] = error.extra["details"]
    body["code"] = error.status_code
    return body


# The contract tests compare the whole Status with that of a real kube-apiserver; the README lists where they differ.
_SERVER = public_output(
    "kubernetes/kubernetes: the answers of kube-apiserver, to which the contract tests compare these"
)
_EMPTY: Json = {"details": {}}
_DETAILS: Json = {"details": "{details!v}"}
# fmt: off
NO_SUCH_RESOURCE = Refusal(404, "NotFound", _SERVER, "the server could not find the requested resource", extra=_EMPTY)
REJECTED_PATCH = Refusal(422, "Invalid", _SERVER,
    "the server rejected our request due to an error in our request", extra=_EMPTY)
BAD_REQUEST = Refusal(400, "BadRequest", _SERVER, "{message}")
INTERNAL = Refusal(500, "InternalError", _SERVER,
    "Internal error occurred: {message}", extra={"details": {"causes": [{"message": "{message}"}]}})
UNAUTHORIZED = Refusal(401, "Unauthorized", _SERVER, "Unauthorized")
METHOD_NOT_ALLOWED = Refusal(405, "MethodNotAllowed", _SERVER,
    "the server does not allow this method on the requested resource", extra=_EMPTY)
UNSUPPORTED_MEDIA_TYPE = Refusal(415, "UnsupportedMediaType", _SERVER,
    "the body of the request was in an unknown format - accepted media types include: {accepted:, }")
# The bare answers to types of patches that do not exist, and to media types in which nothing is served.
UNKNOWN_PATCH_TYPE = Refusal(415, "UnsupportedMediaType", _SERVER, "415: Unsupported Media Type", extra=_EMPTY)
NOT_ACCEPTABLE = Refusal(406, "NotAcceptable", _SERVER, "406: Not Acceptable", extra=_EMPTY)
# For a form of an object, requested with `as=`, that is not served.
UNKNOWN_FORM = Refusal(406, "NotAcceptable", _SERVER, "only the following media types are accepted: {accepted:, }")
EXPIRED = Refusal(410, "Expired", _SERVER, "{message}")
TOO_LARGE_VERSION = Refusal(504, "Timeout", _SERVER,
    "Timeout: Too large resource version: {version}, current: {current}", extra={"details": {
        "causes": [{"reason": "ResourceVersionTooLarge", "message": "Too large resource version"}],
        "retryAfterSeconds": 1}})
NOT_FOUND = Refusal(404, "NotFound", _SERVER, '{resource} "{name}" not found', extra=_DETAILS)
ALREADY_EXISTS = Refusal(409, "AlreadyExists", _SERVER, '{resource} "{name}" already exists', extra=_DETAILS)
CONFLICT = Refusal(409, "Conflict", _SERVER,
    'Operation cannot be fulfilled on {resource} "{name}": {why}', extra=_DETAILS)
INVALID = Refusal(422, "Invalid", _SERVER, '{full} "{name}" is invalid: {what}', extra=_DETAILS)
# For an error that the code of the real server did not foresee.
UNEXPECTED = Refusal(500, NO_REASON, _SERVER, "{message}")
FORBIDDEN = Refusal(403, "Forbidden", _SERVER, "{message}", extra=_DETAILS)
# fmt: on


def _details(kind: Kind, name: str = "", **more: Any) -> Json:
    details: Json = {"name": name} if name else {}
    if kind.group:
        details["group"] = kind.group
    return details | {"kind": kind.plural} | more


def not_found(kind: Kind, name: str) -> ServiceError:
    """Return 404 for an object that does not exist."""
    return NOT_FOUND(resource=kind.resource, name=name, details=_details(kind, name))


def already_exists(kind: Kind, name: str) -> ServiceError:
    """Return 409 for the creation of an object that exists."""
    return ALREADY_EXISTS(resource=kind.resource, name=name, details=_details(kind, name))


def conflict(
    kind: Kind,
    name: str,
    why: str = "the object has been modified; please apply your changes to the latest version and try again",
) -> ServiceError:
    """Return 409 for a write that is based on an older version of an object."""
    return CONFLICT(resource=kind.resource, name=name, why=why, details=_details(kind, name))


def invalid(group: str, kind: str, name: str, causes: Sequence[Cause]) -> ServiceError:
    """Return 422 with everything that is wrong with an object."""
    lines = [f"{cause.field}: {cause.message}" for cause in causes]
    given = {"name": name, "group": group, "kind": kind}
    return INVALID(
        full=f"{kind}.{group}" if group else kind,
        name=name,
        what=f"[{', '.join(lines)}]" if len(lines) > 1 else lines[0],
        details={member: value for member, value in given.items() if value}
        | {"causes": [cause.as_json() for cause in causes]},
    )


def invalid_object(kind: Kind, name: str, causes: Sequence[Cause]) -> ServiceError:
    """Return 422 with everything that is wrong with an object of a known kind."""
    return invalid(kind.group, kind.kind, name, causes)


def forbidden_object(kind: Kind, name: str, why: str, **details: Any) -> ServiceError:
    """Return 403 for an object that admission refuses."""
    message = f'{kind.resource} "{name}" is forbidden: {why}'
    return FORBIDDEN(message=message, details=_details(kind, name, **details))
