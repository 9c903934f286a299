"""Reads the parts of a secret in a request: name, value, attributes, content type and tags."""

import re

from emulator.core.store import Document
from emulator.keyvault.exceptions import BAD_PARAMETER, INVALID_NAME

NAME = re.compile(r"[0-9a-zA-Z-]{1,127}")
MAX_VALUE_BYTES = 25 * 1024


def check_name(name: str) -> None:
    """Check a secret's name.

    Raises:
        ServiceError: 400 `BadParameter`.
    """
    if not NAME.fullmatch(name):
        raise INVALID_NAME(name)


def attributes(wish: Document) -> Document:
    """Return the attributes that a caller sets."""
    given = wish.get("attributes") or {}
    return {name: given[name] for name in ("enabled", "nbf", "exp") if given.get(name) is not None}


def metadata(wish: Document) -> Document:
    """Return the content type and tags that a caller gives."""
    return {name: wish[name] for name in ("contentType", "tags") if wish.get(name) is not None}


def value_of(wish: Document) -> str:
    """Return the value that a caller gives.

    Raises:
        ServiceError: 400 `BadParameter`: there is none, or it is too long.
    """
    value = wish.get("value")
    if not isinstance(value, str):
        raise BAD_PARAMETER("Property value is required and must be a string.")
    if len(value.encode()) > MAX_VALUE_BYTES:
        raise BAD_PARAMETER(f"The secret value is too long: it may hold {MAX_VALUE_BYTES} bytes at most.")
    return value
