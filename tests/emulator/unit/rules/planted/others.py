"""Mistakes with workspaces, components and registries."""

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime

from emulator.containerregistry import exceptions as registries
from emulator.monitoring import exceptions as monitoring
from emulator.monitoring.activity import read_filter
from tests.emulator.groups import ensure_group
from tests.emulator.unit.providers import OWNING
from tests.emulator.unit.rules.generated_cases import Case
from tests.emulator.unit.rules.planted.mistake import ABSENT, action, refused, wrong
from tests.emulator.unit.rules.stage import Stage
from tests.emulator.unit.rules.targets import LocalTarget

SKU = "properties.sku"


def _make_elsewhere(stage: Stage, key: str, version: str) -> None:
    stage.make(key)
    assert isinstance(stage.target, LocalTarget)
    arm = stage.target.azure.arm
    ensure_group(arm, stage.target.subscription.rsplit("/", 1)[-1], "elsewhere", "eastus")
    identifier = stage.id(key).replace("/resourceGroups/group/", "/resourceGroups/elsewhere/")
    asyncio.run(arm.put_resource(OWNING, identifier, version, stage.fill(stage.examples[key].body)))


def _reads(text: str) -> Callable[[Stage], object]:
    return lambda _: read_filter(text, datetime(2026, 1, 3, tzinfo=UTC))


CASES: tuple[Case, ...] = (
    wrong("component", "no workspace", monitoring.NEEDS_WORKSPACE, {"properties.WorkspaceResourceId": ABSENT}),
    refused(
        "registry",
        "the name of another registry",
        registries.ALREADY_IN_USE,
        lambda stage: _make_elsewhere(stage, "registry", "2023-07-01"),
    ),
    wrong(
        "token",
        "a scope map of another registry",
        registries.SCOPE_MAP_NOT_FOUND,
        {"properties.scopeMapId": "{id:other registry}/scopeMaps/_repositories_pull"},
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
)
