"""The errors of Microsoft.Network/dnsZones, in its own words, which Microsoft.Network/privateDnsZones shares."""

from emulator.core.errors import ServiceError
from emulator.core.refusals import Refusal
from emulator.core.sources import MEMORY, OWN, public_output, said

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
TOO_MANY_RECORDS = Refusal(409, "Conflict",
    public_output("https://github.com/hashicorp/terraform-provider-azurerm/issues/12406"),
    "The record set '{identifier.name}' has more than {most} records, which is the limit.")
NAME_HAS_RECORDS = Refusal(409, "Conflict",
    public_output("https://github.com/rcl-letsencrypt-auto-ssl/Lets-Encrypt-Auto/issues/26"),
    "The CNAME record could not be created because another record with the same name already exists in this zone.")
APEX_STAYS = Refusal(400, "BadRequest", MEMORY, "The record set '@' of type '{kind}' cannot be deleted.")
ALIAS_NOT_EMULATED = Refusal(400, "NotSupportedByLocalAzure", OWN,
    "The local Azure does not support {found.path} of record sets.")
# fmt: on


@said(public_output("https://gist.github.com/davetapley/627965624b7639ed23a48f50d1c5ec16"))
def name_has_cname() -> ServiceError:
    """Return the error for a record that would share its name with a CNAME."""
    text = "The record could not be created because a CNAME record with the same name already exists in this zone."
    return ServiceError(
        409, "Conflict", text, details=[{"code": "CannotCreateRecordDueToCNameNamingRestriction", "message": text}]
    )
