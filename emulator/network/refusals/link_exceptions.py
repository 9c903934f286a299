"""The errors of private link services and private endpoints, in Azure's wording."""

from collections.abc import Sequence

from emulator.arm.ids import ResourceId
from emulator.arm.schema import Found
from emulator.core.errors import ServiceError
from emulator.core.refusals import Refusal
from emulator.core.sources import MEMORY, OWN, public_output, said

# fmt: off
# Private link services
NO_FRONTEND = Refusal(400, "PrivateLinkServiceLoadBalancerFrontendIpConfigurationsNotSpecified", MEMORY,
    "Private link service {service_id} must reference at least one load balancer frontend IP configuration.")
WRONG_COUNT = Refusal(400, "PrivateLinkServiceIpConfigurationsCountInvalid", MEMORY,
    "Private link service {service_id} must have 1 to {most} IP configurations; it has {count}.")
WRONG_FRONTEND = Refusal(400, "PrivateLinkServiceFrontendIPConfigurationNotSupported", MEMORY,
    "Private link service {service_id} cannot reference load balancer frontend IP configuration {frontend_id}: "
    "{reason}.")
HIDDEN_FROM_APPROVED = Refusal(400, "PrivateLinkServiceAutoApprovalNotSubsetOfVisibility", MEMORY,
    "Private link service {service_id} approves subscriptions to which it is not visible: {hidden:, }.")
INVALID_SUBSCRIPTION = Refusal(400, "PrivateLinkServiceInvalidSubscription", MEMORY,
    "Private link service {found.id} lists the subscription {found.value}, which is not a valid subscription id.")
POLICIES_ENABLED = Refusal(400, "PrivateLinkServiceCannotBeCreatedInSubnetThatHasNetworkPoliciesEnabled", MEMORY,
    "Private link service {service_id} cannot be created in a subnet {subnet_id} since it has private link service "
    "network policies enabled.")
POLICIES_NEEDED_OFF = Refusal(400, "PrivateLinkServiceNetworkPoliciesCannotBeEnabledOnPrivateLinkServiceSubnet", MEMORY,
    "Private link service network policies cannot be enabled on private link service subnet {subnet_id}.")
NO_CONNECTION = Refusal(400, "PrivateEndpointConnectionNotFound", MEMORY,
    "Private endpoint connection {connection_id} does not exist. Connections are made by private endpoints.")
INVALID_STATE = Refusal(400, "InvalidPrivateLinkServiceConnectionState", MEMORY,
    "The status of private endpoint connection {connection_id} must be one of {states:, }; it is {status}.")

# Private endpoints
ONE_CONNECTION = Refusal(400, "PrivateEndpointMustHaveOneConnection", MEMORY,
    "Private endpoint {endpoint_id} must have exactly one private link service connection, manual or not; it has "
    "{count}.")
SERVICE_NOT_EMULATED = Refusal(400, "NotSupportedByLocalAzure", OWN,
    "The local Azure supports private endpoints to private link services only, not to {found.value}.")
SUBNET_FIXED = Refusal(400, "PrivateEndpointSubnetCannotBeChanged", MEMORY,
    "The subnet of private endpoint {endpoint_id} cannot be changed.")
# fmt: on


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


@said(public_output("https://github.com/Azure/azure-powershell/issues/24514"))
def service_not_visible(endpoint_id: ResourceId, service_id: str) -> ServiceError:
    """Return the error for a private link service that does not exist, or that the endpoint's owner may not see."""
    return ServiceError(
        400,
        "ThirdPartyPrivateLinkServiceProvidedDuringPrivateEndpointCreationDoesNotExistOrIsNotVisible",
        f"Third-party Private Link Service Id {service_id} provided during creation of private endpoint {endpoint_id} "
        "does not exist or is not visible.",
    )


@said(MEMORY)
def long_message(found: Found) -> ServiceError:
    """Return the error for a request for approval of more than 140 characters."""
    return ServiceError(
        400,
        "PrivateEndpointRequestMessageTooLong",
        f"The request message of private endpoint {found.id} has {len(found.value)} characters. It can have 140.",
    )
