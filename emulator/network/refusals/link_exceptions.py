"""The errors of private link services and private endpoints, in Azure's wording."""

from collections.abc import Sequence

from emulator.arm.ids import ResourceId
from emulator.arm.schema import Found
from emulator.core.errors import ServiceError
from emulator.core.sources import MEMORY, OWN, public_output, said

# Private link services


@said(MEMORY)
def no_frontend(service_id: str) -> ServiceError:
    """Return the error for a private link service without a frontend."""
    return ServiceError(
        400,
        "PrivateLinkServiceLoadBalancerFrontendIpConfigurationsNotSpecified",
        f"Private link service {service_id} must reference at least one load balancer frontend IP configuration.",
    )


@said(MEMORY)
def wrong_count(service_id: str, most: int, count: int) -> ServiceError:
    """Return the error for a private link service without addresses, or with too many.

    Args:
        service_id: the private link service.
        most: how many IP configurations it can have.
        count: how many it has.
    """
    return ServiceError(
        400,
        "PrivateLinkServiceIpConfigurationsCountInvalid",
        f"Private link service {service_id} must have 1 to {most} IP configurations; it has {count}.",
    )


@said(MEMORY)
def wrong_frontend(service_id: str, frontend_id: str, reason: str) -> ServiceError:
    """Return the error for a frontend that a private link service cannot use.

    Args:
        service_id: the private link service.
        frontend_id: the frontend, which has to be an internal one of a Standard load balancer.
        reason: why it cannot be used, as a clause.
    """
    return ServiceError(
        400,
        "PrivateLinkServiceFrontendIPConfigurationNotSupported",
        f"Private link service {service_id} cannot reference load balancer frontend IP configuration {frontend_id}: "
        f"{reason}.",
    )


@said(MEMORY)
def hidden_from_approved(service_id: str, hidden: Sequence[str]) -> ServiceError:
    """Return the error for a service that approves subscriptions which do not see it."""
    return ServiceError(
        400,
        "PrivateLinkServiceAutoApprovalNotSubsetOfVisibility",
        f"Private link service {service_id} approves subscriptions to which it is not visible: {', '.join(hidden)}.",
    )


@said(MEMORY)
def invalid_subscription(found: Found) -> ServiceError:
    """Return the error for a text that is not the id of a subscription."""
    return ServiceError(
        400,
        "PrivateLinkServiceInvalidSubscription",
        f"Private link service {found.id} lists the subscription {found.value}, which is not a valid subscription id.",
    )


@said(MEMORY)
def service_with_connections(service_id: str, holders: Sequence[str]) -> ServiceError:
    """Return the error for deleting a private link service to which private endpoints are connected."""
    count = len(holders)
    return ServiceError(
        400,
        "PrivateLinkServiceWithPrivateEndpointConnectionsCannotBeDeleted",
        f"Private link service {service_id} cannot be deleted since it has {count} private endpoint "
        f"connection{'s' if count > 1 else ''}. Please delete all private endpoint connections before deleting the "
        "private link service.",
    )


@said(MEMORY)
def policies_enabled(service_id: str, subnet_id: str) -> ServiceError:
    """Return the error for a private link service in a subnet that has network policies enabled."""
    return ServiceError(
        400,
        "PrivateLinkServiceCannotBeCreatedInSubnetThatHasNetworkPoliciesEnabled",
        f"Private link service {service_id} cannot be created in a subnet {subnet_id} since it has private link service "
        "network policies enabled.",
    )


@said(MEMORY)
def policies_needed_off(subnet_id: str) -> ServiceError:
    """Return the error for enabling network policies on a subnet with a private link service in it."""
    return ServiceError(
        400,
        "PrivateLinkServiceNetworkPoliciesCannotBeEnabledOnPrivateLinkServiceSubnet",
        f"Private link service network policies cannot be enabled on private link service subnet {subnet_id}.",
    )


@said(MEMORY)
def no_connection(connection_id: str) -> ServiceError:
    """Return the error for writing a connection that no private endpoint made."""
    return ServiceError(
        400,
        "PrivateEndpointConnectionNotFound",
        f"Private endpoint connection {connection_id} does not exist. Connections are made by private endpoints.",
    )


@said(MEMORY)
def invalid_state(connection_id: str, status: object, states: Sequence[str]) -> ServiceError:
    """Return the error for a state that a service's owner cannot give a connection.

    Args:
        connection_id: the connection.
        status: the state in the request, or None.
        states: those that there are.
    """
    return ServiceError(
        400,
        "InvalidPrivateLinkServiceConnectionState",
        f"The status of private endpoint connection {connection_id} must be one of {', '.join(states)}; it is {status}.",
    )


# Private endpoints


@said(MEMORY)
def one_connection(endpoint_id: str, count: int) -> ServiceError:
    """Return the error for a private endpoint without a connection, or with several."""
    return ServiceError(
        400,
        "PrivateEndpointMustHaveOneConnection",
        f"Private endpoint {endpoint_id} must have exactly one private link service connection, manual or not; it has "
        f"{count}.",
    )


@said(public_output("https://github.com/Azure/azure-powershell/issues/24514"))
def service_not_visible(endpoint_id: ResourceId, service_id: str) -> ServiceError:
    """Return the error for a private link service that does not exist, or that the endpoint's owner may not see."""
    return ServiceError(
        400,
        "ThirdPartyPrivateLinkServiceProvidedDuringPrivateEndpointCreationDoesNotExistOrIsNotVisible",
        f"Third-party Private Link Service Id {service_id} provided during creation of private endpoint {endpoint_id} "
        "does not exist or is not visible.",
    )


@said(OWN)
def service_not_emulated(found: Found) -> ServiceError:
    """Return the error for a private endpoint to one of Azure's own services."""
    return ServiceError(
        400,
        "NotSupportedByLocalAzure",
        f"The local Azure supports private endpoints to private link services only, not to {found.value}.",
    )


@said(MEMORY)
def subnet_fixed(endpoint_id: str) -> ServiceError:
    """Return the error for moving a private endpoint to another subnet."""
    return ServiceError(
        400, "PrivateEndpointSubnetCannotBeChanged", f"The subnet of private endpoint {endpoint_id} cannot be changed."
    )


@said(MEMORY)
def long_message(found: Found) -> ServiceError:
    """Return the error for a request for approval of more than 140 characters."""
    return ServiceError(
        400,
        "PrivateEndpointRequestMessageTooLong",
        f"The request message of private endpoint {found.id} has {len(found.value)} characters. It can have 140.",
    )
