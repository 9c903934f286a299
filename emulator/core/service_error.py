"""The error that all services raise. Each service renders it in its own wire format."""

from collections.abc import Callable, Hashable, Sequence
from typing import Any


class ServiceError(Exception):
    """An error, as the answer to a request.

    Args:
        status_code: HTTP status.
        code: the service's own error code, such as `ResourceNotFound`.
        message: what was wrong, the wrong value, and what is allowed.
        target: JSON path or resource, if the service's format has one.
        details: nested errors `{code, message, target}`.
        headers: extra response headers, such as `Retry-After` or `WWW-Authenticate`.
        extra: further members of the service's wire format (`innererror`, `additionalInfo`).

    Attributes:
        said: the row that made it (`refusals.py`), or module and name of the function that built it (`sources.py`),
            either of which has a source; "" if none did.
    """

    said: Hashable = ""

    def __init__(
        self,
        status_code: int,
        code: str,
        message: str,
        *,
        target: str | None = None,
        details: Sequence[dict[str, Any]] = (),
        headers: dict[str, str] | None = None,
        extra: dict[str, Any] | None = None,
    ) -> None:
        super().__init__(f"{code}: {message}")
        self.status_code = status_code
        self.code = code
        self.message = message
        self.target = target
        self.details = list(details)
        self.headers = dict(headers or {})
        self.extra = dict(extra or {})

    def reworded(self, words: Callable[[Any], Any]) -> "ServiceError":
        """Return this error with `words` applied to its message, its details and its further members."""
        error = ServiceError(
            self.status_code,
            self.code,
            words(self.message),
            target=self.target,
            details=words(self.details),
            headers=self.headers,
            extra=words(self.extra),
        )
        error.said = self.said
        return error

    def body(self) -> dict[str, Any]:
        """Return `{code, message, target?, details?}` and the members of `extra`, which ARM puts under `error`."""
        body: dict[str, Any] = {"code": self.code, "message": self.message}
        if self.target:
            body["target"] = self.target
        if self.details:
            body["details"] = self.details
        return body | self.extra
