"""The control service's errors: `{"error": {"code", "message"}}`."""

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from emulator.core.refusals import Refusal
from emulator.core.service_error import ServiceError
from emulator.core.sources import OWN

# fmt: off
INVALID = Refusal(400, "InvalidRequest", OWN, "{message}")
UNKNOWN_FAULT = Refusal(404, "FaultNotFound", OWN, "no fault {fault_id} is in force; it may be spent")
UNKNOWN_DENIAL = Refusal(404, "DenyAssignmentNotFound", OWN, "there is no deny assignment {identifier!r}")
NO_PROVIDER = Refusal(404, "ProviderNotRegistered", OWN, "no resource provider is registered; `register` registers one")
ANOTHER_SITE = Refusal(403, "AnotherSite", OWN, "the page of another site may not ask this")
# fmt: on


def render(_request: Request, error: ServiceError) -> Response:
    """Render an error."""
    return JSONResponse({"error": error.body()}, status_code=error.status_code, headers=error.headers)
