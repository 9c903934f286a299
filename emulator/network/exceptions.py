"""The errors of virtual networks, subnets, route tables and NAT gateways, in Azure's wording.

The modules `…_exceptions.py` beside this one have those of the other types of Microsoft.Network.
"""

from ipaddress import ip_network

from emulator.arm.schema import Found
from emulator.core.refusals import Refusal
from emulator.core.service_error import ServiceError
from emulator.core.sources import MEMORY, OWN, documentation, public_output

# fmt: off
NOT_EMULATED = Refusal(400, "NotSupportedByLocalAzure", OWN, "The local Azure does not support {what}.")
CHILD_NOT_FOUND = Refusal(404, "NotFound", public_output("https://github.com/Azure/azure-cli/issues/19761"),
    "Resource {identifier} not found.")
INVALID_NETWORK_NAME = Refusal(400, "InvalidResourceName",
    documentation("https://github.com/Azure/PSRule.Rules.Azure/blob/main/docs/en/rules/Azure.VNET.Name.md"),
    "Resource name {found.value} is invalid. The name can be 2 to 64 characters long. It must begin with a word "
    "character, and it must end with a word character or with '_'. The name may contain word characters or '.', '-', "
    "'_'.")

# Ranges and addresses
INVALID_PREFIX = Refusal(400, "InvalidAddressPrefixFormat",
    public_output("https://github.com/Azure/azure-service-operator/issues/997"),
    "Address prefix {found.value} of resource {found.id} is not formatted correctly. It should follow CIDR notation, "
    "for example 10.0.0.0/24.")
INVALID_ADDRESS = Refusal(400, "InvalidIPAddressFormat", MEMORY,
    "IP address {found.value} of resource {found.id} is not formatted correctly.")
INVALID_CIDR = Refusal(400, "InvalidCIDRNotation",
    public_output("https://github.com/Azure/azure-service-operator/blob/master/pkg/errhelp/errors.go"),
    "The address prefix {found.value} in resource {found.id} has an invalid CIDR notation. For the given prefix length, "
    "the address prefix should be {network}.")

# Subnets
SUBNET_OUTSIDE = Refusal(400, "NetcfgSubnetRangeOutsideVnet",
    public_output("https://github.com/MicrosoftDocs/azure-docs/pull/123869"),
    "Subnet '{name}' is not valid because its IP address range is outside the IP address range of virtual network "
    "'{network}'.")
SUBNET_RANGES_OVERLAP = Refusal(400, "NetcfgSubnetRangesOverlap",
    public_output("https://github.com/MicrosoftDocs/azure-docs/pull/123869"),
    "Subnet '{name}' is not valid because its IP address range overlaps with that of an existing subnet in virtual "
    "network '{network}'.")

# Deletions
IN_USE_SUBNET = Refusal(400, "InUseSubnetCannotBeDeleted",
    public_output("https://github.com/hashicorp/terraform-provider-azurerm/issues/6818"),
    "Subnet {identifier!n} is in use by {holders: and } and cannot be deleted. In order to delete the subnet, delete all "
    "the resources within the subnet. See aka.ms/deletesubnet.")
IN_USE_ROUTE_TABLE = Refusal(400, "InUseRouteTableCannotBeDeleted", MEMORY,
    "Route table {identifier!n} is in use and cannot be deleted.")
IN_USE_NAT_GATEWAY = Refusal(400, "CannotDeleteNatGatewayAssociatedToSubnet",
    public_output("https://github.com/Azure-Samples/Copilot-Studio-with-Azure-AI-Search/issues/62"),
    "NAT Gateway {identifier} is still configured on {holders!c} subnets. Remove NAT Gateway from all referenced subnets "
    "and then delete NAT Gateway.")
# fmt: on


def invalid_cidr(found: Found) -> ServiceError:
    """Return the error for a range with host bits set."""
    return INVALID_CIDR(found=found, network=ip_network(found.value, strict=False))
