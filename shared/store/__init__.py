"""The documents in Cosmos DB, without any knowledge of their meaning."""

from collections.abc import Callable, Iterable
from functools import cache, partial
from typing import Any

from azure.cosmos import ContainerProxy, CosmosClient

from shared import cloud, deadline, settings
from shared.documents import FencedDocument, OperationDocument
from shared.store.admin_credentials import AdminCredentials
from shared.store.cluster_conditions import ClusterConditions
from shared.store.clusters import Clusters, partition_of
from shared.store.consistency import STRONG, Levels, read_levels
from shared.store.containers import UPDATE_TRIES, Conflict, Decide, Items, NotFound, PreconditionFailed
from shared.store.domains import Domains, Taken
from shared.store.fenced_documents import Fence, Fenced, FenceMoved
from shared.store.lost_answers import OutcomeUnknown, ensure_written
from shared.store.operations import Operations
from shared.store.polls import Polls
from shared.store.records import TTL_SECONDS, Billing, Progress, RoleSets, Subscriptions, TaskHubs, Versions
from shared.store.sites import Sites, is_site

__all__ = [
    "STRONG",
    "TTL_SECONDS",
    "UPDATE_TRIES",
    "Conflict",
    "Decide",
    "Fence",
    "FenceMoved",
    "Items",
    "Levels",
    "NotFound",
    "OutcomeUnknown",
    "PreconditionFailed",
    "Store",
    "Taken",
    "ensure_written",
    "get_store",
    "partition_of",
]


class Store:
    """Every container of the database, by its everyday name."""

    def __init__(
        self,
        container: Callable[[str], ContainerProxy],
        levels: Callable[[], Levels],
        containers: Callable[[], Iterable[str]],
    ) -> None:
        """Open the containers.

        Args:
            container: returns the container with a name; `DatabaseProxy.get_container_client` in production.
            levels: asks how fresh reads are.
            containers: asks for the names of all containers that the database has.
        """
        self._levels = levels
        self._containers = containers
        self._needed: list[str] = []

        def opened(name: str) -> ContainerProxy:
            self._needed.append(name)
            return container(name)

        self.clusters = Clusters(opened("OpenShiftClusters"))
        self.operations = Operations(opened("AsyncOperations"))
        self.progress = Progress(opened("OperationProgress"))
        self.polls = Polls(self.operations, self.progress)
        self.subscriptions = Subscriptions(opened("Subscriptions"))
        self.task_hubs = TaskHubs(opened("TaskHubs"))
        self.domains = Domains(opened("Domains"))
        self.billing = Billing(opened("Billing"))
        self.versions = Versions(opened("OpenShiftVersions"))
        self.role_sets = RoleSets(opened("PlatformWorkloadIdentityRoleSets"))
        self.admin_credentials = AdminCredentials(opened("AdminCredentials"))
        self.sites = Sites(opened("Sites"))
        self.conditions = ClusterConditions(opened("ClusterConditions"))

    def levels(self) -> Levels:
        """Ask the account how fresh reads are."""
        with deadline.call():
            return self._levels()

    def missing_containers(self) -> list[str]:
        """Ask the database what it has, and return the names of the containers that it lacks.

        Cosmos DB answers a read in a container that does not exist like one of a document that does not exist.
        """
        with deadline.call():
            existing = set(self._containers())
        return [name for name in self._needed if name not in existing]

    def owner(self, operation: OperationDocument) -> FencedDocument | None:
        """Return the document of an operation's cluster or site, or None if it is gone."""
        if "siteName" in operation:
            return self.sites.read(operation["siteName"])
        return self.clusters.read(operation["clusterDocumentId"], partition_of(operation["openShiftClusterKey"]))

    def fenced(self, key: str) -> Fenced[Any]:
        """Return the container whose documents fence the operations on a key: a cluster's or a site's."""
        return self.sites if is_site(key) else self.clusters


@cache
def get_store() -> Store:
    """Return the store of this process. The first call reads the account's metadata."""
    service_settings = settings.load()
    with deadline.call():
        client = CosmosClient(
            f"https://{service_settings.cosmosdb_account}.{service_settings.cosmosdb_suffix}:443/",
            credential=cloud.managed_identity(),
            # Throttling is normal under load and lasts milliseconds. A query multiplies these tries by itself.
            retry_throttle_total=3,
            retry_throttle_backoff_max=1,
            transport=cloud.prompt_transport(),
            **cloud.PROMPT,
        )
    database = client.get_database_client(service_settings.cosmosdb_database)
    return Store(
        database.get_container_client,
        partial(read_levels, client),
        lambda: (str(container["id"]) for container in database.list_containers()),
    )
