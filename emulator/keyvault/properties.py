"""Reads and checks the parts of a secret in a request: name, value, attributes, content type and tags."""

import re
from typing import Any

from emulator.core.store import Document
from emulator.keyvault.exceptions import BAD_PARAMETER, INVALID_NAME

NAME = re.compile(r"[0-9a-zA-Z-]{1,127}")
MAX_VALUE_BYTES = 25 * 1024
MAX_CONTENT_TYPE_CHARACTERS = 255
MAX_TAGS = 15
MAX_TAG_CHARACTERS = 256


def check_name(name: str) -> None:
    """Check a secret's name.

    Raises:
        ServiceError: 400 `BadParameter`.
    """
    if not NAME.fullmatch(name):
        raise INVALID_NAME(name)


def attributes(wish: Document) -> Document:
    """Return the attributes that a caller may set.

    Raises:
        ServiceError: 400 `BadParameter`.
    """
    given = wish.get("attributes")
    if given is None:
        return {}
    if not isinstance(given, dict):
        raise BAD_PARAMETER("Property attributes must be an object.")
    kinds: dict[str, type] = {"enabled": bool, "nbf": int, "exp": int}
    known: dict[str, Any] = {}
    for name, kind in kinds.items():
        value = given.get(name)
        if value is None:
            continue
        if type(value) is not kind:
            raise BAD_PARAMETER(f"Property attributes.{name} has the invalid value {value!r}.")
        known[name] = value
    if "nbf" in known and "exp" in known and known["nbf"] >= known["exp"]:
        raise BAD_PARAMETER("Property attributes.exp must be later than attributes.nbf.")
    return known


def metadata(wish: Document) -> Document:
    """Return the content type and tags that a caller gives.

    Raises:
        ServiceError: 400 `BadParameter`.
    """
    known: Document = {}
    content_type, tags = wish.get("contentType"), wish.get("tags")
    if content_type is not None:
        if not isinstance(content_type, str) or len(content_type) > MAX_CONTENT_TYPE_CHARACTERS:
            raise BAD_PARAMETER(
                f"Property contentType must be a string of {MAX_CONTENT_TYPE_CHARACTERS} characters at most."
            )
        known["contentType"] = content_type
    if tags is not None:
        if not isinstance(tags, dict) or len(tags) > MAX_TAGS:
            raise BAD_PARAMETER(f"Property tags must be an object of {MAX_TAGS} members at most.")
        if any(
            not isinstance(value, str) or max(len(key), len(value)) > MAX_TAG_CHARACTERS for key, value in tags.items()
        ):
            raise BAD_PARAMETER(f"Names and values of tags are strings of {MAX_TAG_CHARACTERS} characters at most.")
        known["tags"] = tags
    return known


def value_of(wish: Document) -> str:
    """Return the value that a caller gives.

    Raises:
        ServiceError: 400 `BadParameter`.
    """
    value = wish.get("value")
    if not isinstance(value, str):
        raise BAD_PARAMETER("Property value is required and must be a string.")
    if len(value.encode()) > MAX_VALUE_BYTES:
        raise BAD_PARAMETER(f"The secret value is too long: it may hold {MAX_VALUE_BYTES} bytes at most.")
    return value
