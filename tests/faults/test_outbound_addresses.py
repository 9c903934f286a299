"""The worker dies at each change of the row that changes a cluster's outbound addresses; the update still ends well."""

from dataclasses import replace
from functools import partial
from uuid import uuid4

import pytest

from shared.json_object import Json
from tests.faults.scenarios import KILLS
from tests.faults.troubles import WORKER, kill
from tests.local_azure import LocalAzure, wait_for
from tests.product.integration.service.outbound import Outbound
from tests.product.integration.service.stage import Cluster, fault

pytestmark = [pytest.mark.slow(60), pytest.mark.family(KILLS)]

STEP = "reconcile_load_balancer_profile"
# How long a call is kept at most, if nobody lets it go. The product's own time-out is a little longer.
HELD_SECONDS = 50
ADDRESS, BALANCER = "Microsoft.Network/publicIPAddresses", "Microsoft.Network/loadBalancers"
CHANGE: Json = {"service": "arm", "operation": f"PUT {BALANCER}"}
STORE: Json = {"service": "cosmos", "operation": "replace OpenShiftClusters"}
# The number of addresses that is asked for, and the calls at which the worker is killed on the way there. Each comes
# after Azure has got the call before it: of two new addresses, the first one.
WAYS: tuple[tuple[int, tuple[Json, ...]], ...] = (
    (3, ({"service": "arm", "operation": f"PUT {ADDRESS}", "skip": 1}, CHANGE, STORE)),
    (1, (CHANGE, STORE, {"service": "arm", "operation": f"DELETE {ADDRESS}"})),
)


def test_an_update_of_outbound_addresses_goes_on_after_its_worker_was_killed_at_each_call(own_cluster: Cluster) -> None:
    """Azure never gets the call; the next worker continues from what there is, and makes nothing twice."""
    azure, cluster = own_cluster.azure, replace(own_cluster, correlation_id=str(uuid4()))
    outbound = Outbound(cluster)
    service = outbound.of_services()
    for count, calls in WAYS:
        operation_id = ""
        for call in calls:
            wish = call | {"step": STEP, "kind": "hold", "delay_seconds": HELD_SECONDS}
            with fault(azure, correlation_id=cluster.correlation_id, **wish) as held:
                operation_id = operation_id or outbound.patch(count)
                wait_for(partial(_is_spent, azure, held), f"{call['operation']} to be held")
                kill(azure, WORKER)
        cluster.succeed(operation_id)
        outbound.expect(count)
        assert outbound.of_services() == service


def _is_spent(azure: LocalAzure, fault_id: str) -> bool:
    """Tell whether a fault holds its call."""
    return fault_id not in {each["id"] for each in azure.control("GET", "/faults")["value"]}
