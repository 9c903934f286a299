"""The errors of calls to the resource provider, and of its registration."""

from collections.abc import Sequence

from emulator.core.refusals import Refusal
from emulator.core.service_error import ServiceError
from emulator.core.sources import MEMORY, OWN, public_output, said

# fmt: off
BAD_GATEWAY = Refusal(502, "BadGateway", MEMORY,
    "The gateway did not receive a valid response from '{namespace}' (status {status_code}).")
GATEWAY_TIMEOUT = Refusal(504, "GatewayTimeout", MEMORY,
    "The gateway did not receive a response from '{namespace}' within the specified time period.")
UNREACHABLE = Refusal(502, "BadGatewayConnection", MEMORY,
    "The network connectivity issue encountered for '{namespace}'; cannot fulfill the request.")
NOT_OUTSIDE_SUBSCRIPTIONS = Refusal(405, "MethodNotAllowed", MEMORY, "{method} is not allowed on {identifier}.")
# The same for resources of any provider
IDENTITY_NOT_FOUND = Refusal(400, "FailedIdentityOperation",
    public_output("https://github.com/Azure/azure-libraries-for-net/issues/690"),
    "Identity operation for resource '{resource}' failed with error 'Failed to perform resource identity operation. "
    "Status: 'BadRequest'. Response: '{{\"error\":{{\"code\":\"BadRequest\",\"message\":\"Resource '{identity}' was not "
    "found.\"}}}}'.'.")
# fmt: on


@said(OWN)
def invalid_registration(problems: Sequence[str]) -> ServiceError:
    """Build the 400 for a registration with these problems. In Azure, Microsoft registers providers."""
    return ServiceError(
        400,
        "InvalidProviderRegistration",
        " ".join(problems),
        details=[{"code": "InvalidProviderRegistration", "message": problem} for problem in problems],
    )
