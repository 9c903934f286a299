"""The control service, which Azure does not have: faults, journal, clock, processes. Plain HTTP on localhost."""

from emulator.control import exceptions, responses, urls
from emulator.control.models import ControlModel
from emulator.core.platform import Platform, Service

__all__ = ["ControlModel", "create"]


def create(platform: Platform) -> Service:
    """Create the service."""
    model = ControlModel(platform)
    platform.register(model)
    port = platform.ports["control"]
    return Service(
        name="control",
        hosts=(f"localhost:{port}", f"127.0.0.1:{port}"),
        routes=urls.routes(responses.Responses(model)),
        render=exceptions.render,
    )
