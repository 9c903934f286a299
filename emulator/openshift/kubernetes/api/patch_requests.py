"""Apply the patch of a request: by its media type, to an object that afterwards still has to fit its kind."""

import json
from collections.abc import Callable

from emulator.json_object import Json
from emulator.openshift.kubernetes import api_errors, refusals
from emulator.openshift.kubernetes.api import bodies
from emulator.openshift.kubernetes.api.patches import json_patch, merge_patch
from emulator.openshift.kubernetes.api.strategic_merge_patch import go_map, strategic_merge_patch
from emulator.openshift.kubernetes.api_errors import APPLY_PATCH, JSON_PATCH, MERGE_PATCH, STRATEGIC_MERGE_PATCH
from emulator.openshift.kubernetes.kinds import Kind
from emulator.openshift.kubernetes.objects import types

NO_PATCH = "Invalid JSON Patch"


def patch_of(kind: Kind, media_type: str, text: bytes) -> Callable[[Json], Json]:
    """Return a function that applies a patch to an object.

    Raises:
        ServiceError: 415 for a media type that the kind does not accept; 400 or 500 for a malformed patch.
    """
    accepted = [JSON_PATCH, MERGE_PATCH] if kind.is_custom else [JSON_PATCH, MERGE_PATCH, STRATEGIC_MERGE_PATCH]
    if media_type not in accepted:
        if media_type not in (JSON_PATCH, MERGE_PATCH, STRATEGIC_MERGE_PATCH, APPLY_PATCH):
            raise api_errors.UNKNOWN_PATCH_TYPE()
        raise api_errors.UNSUPPORTED_MEDIA_TYPE([*accepted, APPLY_PATCH])
    try:
        patch = json.loads(text)
    except ValueError as error:
        if media_type == MERGE_PATCH:
            raise api_errors.UNEXPECTED(NO_PATCH) from error
        raise api_errors.BAD_REQUEST(str(error)) from error
    if media_type == JSON_PATCH:
        return lambda current: json_patch(current, patch)
    if not isinstance(patch, dict):
        raise api_errors.BAD_REQUEST("the patch is not an object")
    if media_type == MERGE_PATCH:
        return lambda current: dict(merge_patch(current, patch))
    return lambda current: strategic_merge_patch(kind, current, patch)


def check(kind: Kind, media_type: str, text: bytes, new: Json) -> None:
    """Check that an object of a built-in kind is still one after a patch.

    Raises:
        ServiceError: 422 if Go cannot decode it; for a custom kind as for an object that was sent.
    """
    if kind.is_custom:
        bodies.check_kind(kind, new)
        return
    try:
        types.check_fit(kind, new)
        problem = bodies.unregistered(kind, new)
    except types.MisfitError as error:
        problem = str(error)
    if problem:
        raise refusals.UNFIT_PATCH(shown=shown(media_type, text, new), problem=problem)


def shown(media_type: str, text: bytes, new: Json) -> str:
    """Return what messages show of a patch: a strategic merge patch itself, or the object to which it was applied."""
    if media_type == STRATEGIC_MERGE_PATCH:
        return go_map(json.loads(text))
    return json.dumps(new, sort_keys=True, separators=(",", ":"))
