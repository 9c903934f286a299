"""Mistakes with Microsoft.DocumentDB."""

import asyncio
from typing import Any

from emulator.documentdb import exceptions
from tests.emulator.groups import ensure_group
from tests.emulator.unit.providers import OWNING
from tests.emulator.unit.rules.generated_cases import Case
from tests.emulator.unit.rules.planted.mistake import refused, wrong
from tests.emulator.unit.rules.stage import Stage
from tests.emulator.unit.rules.targets import LocalTarget

ACCOUNT, VERSION = "database account", "2024-11-15"
ROLE = "{id:database account}/sqlRoleDefinitions/00000000-0000-0000-0000-00000000000"


def _arm(stage: Stage) -> Any:
    assert isinstance(stage.target, LocalTarget)
    return stage.target.azure.arm


def _make_in_another_group(stage: Stage) -> None:
    stage.make(ACCOUNT)
    ensure_group(_arm(stage), stage.target.subscription.rsplit("/", 1)[-1], "elsewhere", "eastus")
    identifier = stage.id(ACCOUNT).replace("/resourceGroups/group/", "/resourceGroups/elsewhere/")
    asyncio.run(_arm(stage).put_resource(OWNING, identifier, VERSION, stage.fill(stage.examples[ACCOUNT].body)))


CASES: tuple[Case, ...] = (
    refused(ACCOUNT, "the name of another account", exceptions.NAME_TAKEN, _make_in_another_group),
    wrong(
        ACCOUNT,
        "a capability that is not here",
        exceptions.NOT_SUPPORTED,
        {"properties.capabilities": [{"name": "EnableGremlin"}]},
    ),
    wrong(ACCOUNT, "another kind", exceptions.NOT_SUPPORTED, {"kind": "MongoDB"}),
    wrong("serverless database", "throughput", exceptions.NO_THROUGHPUT, {"properties.options": {"throughput": 400}}),
    wrong("database role", "an unknown role", exceptions.UNKNOWN_ROLE, {"properties.roleDefinitionId": f"{ROLE}9"}),
    wrong("database role", "a scope outside the account", exceptions.WRONG_SCOPE, {"properties.scope": "{group}"}),
    wrong(
        "database role",
        "a scope inside the account",
        exceptions.NOT_SUPPORTED,
        {"properties.scope": "{id:database account}/dbs/one"},
    ),
    wrong(
        "database role",
        "an unknown principal",
        exceptions.UNKNOWN_PRINCIPAL,
        {"properties.principalId": "00000000-0000-4000-8000-000000000009"},
    ),
)
