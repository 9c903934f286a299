"""The VM sizes that masters and workers may have, as a table of families and numbers of vCPUs.

Source: ARO-RP `pkg/api/vms`. Upstream misspells `Standard_D16lds_v6`; the table here has Azure's spelling.
"""

import difflib
import re

# Sizes of these families need this version of OpenShift.
NEWER_SIZES_SINCE = "4.19.0"
_NEWER_FAMILIES = re.compile(r"Standard_(D\d+(s|ds|ls|lds)_v6|L\d+s_v4)")

_ALL_V6 = (4, 8, 16, 32, 48, 64, 96)
_E_LARGE = (8, 16, 20, 32, 48, 64, 96)
_E_ISOLATED = (
    "Standard_E64is_v3",
    "Standard_E80is_v4",
    "Standard_E80ids_v4",
    "Standard_E104is_v5",
    "Standard_E104ids_v5",
    "Standard_M128ms",
)

# Pattern: numbers of vCPUs for masters, and further ones only for workers.
_FAMILIES: dict[str, tuple[tuple[int, ...], tuple[int, ...]]] = {
    "Standard_D{}s_v3": ((8, 16, 32), (4,)),
    "Standard_D{}s_v4": ((8, 16, 32), (4, 64)),
    "Standard_D{}s_v5": ((8, 16, 32), (4, 64, 96)),
    "Standard_D{}as_v4": ((8, 16, 32), (4, 64, 96)),
    "Standard_D{}as_v5": ((8, 16, 32), (4, 64, 96)),
    "Standard_D{}ds_v5": ((8, 16, 32), (4, 48, 64, 96)),
    "Standard_D{}s_v6": (_ALL_V6, ()),
    "Standard_D{}ds_v6": (_ALL_V6, ()),
    "Standard_D{}ls_v6": ((), _ALL_V6),
    "Standard_D{}lds_v6": ((), _ALL_V6),
    "Standard_E{}s_v3": ((8, 16, 32), (4,)),
    "Standard_E{}s_v4": ((8, 16, 20, 32, 48, 64), (2, 4)),
    "Standard_E{}s_v5": (_E_LARGE, (2, 4)),
    "Standard_E{}as_v4": ((4, *_E_LARGE), ()),
    "Standard_E{}as_v5": (_E_LARGE, ()),
    "Standard_E{}ds_v5": ((), (96,)),
    "Standard_F{}s_v2": ((72,), (4, 8, 16, 32)),
    "Standard_L{}s": ((), (4, 8, 16, 32)),
    "Standard_L{}s_v2": ((), (8, 16, 32, 48, 64)),
    "Standard_L{}s_v3": ((), (8, 16, 32, 48, 64)),
    "Standard_L{}s_v4": ((), (4, 8, 16, 32, 48, 64, 80)),
    "Standard_NC{}as_T4_v3": ((), (4, 8, 16, 64)),
    "Standard_NC{}s_v3": ((), (6, 12, 24)),
    "Standard_NC{}rs_v3": ((), (24,)),
}

MASTER_SIZES = frozenset(
    [family.format(count) for family, (masters, _) in _FAMILIES.items() for count in masters] + list(_E_ISOLATED)
)
WORKER_SIZES = MASTER_SIZES | {family.format(count) for family, (_, workers) in _FAMILIES.items() for count in workers}


def close_matches(size: str, allowed: frozenset[str]) -> list[str]:
    """Return up to three allowed sizes that resemble a wrong one; if one differs only in case, return only that."""
    by_lower = {name.lower(): name for name in sorted(allowed)}
    if size.lower() in by_lower:
        return [by_lower[size.lower()]]
    # Longer texts are not typing errors, and comparing them takes time.
    matches = difflib.get_close_matches(size.lower()[:40], by_lower, n=3, cutoff=0.75)
    return [by_lower[match] for match in matches]


def allowed_for_version(size: str, version: str) -> bool:
    """Tell whether a cluster of this version may have the size. Other code judges a version that does not parse."""
    if not _NEWER_FAMILIES.fullmatch(size):
        return True
    try:
        return version_key(version) >= version_key(NEWER_SIZES_SINCE)
    except ValueError:
        return True


def version_key(version: str) -> tuple[int, ...]:
    """Return the sort key of a version.

    Raises:
        ValueError: if the text does not begin with x.y.z.
    """
    return tuple(int(part) for part in re.split(r"[-+]", version, maxsplit=1)[0].split("."))
