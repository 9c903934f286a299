"""`systemData`: who created and last changed a resource, from ARM's header."""

import json
import logging
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
        _log.warning("the header %s is no JSON object and is ignored", HEADER)
        return {}
    return {name: value for name, value in found.items() if isinstance(value, str) and value.isprintable()}
