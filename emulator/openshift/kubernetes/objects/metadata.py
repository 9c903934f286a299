"""Decode an object's metadata: keep known members, and refuse wrong types."""

from collections.abc import Callable, Mapping
from typing import Any

from emulator.core.errors import ServiceError
from emulator.openshift.kubernetes.errors import bad_request
from emulator.openshift.kubernetes.kinds import Json, Kind
from emulator.openshift.kubernetes.objects import types


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_number(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _are_texts(value: Any) -> bool:
    return isinstance(value, list) and all(map(_is_text, value))


def _are_objects(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(one, dict) for one in value)


def _is_map(value: Any) -> bool:
    return isinstance(value, dict) and all(text is None or isinstance(text, str) for text in value.values())


MEMBERS: Mapping[str, Callable[[Any], bool]] = {
    "annotations": _is_map,
    "creationTimestamp": _is_text,
    "deletionGracePeriodSeconds": _is_number,
    "deletionTimestamp": _is_text,
    "finalizers": _are_texts,
    "generateName": _is_text,
    "generation": _is_number,
    "labels": _is_map,
    "managedFields": _are_objects,
    "name": _is_text,
    "namespace": _is_text,
    "ownerReferences": _are_objects,
    "resourceVersion": _is_text,
    "uid": _is_text,
}


def decode(kind: Kind, value: Any) -> Json:
    """Return metadata without unknown, null and empty members.

    Raises:
        ServiceError: 400 for a member of the wrong type.
    """
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise _wrong(kind, value)
    decoded: Json = {}
    for name, member in value.items():
        if name not in MEMBERS or member is None:
            continue
        if not MEMBERS[name](member):
            raise _wrong(kind, value)
        if member not in ("", [], {}):
            decoded[name] = _without_null(member) if MEMBERS[name] is _is_map else member
    return decoded


def _without_null(texts: Mapping[str, str | None]) -> Json:
    """Return a map of texts as Go decodes it: null is an empty text."""
    return {name: text or "" for name, text in texts.items()}


def _wrong(kind: Kind, value: Any) -> ServiceError:
    problem = "its metadata does not decode"
    try:
        types.check_metadata(kind, value, [])
    except types.MisfitError as error:
        problem = str(error)
    return bad_request(f'{kind.kind} in version "{kind.version}" cannot be handled as a {kind.kind}: {problem}')
