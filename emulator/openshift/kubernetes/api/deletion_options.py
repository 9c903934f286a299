"""The options of deletions: in the body, or in the query of a request without one."""

from starlette.requests import Request

from emulator.json_object import Json
from emulator.openshift.kubernetes import api_errors
from emulator.openshift.kubernetes.api import bodies
from emulator.openshift.kubernetes.objects import types
from emulator.openshift.kubernetes.objects.rules import Removal

OPTIONS = "DeleteOptions"


async def read(request: Request) -> Removal:
    """Return how to delete. A body makes the query meaningless.

    Raises:
        ServiceError: 415 for a body in another media type; 500 without a reason for one that holds no options,
            as in the real server; 422 for a dry run that is none.
    """
    text = await request.body()
    options: Json = (
        _in_body(text, bodies.content_type(request)) if text else {"dryRun": request.query_params.getlist("dryRun")}
    )
    dry_run = bodies.dry_run(options.get("dryRun") or [], OPTIONS)
    conditions = options.get("preconditions") or {}
    return Removal(conditions.get("uid") or "", conditions.get("resourceVersion") or "", dry_run)


def _in_body(text: bytes, media_type: str) -> Json:
    try:
        return types.struct(OPTIONS, bodies.load(text, media_type, OPTIONS))
    except (bodies.UnreadableError, types.MisfitError) as error:
        raise api_errors.UNEXPECTED(str(error)) from error
