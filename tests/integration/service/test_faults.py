"""Azure has bad moments: a create that meets them takes longer, and makes everything once."""

import random
from contextlib import ExitStack
from typing import Any

import pytest

from tests.integration.local_azure import LocalAzure, unique
from tests.integration.service.stage import fault, met, prepare

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("service-hub")]

# For each step of the create, the calls that it cannot do without.
CALLS = (
    ("entra", "POST token"),
    ("arm", "GET Microsoft.Authorization/permissions"),
    ("cosmos", "replace OpenShiftClusters"),
    ("cosmos", "query OpenShiftClusters"),
    ("keyvault", "PUT secrets.*"),
    ("arm", "PUT Microsoft.ContainerRegistry/registries/tokens"),
    ("arm", "POST Microsoft.ContainerRegistry/registries/generateCredentials"),
    ("arm", "PUT Microsoft.Network/dnsZones/A"),
    ("arm", "PUT Microsoft.Resources/subscriptions/resourceGroups"),
    ("arm", "PUT Microsoft.Resources/deployments"),
    ("arm", "GET Microsoft.Resources/deployments"),
    ("arm", "POST Microsoft.Storage/storageAccounts/listAccountSas"),
    ("blobs", "get container properties .*"),
    ("arm", "PUT Microsoft.Network/virtualNetworks/subnets"),
    ("cosmos", "create Billing"),
    ("arm", "GET Microsoft.Compute/skus"),
    ("arm", "GET Microsoft.Network/privateDnsZones/aLL"),
    ("arm", "PUT Microsoft.Network/privateEndpoints"),
    ("arm", "GET Microsoft.Network/privateEndpoints"),
    ("arm", "GET Microsoft.Network/publicIPAddresses"),
    ("kubernetes", "GET configmaps"),
    ("arm", "DELETE Microsoft.Compute/virtualMachines"),
    ("arm", "DELETE Microsoft.Compute/disks"),
    ("arm", "DELETE Microsoft.Network/networkInterfaces"),
    ("blobs", "delete container ignition"),
    ("kubernetes", "LIST nodes"),
    ("kubernetes", "GET services"),
    ("cosmos", "upsert OperationProgress"),
    ("cosmos", "replace AsyncOperations"),
)
# Each try of the install graph is seconds of real work, so that its calls meet one trouble each, or time runs out.
ONCE = {
    ("blobs", "get blob aro"): "throttling",
    ("blobs", "put blob aro"): "a lost answer",
    ("blobs", "put blob ignition"): "a cut connection",
}
TROUBLE: dict[str, dict[str, Any]] = {
    "throttling": {"kind": "status", "status_code": 429, "retry_after": 1},
    "a server error": {"kind": "status", "status_code": 503},
    "a cut connection": {"kind": "reset"},
    "a lost answer": {"kind": "lost-response"},
}


def test_creates_succeed_although_each_kind_of_their_calls_meets_each_trouble(
    own_azure: LocalAzure, rng: random.Random
) -> None:
    """Every call that the plan depends on fails in every way; what is tried again finds what is there already."""
    clusters = prepare(own_azure, *(unique(rng) for _ in TROUBLE))
    with ExitStack() as stack:
        # The requests themselves are over before the trouble begins: the first steps wait for their progress items.
        held = {"service": "cosmos", "operation": "upsert .*", "kind": "delay", "delay_seconds": 1}
        stack.enter_context(fault(own_azure, count=6 * len(clusters), **held))
        operations = [cluster.create() for cluster in clusters]
        faults = {
            (name, *call): stack.enter_context(fault(own_azure, service=call[0], operation=call[1], **trouble))
            for call in CALLS
            for name, trouble in TROUBLE.items()
        } | {
            (name, *call): stack.enter_context(fault(own_azure, service=call[0], operation=call[1], **TROUBLE[name]))
            for call, name in ONCE.items()
        }
        for cluster, operation_id in zip(clusters, operations, strict=True):
            cluster.succeed(operation_id)
        assert [call for call, fault_id in faults.items() if not met(own_azure, fault_id)] == []
    for cluster, operation_id in zip(clusters, operations, strict=True):
        cluster.expect_one_of_each(operation_id, versions=2)
