"""What exists: resources, documents, secrets, read from the local Azure's state. Nothing here calls the product."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

from demo.customer import Customer
from emulator.core.clock import Clock
from emulator.core.platform import Platform
from emulator.core.world import World
from emulator.cosmos import CosmosModel
from emulator.cosmos.items import Items
from emulator.run.provider.deployment_record import deployed
from shared.json_object import Json

WORLD = World()
ENDED = frozenset({"Succeeded", "Failed", "Canceled"})

TOKENS = "Microsoft.ContainerRegistry/registries/tokens"


class Inventory:
    """The state of one platform, as it is now."""

    def __init__(self, platform: Platform) -> None:
        self._platform = platform
        self._cosmos = CosmosModel(platform)
        self.service = deployed(platform.store)
        self.vault = self.service.settings["CLUSTER_KEYVAULT_NAME"]

    def rows(self, table: str, prefix: str = "") -> list[tuple[str, Json]]:
        """Return the rows of a table of the services' store whose keys begin with a prefix, taken in lower case."""
        return list(self._platform.store.table(table).scan(prefix.lower()))

    def write(self, table: str, key: str, document: Json | None) -> None:
        """Change or remove a row, for changes that no identity may make through the services.

        Args:
            table: table of the services' store.
            key: key of the row.
            document: new content of the row; None removes it.
        """
        rows = self._platform.store.table(table)
        if document is None:
            rows.delete(key)
        else:
            rows.put(key, document)

    def items(self, container: str) -> Items:
        """Return one of the resource provider's containers, to read or to write."""
        return self._cosmos.items(*self.service.database, container)

    def documents(self, container: str, partition: str = "") -> list[Json]:
        """Return the documents of one of the resource provider's containers, or only those of one partition."""
        items = self.items(container)
        found = items.scan(partition=partition, one_partition=bool(partition))
        return [document for _, document in found]

    def cluster(self, customer: Customer) -> Json | None:
        """Return a cluster's document."""
        key = customer.cluster_id.lower()
        clusters = self.documents("OpenShiftClusters", customer.subscription_id)
        return next((found for found in clusters if found["key"] == key), None)

    def make_older(self, customer: Customer, age: timedelta) -> None:
        """Let a cluster's document say that it was created earlier: nobody can wait for it.

        Args:
            customer: whose cluster it is.
            age: how long ago it was created.
        """
        document = self.cluster(customer)
        assert document is not None
        properties = document["openShiftCluster"]["properties"]
        properties["createdAt"] = properties["install"]["now"] = (datetime.now(UTC) - age).isoformat()
        self.items("OpenShiftClusters").replace(document["id"], document, document["partitionKey"])

    def operations(self, customer: Customer) -> list[Json]:
        """Return the operations on a cluster, oldest first."""
        key = customer.cluster_id.lower()
        found = [each for each in self.all_operations() if each.get("openShiftClusterKey") == key]
        return sorted(found, key=lambda each: each["asyncOperation"]["startTime"])

    def all_operations(self) -> list[Json]:
        """Return the operations on all clusters and sites."""
        return [each for each in self.documents("AsyncOperations") if "planOf" not in each]

    def plan(self, operation_id: str) -> Json:
        """Return the plan of an operation."""
        plan_id = f"{operation_id}-plan"
        plan: Json = self.items("AsyncOperations").read(plan_id, plan_id)["plan"]
        return plan

    def operation(self, operation_id: str) -> Json:
        """Return an operation."""
        items = self.items("AsyncOperations")
        return items.read(operation_id, operation_id)

    def has_ended(self, operation_id: str) -> bool:
        """Tell whether an operation has ended and no cluster document names it any more."""
        if self.operation(operation_id)["asyncOperation"]["status"] not in ENDED:
            return False
        return all(each.get("asyncOperationId") != operation_id for each in self.documents("OpenShiftClusters"))

    def steps(self, operation_id: str) -> dict[str, Json]:
        """Return the progress item of each step that has begun; of several attempts, the latest."""
        items = self.documents("OperationProgress", operation_id)
        return {each["step"]: each for each in sorted(items, key=lambda each: each["attempt"])}

    def resources(self, prefix: str) -> list[Json]:
        """Return the ARM resources under a path."""
        return [document for _, document in self._platform.store.table("arm_resources").scan(prefix.lower())]

    def groups(self, customer: Customer) -> list[str]:
        """Return the names of the groups that a cluster manages."""
        groups = [document for _, document in self._platform.store.table("arm_groups").scan()]
        return [each["name"] for each in groups if each["managedBy"].lower() == customer.cluster_id.lower()]

    def deployments(self, customer: Customer) -> list[Json]:
        """Return the deployments in the cluster's own group."""
        group = f"/subscriptions/{customer.subscription_id}/resourcegroups/aro-{customer.cluster}/"
        return [document for _, document in self._platform.store.table("deployments").scan(group)]

    def attached(self, customer: Customer) -> list[str]:
        """Return the ids of the network security groups on the customer's subnets."""
        subnets = self.resources(f"{customer.vnet_id}/subnets/")
        groups = [subnet["properties"].get("networkSecurityGroup") for subnet in subnets]
        return [group["id"] for group in groups if group]

    def records(self, customer: Customer) -> list[Json]:
        """Return the cluster's records in the managed DNS zone."""
        found = self.resources(f"/subscriptions/{WORLD.rp_subscription_id}/resourcegroups/{WORLD.rp_resource_group}")
        return [
            each
            for each in found
            if each["type"].startswith("Microsoft.Network/dnsZones/") and customer.cluster in each["name"].split(".")
        ]

    def guests(self, customer: Customer) -> list[str]:
        """Return the ids of the machines in the cluster's own group that run an emulated guest."""
        group = f"/subscriptions/{customer.subscription_id}/resourcegroups/aro-{customer.cluster}/"
        return [key for key, _ in self._platform.store.table("openshift_machines").scan(group)]

    def cores(self, subscription_id: str, family: str) -> int:
        """Return how many cores of a family a subscription uses."""
        used = self._platform.store.table("compute_usage").scan(f"{subscription_id}/")
        return sum(document.get(family, 0) for _, document in used)

    def tokens(self) -> list[str]:
        """Return the names of the registry's tokens."""
        return [
            each["name"]
            for each in self.resources(f"/subscriptions/{WORLD.rp_subscription_id}/")
            if each["type"] == TOKENS
        ]

    def secrets(self, document_id: str) -> dict[str, Json]:
        """Return a cluster's secrets that are not deleted: name to document, with the names of its versions."""
        found = self._platform.store.table("keyvault_secrets").scan(f"{self.vault}/{document_id}")
        return {each["name"]: each for _, each in found if not each["deleted"] and not each.get("managed")}

    def secret_values(self, document_id: str) -> list[str]:
        """Return every value that the vault has ever held for a cluster, except those of certificates."""
        found = self._platform.store.table("keyvault_versions").scan(f"{self.vault}/{document_id}")
        return [each["value"] for _, each in found if not each.get("managed")]

    def certificates(self, document_id: str) -> dict[str, Json]:
        """Return a cluster's certificates that are not deleted: name to document, with the names of its versions."""
        found = self._platform.store.table("keyvault_certificates").scan(f"{self.vault}/{document_id}")
        return {each["name"]: each for _, each in found if not each["deleted"]}

    def certificate_values(self, document_id: str) -> dict[str, str]:
        """Return the newest key and chain of each certificate of a cluster, by name."""
        found = self._platform.store.table("keyvault_versions").scan(f"{self.vault}/{document_id}")
        return {each["name"]: each["value"] for _, each in found if each.get("managed")}

    def billing(self, document_id: str) -> list[Json]:
        """Return the billing records of a cluster."""
        return [each for each in self.documents("Billing") if each["id"] == document_id]


@contextmanager
def taken(state: Path) -> Iterator[Inventory]:
    """Open the state of a platform, which may be running, to read it."""
    platform = Platform(state, clock=Clock(), world=WORLD)
    try:
        yield Inventory(platform)
    finally:
        platform.journal.close()
        platform.store.close()
