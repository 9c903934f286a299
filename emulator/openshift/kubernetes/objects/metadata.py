"""Decode an object's metadata: keep known members, and refuse wrong types."""

from typing import Any

from emulator.json_object import Json
from emulator.openshift.kubernetes.api_errors import BAD_REQUEST
from emulator.openshift.kubernetes.kinds import Kind
from emulator.openshift.kubernetes.objects import types


def decode(kind: Kind, value: Any) -> Json:
    """Return metadata without unknown, null and empty members.

    Raises:
        ServiceError: 400 for a member of the wrong type.
    """
    if value is None:
        return {}
    try:
        decoded = types.metadata(kind, value, [])
    except types.MisfitError as error:
        raise BAD_REQUEST(
            f'{kind.kind} in version "{kind.version}" cannot be handled as a {kind.kind}: {error}'
        ) from error
    return {name: member for name, member in decoded.items() if member != "" and name != "selfLink"}
