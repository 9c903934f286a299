"""The endpoints of the control service, which answer JSON."""

import json
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from emulator.control.exceptions import INVALID
from emulator.control.models import ControlModel


class Responses:
    """The endpoints of the control service."""

    def __init__(self, model: ControlModel) -> None:
        self._model = model

    async def health(self, _request: Request) -> Response:
        """Answer 200 when everything is up, else 503; the body lists the processes."""
        health = self._model.health()
        return JSONResponse(health, status_code=200 if health["ready"] else 503)

    async def clock(self, _request: Request) -> Response:
        """Answer the time and the time scale."""
        return JSONResponse(self._model.clock())

    async def list_faults(self, _request: Request) -> Response:
        """Answer the faults in force."""
        return JSONResponse({"value": self._model.faults()})

    async def add_fault(self, request: Request) -> Response:
        """Put the fault in the body in force."""
        return JSONResponse(self._model.add_fault(await _document(request)), status_code=201)

    async def clear_faults(self, _request: Request) -> Response:
        """Lift all faults."""
        return JSONResponse({"lifted": self._model.clear_faults()})

    async def clear_fault(self, request: Request) -> Response:
        """Lift one fault."""
        return JSONResponse({"lifted": self._model.clear_faults(request.path_params["fault_id"])})

    async def list_quotas(self, request: Request) -> Response:
        """Answer the quotas of the subscription and the location in the query."""
        query = request.query_params
        return JSONResponse({"value": self._model.quotas(query.get("subscription", ""), query.get("location", ""))})

    async def set_quota(self, request: Request) -> Response:
        """Set the quota in the body."""
        return JSONResponse(self._model.set_quota(await _document(request)))

    async def deny(self, request: Request) -> Response:
        """Put the deny assignment in the body at its scope."""
        return JSONResponse(self._model.deny(await _document(request)))

    async def lift_denial(self, request: Request) -> Response:
        """Remove the deny assignment with the id in the query."""
        self._model.lift_denial(request.query_params.get("id", ""))
        return Response(status_code=204)

    async def get_provider(self, _request: Request) -> Response:
        """Answer the registration of the resource provider."""
        return JSONResponse(self._model.provider())

    async def put_provider(self, request: Request) -> Response:
        """Register the resource provider in the body."""
        return JSONResponse(self._model.register_provider(await _document(request)))

    async def roll_over(self, _request: Request) -> Response:
        """Make ARM use its next client certificate."""
        self._model.roll_over()
        return Response(status_code=204)

    async def journal(self, request: Request) -> Response:
        """Answer the journal's calls, filtered by what is in the query."""
        query = request.query_params
        last = query.get("last", "0")
        if not last.isdecimal():
            raise INVALID("last must be a whole number")
        asked = {name: query.get(name, "") for name in ("correlation_id", "service", "text", "without")}
        return JSONResponse({"value": self._model.journal(**asked, last=int(last))})

    async def overview(self, _request: Request) -> Response:
        """Answer what runs, the addresses, and the names of the services."""
        return JSONResponse(self._model.overview())

    async def resources(self, _request: Request) -> Response:
        """Answer the resources of all subscriptions."""
        return JSONResponse({"value": await self._model.resources()})


async def _document(request: Request) -> Any:
    try:
        return json.loads(await request.body())
    except ValueError as error:
        raise INVALID(f"the body is not JSON: {error}") from error
