"""Changes to a cluster: the service's own objects, and members of other owners' objects.

Each request checks the fence first. An object that is already as wanted is not written, so a second run changes
nothing.

Source: ARO-RP `pkg/genevalogging`, `pkg/util/dynamichelper`, and client-go's `retry.RetryOnConflict`.
"""

import re
from collections.abc import Callable
from http import HTTPStatus

from kubernetes.client import ApiClient

from shared import bounded_answers
from shared.arm.errors import CloudError, ErrorCode
from shared.json_object import Json
from shared.openshift.client import NotDone, Read, read, refused, send, status_line

# As in client-go. A writer that loses more often competes with one that never stops.
_TRIES = 5
# Answers that a repetition would not change: the object is wrong, or the cluster's admission rejects it.
_FINAL = frozenset(
    {
        HTTPStatus.BAD_REQUEST,
        HTTPStatus.FORBIDDEN,
        HTTPStatus.METHOD_NOT_ALLOWED,
        HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
        HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
        HTTPStatus.UNPROCESSABLE_ENTITY,
    }
)
# Admission's messages, with a 403, while its caches fill, or for a namespace that is being deleted.
_PASSING = re.compile(b"not yet ready to handle request|being terminated", re.IGNORECASE)
_DONE = frozenset({HTTPStatus.OK, HTTPStatus.CREATED, HTTPStatus.ACCEPTED})
_VERBS = {"POST": "create", "PUT": "update", "PATCH": "change"}
_MERGE_PATCH = "application/merge-patch+json"


class Conflict(NotDone):
    """Somebody else changed the object after it was read."""


class AlreadyExists(Conflict):
    """An object of this name exists."""


def identity(wanted: Json) -> Read:
    """Return how to read an object."""
    metadata = wanted["metadata"]
    return Read(wanted["kind"], metadata["name"], metadata.get("namespace", ""))


def create(client: ApiClient, wanted: Json) -> None:
    """Create an object in a cluster.

    Raises:
        AlreadyExists: if one of its name exists.
        NotDone: if the problem may pass: no answer, no namespace, a kind that is not known yet.
        CloudError: if a repetition cannot help; it names the object and quotes the API server.
    """
    what = identity(wanted)
    _change(client, "POST", what, Read(what.kind, namespace=what.namespace).path, wanted)


def update(client: ApiClient, wanted: Json) -> None:
    """Replace an object; its `metadata.resourceVersion` says which version of it.

    Raises:
        Conflict: if that is not the newest version.
        NotDone, CloudError: as `create`.
    """
    what = identity(wanted)
    _change(client, "PUT", what, what.path, wanted)


def merge_patch(client: ApiClient, what: Read, patch: Json) -> None:
    """Change members of an object and leave the others alone (RFC 7386: null removes, lists are replaced).

    Args:
        client: client of the cluster.
        what: the object.
        patch: the merge patch.

    Raises:
        Conflict: if the patch has a `metadata.resourceVersion` that is not the newest.
        NotDone, CloudError: as `create`.
    """
    _change(client, "PATCH", what, what.path, patch, _MERGE_PATCH)


def approve(client: ApiClient, request: Json) -> None:
    """Write the conditions of a CertificateSigningRequest, which only its own subresource takes.

    Raises:
        Conflict: if the request has changed since it was read.
        NotDone, CloudError: as `create`.
    """
    what = identity(request | {"kind": "CertificateSigningRequest"})
    _change(client, "PUT", what, f"{what.path}/approval", request)


def create_or_update(client: ApiClient, wanted: Json) -> bool:
    """Make one of the service's own objects as wanted; members that servers and others have set stay.

    Returns:
        Whether anything had to change.

    Raises:
        NotDone, CloudError: as `create`.
    """
    what = identity(wanted)
    for _ in range(_TRIES):
        try:
            create(client, wanted)
        except AlreadyExists:
            current = read(client, what)
        else:
            return True
        if current is None:
            continue
        if current["metadata"].get("deletionTimestamp"):
            raise NotDone(f"{what} is being deleted")
        if has(current, wanted):
            return False
        try:
            update(client, merged(current, wanted))
        except Conflict:
            continue
        return True
    raise _lost(what)


def existing(client: ApiClient, what: Read) -> Json:
    """Read an object from which another is made.

    Raises:
        NotDone: also if the object does not exist yet.
    """
    answer: Json | None = read(client, what)
    if answer is None:
        raise NotDone(f"{what} does not exist yet")
    return answer


def amend(client: ApiClient, what: Read, patch_of: Callable[[Json], Json]) -> bool:
    """Change members of an object that somebody else owns.

    Args:
        client: client of the cluster.
        what: the object.
        patch_of: takes the object and returns a merge patch, empty if nothing has to change. It may run several times,
            each time on the latest version.

    Returns:
        Whether anything had to change.

    Raises:
        NotDone: also if the object does not exist yet.
        CloudError: as `create`.
    """
    for _ in range(_TRIES):
        current = existing(client, what)
        patch = patch_of(current)
        if not patch:
            return False
        version = {"metadata": {"resourceVersion": current["metadata"]["resourceVersion"]}}
        try:
            merge_patch(client, what, merged(patch, version))
        except Conflict:
            continue
        return True
    raise _lost(what)


def has(current: object, wanted: object) -> bool:
    """Tell whether an object has every wanted member; a list must have as many entries, each with its members."""
    if isinstance(wanted, dict):
        return isinstance(current, dict) and all(
            name in current and has(current[name], member) for name, member in wanted.items()
        )
    if isinstance(wanted, list):
        same_length = isinstance(current, list) and len(current) == len(wanted)
        return same_length and all(map(has, current, wanted))  # type: ignore[call-overload] # a list by now
    return current == wanted


def merged(current: Json, wanted: Json) -> Json:
    """Return an object with every wanted member, in addition to those that it has."""
    changed = {
        name: merged(current[name], member)
        if isinstance(member, dict) and isinstance(current.get(name), dict)
        else member
        for name, member in wanted.items()
        if not (name in current and has(current[name], member))
    }
    return current | changed


def _lost(what: Read) -> NotDone:
    return NotDone(f"{what} was changed by others {_TRIES} times in a row")


def _change(  # noqa: PLR0917 - what, where, which: one request
    client: ApiClient, method: str, what: Read, path: str, body: Json, content_type: str = "application/json"
) -> None:
    status, answer = send(client, method, path, body, content_type)
    if status in _DONE:
        return
    message = f"{what} cannot be {_VERBS[method]}d: the API server answers {status_line(status, answer)}"
    if status in _FINAL and not (status == HTTPStatus.FORBIDDEN and _PASSING.search(answer)):
        raise CloudError(500, ErrorCode.INTERNAL_SERVER_ERROR, message)
    if status == HTTPStatus.CONFLICT:
        raise (AlreadyExists if _reason(answer) == "AlreadyExists" else Conflict)(message)
    raise refused(status, message)


def _reason(answer: bytes) -> str:
    try:
        return str(bounded_answers.parse(answer)["reason"])
    except (ValueError, KeyError, TypeError):
        return ""
