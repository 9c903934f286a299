"""The errors of calls to the resource provider, and of its registration."""

from collections.abc import Sequence

from emulator.arm.ids import ResourceId
from emulator.core.errors import ServiceError
from emulator.core.sources import MEMORY, OWN, said


@said(MEMORY)
def bad_gateway(namespace: str, status_code: int) -> ServiceError:
    """Build the 502 for a 5xx of the provider whose body is not an ARM error."""
    return ServiceError(
        502,
        "BadGateway",
        f"The gateway did not receive a valid response from '{namespace}' (status {status_code}).",
    )


@said(MEMORY)
def gateway_timeout(namespace: str) -> ServiceError:
    """Build the 504 for a provider that does not answer in time."""
    return ServiceError(
        504,
        "GatewayTimeout",
        f"The gateway did not receive a response from '{namespace}' within the specified time period.",
    )


@said(MEMORY)
def unreachable(namespace: str) -> ServiceError:
    """Build the 502 for a provider to which there is no connection."""
    return ServiceError(
        502,
        "BadGatewayConnection",
        f"The network connectivity issue encountered for '{namespace}'; cannot fulfill the request.",
    )


@said(MEMORY)
def not_outside_subscriptions(method: str, identifier: ResourceId) -> ServiceError:
    """Build the 405 for a write of the provider's resources outside of a subscription."""
    return ServiceError(405, "MethodNotAllowed", f"{method} is not allowed on {identifier}.")


@said(OWN)
def invalid_registration(problems: Sequence[str]) -> ServiceError:
    """Build the 400 for a registration with these problems. In Azure, Microsoft registers providers."""
    return ServiceError(
        400,
        "InvalidProviderRegistration",
        " ".join(problems),
        details=[{"code": "InvalidProviderRegistration", "message": problem} for problem in problems],
    )
