"""Refusals of what a caller does with an object, beside those of the object itself, which are in `api_errors.py`.

Also the refusals of what a real server has and this one lacks: their reason is `NotSupportedByLocalAzure`.
"""

import json
from collections.abc import Sequence
from http import HTTPStatus

from emulator.core.refusals import Refusal
from emulator.core.server import UNSUPPORTED
from emulator.core.service_error import ServiceError
from emulator.core.sources import OWN, documentation, public_output, said
from emulator.json_object import Json
from emulator.openshift.kubernetes.kinds import Kind

# The real server of the contract tests; see tests/emulator/integration/kubernetes.
KUBE_APISERVER = "https://github.com/kubernetes/kubernetes/tree/v1.20.2/cmd/kube-apiserver"
# The code of the server, which has the words: `transformDecodeError`, `jsonPatcher`.
STRICTNESS = "https://github.com/kubernetes/apiserver/tree/master/pkg/endpoints/handlers"

# fmt: off
NOT_EMULATED = Refusal(501, UNSUPPORTED, OWN, f"{UNSUPPORTED}: {{what}}", extra={"details": {}})
ANOTHER_NAMESPACE = Refusal(400, "BadRequest", public_output(KUBE_APISERVER),
    "the namespace of the object ({found}) does not match the namespace on the request ({requested})")
MANAGERS_APPLIED = Refusal(400, "BadRequest", public_output(KUBE_APISERVER), "metadata.managedFields must be nil")
# The words after the colon are those of a parser.
NOT_YAML = Refusal(400, "BadRequest", public_output(KUBE_APISERVER), "error decoding YAML: {why}")
# fmt: on


@said(documentation(STRICTNESS))
def strictly(kind: Kind, problems: Sequence[str]) -> ServiceError:
    """Return 400 for an object with unknown members, or members that it has twice."""
    return ServiceError(
        HTTPStatus.BAD_REQUEST,
        "BadRequest",
        f'{kind.kind} in version "{kind.version}" cannot be handled as a {kind.kind}: {strict(problems)}',
    )


@said(documentation(STRICTNESS))
def unfit_patch(shown: str, problem: str) -> ServiceError:
    """Return 422 for a patch after which the object does not fit its kind."""
    message = f"Invalid value: {json.dumps(shown, ensure_ascii=False)}: {problem}"
    cause = {"reason": "FieldValueInvalid", "message": message, "field": "patch"}
    return ServiceError(
        HTTPStatus.UNPROCESSABLE_ENTITY,
        "Invalid",
        f' "" is invalid: patch: {message}',
        extra={"details": {"causes": [cause]}},
    )


def strict(problems: Sequence[str]) -> str:
    """Word what strictness finds."""
    return f"strict decoding error: {', '.join(problems)}"


@said(public_output(KUBE_APISERVER))
def deletion_of_another(kind: Kind, name: str, condition: str, wanted: str, found: str) -> ServiceError:
    """Return 409 for a deletion of an object that does not meet its conditions."""
    happened = "deleted and then recreated" if condition == "UID" else "modified"
    return ServiceError(
        HTTPStatus.CONFLICT,
        "Conflict",
        f'Operation cannot be fulfilled on {kind.name} "{name}": the {condition} in the precondition ({wanted}) does '
        f"not match the {condition} in record ({found}). The object might have been {happened}",
        extra={"details": _details(kind, name)},
    )


@said(public_output(KUBE_APISERVER))
def no_scale(kind: Kind, name: str) -> ServiceError:
    """Return 404 for the scale of an object that does not exist."""
    resource = f"{kind.plural}/scale"
    full = f"{resource}.{kind.group}" if kind.group else resource
    return ServiceError(
        HTTPStatus.NOT_FOUND,
        "NotFound",
        f'{full} "{name}" not found',
        extra={"details": _details(kind, name) | {"kind": resource}},
    )


def _details(kind: Kind, name: str) -> Json:
    return {"name": name} | ({"group": kind.group} if kind.group else {}) | {"kind": kind.kind}


@said(public_output(KUBE_APISERVER))
def apply_conflicts(conflicts: Sequence[tuple[str, str]]) -> ServiceError:
    """Return 409 for an apply that would change fields of other managers."""
    managers = dict.fromkeys(manager for manager, _ in conflicts)
    if len(conflicts) == 1:
        what = f"1 conflict: conflict with {conflicts[0][0]}: {conflicts[0][1]}"
    else:
        lines = [
            line
            for manager in managers
            for line in (f"conflicts with {manager}:", *(f"- {path}" for other, path in conflicts if other == manager))
        ]
        what = f"{len(conflicts)} conflicts: " + "\n".join(lines)
    causes = [
        {"reason": "FieldManagerConflict", "message": f"conflict with {manager}", "field": path}
        for manager, path in conflicts
    ]
    message = f"Apply failed with {what}"
    return ServiceError(HTTPStatus.CONFLICT, "Conflict", message, extra={"details": {"causes": causes}})


@said(public_output(KUBE_APISERVER))
def untyped(problems: Sequence[str]) -> ServiceError:
    """Return 500 without a reason for an object to apply that does not fit its schema."""
    what = problems[0] if len(problems) == 1 else "\n  ".join(["errors:", *problems])
    return ServiceError(HTTPStatus.INTERNAL_SERVER_ERROR, "", f"failed to create typed patch object: {what}")
