"""Statuses that tests expect."""

from typing import Any


def failure(code: int, reason: str, message: str, **details: Any) -> dict[str, Any]:
    """Return a Status that tells an error; the real server writes no reason where it foresaw none."""
    status: dict[str, Any] = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure"}
    status |= {"message": message, "code": code} | ({"reason": reason} if reason else {})
    return status | details
