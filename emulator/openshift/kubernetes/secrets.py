"""Secrets, as their readers see them."""

import base64


def decoded(text: str) -> str:
    """Return what a member of a Secret's data says."""
    return base64.b64decode(text).decode("utf-8", "replace")
