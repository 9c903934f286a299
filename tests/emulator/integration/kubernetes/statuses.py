"""Statuses that tests expect."""

from typing import Any


def failure(code: int, reason: str, message: str, **details: Any) -> dict[str, Any]:
    """Return a Status that reports an error.

    The real server gives no reason for an error that it did not foresee.

    Args:
        code: HTTP status code.
        reason: reason of the error; empty for none.
        message: message of the error.
        details: further members of the Status.
    """
    status: dict[str, Any] = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure"}
    status |= {"message": message, "code": code} | ({"reason": reason} if reason else {})
    return status | details
