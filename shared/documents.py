"""What stands in the documents of Cosmos DB, as types. `docs/design.md` explains each document and gives examples.

Documents are plain dictionaries at run time: members written by a newer build are kept and written back, so nothing
here may be used to filter. All members are optional to the type checker, because an older build may have written less;
it knows which names there are.
"""

from typing import Any, TypedDict

from shared.arm.async_operations import AsyncOperation
from shared.steps import ResolvedPlan


class Document(TypedDict, total=False):
    """What every document has: its id, and the tag by which a replace is conditional."""

    id: str
    ttl: int
    _etag: str


class CorrelationData(TypedDict, total=False):
    """What ties a request to everything that it causes."""

    correlationId: str
    clientRequestId: str
    requestId: str
    requestTime: str
    traceparent: str


class ClusterProfile(TypedDict, total=False):
    """`clusterProfile`; the pull secret is in it only while a request is looked at."""

    domain: str
    version: str
    resourceGroupId: str
    fipsValidatedModules: str
    oidcIssuer: str
    pullSecret: str


class ServicePrincipalProfile(TypedDict, total=False):
    """`servicePrincipalProfile`: what the customer wants; the secret is in it only while a request is looked at."""

    clientId: str
    objectId: str
    clientSecret: str


class ManagedOutboundIps(TypedDict, total=False):
    """How many addresses the cluster leaves by."""

    count: int


class LoadBalancerProfile(TypedDict, total=False):
    """`loadBalancerProfile`."""

    managedOutboundIps: ManagedOutboundIps
    effectiveOutboundIps: list[dict[str, str]]


class NetworkProfile(TypedDict, total=False):
    """`networkProfile`; `privateEndpointIp` is where the service dials the API server."""

    podCidr: str
    serviceCidr: str
    outboundType: str
    preconfiguredNSG: str
    loadBalancerProfile: LoadBalancerProfile
    privateEndpointIp: str


class MachineProfile(TypedDict, total=False):
    """What the profiles of masters and of workers have in common."""

    vmSize: str
    subnetId: str
    encryptionAtHost: str
    diskEncryptionSetId: str


class WorkerProfile(MachineProfile, total=False):
    """One of `workerProfiles`, or of `workerProfilesStatus`."""

    name: str
    diskSizeGB: int
    count: int


class ConsoleProfile(TypedDict, total=False):
    """`consoleProfile`."""

    url: str


class ApiServerProfile(TypedDict, total=False):
    """`apiserverProfile`."""

    visibility: str
    url: str
    ip: str


class IngressProfile(TypedDict, total=False):
    """One of `ingressProfiles`."""

    name: str
    visibility: str
    ip: str


class RegistryProfile(TypedDict, total=False):
    """One of `registryProfiles`: the token of the cluster."""

    name: str
    username: str


class Install(TypedDict, total=False):
    """When the certificates of a day began, and whether a resume has to begin the bootstrap again."""

    now: str
    beginsAgain: bool


class Properties(TypedDict, total=False):
    """The properties of a cluster: those of all API versions, and what activities have decided."""

    provisioningState: str
    lastProvisioningState: str
    failedProvisioningState: str
    clusterProfile: ClusterProfile
    servicePrincipalProfile: ServicePrincipalProfile
    platformWorkloadIdentityProfile: dict[str, Any]
    networkProfile: NetworkProfile
    masterProfile: MachineProfile
    workerProfiles: list[WorkerProfile]
    workerProfilesStatus: list[WorkerProfile]
    consoleProfile: ConsoleProfile
    apiserverProfile: ApiServerProfile
    ingressProfiles: list[IngressProfile]
    install: Install
    zones: list[str]
    rhcosImage: dict[str, str]
    infraId: str
    storageSuffix: str
    registryProfiles: list[RegistryProfile]
    createdAt: str
    provisionedBy: str


class Cluster(TypedDict, total=False):
    """The internal cluster (`openShiftCluster` of its document): superset of all API versions, JSON names."""

    id: str
    name: str
    type: str
    location: str
    tags: dict[str, str]
    systemData: dict[str, str]
    identity: dict[str, Any]
    properties: Properties


class Principal(TypedDict):
    """A service principal of a cluster, with the versioned id of the bundle that holds its secret."""

    clientId: str
    objectId: str
    secretId: str


class KnownPrincipals(TypedDict, total=False):
    """The principal that a cluster runs with, and those that updates have begun to carry in."""

    worked: Principal
    tried: list[Principal]


class Restarts(TypedDict):
    """The attempts in a row that ended without a row done, and since when they are restarted."""

    count: int
    since: str


class ClusterDocument(Document, total=False):
    """The truth about one cluster."""

    key: str
    partitionKey: str
    clusterResourceGroupIdKey: str
    clientIdKey: str
    bucket: int
    asyncOperationId: str
    lastAsyncOperationId: str
    attempt: int
    stopping: bool
    supersededOperationId: str | None
    restarts: Restarts
    correlationData: CorrelationData
    principal: KnownPrincipals
    secrets: dict[str, str]
    hasPullSecret: bool
    openShiftCluster: Cluster


class OperationDocument(Document, total=False):
    """An async operation; it has a copy of the cluster once it has ended, unless it was a delete."""

    openShiftClusterKey: str
    clusterDocumentId: str
    taskHub: str
    takenOverAttempt: int
    asyncOperation: AsyncOperation
    plan: ResolvedPlan
    correlationData: CorrelationData
    openShiftCluster: Cluster


class Feature(TypedDict, total=False):
    """A feature that a subscription is registered for."""

    name: str
    state: str


class SubscriptionProperties(TypedDict, total=False):
    """The properties of a subscription; any may be null."""

    tenantId: str | None
    accountOwner: dict[str, Any] | None
    registeredFeatures: list[Feature] | None


class Subscription(TypedDict, total=False):
    """What ARM says of a subscription."""

    state: str
    registrationDate: str
    properties: SubscriptionProperties | None


class SubscriptionDocument(Document, total=False):
    """A subscription; `deleting` while its clusters have to be deleted."""

    subscription: Subscription
    deleting: bool


class CatalogueDocument(Document, total=False):
    """A version that can be installed, as an operator wrote it."""

    version: str
    enabled: bool
    default: bool
    openShiftPullspec: str
    rhcosImage: dict[str, str]
    releaseMetadata: dict[str, Any]
    ignitionVersion: str
    flavour: str
    installer: str
    snippets: dict[str, Any]


class BillingTimes(TypedDict, total=False):
    """From when to when a cluster costs, in seconds of Unix time."""

    tenantID: str
    location: str
    creationTime: int
    deletionTime: int


class BillingDocument(Document, total=False):
    """The billing record of a cluster."""

    key: str
    clusterResourceGroupIDKey: str
    infraId: str
    billing: BillingTimes


class DomainDocument(Document, total=False):
    """The reservation of a managed domain."""

    openShiftClusterKey: str
    clusterDocumentId: str
    reservedAt: str


class TaskHubDocument(Document, total=False):
    """The last sign of life of a task hub."""

    lastSeen: str
    listeningSince: str
