"""Mistakes with workspaces, components and registries."""

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime

from emulator.arm.seeding import ensure_group
from emulator.containerregistry import exceptions as registries
from emulator.core.refusals import origin
from emulator.monitoring import exceptions as monitoring
from emulator.monitoring.activity import read_filter
from tests.emulator.unit.providers import OWNING
from tests.emulator.unit.rules.generated import Case
from tests.emulator.unit.rules.planted.making import ABSENT, action, refused, wrong
from tests.emulator.unit.rules.stage import Stage
from tests.emulator.unit.rules.targets import Answer, LocalTarget

SKU = "properties.sku"


def _make_elsewhere(stage: Stage, key: str, version: str) -> None:
    stage.make(key)
    assert isinstance(stage.target, LocalTarget)
    arm = stage.target.azure.arm
    ensure_group(arm, stage.target.subscription.rsplit("/", 1)[-1], "elsewhere", "eastus")
    identifier = stage.id(key).replace("/resourceGroups/group/", "/resourceGroups/elsewhere/")
    asyncio.run(arm.put_resource(OWNING, identifier, version, stage.fill(stage.examples[key].body)))


def _recover_elsewhere(stage: Stage) -> Answer:
    stage.make("workspace")
    stage.delete("workspace")
    return stage.put("workspace", stage.fill(stage.examples["workspace"].body) | {"location": "westeurope"})


def _change_a_system_scope_map(stage: Stage) -> Answer:
    stage.make("registry")
    return stage.put("scope map", stage.examples["scope map"].body, name="_repositories_pull")


def _delete_a_system_scope_map(stage: Stage) -> Answer:
    stage.make("registry")
    identifier = f"{stage.id('registry')}/scopeMaps/_repositories_pull"
    return stage.target.delete(identifier, stage.examples["scope map"].api_version)


def _reads(text: str) -> Callable[[Stage], object]:
    return lambda _: read_filter(text, datetime(2026, 1, 3, tzinfo=UTC))


CASES: tuple[Case, ...] = (
    Case(
        "workspace",
        "another region after its deletion",
        _recover_elsewhere,
        origin(monitoring.DELETED_ELSEWHERE),
        alone=True,
    ),
    wrong("workspace", "a legacy SKU", monitoring.SKU_NOT_OFFERED, {SKU: {"name": "Free"}}),
    wrong("workspace", "a reservation without its SKU", monitoring.CAPACITY_LEVEL, {f"{SKU}.name": "PerGB2018"}),
    wrong(
        "workspace", "a SKU without its reservation", monitoring.CAPACITY_LEVEL, {SKU: {"name": "CapacityReservation"}}
    ),
    wrong("component", "no workspace", monitoring.NEEDS_WORKSPACE, {"properties.WorkspaceResourceId": ABSENT}),
    refused(
        "registry",
        "the name of another registry",
        registries.already_in_use,
        lambda stage: _make_elsewhere(stage, "registry", "2023-07-01"),
    ),
    wrong("registry", "the retired SKU", registries.CLASSIC_RETIRED, {"sku.name": "Classic"}),
    wrong(
        "registry",
        "no public access with a small SKU",
        registries.NEEDS_PREMIUM,
        {"sku.name": "Basic", "properties.publicNetworkAccess": "Disabled"},
    ),
    wrong(
        "token",
        "a scope map of another registry",
        registries.SCOPE_MAP_NOT_FOUND,
        {"properties.scopeMapId": "{id:other scope map}"},
    ),
    Case(
        "scope map",
        "the change of the registry's own",
        _change_a_system_scope_map,
        origin(registries.SYSTEM_SCOPE_MAP),
    ),
    Case(
        "scope map",
        "the deletion of the registry's own",
        _delete_a_system_scope_map,
        origin(registries.SYSTEM_SCOPE_MAP),
    ),
    action(
        "registry",
        "credentials of a missing token",
        registries.TOKEN_NOT_FOUND,
        "generateCredentials",
        {"tokenId": "{group}/providers/Microsoft.ContainerRegistry/registries/one/tokens/missing"},
    ),
    action(
        "registry", "credentials of no token", registries.INVALID_PARAMETER, "generateCredentials", {"tokenId": "one"}
    ),
    refused("workspace", "a log without a beginning", monitoring.NO_START, _reads("status eq 'Failed'")),
    refused("workspace", "a log by another member", monitoring.BAD_FILTER, _reads("size eq 'one'")),
    refused(
        "workspace", "a log of last year", monitoring.TOO_EARLY, _reads("eventTimestamp ge '2025-01-01T00:00:00Z'")
    ),
    refused(
        "workspace",
        "a log that ends before it begins",
        monitoring.ENDS_BEFORE_START,
        _reads("eventTimestamp ge '2026-01-02T00:00:00Z' and eventTimestamp le '2026-01-01T00:00:00Z'"),
    ),
)
