"""An attempt that wakes up late, after the fence has moved, changes nothing."""

import random
from contextlib import ExitStack
from functools import partial

import pytest

from shared.json_object import Json
from tests.local_azure import LocalAzure, unique, wait_for
from tests.product.integration.service.stage import held, hold, met, prepare

pytestmark = pytest.mark.slow

# What steps read just before they change something; the faults hold these calls.
ASLEEP = {
    "at the beginning": {
        "ensure_acr_token": "GET Microsoft.ContainerRegistry/registries/tokens",
        "create_dns": "GET Microsoft.Network/dnsZones/A",
        "ensure_resource_group": "GET Microsoft.Resources/subscriptions/resourceGroups",
    },
    "before the deployment": {"deploy_storage_template": "GET Microsoft.Resources/deployments"},
    "after the deployment": {"attach_nsgs": "GET Microsoft.Network/virtualNetworks/subnets"},
}
CHANGES = ("PUT", "POST", "PATCH", "DELETE")
# Cosmos DB also uses POST for queries. A step that gave up says so in its own progress item, which nothing else writes.
COSMOS_CHANGES = ("create", "replace", "upsert", "delete", "patch")
OWN_ITEM = "upsert OperationProgress"


@pytest.mark.parametrize("asleep", ASLEEP.values(), ids=ASLEEP)
def test_an_old_attempt_that_wakes_up_late_changes_nothing(
    own_azure: LocalAzure, rng: random.Random, asleep: dict[str, str]
) -> None:
    """It sleeps between its check and its call while the cluster is deleted; then it begins no call, writes nothing."""
    (cluster,) = prepare(own_azure, unique(rng))
    with ExitStack() as stack:
        faults = [
            stack.enter_context(hold(own_azure, service="arm", step=step, operation=name))
            for step, name in asleep.items()
        ]
        create = cluster.create()
        for each in faults:
            wait_for(partial(held, own_azure, each), "all to fall asleep")
        document_id = cluster.document_id()
        delete = cluster.delete()
        moved = own_azure.control("GET", "/clock")["now"]
        assert [met(own_azure, each) for each in faults] == [0] * len(faults), "they sleep no more"
    for each in faults:
        wait_for(partial(met, own_azure, each), "a step to wake up")
    cluster.succeed(delete)
    for step in asleep:
        wait_for(partial(_gave_up, own_azure, create, step), f"{step} to give up")
    # Other steps can be on their way between check and call when the fence moves; that one call is theirs.
    late = [call for call in cluster.calls(create) if call["time"] > moved and call["step"] in asleep]
    assert [call for call in late if _is_change(call)] == []
    cluster.expect_nothing_left(document_id)


def _gave_up(azure: LocalAzure, operation_id: str, step: str) -> bool:
    return f"activity {step} run: fenced" in azure.command("logs", operation_id)


def _is_change(call: Json) -> bool:
    if call["service"] == "cosmos":
        return str(call["operation"]).startswith(COSMOS_CHANGES) and call["operation"] != OWN_ITEM
    return call["method"] in CHANGES
