"""Whatever goes wrong, an operation ends as it should, and nothing is doubled or left over."""

import os
from collections.abc import Callable
from concurrent.futures import Future
from zlib import crc32

import pytest

from tests.conftest import SEED
from tests.faults.families import every, is_lonely
from tests.faults.plugin import SCALE
from tests.faults.runner import Result, SpareClusters, run
from tests.faults.scenarios import CALLS, KILLS, OUTAGES, RACES, RIGHTS, TWICE, Scenario
from tests.faults.services import TEN_MINUTES
from tests.faults.troubles import AT_EACH_STEP, CANCEL, SAME

pytestmark = pytest.mark.slow(100)

# What `make test` runs: always the same ones, a few minutes on two cores.
SHORT = (
    Scenario(CALLS.name, "create", "Cosmos DB", "lost answers", "deploy_network_template", call=2),
    Scenario(OUTAGES.name, "create", "the cluster's API", "cut in the headers", "console_ready", TEN_MINUTES),
    Scenario(RIGHTS.name, "create", "Network Contributor of the cluster on vnet", "whole", ending="Explained"),
    Scenario(
        RIGHTS.name,
        "create",
        "OpenShift provider: cluster",
        "less Microsoft.Network/loadBalancers/write",
        ending="Explained",
    ),
    Scenario(TWICE.name, "create", "20 rows", "draw 1", "ensure_acr_token"),
    Scenario(RACES.name, "create", "DELETE", at="deploy_storage_template", ending="Canceled"),
    Scenario(OUTAGES.name, "delete", "Azure Resource Manager", "503", "delete_resource_group", TEN_MINUTES),
    Scenario(RACES.name, "renew", SAME),
    Scenario(RACES.name, "revoke_credentials", CANCEL, AT_EACH_STEP),
    Scenario(KILLS.name, "create", "the host", "once", "deploy_machines_template"),
    Scenario(KILLS.name, "create", "the worker", "every three seconds", 0.0, 20.0),
)
Tell = Callable[[Result], None]
# There is a scenario for each action of the service's roles.
RIGHTS_GROUPS = 3


def _parameters(*, lonely: bool) -> list[object]:
    """Return the scenarios of the short selection, which never change, and those that the seed draws."""
    drawn = [scenario for scenario in every(os.environ[SEED]) if scenario not in SHORT]
    return [_parameter(scenario) for scenario in [*SHORT, *drawn] if is_lonely(scenario) == lonely]


def _own_group(scenario: Scenario) -> str:
    """Return the group of a scenario that needs a platform of its own; each group is one worker's."""
    if scenario.family == RIGHTS.name:
        return f"faults-rights-{crc32(str(scenario).encode()) % RIGHTS_GROUPS}"
    return "faults-kills" if scenario.family == KILLS.name else "faults-outages"


def _parameter(scenario: Scenario) -> object:
    group = _own_group(scenario) if is_lonely(scenario) else "faults-shared"
    marks = [pytest.mark.xdist_group(group), pytest.mark.thorough]
    if scenario in SHORT:
        # Two of these are lonely, so each may have a platform of its own.
        marks = [] if is_lonely(scenario) else marks[:1]
    return pytest.param(scenario, id=f"{scenario.family}: {scenario}", marks=marks)


@pytest.mark.parametrize("scenario", _parameters(lonely=False))
def test_an_operation_ends_well(scenario: Scenario, results: dict[Scenario, Future[Result]], tell: Tell) -> None:
    """Trouble for one cluster causes no failure, nothing doubled and no leftovers."""
    tell(results[scenario].result())


@pytest.mark.parametrize("scenario", _parameters(lonely=True))
def test_an_operation_ends_well_although_all_of_the_service_is_hit(
    scenario: Scenario, lonely_clusters: SpareClusters, tell: Tell
) -> None:
    """The same holds if the trouble affects the whole service: its processes, rights and storage."""
    tell(run(scenario, lonely_clusters, SCALE))
