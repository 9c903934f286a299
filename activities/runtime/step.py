"""The context in which the executors of clusters run: a call with a fence, its cluster, and clients for Azure."""

from collections.abc import Callable
from functools import cache, cached_property
from typing import TypeVar, assert_never

from activities.runtime.fenced_call import FencedCall
from shared import settings
from shared.arm import resource_id
from shared.arm.resource_id import ResourceId
from shared.azure import clients
from shared.clusters import cluster_names, role_sets, subscriptions
from shared.clusters.identities import cluster_credential, required_roles
from shared.clusters.identities.cluster_credential import Credential, ServicePrincipal, WorkloadIdentity
from shared.clusters.identities.required_roles import Roles
from shared.documents import CatalogueDocument, Cluster, ClusterDocument, Properties
from shared.settings import Callers
from shared.store import Store, get_store
from shared.vault import get_vault

Client = TypeVar("Client")


class Step(FencedCall[ClusterDocument]):
    """One call of an executor that works on a cluster."""

    @property
    def cluster(self) -> Cluster:
        """The cluster as the document has it, with the members of all API versions."""
        return self.document["openShiftCluster"]

    @property
    def properties(self) -> Properties:
        """The properties of the cluster."""
        return self.cluster["properties"]

    @property
    def credential(self) -> Credential:
        """The credential with which the cluster acts in Azure, as its customer wants it."""
        return cluster_credential.parse(self.document)

    @property
    def identities(self) -> WorkloadIdentity:
        """The cluster's identities, for rows that only clusters with workload identity have.

        Raises:
            ValueError: if the cluster has a service principal; its plan has none of these rows.
        """
        credential = self.credential
        match credential:
            case ServicePrincipal():
                raise ValueError("the cluster has a service principal, and no workload identity")
            case WorkloadIdentity():
                return credential
            case _:
                assert_never(credential)

    def operator_roles(self, credential: WorkloadIdentity) -> Roles:
        """Return the roles that the cluster's operators need in Azure, by the role sets as they are now.

        Args:
            credential: the identities of the cluster.

        Raises:
            CloudError: a minor version has no role set any more, or the operators are not those of the role sets.
        """
        sets, created = role_sets.offered(get_store().role_sets.enabled()), self.properties["clusterProfile"]["version"]
        return required_roles.of_cluster(credential, sets, self.document.get("liveVersion", created), created)

    @property
    def cluster_id(self) -> ResourceId:
        """The resource id of the cluster."""
        return resource_id.parse(self.cluster["id"])

    @property
    def domain(self) -> str:
        """The cluster's full domain. A domain of one label is under the managed zone."""
        return ".".join(cluster_names.split_domain(self.properties["clusterProfile"]["domain"], settings.load().domain))

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


@cache
def _tenant_of(store: Store, subscription_id: str) -> str:
    """Return a subscription's tenant. Cached for the life of the process, because every client needs it."""
    return subscriptions.tenant_of(store.subscriptions.get(subscription_id), subscription_id)


def own(client: Callable[..., Client], subscription_id: str = "") -> Client:
    """Return a client that acts as the resource provider in the service's own tenant and subscription."""
    service_settings = settings.load()
    return clients.as_provider(
        client,
        subscription_id or service_settings.subscription_id,
        service_settings.tenant_id,
        get_vault().get_service_secret,
    )
