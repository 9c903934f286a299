"""What `fieldValidation` says about members that a kind does not have.

`Strict` refuses them. `Warn`, the default since Kubernetes 1.25, leaves them out and sends a `Warning` header for each.
`Ignore` leaves them out.
"""

from collections.abc import Sequence

from starlette.requests import Request
from starlette.responses import Response

from emulator.json_object import Json
from emulator.openshift.kubernetes import api_errors, refusals
from emulator.openshift.kubernetes.api import bodies, patch_requests
from emulator.openshift.kubernetes.kinds import Kind
from emulator.openshift.kubernetes.objects import schema, types

IGNORE, STRICT, WARN = "Ignore", "Strict", "Warn"
DIRECTIVES = ("", IGNORE, STRICT, WARN)


def directive(request: Request, options: str) -> str:
    """Return what to do with unknown members.

    Raises:
        ServiceError: 422 for an unknown directive.
    """
    wanted = request.query_params.get("fieldValidation", "")
    if wanted not in DIRECTIVES:
        cause = api_errors.not_supported("fieldValidation", wanted, DIRECTIVES)
        raise api_errors.invalid("meta.k8s.io", options, "", [cause])
    return wanted or WARN


def check(request: Request, kind: Kind, obj: Json, options: str) -> list[str]:
    """Return the warnings about an object that a request brings.

    Raises:
        ServiceError: 400 if the request wants strictness, with everything that is wrong.
    """
    wanted = directive(request, options)
    if wanted == IGNORE:
        return []
    found = _unknown(kind, obj)
    if found and wanted == STRICT:
        raise refusals.STRICT(kind=kind, problems=found)
    return found


def check_patched(request: Request, kind: Kind, obj: Json, patch: bytes) -> list[str]:
    """Return the warnings about an object to which a patch was applied.

    Raises:
        ServiceError: 422 if the request wants strictness, with everything that is wrong.
    """
    wanted = directive(request, "PatchOptions")
    found = [] if wanted == IGNORE else _unknown(kind, obj)
    if found and wanted == STRICT:
        shown = patch_requests.shown(bodies.content_type(request), patch, obj)
        raise refusals.UNFIT_PATCH(shown=shown, problem=f"strict decoding error: {', '.join(found)}")
    return found


def warn(response: Response, warnings: Sequence[str]) -> Response:
    """Add a header for each warning, once; return the response."""
    for warning in dict.fromkeys(warnings):
        quoted = warning.replace("\\", "\\\\").replace('"', '\\"')
        response.headers.append("Warning", f'299 - "{quoted}"')
    return response


def _unknown(kind: Kind, obj: Json) -> list[str]:
    if not kind.is_custom:
        return [f'unknown field "{path}"' for path in types.decode(kind, obj)[1]]
    metadata = obj.get("metadata")
    known = types.types()["ObjectMeta"]
    below = [f"metadata.{name}" for name in metadata if name not in known] if isinstance(metadata, dict) else []
    return [f'unknown field "{path}"' for path in sorted([*below, *schema.unknown(kind.schema, obj)])]
