"""The infra id of a cluster, which all its resources in Azure have in their names.

Source: ARO-RP `pkg/cluster/ensureinfraid.go`; openshift/installer `pkg/asset/installconfig/clusterid.go`.
"""

import re
from random import Random

# No vowels, so that no words appear by chance; no look-alikes (0/o, 1/l), because people read it aloud.
ALPHABET = "bcdfghjklmnpqrstvwxz2456789"
LONGEST_INFRA_ID = 27
_RANDOM_LENGTH = 5
_NAME_LENGTH = LONGEST_INFRA_ID - _RANDOM_LENGTH - 1
_WHOLE = re.compile(r"[a-z0-9]([a-z0-9-]*[a-z0-9])?")


def infra_id(cluster_name: str, random: Random) -> str:
    """Return `<name>-<5 random>`, at most 27 characters."""
    name = re.sub(r"[^a-z0-9-]", "-", cluster_name.lower())
    name = re.sub(r"-+", "-", name)[:_NAME_LENGTH].rstrip("-")
    return f"{name}-{''.join(random.choice(ALPHABET) for _ in range(_RANDOM_LENGTH))}"


def is_infra_id(text: str) -> bool:
    """Tell whether names of resources can begin with it."""
    return len(text) <= LONGEST_INFRA_ID and bool(_WHOLE.fullmatch(text))
