"""Mistakes with Microsoft.Web."""

import asyncio

from emulator.core.refusals import origin
from emulator.web import exceptions
from tests.emulator.groups import ensure_group
from tests.emulator.unit.providers import OWNING
from tests.emulator.unit.rules.generated_cases import Case
from tests.emulator.unit.rules.planted.mistake import ABSENT, later, refused, second, wrong
from tests.emulator.unit.rules.stage import Stage
from tests.emulator.unit.rules.targets import LocalTarget

FLEX, CONFIG = "Flex site", "properties.functionAppConfig"
SUBNET, SETTINGS = "properties.virtualNetworkSubnetId", "properties.siteConfig.appSettings"
NETWORK = "{id:sites' network}/subnets"


def _make_in_another_group(stage: Stage) -> None:
    stage.make("site")
    assert isinstance(stage.target, LocalTarget)
    arm = stage.target.azure.arm
    ensure_group(arm, stage.target.subscription.rsplit("/", 1)[-1], "elsewhere", "eastus")
    identifier = stage.id("site").replace("/resourceGroups/group/", "/resourceGroups/elsewhere/")
    asyncio.run(arm.put_resource(OWNING, identifier, "2024-04-01", stage.fill(stage.examples["site"].body)))


CASES: tuple[Case, ...] = (
    wrong("plan", "a SKU that is not here", exceptions.NOT_SUPPORTED, {"sku.name": "P1V3"}),
    wrong("plan", "Windows", exceptions.NOT_SUPPORTED, {"properties.reserved": False}),
    refused("site", "the name of another site", exceptions.NAME_TAKEN, _make_in_another_group),
    second(FLEX, "a second site in its plan", exceptions.PLAN_FULL, {}),
    later("site", "another tier later", exceptions.OTHER_TIER, {"properties.serverFarmId": "{id:Flex plan}"}),
    wrong("site", "another kind", exceptions.NOT_SUPPORTED, {"kind": "app"}),
    wrong(
        "site",
        "what only Flex sites have",
        exceptions.FUNCTIONS_NOT_ON_FLEX,
        {
            CONFIG: {
                "deployment": {
                    "storage": {
                        "type": "blobContainer",
                        "value": "https://account.blob.core.windows.net/packages",
                        "authentication": {"type": "StorageAccountConnectionString"},
                    }
                },
                "runtime": {"name": "python", "version": "3.12"},
                "scaleAndConcurrency": {},
            }
        },
    ),
    wrong(FLEX, "no functionAppConfig", exceptions.FUNCTIONS_MISSING, {CONFIG: ABSENT}),
    wrong(
        FLEX,
        "a language version",
        exceptions.INVALID_ON_FLEX,
        {"properties.siteConfig": {"linuxFxVersion": "Python|3.12"}},
    ),
    wrong(
        "site", "an unknown language", exceptions.INVALID_STACK, {"properties.siteConfig.linuxFxVersion": "Python|2.7"}
    ),
    wrong("site", "a subnet without a delegation", exceptions.MISSING_DELEGATION, {SUBNET: f"{NETWORK}/plain"}),
    wrong(FLEX, "a subnet with an underscore", exceptions.UNDERSCORE_IN_SUBNET, {SUBNET: f"{NETWORK}/with_underscore"}),
    wrong(
        "site",
        "another identity for its references",
        exceptions.IDENTITY_NOT_ASSIGNED,
        {
            "properties.keyVaultReferenceIdentity": "{group}/providers/Microsoft.ManagedIdentity/userAssignedIdentities/x"
        },
    ),
    Case(
        "Flex plan",
        "an api-version before Flex Consumption",
        lambda stage: stage.put("Flex plan", stage.fill(stage.examples["Flex plan"].body), version="2022-03-01"),
        origin(exceptions.FLEX_TOO_NEW),
    ),
)
