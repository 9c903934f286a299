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
        origin(monitoring.deleted_elsewhere),
        alone=True,
    ),
    wrong("workspace", "a legacy SKU", monitoring.sku_not_offered, {SKU: {"name": "Free"}}),
    wrong("workspace", "a reservation without its SKU", monitoring.capacity_level, {f"{SKU}.name": "PerGB2018"}),
    wrong(
        "workspace", "a SKU without its reservation", monitoring.capacity_level, {SKU: {"name": "CapacityReservation"}}
    ),
    wrong("component", "no workspace", monitoring.needs_workspace, {"properties.WorkspaceResourceId": ABSENT}),
    refused(
        "registry",
        "the name of another registry",
        registries.already_in_use,
        lambda stage: _make_elsewhere(stage, "registry", "2023-07-01"),
    ),
    wrong("registry", "the retired SKU", registries.classic_retired, {"sku.name": "Classic"}),
    wrong(
        "registry",
        "no public access with a small SKU",
        registries.needs_premium,
        {"sku.name": "Basic", "properties.publicNetworkAccess": "Disabled"},
    ),
    wrong(
        "token",
        "a scope map of another registry",
        registries.scope_map_not_found,
        {"properties.scopeMapId": "{id:other scope map}"},
    ),
    Case(
        "scope map",
        "the change of the registry's own",
        _change_a_system_scope_map,
        origin(registries.system_scope_map),
    ),
    Case(
        "scope map",
        "the deletion of the registry's own",
        _delete_a_system_scope_map,
        origin(registries.system_scope_map),
    ),
    action(
        "registry",
        "credentials of a missing token",
        registries.token_not_found,
        "generateCredentials",
        {"tokenId": "{group}/providers/Microsoft.ContainerRegistry/registries/one/tokens/missing"},
    ),
    action(
        "registry", "credentials of no token", registries.invalid_parameter, "generateCredentials", {"tokenId": "one"}
    ),
    refused("workspace", "a log without a beginning", monitoring.no_start, _reads("status eq 'Failed'")),
    refused("workspace", "a log by another member", monitoring.bad_filter, _reads("size eq 'one'")),
    refused(
        "workspace", "a log of last year", monitoring.too_early, _reads("eventTimestamp ge '2025-01-01T00:00:00Z'")
    ),
    refused(
        "workspace",
        "a log that ends before it begins",
        monitoring.ends_before_start,
        _reads("eventTimestamp ge '2026-01-02T00:00:00Z' and eventTimestamp le '2026-01-01T00:00:00Z'"),
    ),
)
