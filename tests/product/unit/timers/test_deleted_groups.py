"""Clusters whose resource group was deleted in Azure are reported."""

import asyncio
import logging
from typing import Any

import pytest

from shared import settings
from shared.arm.errors import CloudError
from shared.azure import dependencies
from shared.azure.arm_reads import ArmRefused
from tests.product.unit.product_world import CLUSTER_ID, CUSTOMER, OWN, World
from timers import deleted_groups


class Arm:
    """What ARM says about resource groups."""

    def __init__(self) -> None:
        self.answer: Any = None
        self.asked: list[str] = []

    def get(self, path: str, _api_version: str) -> Any:
        self.asked.append(path)
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


@pytest.fixture
def arm(accepted: World, monkeypatch: pytest.MonkeyPatch) -> Arm:
    """Give one's own subscription a cluster, in a group that ARM does not find."""
    for name, value in OWN.items():
        monkeypatch.setenv(name, value)
    settings.load.cache_clear()
    accepted.properties["provisioningState"] = "Succeeded"
    found = Arm()
    monkeypatch.setattr(deleted_groups, "arm_reads", lambda: found)
    return found


def reported(caplog: pytest.LogCaptureFixture, level: int = logging.ERROR) -> list[str]:
    """Run the timer once, and return what it says."""
    caplog.clear()
    asyncio.run(deleted_groups.report(None))
    return [record.getMessage() for record in caplog.records if record.levelno == level]


def test_a_cluster_whose_group_is_gone_is_reported(arm: Arm, caplog: pytest.LogCaptureFixture) -> None:
    """With what to do about it."""
    assert reported(caplog) == [
        (
            f"the resource group of cluster {CLUSTER_ID.lower()} was deleted in Azure, and the cluster still runs: "
            "delete the cluster through this service, or create the group again"
        )
    ]
    assert arm.asked == [f"/subscriptions/{CUSTOMER}/resourceGroups/customer"]


def test_a_cluster_whose_group_exists_is_not(arm: Arm, caplog: pytest.LogCaptureFixture) -> None:
    """Each group is asked for once."""
    arm.answer = {"name": "customer"}
    assert reported(caplog) == []
    assert len(arm.asked) == 1


def test_a_cluster_that_is_being_deleted_is_not(arm: Arm, accepted: World, caplog: pytest.LogCaptureFixture) -> None:
    """Somebody has seen to it."""
    accepted.properties["provisioningState"] = "Deleting"
    assert reported(caplog) == []
    assert arm.asked == []


def test_what_arm_does_not_show_may_exist(arm: Arm, caplog: pytest.LogCaptureFixture) -> None:
    """An alarm that is wrong would be a reason to delete the cluster."""
    arm.answer = ArmRefused("no role")
    assert reported(caplog) == []
    assert len(reported(caplog, logging.WARNING)) == 1


def test_while_arm_is_away_the_run_ends(arm: Arm, caplog: pytest.LogCaptureFixture) -> None:
    """The next run asks again."""
    arm.answer = dependencies.away(dependencies.ARM)
    with pytest.raises(CloudError):
        reported(caplog)


def test_arm_looks_after_its_own(accepted: World, caplog: pytest.LogCaptureFixture) -> None:
    """Where clusters are resources of ARM, nothing is asked."""
    assert accepted.cluster
    assert reported(caplog) == []
