"""The errors of Microsoft.DocumentDB, in its own words."""

from collections.abc import Sequence

from emulator.core.errors import ServiceError
from emulator.core.sources import MEMORY, OWN, public_output, said


@said(OWN)
def not_supported(what: str) -> ServiceError:
    """Build the 400 for what only the real Cosmos DB has."""
    return ServiceError(400, "NotSupportedByLocalAzure", f"The local Azure does not have {what}.")


# Accounts


@said(MEMORY)
def invalid_name(name: str) -> ServiceError:
    """Build the 400 for a name that an account cannot have."""
    return ServiceError(
        400,
        "BadRequest",
        f"The account name '{name}' is invalid. The name can contain only lowercase letters, numbers, and the hyphen (-) "
        "character. It must be 3-44 characters.",
    )


@said(MEMORY)
def name_taken(name: str) -> ServiceError:
    """Build the 400 for a name that another account has. Names are unique in all of Azure."""
    return ServiceError(
        400,
        "BadRequest",
        f"Dns record for {name} under zone Document is already taken. Please use a different name for the account.",
    )


@said(MEMORY)
def locked(account: str) -> ServiceError:
    """Build the 412 for a write while the account, or what contains the resource, is being written."""
    return ServiceError(
        412,
        "PreconditionFailed",
        f"There is already an operation in progress which requires exclusive lock on this service {account}. Please retry "
        "the operation after sometime.",
    )


@said(MEMORY)
def serverless_fixed(capability: str) -> ServiceError:
    """Build the 400 for making an account serverless later, or no longer."""
    return ServiceError(
        400, "BadRequest", f"The capability {capability} cannot be added to or removed from an account."
    )


@said(MEMORY)
def no_location() -> ServiceError:
    """Build the 400 for an account without a region."""
    return ServiceError(400, "BadRequest", "An account needs at least one location.")


@said(MEMORY)
def wrong_failover_priority() -> ServiceError:
    """Build the 400 for a write region that is not the first one."""
    return ServiceError(400, "BadRequest", "The failover priority of the write region must be 0.")


@said(MEMORY)
def staleness_out_of_range(name: str, value: int) -> ServiceError:
    """Build the 400 for a bound of staleness that no account can have."""
    return ServiceError(400, "BadRequest", f"The value {value} of consistencyPolicy.{name} is out of range.")


@said(MEMORY)
def invalid_ip_rule(value: str) -> ServiceError:
    """Build the 400 for a network rule that is not a public IPv4 address or range."""
    return ServiceError(400, "BadRequest", f"The IP address range '{value}' is invalid.")


# Databases and containers


@said(MEMORY)
def invalid_database_name(name: str) -> ServiceError:
    """Build the 400 for a name that a database or container cannot have."""
    return ServiceError(
        400,
        "BadRequest",
        f"The resource name '{name}' is invalid. It must not contain '/', '\\\\', '#', '?' or end with a space, and must "
        "have at most 255 characters.",
    )


@said(MEMORY)
def other_id(name: str, given: str) -> ServiceError:
    """Build the 400 for a body whose `resource.id` is not the name in the URI.

    Args:
        name: the name.
        given: the id in the body.
    """
    return ServiceError(
        400,
        "BadRequest",
        f"The resource name '{name}' in the URI and the resource id '{given}' in the body must be equal.",
    )


@said(public_output("published answers to containers with throughput in serverless accounts"))
def no_throughput(kind: str) -> ServiceError:
    """Build the 400 for throughput in a serverless account."""
    return ServiceError(
        400,
        "BadRequest",
        f"Setting offer throughput or autopilot on {kind} is not supported for serverless accounts.",
    )


@said(MEMORY)
def no_offers() -> ServiceError:
    """Build the 400 for reading throughput in a serverless account."""
    return ServiceError(400, "BadRequest", "Reading or replacing offers is not supported for serverless accounts.")


@said(MEMORY)
def no_offer(kind: str, name: str) -> ServiceError:
    """Build the 404 for reading the throughput of what has none of its own.

    Args:
        kind: `database` or `container`.
        name: its name.
    """
    return ServiceError(404, "NotFound", f"The {kind} '{name}' has no throughput of its own.")


@said(MEMORY)
def two_throughputs() -> ServiceError:
    """Build the 400 for throughput that is both fixed and scaling by itself."""
    return ServiceError(400, "BadRequest", "Throughput and autoscaleSettings cannot both be given.")


@said(MEMORY)
def wrong_throughput(value: int, least: int, step: int) -> ServiceError:
    """Build the 400 for throughput that cannot be chosen.

    Args:
        value: the throughput that was given.
        least: the least throughput.
        step: the steps in which it can be chosen.
    """
    return ServiceError(
        400, "BadRequest", f"The throughput {value} is invalid: it is {least} or more, in steps of {step}."
    )


# Roles


@said(MEMORY)
def built_in_role(name: str) -> ServiceError:
    """Build the 400 for deleting a role definition that comes with the account."""
    return ServiceError(400, "BadRequest", f"The built-in role definition '{name}' cannot be deleted.")


@said(MEMORY)
def unknown_role(identifier: str, known: Sequence[str]) -> ServiceError:
    """Build the 400 for a role definition that the account does not have.

    Args:
        identifier: the id in the request.
        known: the ids of the account's role definitions.
    """
    return ServiceError(
        400, "BadRequest", f"The role definition '{identifier}' does not exist. The account has {', '.join(known)}."
    )


@said(MEMORY)
def wrong_scope(scope: str, account_id: str) -> ServiceError:
    """Build the 400 for a scope outside the account.

    Args:
        scope: the scope in the request.
        account_id: id of the account.
    """
    return ServiceError(
        400,
        "BadRequest",
        f"The scope '{scope}' is invalid: it must be the fully qualified '{account_id}' or a part of it.",
    )


@said(MEMORY)
def unknown_principal(principal_id: str, tenant_id: str) -> ServiceError:
    """Build the 400 for a principal that the account's tenant does not have.

    Args:
        principal_id: object id of the principal.
        tenant_id: the tenant.
    """
    return ServiceError(
        400,
        "BadRequest",
        f"The provided principal ID [{principal_id}] was not found in the AAD tenant(s) [{tenant_id}] which are "
        "associated with the customer's subscription.",
    )


@said(MEMORY)
def fixed_principal() -> ServiceError:
    """Build the 400 for giving an existing assignment to another principal."""
    return ServiceError(
        400,
        "BadRequest",
        "Updating SQL Role Assignment Principal ID is not permitted. You may only update the associated Role Definition.",
    )


@said(MEMORY)
def same_assignment(name: str) -> ServiceError:
    """Build the 409 for an assignment that exists under another name."""
    return ServiceError(
        409,
        "Conflict",
        f"A SQL Role Assignment with the same principal, role definition and scope already exists: [{name}].",
    )
