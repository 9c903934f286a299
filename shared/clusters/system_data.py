"""`systemData`: who created and last changed a resource, from ARM's header or from the caller's token."""

import json
import logging
from datetime import datetime
from typing import Any

HEADER = "x-ms-arm-resource-system-data"
_MEMBERS = ("createdBy", "createdByType", "createdAt", "lastModifiedBy", "lastModifiedByType", "lastModifiedAt")

_log = logging.getLogger(__name__)


def parse(header: str) -> dict[str, str]:
    """Return the non-empty members of the header. A header that cannot be read is logged and ignored."""
    if not header:
        return {}
    try:
        given: Any = json.loads(header)
        found = {name: given[name] for name in _MEMBERS if given.get(name)}
    except (ValueError, AttributeError, RecursionError):
        _log.warning("the header %s is not a JSON object and is ignored", HEADER)
        return {}
    return {name: value for name, value in found.items() if isinstance(value, str) and value.isprintable()}


def creation_members(by: str, kind: str, at: datetime) -> dict[str, str]:
    """Return the members about the creation.

    Args:
        by: user name or application id.
        kind: `User` or `Application`.
        at: the time.
    """
    return {"createdBy": by, "createdByType": kind, "createdAt": at.isoformat()}


def change_members(by: str, kind: str, at: datetime) -> dict[str, str]:
    """Return the members about the last change; the arguments are those of `creation_members`."""
    return {"lastModifiedBy": by, "lastModifiedByType": kind, "lastModifiedAt": at.isoformat()}
