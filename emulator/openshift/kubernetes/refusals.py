"""Refusals of what a caller does with an object, beside those of the object itself, which are in `api_errors.py`.

Also the refusals of what a real server has and this one lacks: their reason is `NotSupportedByLocalAzure`.
"""

from collections.abc import Sequence

from emulator.core.refusals import Refusal
from emulator.core.server import UNSUPPORTED
from emulator.core.service_error import ServiceError
from emulator.core.sources import OWN, documentation, public_output
from emulator.json_object import Json
from emulator.openshift.kubernetes.api_errors import NO_REASON
from emulator.openshift.kubernetes.kinds import Kind

# The real server of the contract tests; see tests/emulator/integration/kubernetes.
KUBE_APISERVER = "https://github.com/kubernetes/kubernetes/tree/v1.20.2/cmd/kube-apiserver"
# The code of the server, which has the words: `transformDecodeError`, `jsonPatcher`.
STRICTNESS = "https://github.com/kubernetes/apiserver/tree/master/pkg/endpoints/handlers"

_DETAILS: Json = {"details": "{details!v}"}
# fmt: off
NOT_EMULATED = Refusal(501, UNSUPPORTED, OWN, f"{UNSUPPORTED}: {{what}}", extra={"details": {}})
ANOTHER_NAMESPACE = Refusal(400, "BadRequest", public_output(KUBE_APISERVER),
    "the namespace of the object ({found}) does not match the namespace on the request ({requested})")
MANAGERS_APPLIED = Refusal(400, "BadRequest", public_output(KUBE_APISERVER), "metadata.managedFields must be nil")
# The words after the colon are those of a parser.
NOT_YAML = Refusal(400, "BadRequest", public_output(KUBE_APISERVER), "error decoding YAML: {why}")
# Unknown members, or members that an object has twice.
STRICT = Refusal(400, "BadRequest", documentation(STRICTNESS),
    '{kind.kind} in version "{kind.version}" cannot be handled as a {kind.kind}: strict decoding error: {problems:, }')
# A patch after which the object does not fit its kind.
UNFIT_PATCH = Refusal(422, "Invalid", documentation(STRICTNESS),
    ' "" is invalid: patch: Invalid value: {shown!j}: {problem}', extra={"details": {"causes": [
        {"reason": "FieldValueInvalid", "message": "Invalid value: {shown!j}: {problem}", "field": "patch"}]}})
# A deletion of an object that does not meet its conditions.
ANOTHER_OBJECT = Refusal(409, "Conflict", public_output(KUBE_APISERVER),
    'Operation cannot be fulfilled on {kind.name} "{name}": the {condition} in the precondition ({wanted}) does not match '
    "the {condition} in record ({found}). The object might have been {happened}", extra=_DETAILS)
NO_SCALE = Refusal(404, "NotFound", public_output(KUBE_APISERVER), '{full} "{name}" not found', extra=_DETAILS)
# An apply that would change fields of other managers.
APPLY_CONFLICTS = Refusal(409, "Conflict", public_output(KUBE_APISERVER),
    "Apply failed with {what}", extra={"details": {"causes": "{causes!v}"}})
# An object to apply that does not fit its schema.
UNTYPED = Refusal(500, NO_REASON, public_output(KUBE_APISERVER), "failed to create typed patch object: {what}")
# fmt: on


def deletion_of_another(kind: Kind, name: str, condition: str, wanted: str, found: str) -> ServiceError:
    """Return 409 for a deletion of an object that does not meet its conditions."""
    happened = "deleted and then recreated" if condition == "UID" else "modified"
    return ANOTHER_OBJECT(
        kind=kind,
        name=name,
        condition=condition,
        wanted=wanted,
        found=found,
        happened=happened,
        details=_details(kind, name),
    )


def no_scale(kind: Kind, name: str) -> ServiceError:
    """Return 404 for the scale of an object that does not exist."""
    resource = f"{kind.plural}/scale"
    full = f"{resource}.{kind.group}" if kind.group else resource
    return NO_SCALE(full=full, name=name, details=_details(kind, name) | {"kind": resource})


def _details(kind: Kind, name: str) -> Json:
    return {"name": name} | ({"group": kind.group} if kind.group else {}) | {"kind": kind.kind}


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
    return APPLY_CONFLICTS(what=what, causes=causes)


def untyped(problems: Sequence[str]) -> ServiceError:
    """Return 500 without a reason for an object to apply that does not fit its schema."""
    return UNTYPED(problems[0] if len(problems) == 1 else "\n  ".join(["errors:", *problems]))
