"""The census finds planted violations, by name."""

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from demo.customer import Customer
from emulator.core.clock import Clock
from emulator.core.platform import Platform
from emulator.core.world import World
from emulator.cosmos import CosmosModel
from emulator.run.provider.deployment_record import Deployed
from shared.json_object import Json
from tests.cosmos_containers import ensure_container
from tests.faults.checks import census

WORLD = World()
CUSTOMER = Customer({"subscription_id": WORLD.subscription_id}, group="group-cvxz", cluster="cvxz")
GROUP = f"/subscriptions/{WORLD.subscription_id}/resourcegroups/aro-cvxz"
CLUSTER_ID, OTHER_ID = "11111111-1111-4111-8111-111111111111", "22222222-2222-4222-8222-222222222222"
TOKEN = "token-33333333-3333-4333-8333-333333333333"  # noqa: S105 - its name
OPERATION = "44444444-4444-4444-8444-444444444444"

INFRA = Path(__file__).parents[4] / "infra"
CONTAINERS = json.loads((INFRA / "service.json").read_text(encoding="utf-8"))["variables"]["containers"]
SETTINGS = {"COSMOSDB_ACCOUNT": "account", "COSMOSDB_DATABASE": "ARO", "CLUSTER_KEYVAULT_NAME": "vault"}
SERVICE = Deployed(site="site", outputs={}, identities=(), roles={}, settings=SETTINGS)


