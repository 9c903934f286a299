"""The context in which an executor runs: its call, the cluster of that call, and clients for Azure."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import TypeVar

from activities.runtime import progress
from activities.runtime.call import Call, fence_of
from shared import settings
from shared.arm import resource_id
from shared.arm.errors import CloudError, ErrorCode
from shared.arm.resource_id import ResourceId
from shared.azure import clients
from shared.clusters import naming
from shared.documents import CatalogueDocument, Cluster, ClusterDocument, Properties
from shared.settings import Callers
from shared.store import Fence, Store, get_store
from shared.vault import get_vault

Client = TypeVar("Client")


@dataclass
class Step:
    """One call of an executor. The document is from the beginning of the call, or from the last `decide`."""

    call: Call
    document: ClusterDocument = field(repr=False)
    # The newest version that this call has read.
    _newest: ClusterDocument = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Begin with the document that the call began with."""
        self._newest = self.document

    @property
    def fence(self) -> Fence:
        """The right to write this cluster's document and to change things in Azure for it."""
        return fence_of(self.call)

    @property
    def cluster(self) -> Cluster:
        """The cluster as the document has it, with the members of all API versions."""
        return self.document["openShiftCluster"]

    @property
    def properties(self) -> Properties:
        """The properties of the cluster."""
        return self.cluster["properties"]

    @property
    def cluster_id(self) -> ResourceId:
        """The resource id of the cluster."""
        return resource_id.parse(self.cluster["id"])

    @property
    def domain(self) -> str:
        """The cluster's full domain. A domain of one label is under the managed zone."""
        return ".".join(naming.split_domain(self.properties["clusterProfile"]["domain"], settings.load().domain))

    @property
    def subscription_id(self) -> str:
        """The customer's subscription."""
        return self.cluster_id.subscription_id

    @property
    def resource_group(self) -> str:
        """The name of the cluster's own resource group."""
        return resource_id.parse(self.properties["clusterProfile"]["resourceGroupId"]).resource_group

    @property
    def tenant_id(self) -> str:
        """The tenant of the customer's subscription: the service's own, or the one that ARM has reported."""
        service_settings = settings.load()
        if service_settings.callers is Callers.ENTRA:
            return service_settings.tenant_id
        return _tenant_of(get_store(), self.subscription_id)

    @cached_property
    def versions(self) -> list[CatalogueDocument]:
        """The catalogue, read once for this call, so that it never sees two versions of one entry."""
        return get_store().versions.enabled()

    def customer(self, client: Callable[..., Client], subscription_id: str = "") -> Client:
        """Return a client that acts as the resource provider in the customer's tenant and subscription."""
        subscription = subscription_id or self.subscription_id
        return clients.as_provider(client, subscription, self.tenant_id, get_vault().get_service_secret)

    def decide(self, change: Callable[[ClusterDocument], bool]) -> None:
        """Write a decision into the cluster document, under the fence, and read the document back.

        Args:
            change: changes the document, and returns whether it did. It may run several times: first on the newest
                version that this call has read, then on fresh reads, so a decision made meanwhile by others stays.

        Raises:
            FenceMoved: if this attempt was superseded and there is something to write.
        """
        self.document = self._newest = get_store().clusters.fenced_update(
            self.fence, lambda document: document if change(document) else None, self._newest
        )

    def check_fence(self) -> None:
        """Check the fence right before a change outside the documents of the operation and its cluster.

        Clients call this from their pipelines; writes without such a pipeline call it themselves. The progress item is
        written first, so whoever moves the fence after this read finds the step `Running` and waits for it.

        Raises:
            FenceMoved: if this attempt was superseded.
        """
        progress.begin(self.call)
        self._newest = get_store().clusters.fenced_read(self.fence)


@cache
def _tenant_of(store: Store, subscription_id: str) -> str:
    """Return a subscription's tenant. Cached for the life of the process, because every client needs it."""
    document = store.subscriptions.get(subscription_id) or {"subscription": {}}
    tenant_id = (document["subscription"].get("properties") or {}).get("tenantId")
    if not tenant_id:
        raise CloudError(
            400,
            ErrorCode.INVALID_SUBSCRIPTION_STATE,
            f"Azure Resource Manager has not reported the tenant of subscription '{subscription_id}'. "
            "Register the subscription with the resource provider again.",
        )
    return str(tenant_id)


def own(client: Callable[..., Client], subscription_id: str = "") -> Client:
    """Return a client that acts as the resource provider in the service's own tenant and subscription."""
    service_settings = settings.load()
    return clients.as_provider(
        client,
        subscription_id or service_settings.subscription_id,
        service_settings.tenant_id,
        get_vault().get_service_secret,
    )
