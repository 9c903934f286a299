"""Mistakes with Microsoft.Storage."""

import asyncio

from emulator.storage import exceptions
from emulator.storage.models import StorageModel
from tests.emulator.groups import ensure_group
from tests.emulator.unit.providers import OWNING
from tests.emulator.unit.rules.generated_cases import Case
from tests.emulator.unit.rules.planted.mistake import action, refused, wrong
from tests.emulator.unit.rules.stage import Stage
from tests.emulator.unit.rules.targets import LocalTarget

ACCOUNT = "storage account"
RULES = "properties.networkAcls"
SIGNED = {
    "signedServices": "b",
    "signedResourceTypes": "o",
    "signedPermission": "r",
    "signedExpiry": "2027-01-01T00:00:00Z",
}


def _azure(stage: Stage) -> LocalTarget:
    assert isinstance(stage.target, LocalTarget)
    return stage.target


def _make_in_another_group(stage: Stage) -> None:
    stage.make(ACCOUNT)
    arm = _azure(stage).azure.arm
    ensure_group(arm, stage.target.subscription.rsplit("/", 1)[-1], "elsewhere", "eastus")
    identifier = stage.id(ACCOUNT).replace("/resourceGroups/group/", "/resourceGroups/elsewhere/")
    body = stage.fill(stage.examples[ACCOUNT].body)
    asyncio.run(arm.put_resource(OWNING, identifier, "2024-01-01", body))


def _make_with_a_stranger_s_name(stage: Stage) -> None:
    stage.make_needs(ACCOUNT)
    arm = _azure(stage).azure.arm
    stranger = stage.id(ACCOUNT).replace(stage.target.subscription, "/subscriptions/stranger")
    arm.documents.put(
        {"id": stranger, "name": "stranger", "type": "Microsoft.Storage/storageAccounts", "properties": {}}
    )
    arm.platform.model(StorageModel).claim(stranger.rsplit("/", 1)[-1], stranger)
    body = stage.fill(stage.examples[ACCOUNT].body)
    asyncio.run(arm.put_resource(OWNING, stage.id(ACCOUNT), "2024-01-01", body))


def _write_twice_at_once(stage: Stage) -> None:
    stage.make_needs(ACCOUNT)
    body = stage.fill(stage.examples[ACCOUNT].body)
    for _ in range(2):
        asyncio.run(_azure(stage).azure.arm.put_resource(OWNING, stage.id(ACCOUNT), "2024-01-01", body))


def _ask_for_keys_too_early(stage: Stage) -> None:
    stage.make_needs(ACCOUNT)
    body, arm = stage.fill(stage.examples[ACCOUNT].body), _azure(stage).azure.arm
    asyncio.run(arm.put_resource(OWNING, stage.id(ACCOUNT), "2024-01-01", body))
    asyncio.run(arm.action(OWNING, stage.id(ACCOUNT), "2024-01-01", "listKeys", {}))


CASES: tuple[Case, ...] = (
    refused(ACCOUNT, "the name of an account in another group", exceptions.IN_ANOTHER_GROUP, _make_in_another_group),
    refused(ACCOUNT, "the name of a stranger's account", exceptions.ALREADY_TAKEN, _make_with_a_stranger_s_name),
    refused(ACCOUNT, "two writes at once", exceptions.OPERATION_IN_PROGRESS, _write_twice_at_once),
    refused(ACCOUNT, "keys before it is made", exceptions.NOT_PROVISIONED, _ask_for_keys_too_early),
    wrong(
        ACCOUNT,
        "a subnet without an endpoint",
        exceptions.NO_SERVICE_ENDPOINT,
        {f"{RULES}.virtualNetworkRules[0].id": "{id:endpoints' network}/subnets/plain"},
    ),
    wrong(
        ACCOUNT,
        "a missing subnet",
        exceptions.NO_SERVICE_ENDPOINT,
        {f"{RULES}.virtualNetworkRules[0].id": "{id:endpoints' network}/subnets/missing"},
    ),
    action(ACCOUNT, "a new third key", exceptions.INVALID_VALUES, "regenerateKey", {"keyName": "key3"}),
    action(ACCOUNT, "a SAS for nothing", exceptions.INVALID_VALUES, "listAccountSas", SIGNED | {"signedServices": "x"}),
    action(ACCOUNT, "a SAS for another account", exceptions.INVALID_VALUES, "listServiceSas", SIGNED),
)
