"""The errors of Microsoft.ManagedIdentity, in its own words."""

import json

from emulator.core.errors import ServiceError
from emulator.core.sources import MEMORY, OWN, public_output, said


@said(MEMORY)
def invalid_name(name: str) -> ServiceError:
    """Build the 400 for a name that an identity cannot have."""
    return ServiceError(
        400,
        "InvalidResourceName",
        f"The resource name '{name}' is invalid. It must have 3 to 128 letters, digits, hyphens and underscores, and begin "
        "with a letter or digit.",
    )


# Identities of other resources
FAILED = "FailedIdentityOperation"


@said(OWN)
def kind_not_supported(kind: str, type_name: str) -> ServiceError:
    """Build the 400 for a kind of identity that resources of a type do not have here."""
    return ServiceError(
        400,
        "NotSupportedByLocalAzure",
        f"The local Azure does not support identities of the type {kind} of {type_name}.",
    )


@said(public_output("https://github.com/hashicorp/terraform-provider-azurerm/issues/17082"))
def no_identities(kind: str) -> ServiceError:
    """Build the 400 for user-assigned identities without any."""
    return ServiceError(
        400, "MissingIdentityIds", f"The identity ids must not be null or empty for '{kind}' identity type."
    )


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


@said(MEMORY)
def not_an_identity(name: str) -> ServiceError:
    """Build the 400 for an id that is not a user-assigned identity's."""
    return ServiceError(400, "InvalidResourceIdentifier", f"'{name}' is not the id of a user-assigned identity.")


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
