"""The errors of public and private addresses, in Azure's wording."""

from emulator.core.refusals import Refusal
from emulator.core.sources import MEMORY, OWN, public_output

# fmt: off
VERSION_NOT_EMULATED = Refusal(400, "NotSupportedByLocalAzure", OWN,
    "The local Azure does not support {found.value} addresses ({found.path}).")

# Public addresses
PUBLIC_ADDRESS_IN_USE = Refusal(400, "PublicIPAddressInUse", MEMORY,
    "Resource {resource_id} is referencing public IP address {address_id} that is already allocated to resource "
    "{holder}.")
TOO_MANY_STATIC_ADDRESSES = Refusal(400, "StaticPublicIPCountLimitReached", MEMORY,
    "Cannot create more than {limit} public IP addresses with static allocation method for this subscription in this "
    "region.")
TOO_MANY_ADDRESSES = Refusal(400, "PublicIPCountLimitReached", MEMORY,
    "Cannot create more than {limit} public IP addresses for this subscription in this region.")

# Private addresses
PRIVATE_ADDRESS_NOT_IN_SUBNET = Refusal(400, "PrivateIPAddressNotInSubnet", MEMORY,
    "Private static IP address {address} does not belong to the range of subnet prefix {prefix}.")
PRIVATE_ADDRESS_TAKEN = Refusal(400, "PrivateIPAddressIsAllocated", MEMORY,
    "IP configuration {configuration_id} is using the private IP address {address} which is already allocated to "
    "resource {holder}.")
PRIVATE_ADDRESS_MISSING = Refusal(400, "PrivateIPAddressNotSpecified", MEMORY,
    "Private IP address is not specified for IP configuration {configuration_id}, whose allocation method is Static.")
SUBNET_IS_FULL = Refusal(400, "SubnetIsFull", MEMORY,
    "Subnet {subnet_id!n} with address prefix {ranges:, } does not have enough capacity for 1 IP addresses.")
IN_USE_PUBLIC_ADDRESS = Refusal(400, "PublicIPAddressCannotBeDeleted",
    public_output("https://github.com/oap-project/cloudtik/issues/158"),
    "Public IP address {identifier} can not be deleted since it is still allocated to resource {holders[0]}. In order to "
    "delete the public IP, disassociate/detach the Public IP address from the resource. To learn how to do this, see "
    "aka.ms/deletepublicip.")
# fmt: on
