"""A private zone that somebody changed, on the whole local Azure: the create names the record and can be deleted."""

import random
from collections.abc import Iterator

import pytest
from azure.core.exceptions import HttpResponseError, ResourceNotFoundError
from azure.identity import ClientSecretCredential
from azure.mgmt.privatedns import PrivateDnsManagementClient
from azure.mgmt.privatedns.models import ARecord, RecordSet, RecordSetProperties

from demo.customer import Customer, begin_create, begin_delete
from tests import local_azure
from tests.local_azure import LocalAzure, unique, wait_for
from tests.product.integration.service.stage import PATIENCE_SECONDS, hold

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def own_azure(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalAzure]:
    """Run a platform whose reads may be slow."""
    with local_azure.running(tmp_path_factory.mktemp("own") / "local-azure") as platform:
        yield platform


def _zones_of(customer: Customer) -> PrivateDnsManagementClient:
    """Return a client that authenticates as the cluster's principal, which the deny assignment exempts."""
    principal = customer.principal
    credential = ClientSecretCredential(
        customer.endpoints["tenant_id"], principal["client_id"], principal["client_secret"], **customer.options
    )
    return PrivateDnsManagementClient(credential, customer.subscription_id, **customer.options)


def test_a_wrong_record_fails_the_create_by_name(own_azure: LocalAzure, rng: random.Random) -> None:
    """It fails before it makes machines, which would wait for that address forever; a delete removes everything."""
    customer = own_azure.prepared_customer(unique(rng))
    zone, group = f"{customer.cluster}.eastus.aroapp.io", f"aro-{customer.cluster}"
    # The row that reads the zone waits until the test has changed the zone.
    reads = {"service": "arm", "operation": "GET Microsoft.Network/privateDnsZones/aLL"}
    with hold(own_azure, **reads), _zones_of(customer) as client:
        create, poller = begin_create(customer)
        operations = own_azure.operations(customer)

        def is_made() -> bool:
            steps = {step["name"]: step["status"] for step in operations.get(create)["steps"]}
            return bool(steps["deploy_network_template"] == "Succeeded")

        wait_for(is_made, "the zone to be made", PATIENCE_SECONDS)
        wrong = RecordSet(properties=RecordSetProperties(ttl=300, a_records=[ARecord(ipv4_address="10.99.99.99")]))
        client.record_sets.create_or_update(group, zone, "A", "api-int", wrong)
    with pytest.raises(HttpResponseError):
        poller.result()
    error = operations.get(create)["error"]
    assert f"The private DNS record 'api-int.{zone}' (A) says 10.99.99.99 and has to say 10." in error["message"]
    assert {"code": "Step", "message": "private_dns_ready", "target": "bootstrap"} in error["details"]
    _, deletion = begin_delete(customer)
    deletion.result()
    with pytest.raises(ResourceNotFoundError):
        customer.clusters().get(customer.group, customer.cluster)
