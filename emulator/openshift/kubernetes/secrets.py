"""Decode the data of Secrets."""

import base64


def decoded(text: str) -> str:
    """Return the text of a member of a Secret's data."""
    return base64.b64decode(text).decode("utf-8", "replace")
