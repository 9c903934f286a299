"""The errors of Microsoft.Web, in Azure's wording as far as it is public."""

from collections.abc import Sequence

from emulator.core.errors import ServiceError


def bad_request(message: str) -> ServiceError:
    """Build the 400 that Microsoft.Web answers to any write that it refuses."""
    return ServiceError(400, "BadRequest", message)


def conflict(message: str) -> ServiceError:
    """Build the 409 that Microsoft.Web answers to a write that others stand in the way of."""
    return ServiceError(409, "Conflict", message)


def not_supported(what: str) -> ServiceError:
    """Build the 400 for something that Azure has and the local Azure does not emulate."""
    return ServiceError(400, "NotSupportedByLocalAzure", f"The local Azure does not support {what}.")


def name_taken(name: str) -> ServiceError:
    """Build the 409 for a name that another site has. Names are unique in all of Azure."""
    return conflict(f"Website with given name {name} already exists.")


def invalid_on_flex(kind: str, names: Sequence[str]) -> ServiceError:
    """Build the 400 for settings or site configuration properties that a Flex Consumption site must not have.

    Args:
        kind: `app setting` or `site configuration property`.
        names: their names, as `Site.SiteConfig.…`.
    """
    many = {"app setting": "app settings", "site configuration property": "site configuration properties"}
    subject = f"list of {len(names)} {many[kind]}" if len(names) > 1 else kind
    pronoun = "them" if len(names) > 1 else "it"
    return bad_request(
        f"The following {subject} ({', '.join(names)}) for Flex Consumption sites is invalid. Please remove or rename "
        f"{pronoun} before retrying."
    )


def missing_delegation(subnet: str, network: str, wanted: str) -> ServiceError:
    """Build the 400 for a subnet that is not delegated to the plan's service.

    Args:
        subnet: name of the subnet.
        network: name of its virtual network.
        wanted: the service.
    """
    return bad_request(
        f"Subnet {subnet} in VNET {network} is missing a delegation to {wanted}. Please add the delegation and try again."
    )


def plan_in_use(identifier: str, holders: list[str]) -> ServiceError:
    """Build the 409 for the deletion of a plan that still has sites, given by their ids."""
    names = ", ".join(holder.rsplit("/", 1)[-1] for holder in holders)
    return conflict(
        f"Server farm '{identifier.rsplit('/', 1)[-1]}' cannot be deleted because it has web app(s) {names} assigned to it."
    )