class State:
    """The state of a local Azure in which one cluster exists, as far as the tests need it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.platform = Platform(root, clock=Clock(), world=WORLD)
        self._cosmos = CosmosModel(self.platform)
        account, database = SERVICE.database
        SERVICE.save(self.platform.store)
        self._cosmos.ensure_account(account, WORLD.rp_tenant_id)
        self._cosmos.ensure_database(account, database)
        for row in CONTAINERS:
            ensure_container(self._cosmos, account, database, row["name"], row["partitionKey"])
        self.put("OpenShiftClusters", cluster_document(), WORLD.subscription_id)
        self.put("Billing", {"id": CLUSTER_ID, "billing": {}}, CLUSTER_ID)
        self.put("AsyncOperations", operation("Succeeded"), OPERATION)
        self.put("OperationProgress", progress("create_dns", "Succeeded"), OPERATION)
        self.row("arm_groups", GROUP, {"name": "aro-cvxz", "managedBy": CUSTOMER.cluster_id})
        self.resource(f"{GROUP}/providers/microsoft.compute/virtualmachines/cvxz-abcde-master-0")
        self.resource(f"{census.REGISTRY}{TOKEN}", type="Microsoft.ContainerRegistry/registries/tokens", name=TOKEN)
        self.resource(f"{census.ZONE}api.cvxz")
        self.secret(f"{CLUSTER_ID}-graph", "v1")

    def put(self, container: str, document: Json, partition: str) -> None:
        """Write a document of the service."""
        self._cosmos.items(*SERVICE.database, container).upsert(document, partition)

    def row(self, table: str, key: str, document: Json) -> None:
        """Write a row of the emulated services."""
        self.platform.store.table(table).put(key, document)

    def resource(self, key: str, **members: str) -> None:
        """Write a resource of ARM."""
        self.row("arm_resources", key, {"type": "", "name": "", "properties": {}} | members)

    def secret(self, name: str, *versions: str) -> None:
        """Write a secret."""
        document = {"name": name, "versions": list(versions), "deleted": None}
        self.row("keyvault_secrets", f"{SERVICE.settings['CLUSTER_KEYVAULT_NAME']}/{name}", document)

    def count(self, versions: int = 1) -> Counter[str]:
        """Count what exists of the cluster."""
        return census.of_cluster(self.root, CUSTOMER, CLUSTER_ID, versions)


def cluster_document() -> Json:
    properties = {
        "provisioningState": "Succeeded",
        "infraId": "cvxz-abcde",
        "storageSuffix": "xyz12",
        "registryProfiles": [{"username": TOKEN}],
    }
    return {
        "id": CLUSTER_ID,
        "key": CUSTOMER.cluster_id.lower(),
        "partitionKey": WORLD.subscription_id,
        "openShiftCluster": {"id": CUSTOMER.cluster_id, "properties": properties},
        "secrets": {"graph": f"https://vault/secrets/{CLUSTER_ID}-graph/v1"},
    }


def operation(status: str) -> Json:
    asynchronous = {"status": status, "startTime": "2026-01-01T00:00:00Z"}
    return {"id": OPERATION, "openShiftClusterKey": CUSTOMER.cluster_id.lower(), "asyncOperation": asynchronous}


def progress(step: str, status: str) -> Json:
    return {"id": f"{step}-1", "operationId": OPERATION, "step": step, "attempt": 1, "status": status}


@pytest.fixture
def state(tmp_path: Path) -> Iterator[State]:
    """Give a state in which everything is as it should be."""
    made = State(tmp_path)
    yield made
    made.platform.journal.close()
    made.platform.store.close()


def test_one_cluster_counts_the_same_whatever_its_names_are(state: State) -> None:
    """Names that differ from cluster to cluster are replaced, and nothing here belongs to anything else."""
    found = state.count()
    assert found == Counter(
        {
            "document Succeeded": 1,
            "billing record": 1,
            "group aro-*cluster": 1,
            "microsoft.compute/virtualmachines/*infra-master-0": 1,
            "own group: microsoft.network/dnszones/eastus.aroapp.io/a/api.*cluster": 1,
            "secret *id-graph": 1,
            "token token-*guid": 1,
        }
    )
    assert census.violations(found, found) == []
    assert census.orphans(state.root) == []


def _double_a_machine(state: State) -> None:
    state.resource(f"{GROUP}/providers/microsoft.compute/virtualmachines/cvxz-abcde-master-0-again")


def _double_a_worker(state: State) -> None:
    # The names of workers are random, so a second one differs in the replaced part.
    for end in ("abcde", "fghij"):
        state.resource(f"{GROUP}/providers/microsoft.compute/virtualmachines/cvxz-abcde-worker-eastus1-{end}")


def _lose_a_machine(state: State) -> None:
    state.platform.store.table("arm_resources").delete(
        f"{GROUP}/providers/microsoft.compute/virtualmachines/cvxz-abcde-master-0"
    )


def _leave_a_secret(state: State) -> None:
    state.secret(f"{CLUSTER_ID}-leftover", "v1")


def _write_a_secret_twice(state: State) -> None:
    state.secret(f"{CLUSTER_ID}-graph", "v1", "v2")


def _lose_a_version(state: State) -> None:
    state.secret(f"{CLUSTER_ID}-graph", "v9")


def _leave_an_operation(state: State) -> None:
    state.put("AsyncOperations", operation("Creating"), OPERATION)


def _leave_a_step(state: State) -> None:
    state.put("OperationProgress", progress("finish", "Running"), OPERATION)


def _fail(state: State) -> None:
    document = cluster_document()
    document["openShiftCluster"]["properties"]["provisioningState"] = "Failed"
    state.put("OpenShiftClusters", document, WORLD.subscription_id)


def _leave_a_blob(state: State) -> None:
    state.row("storage_names", "clusterxyz12", {"id": f"{GROUP}/providers/microsoft.storage/x"})
    folder = state.root / "azurite"
    folder.mkdir()
    rows = [{"containerName": "clusterxyz12-ignition", "name": "bootstrap.ign"}]
    text = json.dumps({"collections": [{"name": "blobs", "data": rows}]})
    (folder / "__azurite_db_blob__.json").write_text(text, encoding="utf-8")


@pytest.mark.parametrize(
    ("plant", "want"),
    [
        (_double_a_machine, "1 too many: microsoft.compute/virtualmachines/*infra-master-0-again"),
        (_double_a_worker, "2 too many: microsoft.compute/virtualmachines/*infra-worker-eastus1-*"),
        (_lose_a_machine, "1 missing: microsoft.compute/virtualmachines/*infra-master-0"),
        (_leave_a_secret, "1 too many: secret *id-leftover"),
        (_write_a_secret_twice, "1 too many: further version of secret *id-graph"),
        (_lose_a_version, "1 too many: secret graph that the document names and the vault has not"),
        (_leave_an_operation, "1 too many: operation that has not ended: *guid Creating"),
        (_leave_a_step, "1 too many: step that still runs in an ended operation: finish attempt 1"),
        (_fail, "1 too many: document Failed"),
        (_leave_a_blob, "1 too many: stored ignition/bootstrap.ign"),
    ],
    ids=lambda value: value.__name__.strip("_") if callable(value) else "",
)
def test_a_planted_violation_is_found(state: State, plant: Any, want: str) -> None:
    """The message names what is doubled, left over or lost."""
    before = state.count()
    plant(state)
    assert want in census.violations(state.count(), before)


@pytest.mark.parametrize(
    ("plant", "want"),
    [
        (lambda state: state.secret(f"{OTHER_ID}-request", "v1"), f"secret of no cluster: {OTHER_ID}"),
        (
            lambda state: state.resource(
                f"{census.REGISTRY}token-{OTHER_ID}", type="Microsoft.ContainerRegistry/registries/tokens"
            ),
            f"token of no cluster: token-{OTHER_ID}",
        ),
        (lambda state: state.resource(f"{census.ZONE}api.gone"), "record of no cluster: gone"),
        (
            lambda state: state.resource(f"{census.ENDPOINTS}rp-pe-{OTHER_ID}"),
            f"private endpoint of no cluster: {OTHER_ID}",
        ),
        (
            lambda state: state.put("Billing", {"id": OTHER_ID, "billing": {}}, OTHER_ID),
            f"billing record of no cluster: {OTHER_ID}",
        ),
        (
            lambda state: state.row("arm_groups", "/x", {"name": "aro-gone", "managedBy": "/gone"}),
            "group of no cluster: /gone",
        ),
        (_leave_an_operation, f"operation that has not ended: {OPERATION} Creating"),
        (_leave_a_step, "step that still runs in an ended operation: finish attempt 1"),
    ],
    ids=["secret", "token", "record", "endpoint", "billing", "group", "operation", "step"],
)
def test_what_belongs_to_no_cluster_is_found(state: State, plant: Any, want: str) -> None:
    """Even if it is unknown whose it was."""
    plant(state)
    assert want in census.orphans(state.root)


def test_a_deleted_secret_is_no_leftover(state: State) -> None:
    """Soft delete keeps it, so the census does not count it."""
    name = f"{OTHER_ID}-request"
    deleted = {"name": name, "versions": ["v1"], "deleted": {"deletedDate": 1}}
    state.row("keyvault_secrets", f"{SERVICE.settings['CLUSTER_KEYVAULT_NAME']}/{name}", deleted)
    assert census.orphans(state.root) == []


def test_a_thing_that_is_made_twice_is_found() -> None:
    """A second PUT of something that exists is answered with 200; only one that creates it gets 201."""
    put = {"operation": "PUT Microsoft.Network/dnsZones/A", "path": "/Zone/api?api-version=1", "status": 201}
    assert census.doubled_calls([put, put | {"status": 200}]) == []
    assert census.doubled_calls([put, put | {"path": "/zone/API"}]) == [
        "made 2 times: PUT Microsoft.Network/dnsZones/A /zone/api"
    ]
