"""Names that are made once for a cluster: the parts of its domain, and the storage suffix.

Source: ARO-RP `pkg/util/dns`, `pkg/cluster/storagesuffix.go`.
"""

from random import Random

# No vowels, so that no words appear by chance.
_STORAGE_ALPHABET = "bcdfghjklmnpqrstvwxyz0123456789"
_STORAGE_LENGTH = 5


def split_domain(domain: str, zone: str) -> tuple[str, str]:
    """Split a cluster's domain into its first label and its base domain.

    Args:
        domain: `properties.clusterProfile.domain`, one label or a whole name.
        zone: the DNS zone that this service manages, `<location>.<parent>`; empty if it manages none.
    """
    name, dot, base = domain.partition(".")
    return (name, base) if dot else (name, zone)


def managed_domain(domain: str, zone: str) -> str | None:
    """Return the one label under the managed zone, or None if the customer uses a domain of their own."""
    name, base = split_domain(domain, zone)
    return name if zone and base.lower() == zone.lower() else None


def managed_name(domain: str, zone: str) -> str | None:
    """Return the full name of a managed domain in lower case, or None if the customer uses a domain of their own."""
    label = managed_domain(domain, zone)
    return f"{label}.{zone}".lower() if label is not None else None


def storage_suffix(random: Random) -> str:
    """Return the 5 characters after `cluster` in the storage account's name, which has to be unique in all of Azure."""
    return "".join(random.choice(_STORAGE_ALPHABET) for _ in range(_STORAGE_LENGTH))
