"""Mistakes with Microsoft.KeyVault."""

import asyncio

from emulator.vaults import exceptions
from emulator.vaults.deleted_vaults import DeletedVaults
from tests.emulator.groups import ensure_group
from tests.emulator.unit.providers import OWNING
from tests.emulator.unit.rules.generated_cases import Case
from tests.emulator.unit.rules.planted.mistake import later, refused, wrong
from tests.emulator.unit.rules.stage import Stage
from tests.emulator.unit.rules.targets import LocalTarget

VAULT, VERSION = "vault", "2023-07-01"


def _local(stage: Stage) -> LocalTarget:
    assert isinstance(stage.target, LocalTarget)
    return stage.target


def _make_in_another_group(stage: Stage) -> None:
    stage.make(VAULT)
    arm = _local(stage).azure.arm
    ensure_group(arm, stage.target.subscription.rsplit("/", 1)[-1], "elsewhere", "eastus")
    identifier = stage.id(VAULT).replace("/resourceGroups/group/", "/resourceGroups/elsewhere/")
    asyncio.run(arm.put_resource(OWNING, identifier, VERSION, stage.fill(stage.examples[VAULT].body)))


def _make_again(stage: Stage) -> None:
    stage.make(VAULT)
    stage.delete(VAULT)
    body = stage.fill(stage.examples[VAULT].body)
    asyncio.run(_local(stage).azure.arm.put_resource(OWNING, stage.id(VAULT), VERSION, body))


def _purge(stage: Stage) -> None:
    stage.make(VAULT)
    stage.delete(VAULT)
    _local(stage).azure.platform.model(DeletedVaults).purge_by_hand(stage.id(VAULT).rsplit("/", 1)[-1])


CASES: tuple[Case, ...] = (
    refused(VAULT, "the name of another group's vault", exceptions.ALREADY_EXISTS, _make_in_another_group),
    refused(VAULT, "the name of a deleted vault", exceptions.IN_DELETED_STATE, _make_again),
    refused(VAULT, "the purge of a vault with purge protection", exceptions.PURGE_NOT_ALLOWED, _purge),
    refused(
        VAULT,
        "the purge of a vault that was not deleted",
        exceptions.DELETED_NOT_FOUND,
        lambda stage: _local(stage).azure.platform.model(DeletedVaults).purge_by_hand("none"),
    ),
    wrong(VAULT, "an access policy", exceptions.NOT_EMULATED, {"properties.accessPolicies": [{}]}),
    wrong(VAULT, "no roles", exceptions.NOT_EMULATED, {"properties.enableRbacAuthorization": False}),
    later(VAULT, "another retention later", exceptions.RETENTION_SET, {"properties.softDeleteRetentionInDays": 8}),
)
