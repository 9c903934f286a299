"""The errors of Microsoft.ManagedIdentity, in its own words."""

import json

from emulator.core.refusals import Refusal
from emulator.core.service_error import ServiceError
from emulator.core.sources import MEMORY, OWN, public_output, said

# fmt: off
INVALID_NAME = Refusal(400, "InvalidResourceName", MEMORY,
    "The resource name '{name}' is invalid. It must have 3 to 128 letters, digits, hyphens and underscores, and begin "
    "with a letter or digit.")
# Identities of other resources
FAILED = "FailedIdentityOperation"
KIND_NOT_SUPPORTED = Refusal(400, "NotSupportedByLocalAzure", OWN,
    "The local Azure does not support identities of the type {kind} of {type_name}.")
NO_IDENTITIES = Refusal(400, "MissingIdentityIds",
    public_output("https://github.com/hashicorp/terraform-provider-azurerm/issues/17082"),
    "The identity ids must not be null or empty for '{kind}' identity type.")
NOT_AN_IDENTITY = Refusal(400, "InvalidResourceIdentifier", MEMORY,
    "'{name}' is not the id of a user-assigned identity.")
# fmt: on


@said(public_output("https://github.com/Azure/azure-rest-api-specs/issues/17650"))
def identities_not_expected(resource_id: str) -> ServiceError:
    """Build the 400 for user-assigned identities of a resource whose type of identity has none."""
    return ServiceError(
        400,
        FAILED,
        _failure(
            resource_id,
            "The request format was unexpected, a non-UserAssigned identity type should not contain: "
            "userAssignedIdentities",
        ),
    )


@said(public_output("https://github.com/Azure/azure-libraries-for-net/issues/690"))
def identity_not_found(resource_id: str, name: str) -> ServiceError:
    """Build the 400 for an identity that does not exist."""
    return ServiceError(400, FAILED, _failure(resource_id, f"Resource '{name}' was not found."))


def _failure(resource_id: str, message: str) -> str:
    """Return what Azure says of the answer of the service that holds identities."""
    answer = json.dumps({"error": {"code": "BadRequest", "message": message}}, separators=(",", ":"))
    return (
        f"Identity operation for resource '{resource_id}' failed with error 'Failed to perform resource identity "
        f"operation. Status: 'BadRequest'. Response: '{answer}'.'."
    )
