"""The table of services names existing steps, and only ways of being away that faults support."""

import pytest

from emulator.core.faults import Fault
from emulator.run.provider.versions import VERSIONS
from orchestrators import plans
from shared.json_object import Json
from shared.release import release_rules
from shared.settings import parse
from tests.faults.services import SERVICES, WAYS, Service, steps_of
from tests.product.unit.product_world import ENVIRONMENT, cluster_document


@pytest.mark.parametrize("service", SERVICES.values(), ids=list(SERVICES))
def test_a_service_names_steps_of_the_plans(service: Service) -> None:
    """A fault of a renamed step would never be met."""
    for operation, steps in service.steps.items():
        assert set(steps) <= set(steps_of(operation))


def test_a_create_has_the_steps_of_a_cluster_of_the_first_up() -> None:
    """A row that is missing here would never be met: no outage, no kill, no second delivery."""
    document = cluster_document()
    default = next(each for each in VERSIONS if each.get("default"))
    document["openShiftCluster"]["properties"]["installer"] = release_rules.back_end(str(default["version"]))[0]
    plan = plans.resolve("create", document, parse(ENVIRONMENT))
    assert steps_of("create") == tuple(row["name"] for row in plan["rows"])


@pytest.mark.parametrize("way", WAYS.values(), ids=list(WAYS))
def test_a_way_is_a_fault(way: Json) -> None:
    """The local Azure would refuse any other."""
    assert Fault(**way, seconds=1).seconds == 1
