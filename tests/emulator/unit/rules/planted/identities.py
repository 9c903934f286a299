"""Mistakes with the identities of resources, for each type that has them."""

from emulator.identities import exceptions
from tests.emulator.unit.rules.generated_cases import Case
from tests.emulator.unit.rules.planted.mistake import wrong

# Examples of the types whose resources have identities.
OF_BOTH_KINDS = ("machine", "disk encryption set", "storage account", "registry", "workspace", "database account")
KEYS = (*OF_BOTH_KINDS, "site")
MISSING = "{group}/providers/Microsoft.ManagedIdentity/userAssignedIdentities/missing"
USER, SYSTEM = {"type": "UserAssigned"}, {"type": "SystemAssigned"}


def _of(key: str) -> tuple[Case, ...]:
    return (
        wrong(key, "no identity", exceptions.NO_IDENTITIES, {"identity": USER | {"userAssignedIdentities": {}}}),
        wrong(
            key,
            "the id of something else as an identity",
            exceptions.NOT_AN_IDENTITY,
            {"identity": USER | {"userAssignedIdentities": {"{group}/providers/Microsoft.Compute/disks/one": {}}}},
        ),
        wrong(
            key,
            "a missing identity",
            exceptions.IDENTITY_NOT_FOUND,
            {"identity": USER | {"userAssignedIdentities": {MISSING: {}}}},
        ),
    )


CASES: tuple[Case, ...] = (
    *(case for key in KEYS for case in _of(key)),
    *(
        wrong(
            key,
            "user-assigned identities that its type leaves out",
            exceptions.IDENTITIES_NOT_EXPECTED,
            {"identity": SYSTEM | {"userAssignedIdentities": {}}},
        )
        for key in OF_BOTH_KINDS
    ),
    wrong("site", "an identity of its own", exceptions.KIND_NOT_SUPPORTED, {"identity": SYSTEM}),
)
