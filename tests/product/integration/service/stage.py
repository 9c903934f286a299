"""A customer's cluster in the stories: plain requests through Azure Resource Manager, and their results."""

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import requests

from demo.customer import Customer, cluster_body
from shared.json_object import Json
from tests.faults.checks import census
from tests.local_azure import LocalAzure, wait_for
from tests.patience import PATIENCE_SECONDS as REQUEST_SECONDS
from tests.patience import served
from tests.product.integration.service.inventory import taken

API_VERSION = "2025-07-25"
# How many seconds a create or a delete may take here. Alone it takes half a minute, but a busy machine runs many.
PATIENCE_SECONDS = 600
# The step that ends an operation records itself only after that end.
LAST_ITEM_SECONDS = 10.0
# The longest that the local Azure can hold a call, and a number of calls that no test makes.
LONGEST_HOLD_SECONDS, FOR_EVER = 3600, 10**9

# Names of the records in the managed DNS zone, without the cluster's label.
RECORDS = ("api", "*.apps")


@dataclass(frozen=True)
class Cluster:
    """One cluster on one platform, whether it exists or not.

    Args:
        azure: the platform.
        customer: owner of the cluster.
        correlation_id: sent with all requests about the cluster, so that faults can apply to it alone; if it is "",
            each request gets its own.
    """

    azure: LocalAzure
    customer: Customer
    correlation_id: str = ""

    @cached_property
    def _session(self) -> requests.Session:
        endpoints = self.azure.endpoints
        session = requests.Session()
        session.trust_env = False
        session.verify = endpoints["ca_bundle"]
        form = {"grant_type": "client_credentials", "scope": "https://management.azure.com/.default"}
        form |= {name: endpoints[name] for name in ("client_id", "client_secret")}
        token = session.post(endpoints["token_url"], data=form, timeout=REQUEST_SECONDS).json()["access_token"]
        session.headers["Authorization"] = f"Bearer {token}"
        if self.correlation_id:
            session.headers["x-ms-correlation-request-id"] = self.correlation_id
        return session

    @property
    def body(self) -> Json:
        """The body of the PUT that creates the cluster."""
        document: Json = cluster_body(self.customer).as_dict()
        return document

    def send(self, method: str, path: str = "", body: Json | None = None) -> requests.Response:
        """Send a request about the cluster, or about another path, through ARM; again if the service was too busy.

        Args:
            method: HTTP method.
            path: the path; by default the cluster's. Without an `api-version` it gets `API_VERSION`.
            body: the body, sent as JSON.
        """
        return served(lambda: self.send_once(method, path, body))

    def send_once(self, method: str, path: str = "", body: Json | None = None) -> requests.Response:
        """Send a request as `send` does; return the answer, which may be a 503."""
        address = self.azure.endpoints["arm"] + (path or self.customer.cluster_id)
        if "api-version=" not in address:
            address += f"?api-version={API_VERSION}"
        return self._session.request(method, address, json=body, timeout=REQUEST_SECONDS)

    def create(self, body: Json | None = None) -> str:
        """PUT the cluster; return the operation's id."""
        return begun(self.send("PUT", body=body or self.body))

    def delete(self) -> str:
        """DELETE the cluster; return the operation's id."""
        return begun(self.send("DELETE"))

    def report(self, operation_id: str) -> Json:
        """Return an operation as operators see it."""
        return self.azure.operations(self.customer).get(operation_id)

    def status(self, operation_id: str) -> Json:
        """Return an operation as customers see it."""
        place = f"providers/Microsoft.RedHatOpenShift/locations/{self.azure.endpoints['location']}"
        path = f"/subscriptions/{self.customer.subscription_id}/{place}/operationsstatus/{operation_id}"
        document: Json = self.send("GET", path).json()
        return document

    def wait(self, operation_id: str, seconds: float = PATIENCE_SECONDS) -> Json:
        """Wait until an operation has ended; return it as customers see it."""
        with taken(self.azure.state) as inventory:
            wait_for(lambda: inventory.has_ended(operation_id), f"the end of operation {operation_id}", seconds)
        wait_for(self.azure.serves, "the resource provider")
        return self.status(operation_id)

    def succeed(self, operation_id: str, seconds: float = PATIENCE_SECONDS) -> None:
        """Wait until an operation has succeeded."""
        ended = self.wait(operation_id, seconds)
        assert ended["status"] == "Succeeded", ended

    def fail(self, operation_id: str, seconds: float = PATIENCE_SECONDS) -> Json:
        """Wait until an operation has failed; return its error."""
        ended = self.wait(operation_id, seconds)
        assert ended["status"] == "Failed", ended
        error: Json = ended["error"]
        return error

    def wait_for_step(self, operation_id: str, step: str, *statuses: str) -> None:
        """Wait until a step has one of some statuses.

        Args:
            operation_id: id of the operation.
            step: name of the step.
            statuses: the statuses to wait for; by default `Running` or `Succeeded`, since a step on a busy machine can
                be over between two looks.
        """
        wanted = statuses or ("Running", "Succeeded")
        with taken(self.azure.state) as inventory:
            until = time.monotonic() + PATIENCE_SECONDS
            ended = False
            while True:
                if not ended and inventory.has_ended(operation_id):
                    ended, until = True, time.monotonic() + LAST_ITEM_SECONDS
                steps = inventory.steps(operation_id)
                if step in steps and steps[step]["status"] in wanted:
                    return
                seen = {name: item["status"] for name, item in steps.items()}
                assert time.monotonic() < until, f"step {step} was not seen {wanted}; ended: {ended}; {seen}"
                time.sleep(0.02)

    def document_id(self) -> str:
        """Return the id of the cluster's document, which is in the names of its secrets and its billing record."""
        with taken(self.azure.state) as inventory:
            document = inventory.cluster(self.customer)
        assert document is not None
        return str(document["id"])

    def calls(self, operation_id: str) -> list[Json]:
        """Return the calls to Azure of an operation."""
        with taken(self.azure.state) as inventory:
            correlation = inventory.operation(operation_id)["correlationData"]["correlationId"]
        return self.azure.journal(correlation)

    def expect_one_of_each(self, operation_id: str, versions: int = 1) -> None:
        """Check that a create has made everything it should, and everything once.

        Args:
            operation_id: id of the create's operation.
            versions: how many versions of one secret are allowed: a step that runs twice may write two.
        """
        document_id = self.document_id()
        wrong = self._count(document_id, census.ONE, versions) + census.doubled_calls(self.calls(operation_id))
        assert not wrong, "\n".join(wrong)

    def expect_nothing_left(self, document_id: str) -> None:
        """Check that a delete has left only the network and the billing record."""
        assert self.send("GET").status_code == 404
        wrong = self._count(document_id, census.NONE)
        assert not wrong, "\n".join(wrong)

    def _count(self, document_id: str, expected: census.Found, versions: int = 1) -> list[str]:
        def count() -> list[str]:
            return census.violations(
                census.of_cluster(self.azure.state, self.customer, document_id, versions), expected
            )

        return census.settled(count)


