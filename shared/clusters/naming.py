"""Names that are made once for a cluster: its domain's parts, infra id, storage suffix.

Source: ARO-RP `pkg/util/dns`, `pkg/cluster/ensureinfraid.go`, `pkg/cluster/storagesuffix.go`.
"""

import re
from random import Random

# No vowels, so that no word appears by chance; no look-alikes (0/o, 1/l) in the infra id, which people read aloud.
_INFRA_ALPHABET = "bcdfghjklmnpqrstvwxz2456789"
_STORAGE_ALPHABET = "bcdfghjklmnpqrstvwxyz0123456789"
_INFRA_NAME_LENGTH = 21
_RANDOM_LENGTH = 5


def split_domain(domain: str, zone: str) -> tuple[str, str]:
    """Split a cluster's domain into its first label and its base domain.

    Args:
        domain: `properties.clusterProfile.domain`, one label or a whole name.
        zone: the DNS zone that this service manages, `<location>.<parent>`.
    """
    name, dot, base = domain.partition(".")
    return (name, base) if dot else (name, zone)


def managed_domain(domain: str, zone: str) -> str | None:
    """Return the one label under the managed zone, or None when the customer brings a domain of their own."""
    name, base = split_domain(domain, zone)
    return name if base.lower() == zone.lower() else None


def infra_id(cluster_name: str, random: Random) -> str:
    """Return `<name>-<5 random>`, at most 27 characters, which names everything of a cluster in Azure."""
    name = re.sub(r"[^a-z0-9-]", "-", cluster_name.lower())
    name = re.sub(r"-+", "-", name)[:_INFRA_NAME_LENGTH].rstrip("-")
    return f"{name}-{_random_text(_INFRA_ALPHABET, random)}"


def storage_suffix(random: Random) -> str:
    """Return the 5 characters after `cluster` in the storage account's name, which is unique in all of Azure."""
    return _random_text(_STORAGE_ALPHABET, random)


def _random_text(alphabet: str, random: Random) -> str:
    return "".join(random.choice(alphabet) for _ in range(_RANDOM_LENGTH))
