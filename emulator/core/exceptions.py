"""Errors of which Azure knows nothing, or that somebody else has said before."""

from collections.abc import Mapping
from typing import Any

from emulator.core.refusals import Refusal
from emulator.core.service_error import ServiceError
from emulator.core.sources import OWN, said


@said(OWN)
def repeated(status_code: int, body: Mapping[str, Any], *, target: str | None = None) -> ServiceError:
    """Return the error that somebody else has said before: a stored one, or one of the resource provider.

    Args:
        status_code: HTTP status.
        body: `{code, message, target?, details?}`.
        target: the target, if it is another than the body's.
    """
    return ServiceError(
        status_code,
        body.get("code", "Unknown"),
        body.get("message", "The resource provider did not say why."),
        target=target or body.get("target"),
        details=body.get("details") or (),
    )


# fmt: off
CRASHED = Refusal(500, "InternalServerError", OWN, "The local Azure crashed; its log has the trace.")
UNKNOWN_PATH = Refusal(404, "NotSupportedByLocalAzure", OWN, "The local Azure does not have {method} {path}.")
# fmt: on


@said(OWN)
def injected(status_code: int, code: str, message: str) -> ServiceError:
    """Return the error of a fault that somebody has injected."""
    return ServiceError(status_code, code or "ServiceUnavailable", message)
