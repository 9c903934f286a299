"""The options of deletions: in the body, or in the query of a request without one."""

import json
from typing import Any

from starlette.requests import Request

from emulator.openshift.kubernetes import errors
from emulator.openshift.kubernetes.api import bodies
from emulator.openshift.kubernetes.kinds import Json
from emulator.openshift.kubernetes.objects import types
from emulator.openshift.kubernetes.objects.rules import Removal

OPTIONS = "DeleteOptions"
POLICIES = ("Foreground", "Background", "Orphan")
# As the real server names the list of kinds in which it looks.
SCHEME = "k8s.io/apimachinery/pkg/apis/meta/internalversion/scheme/register.go:27"


async def read(request: Request) -> Removal:
    """Return how to delete. A body makes the query meaningless.

    Raises:
        ServiceError: 415 for a body in another media type; 500 without a reason for one that holds no options,
            as in the real server; 400 for a query that does not parse; 422 for options that contradict each other.
    """
    text = await request.body()
    options = _in_body(text, bodies.content_type(request)) if text else _in_query(request)
    dry_run = bodies.dry_run(options.get("dryRun") or [], OPTIONS)
    policy, orphans = options.get("propagationPolicy"), options.get("orphanDependents")
    cause = None
    if policy and orphans is not None:
        message = "orphanDependents and deletionPropagation cannot be both set"
        cause = errors.invalid_value("propagationPolicy", policy, message)
    elif policy and policy not in POLICIES:
        cause = errors.not_supported("propagationPolicy", policy, [*POLICIES, "nil"])
    if cause is not None:
        raise errors.invalid("meta.k8s.io", OPTIONS, "", [cause])
    conditions = options.get("preconditions") or {}
    return Removal(conditions.get("uid") or "", conditions.get("resourceVersion") or "", dry_run)


def _in_body(text: bytes, media_type: str) -> Json:
    try:
        found = bodies.load(text, media_type, OPTIONS)
        if found.get("kind") not in (None, "", OPTIONS):
            version = found.get("apiVersion") or "v1"
            raise errors.unexpected(
                f'no kind "{found["kind"]}" is registered for version "{version}" in scheme "{SCHEME}"'
            )
        return types.struct(OPTIONS, found)
    except (bodies.UnreadableError, types.MisfitError) as error:
        raise errors.unexpected(str(error)) from error


def _in_query(request: Request) -> Json:
    query = request.query_params
    seconds = query.get("gracePeriodSeconds") or "0"
    if not seconds.removeprefix("-").isdecimal():
        raise errors.bad_request(f"strconv.ParseInt: parsing {json.dumps(seconds)}: invalid syntax")
    options: dict[str, Any] = {"dryRun": query.getlist("dryRun"), "propagationPolicy": query.get("propagationPolicy")}
    if "orphanDependents" in query:
        options["orphanDependents"] = query["orphanDependents"]
    return options
