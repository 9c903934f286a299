"""Where cases are sent: the model of ARM in this process, or the true Azure."""

import asyncio
from collections.abc import Coroutine, Hashable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from emulator.arm.ids import parse_resource
from emulator.arm.operations import ResourceOperation
from emulator.blobs.models import BlobsModel
from emulator.core.service_error import ServiceError
from emulator.entra.models import EntraModel
from emulator.json_object import Json
from emulator.openshift.guests import Guests
from emulator.run.arm import TYPES
from tests.emulator.unit.providers import GROUP, OWNING, SUBSCRIPTION, WORLD, Azure
from tests.emulator.unit.web.stage import Blobs

# Longer than any operation takes.
SECONDS = 7200
# An application of the directory, to whose service principal examples give roles.
SOMEBODY = "00000000-0000-4000-8000-00000000000a"


@dataclass(frozen=True)
class Answer:
    """What came of a call.

    Args:
        status: HTTP status; 200 if the model accepted the call.
        code: code of the error, or "".
        message: message of the error, or "".
        said: what made the error, as `ServiceError.said` has it; "" without an error, or from Azure.
        body: the resource, if the call was accepted.
    """

    status: int
    code: str = ""
    message: str = ""
    said: Hashable = ""
    body: Json = field(default_factory=dict)


class Target(Protocol):
    """An Azure to which cases are sent, with one resource group for them.

    Args:
        subscription: id of the subscription.
        group: id of the resource group.
    """

    subscription: str
    group: str

    def put(self, identifier: str, version: str, body: Any) -> Answer:
        """Send a PUT, and wait for the end of its operation."""

    def delete(self, identifier: str, version: str) -> Answer:
        """Send a DELETE, and wait for the end of its operation."""

    def get(self, identifier: str, version: str) -> Answer:
        """Send a GET."""

    def post(self, identifier: str, version: str, action: str, body: Any) -> Answer:
        """Send the POST of an action, and wait for the end of its operation."""


class Idle(Guests):
    """Guests in which nothing runs."""

    def __init__(self) -> None:
        """Keep nothing."""

    def powered_on(self, vm: Json) -> None:
        """Boot nothing."""

    def stopped(self, vm_id: str) -> None:
        """Stop nothing."""

    def deleted(self, vm_id: str) -> None:
        """Forget nothing."""

    def provisioning(self, _vm_id: str) -> str | ServiceError:
        """Say that the guest has reported."""
        return "done"


class LocalTarget:
    """The model of ARM in this process, on a clock that jumps to the end of each operation."""

    subscription = SUBSCRIPTION
    group = GROUP

    def __init__(self, folder: Path) -> None:
        self.azure = Azure(folder)
        self.azure.platform._models[BlobsModel] = Blobs()
        self.azure.platform._models[Guests] = Idle()
        directory = self.azure.platform.model(EntraModel)
        directory.ensure_application(SOMEBODY, "Somebody", tenant_id=WORLD.tenant_id)
        directory.ensure_service_principal(WORLD.tenant_id, SOMEBODY)
        for namespace in sorted({row.namespace for row in TYPES} | {"Microsoft.App"}):
            self.azure.arm.subscriptions.register(self.azure.platform.world.subscription_id, namespace)

    def put(self, identifier: str, version: str, body: Any) -> Answer:
        """Send a PUT, and wait for the end of its operation."""
        return self._send(self.azure.arm.put_resource(OWNING, identifier, version, body))

    def delete(self, identifier: str, version: str) -> Answer:
        """Send a DELETE, and wait for the end of its operation."""
        return self._send(self.azure.arm.delete_resource(OWNING, identifier, version))

    def get(self, identifier: str, version: str) -> Answer:
        """Send a GET."""
        found = self.azure.arm.get_resource(identifier, version)
        if found is not None:
            return Answer(200, body=found)
        return _refused(self.azure.arm.absent(parse_resource(identifier)))

    def post(self, identifier: str, version: str, action: str, body: Any) -> Answer:
        """Send the POST of an action, and wait for the end of its operation."""
        return self._send(self.azure.arm.begin_action(OWNING, identifier, version, action, body))

    def close(self) -> None:
        """Close the files."""
        self.azure.platform.journal.close()
        self.azure.platform.store.close()

    def _send(self, call: Coroutine[Any, Any, ResourceOperation]) -> Answer:
        try:
            done = asyncio.run(call)
        except ServiceError as error:
            return _refused(error)
        self.azure.pass_(SECONDS)
        return Answer(200, body=self.azure.arm.get_resource(done.resource_id, done.api_version) or {})


def _refused(error: ServiceError) -> Answer:
    return Answer(error.status_code, error.code, error.message, error.said)
