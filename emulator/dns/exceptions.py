"""The errors of Microsoft.Network/dnsZones, in its own words, which Microsoft.Network/privateDnsZones shares."""

from emulator.arm.ids import ResourceId
from emulator.arm.schema import Found
from emulator.core.errors import ServiceError
from emulator.core.sources import MEMORY, OWN, public_output, said


@said(MEMORY)
def invalid_zone_name(found: Found) -> ServiceError:
    """Return the error for a name that a zone cannot have."""
    return ServiceError(400, "BadRequest", f"The zone name '{found.value}' is invalid.")


@said(MEMORY)
def invalid_record_name(found: Found) -> ServiceError:
    """Return the error for a name that a record set cannot have."""
    return ServiceError(400, "BadRequest", f"The relative name of the record set '{found.value}' is invalid.")


@said(MEMORY)
def record_not_found(identifier: ResourceId) -> ServiceError:
    """Return the error for a record set that does not exist."""
    return ServiceError(
        404,
        "NotFound",
        f"The resource record '{identifier.name}' does not exist in resource group '{identifier.resource_group}' of "
        f"subscription '{identifier.subscription_id}'.",
    )


@said(MEMORY)
def invalid_ttl(found: Found) -> ServiceError:
    """Return the error for a time to live that is too short or too long."""
    return ServiceError(
        400,
        "BadRequest",
        f"The TTL '{found.value}' of record set '{found.id.name}' is invalid. It must be between 1 and 2147483647.",
    )


@said(public_output("https://github.com/hashicorp/terraform-provider-azurerm/issues/13146"))
def invalid_address(found: Found) -> ServiceError:
    """Return the error for a text that is not an address of the record's version."""
    return ServiceError(400, "BadRequest", f"The provided ip address '{found.value}' is not valid.")


@said(public_output("https://github.com/kubernetes-sigs/external-dns/issues/4855"))
def invalid_domain(found: Found) -> ServiceError:
    """Return the error for a text that is not a domain name."""
    return ServiceError(400, "BadRequest", f"The domain name '{found.value}' is invalid.")


@said(MEMORY)
def invalid_number(found: Found) -> ServiceError:
    """Return the error for a number that a record cannot have."""
    member = found.path.rsplit(".", 1)[-1]
    return ServiceError(400, "BadRequest", f"The value '{found.value}' of '{member}' is out of range.")


@said(MEMORY)
def invalid_tag(found: Found) -> ServiceError:
    """Return the error for the tag of a CAA record that is not of letters and digits."""
    return ServiceError(400, "BadRequest", f"The tag '{found.value}' of the CAA record is invalid.")


@said(MEMORY)
def long_text(found: Found) -> ServiceError:
    """Return the error for a text of a TXT record that has more than 255 characters."""
    return ServiceError(
        400, "BadRequest", f"A string of the TXT record has {len(found.value)} characters. It can have 255."
    )


@said(MEMORY)
def duplicate_record(identifier: ResourceId) -> ServiceError:
    """Return the error for a record set with two equal records."""
    return ServiceError(400, "BadRequest", f"The record set '{identifier.name}' has duplicate records.")


@said(public_output("https://github.com/hashicorp/terraform-provider-azurerm/issues/12406"))
def too_many_records(identifier: ResourceId, most: int) -> ServiceError:
    """Return the error for a record set that is too large; the thread has the status, the text is ours."""
    return ServiceError(
        409, "Conflict", f"The record set '{identifier.name}' has more than {most} records, which is the limit."
    )


@said(public_output("https://github.com/rcl-letsencrypt-auto-ssl/Lets-Encrypt-Auto/issues/26"))
def name_has_records() -> ServiceError:
    """Return the error for a CNAME that would share its name with other records."""
    return ServiceError(
        409,
        "Conflict",
        "The CNAME record could not be created because another record with the same name already exists in this zone.",
    )


@said(public_output("https://gist.github.com/davetapley/627965624b7639ed23a48f50d1c5ec16"))
def name_has_cname() -> ServiceError:
    """Return the error for a record that would share its name with a CNAME."""
    text = "The record could not be created because a CNAME record with the same name already exists in this zone."
    return ServiceError(
        409, "Conflict", text, details=[{"code": "CannotCreateRecordDueToCNameNamingRestriction", "message": text}]
    )


@said(MEMORY)
def cname_at_apex() -> ServiceError:
    """Return the error for a CNAME with the name of its zone."""
    return ServiceError(
        400, "BadRequest", "The record set '@' of type 'CNAME' is invalid: a CNAME cannot be at the apex of a zone."
    )


@said(MEMORY)
def new_soa() -> ServiceError:
    """Return the error for creating an SOA record."""
    return ServiceError(400, "BadRequest", "Record sets of type 'SOA' cannot be created; they come with their zone.")


@said(MEMORY)
def soa_host_fixed(_found: Found) -> ServiceError:
    """Return the error for changing the host of the SOA record."""
    return ServiceError(400, "BadRequest", "The property 'host' of the SOA record set cannot be modified.")


@said(MEMORY)
def apex_stays(kind: str) -> ServiceError:
    """Return the error for deleting the NS or SOA records of a zone."""
    return ServiceError(400, "BadRequest", f"The record set '@' of type '{kind}' cannot be deleted.")


@said(OWN)
def alias_not_emulated(found: Found) -> ServiceError:
    """Return the error for an alias record."""
    return ServiceError(
        400, "NotSupportedByLocalAzure", f"The local Azure does not support {found.path} of record sets."
    )
