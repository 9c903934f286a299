"""The errors of private link services and private endpoints, in Azure's wording."""

from emulator.core.refusals import Refusal
from emulator.core.sources import MEMORY, OWN, public_output

# fmt: off
WRONG_COUNT = Refusal(400, "PrivateLinkServiceIpConfigurationsCountInvalid", MEMORY,
    "Private link service {service_id} must have 1 to {most} IP configurations; it has {count}.")
# Private link services
POLICIES_ENABLED = Refusal(400, "PrivateLinkServiceCannotBeCreatedInSubnetThatHasNetworkPoliciesEnabled", MEMORY,
    "Private link service {service_id} cannot be created in a subnet {subnet_id} since it has private link service "
    "network policies enabled.")
SERVICE_WITH_CONNECTIONS = Refusal(400, "PrivateLinkServiceWithPrivateEndpointConnectionsCannotBeDeleted", MEMORY,
    "Private link service {identifier} cannot be deleted since it has {holders!c} private endpoint connection(s). Please "
    "delete all private endpoint connections before deleting the private link service.")

# Private endpoints
SERVICE_NOT_EMULATED = Refusal(400, "NotSupportedByLocalAzure", OWN,
    "The local Azure supports private endpoints to private link services only, not to {found.value}.")
NO_CONNECTION = Refusal(400, "PrivateEndpointConnectionNotFound", MEMORY,
    "Private endpoint connection {connection_id} does not exist. Connections are made by private endpoints.")
ONE_CONNECTION = Refusal(400, "PrivateEndpointMustHaveOneConnection", MEMORY,
    "Private endpoint {endpoint_id} must have exactly one private link service connection, manual or not; it has "
    "{count}.")
NOT_VISIBLE = Refusal(400,
    "ThirdPartyPrivateLinkServiceProvidedDuringPrivateEndpointCreationDoesNotExistOrIsNotVisible",
    public_output("https://github.com/Azure/azure-powershell/issues/24514"),
    "Third-party Private Link Service Id {target} provided during creation of private endpoint {holder} does not exist "
    "or is not visible.")
# fmt: on
