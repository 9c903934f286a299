"""The leftovers of requests that died before they wrote their cluster's document."""

import random
from contextlib import closing
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest
import requests

from demo.customer import Customer
from emulator.core.clock import Clock
from emulator.core.platform import Platform
from emulator.host.keys import load_keys
from emulator.keyvault import KeyVaultModel
from emulator.run.provider.deployment_record import deployed
from tests.local_azure import LocalAzure, unique, wait_for
from tests.patience import PATIENCE_SECONDS
from tests.product.integration.service.inventory import WORLD, taken

pytestmark = pytest.mark.slow

AN_HOUR_AGO = datetime.now(UTC) - timedelta(hours=1)


def test_what_a_killed_request_left_behind_goes(azure: LocalAzure, rng: random.Random) -> None:
    """Its secret is deleted and its operation ends, but a secret whose document may still be written stays."""
    document_id, operation_id, young = (str(uuid4()) for _ in range(3))
    customer = Customer(azure.endpoints, cluster=unique(rng), options=azure.client_options)
    _leave_secret(azure, document_id, AN_HOUR_AGO)
    _leave_secret(azure, young, datetime.now(UTC))
    _leave_operation(azure, customer, document_id, operation_id)
    _fire(azure, "leftovers")
    with taken(azure.state) as inventory:
        wait_for(lambda: not inventory.secrets(document_id), "the secret to go")
        operation = inventory.operation(operation_id)["asyncOperation"]
        assert (operation["status"], operation["error"]["code"]) == ("Canceled", "OperationCanceled")
        assert inventory.secrets(young)


def _leave_secret(azure: LocalAzure, document_id: str, written: datetime) -> None:
    platform = Platform(azure.state, clock=Clock(source=lambda: written), world=WORLD)
    with closing(platform.store), closing(platform.journal):
        service = deployed(platform.store)
        tags = {"cluster": document_id, "database": "/".join(service.database)}
        wish = {"value": "{}", "contentType": "application/json", "tags": tags}
        KeyVaultModel(platform).set_secret(service.settings["CLUSTER_KEYVAULT_NAME"], f"{document_id}-request", wish)


def _leave_operation(azure: LocalAzure, customer: Customer, document_id: str, operation_id: str) -> None:
    document = {
        "id": operation_id,
        "openShiftClusterKey": customer.cluster_id.lower(),
        "clusterDocumentId": document_id,
        "asyncOperation": {"status": "Creating", "startTime": AN_HOUR_AGO.isoformat()},
    }
    with taken(azure.state) as inventory:
        inventory.items("AsyncOperations").create(document, operation_id)


def _fire(azure: LocalAzure, timer: str) -> None:
    """Run a timer function now, as an operator would."""
    with requests.Session() as session:
        session.trust_env = False
        answer = session.post(
            f"{azure.endpoints['functions']}/admin/functions/{timer}",
            headers={"x-functions-key": load_keys(azure.state / "functions").master},
            json={},
            timeout=PATIENCE_SECONDS,
        )
    assert answer.status_code == requests.codes.accepted, answer.text
