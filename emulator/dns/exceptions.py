"""The errors of Microsoft.Network/dnsZones, in its own words, which Microsoft.Network/privateDnsZones shares."""

from emulator.core.refusals import Refusal
from emulator.core.sources import MEMORY, OWN, public_output

# fmt: off
INVALID_ZONE_NAME = Refusal(400, "BadRequest", MEMORY, "The zone name '{found.value}' is invalid.")
INVALID_RECORD_NAME = Refusal(400, "BadRequest", MEMORY,
    "The relative name of the record set '{found.value}' is invalid.")
RECORD_NOT_FOUND = Refusal(404, "NotFound", MEMORY,
    "The resource record '{identifier.name}' does not exist in resource group '{identifier.resource_group}' of "
    "subscription '{identifier.subscription_id}'.")
INVALID_ADDRESS = Refusal(400, "BadRequest",
    public_output("https://github.com/hashicorp/terraform-provider-azurerm/issues/13146"),
    "The provided ip address '{found.value}' is not valid.")
INVALID_DOMAIN = Refusal(400, "BadRequest",
    public_output("https://github.com/kubernetes-sigs/external-dns/issues/4855"),
    "The domain name '{found.value}' is invalid.")
APEX_STAYS = Refusal(400, "BadRequest", MEMORY, "The record set '@' of type '{kind}' cannot be deleted.")
ALIAS_NOT_EMULATED = Refusal(400, "NotSupportedByLocalAzure", OWN,
    "The local Azure does not support {found.path} of record sets.")
# fmt: on
