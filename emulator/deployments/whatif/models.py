"""What-if as an operation: begins with a request, and keeps the result until the next request for the deployment."""

from uuid import uuid4

from emulator.core.clock import rfc3339
from emulator.core.platform import Platform
from emulator.core.service_error import ServiceError
from emulator.deployments.exceptions import OPERATION_NOT_FOUND
from emulator.deployments.models import DeploymentsModel
from emulator.deployments.records import deployment_id
from emulator.deployments.requests import Request, read_format, read_properties
from emulator.deployments.secure_values import Redaction
from emulator.deployments.whatif.changes import changes_of
from emulator.entra.models import Principal
from emulator.json_object import Json

# An estimate: what-if of a small template takes some seconds.
SECONDS = 4


class WhatIfModel:
    """The results of what-if, by deployment."""

    def __init__(self, platform: Platform, deployments: DeploymentsModel) -> None:
        self._clock = platform.clock
        self._deployments = deployments
        self._table = platform.store.table("deployment_whatifs")

    async def begin(self, request: Request) -> str:
        """Predict the changes of a deployment; return the id under which `result` finds them.

        What is wrong with the template is part of the result.

        Raises:
            ServiceError: 400 if the request is not a deployment; 403 and 404 as for a deployment.
        """
        place = (request.subscription_id, request.group, request.name)
        self._deployments.enter(request.caller, *place, "whatIf/action")
        wanted = read_format(request)
        read_properties(request)
        try:
            prepared = await self._deployments.prepared(request, "whatIf/action")
            with_payloads = wanted != "ResourceIdOnly"
            changes = await changes_of(self._deployments.arm, prepared, with_payloads=with_payloads)
            properties = {"correlationId": request.correlation_id, "changes": changes}
            result: Json = {"status": "Succeeded", "properties": Redaction(prepared.secrets).json(properties)}
        except ServiceError as error:
            result = {"status": "Failed", "error": error.body()}
        token = str(uuid4())
        ready_at = rfc3339(self._clock.after(SECONDS))
        self._table.put(deployment_id(*place).lower(), {"token": token, "readyAt": ready_at, "result": result})
        return token

    def result(self, caller: Principal, subscription_id: str, group: str, name: str, token: str) -> Json | None:
        """Return the result of what-if, or None while it is not ready.

        Raises:
            ServiceError: 403, or 404.
        """
        self._deployments.enter(caller, subscription_id, group, name, "read")
        found = self._table.get(deployment_id(subscription_id, group, name).lower())
        if found is None or found["token"] != token.lower():
            raise OPERATION_NOT_FOUND(operation_id=token, name=name)
        result: Json = found["result"]
        return result if found["readyAt"] <= rfc3339(self._clock.now()) else None