def begun(answer: requests.Response) -> str:
    """Return the id of the operation that an accepted request began."""
    assert answer.status_code in (200, 201, 202), answer.text
    return answer.headers["Azure-AsyncOperation"].split("?")[0].rsplit("/", 1)[-1]


def prepare(azure: LocalAzure, *names: str) -> list[Cluster]:
    """Do everything that customers do before their PUTs: make one group, network and principal for each name."""
    with ThreadPoolExecutor(len(names)) as pool:
        return [Cluster(azure, customer) for customer in pool.map(azure.prepared_customer, names)]


def delete_all(azure: LocalAzure) -> None:
    """Delete every cluster of a platform, because each holds memory and quota."""
    with taken(azure.state) as inventory:
        found = inventory.documents("OpenShiftClusters")
        for document in found:
            customer = Customer(azure.endpoints, options=azure.client_options)
            Cluster(azure, customer).send("DELETE", document["openShiftCluster"]["id"])
        wait_for(lambda: not inventory.documents("OpenShiftClusters"), "all clusters to go", PATIENCE_SECONDS)


def with_principal(cluster: Cluster, **changed: str) -> Cluster:
    """Return the cluster with another principal in its PUT, or with another secret of the same principal."""
    principal = {**cluster.customer.principal, **changed}
    return replace(cluster, customer=replace(cluster.customer, own_principal=principal))


@contextmanager
def fault(azure: LocalAzure, **wish: Any) -> Iterator[str]:
    """Put a fault in force for the duration of the block; give its id."""
    added = azure.control("POST", "/faults", wish)
    assert "id" in added, added
    try:
        yield added["id"]
    finally:
        azure.control("DELETE", f"/faults/{added['id']}")


@contextmanager
def unfinished(cluster: Cluster) -> Iterator[None]:
    """Let no operation on a cluster write its end for the duration of the block; the service waits for its database.

    So a request that is sent at some step meets the operation, even if the machine is so busy that the operation has
    come further since. The cluster needs a correlation id.
    """
    assert cluster.correlation_id
    wish = {"correlation_id": cluster.correlation_id, "step": "finish", "operation": "replace AsyncOperations"}
    with fault(cluster.azure, service="cosmos", count=FOR_EVER, **wish):
        yield


def hold(azure: LocalAzure, **wish: Any) -> AbstractContextManager[str]:
    """Keep all calls of some kind waiting for the duration of the block; give the id of the fault."""
    return fault(azure, kind="hold", delay_seconds=LONGEST_HOLD_SECONDS, count=FOR_EVER, **wish)


def held(azure: LocalAzure, fault_id: str) -> int:
    """Count the calls that wait because of `hold`."""
    (count,) = [each["count"] for each in azure.control("GET", "/faults")["value"] if each["id"] == fault_id]
    return FOR_EVER - int(count)


def met(azure: LocalAzure, fault_id: str) -> int:
    """Count the calls that met a fault."""
    return sum(call["fault"] == fault_id for call in azure.journal())
