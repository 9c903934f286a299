"""Mistakes with the identities of resources, for each type that has them."""

from emulator.arm.provider.exceptions import IDENTITY_NOT_FOUND
from emulator.core.refusals import origin
from emulator.identities import exceptions
from emulator.json_object import Json
from emulator.managed_identity import ManagedIdentityModel
from tests.emulator.unit.rules.generated_cases import Case
from tests.emulator.unit.rules.planted.mistake import ABSENT, second, wrong
from tests.emulator.unit.rules.stage import Stage
from tests.emulator.unit.rules.targets import Answer, LocalTarget

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
            IDENTITY_NOT_FOUND,
            {"identity": USER | {"userAssignedIdentities": {MISSING: {}}}},
        ),
    )


def _with_many(stage: Stage) -> Answer:
    """Make as many credentials as an identity may have, and one more."""
    stage.make_needs("federated credential")
    answers = [stage.put("federated credential", _credential(f"{number}"), name=f"one{number}") for number in range(21)]
    assert [answer.code for answer in answers[:20]] == [""] * 20
    return answers[20]


def _during_another(stage: Stage) -> Answer:
    """Write a credential while another one of the same identity is being written."""
    assert isinstance(stage.target, LocalTarget)
    stage.make_needs("federated credential")
    stage.target.azure.platform.model(ManagedIdentityModel).writing.add(stage.id("identity").lower())
    return stage.put("federated credential", _credential("one"))


def _credential(subject: str) -> Json:
    return {"properties": {"issuer": "https://issuer.example", "subject": subject, "audiences": ["openshift"]}}


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
    *(
        wrong(
            "federated credential",
            f"a credential without its {member}",
            exceptions.INCOMPLETE_CREDENTIAL,
            {f"properties.{member}": ABSENT},
        )
        for member in ("issuer", "subject", "audiences")
    ),
    second("federated credential", "issuer and subject of another credential", exceptions.CREDENTIAL_EXISTS, {}),
    Case(
        "federated credential",
        "the 21st credential of an identity",
        _with_many,
        origin(exceptions.TOO_MANY_CREDENTIALS),
        alone=True,
    ),
    Case(
        "federated credential",
        "a write while the identity's credentials are being written",
        _during_another,
        origin(exceptions.CONCURRENT_CREDENTIALS),
        alone=True,
    ),
    wrong("site", "an identity of its own", exceptions.KIND_NOT_SUPPORTED, {"identity": SYSTEM}),
)
