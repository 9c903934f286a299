"""The errors of Microsoft.DocumentDB, in its own words."""

from collections.abc import Sequence

from emulator.core.errors import ServiceError


def bad_request(message: str) -> ServiceError:
    """Return a 400."""
    return ServiceError(400, "BadRequest", message)


def not_supported(what: str) -> ServiceError:
    """Return the 400 for what only the real Cosmos DB has."""
    return ServiceError(400, "NotSupportedByLocalAzure", f"The local Azure does not have {what}.")


def invalid_name(name: str) -> ServiceError:
    """Return the 400 for a name that an account cannot have."""
    return bad_request(
        f"The account name '{name}' is invalid. The name can contain only lowercase letters, numbers, and the hyphen (-) "
        "character. It must be 3-44 characters."
    )


def name_taken(name: str) -> ServiceError:
    """Return the 400 for a name that another account has. Names are unique in all of Azure."""
    return bad_request(
        f"Dns record for {name} under zone Document is already taken. Please use a different name for the account."
    )


def locked(account: str) -> ServiceError:
    """Return the 412 for a write while the account, or what contains the resource, is being written."""
    return ServiceError(
        412,
        "PreconditionFailed",
        f"There is already an operation in progress which requires exclusive lock on this service {account}. Please retry "
        "the operation after sometime.",
    )


def other_id(name: str, given: str) -> ServiceError:
    """Return the 400 for a body whose `resource.id` is not the name in the URI.

    Args:
        name: the name.
        given: the id in the body.
    """
    return bad_request(
        f"The resource name '{name}' in the URI and the resource id '{given}' in the body must be equal."
    )


def no_throughput(kind: str) -> ServiceError:
    """Return the 400 for throughput in a serverless account."""
    return bad_request(f"Setting offer throughput or autopilot on {kind} is not supported for serverless accounts.")


def no_offers() -> ServiceError:
    """Return the 400 for reading throughput in a serverless account."""
    return bad_request("Reading or replacing offers is not supported for serverless accounts.")


def no_offer(kind: str, name: str) -> ServiceError:
    """Return the 404 for reading the throughput of what has none of its own.

    Args:
        kind: `database` or `container`.
        name: its name.
    """
    return ServiceError(404, "NotFound", f"The {kind} '{name}' has no throughput of its own.")


def unknown_role(identifier: str, known: Sequence[str]) -> ServiceError:
    """Return the 400 for a role definition that the account does not have.

    Args:
        identifier: the id in the request.
        known: the ids of the account's role definitions.
    """
    return bad_request(f"The role definition '{identifier}' does not exist. The account has {', '.join(known)}.")


def wrong_scope(scope: str, account_id: str) -> ServiceError:
    """Return the 400 for a scope outside the account.

    Args:
        scope: the scope in the request.
        account_id: id of the account.
    """
    return bad_request(
        f"The scope '{scope}' is invalid: it must be the fully qualified '{account_id}' or a part of it."
    )


def unknown_principal(principal_id: str, tenant_id: str) -> ServiceError:
    """Return the 400 for a principal that the account's tenant does not have.

    Args:
        principal_id: object id of the principal.
        tenant_id: the tenant.
    """
    return bad_request(
        f"The provided principal ID [{principal_id}] was not found in the AAD tenant(s) [{tenant_id}] which are "
        "associated with the customer's subscription."
    )


def fixed_principal() -> ServiceError:
    """Return the 400 for giving an existing assignment to another principal."""
    return bad_request(
        "Updating SQL Role Assignment Principal ID is not permitted. You may only update the associated Role Definition."
    )


def same_assignment(name: str) -> ServiceError:
    """Return the 409 for an assignment that exists under another name."""
    return ServiceError(
        409,
        "Conflict",
        f"A SQL Role Assignment with the same principal, role definition and scope already exists: [{name}].",
    )
