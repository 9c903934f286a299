"""Types of the documents in Cosmos DB. `docs/documents.md` explains each document and gives examples.

Documents are plain dictionaries at run time. Members that a newer build wrote are kept and written back, so these types
must not be used to filter. All members are optional, because an older build may have written fewer; the type checker
only refuses names that do not exist.
"""

from typing import Any, TypedDict

from shared.arm.async_operations import AsyncOperation
from shared.steps import ResolvedPlan


class Document(TypedDict, total=False):
    """The members of every document: its id, and the tag that makes a replace conditional."""

    id: str
    ttl: int
    _etag: str


class CorrelationData(TypedDict, total=False):
    """The ids that tie a request to everything that it causes."""

    correlationId: str
    clientRequestId: str
    requestId: str
    requestTime: str
    traceparent: str


class BegunBy(TypedDict, total=False):
    """Who began an operation, by object id, as what (`User`, `Application` and so on), and when."""

    objectId: str
    kind: str
    at: str


class ClusterProfile(TypedDict, total=False):
    """`clusterProfile`; it contains the pull secret only while a request is processed."""

    domain: str
    version: str
    resourceGroupId: str
    fipsValidatedModules: str
    oidcIssuer: str
    pullSecret: str


class ServicePrincipalProfile(TypedDict, total=False):
    """`servicePrincipalProfile`, as the customer wants it; it contains the secret only while a request is processed."""

    clientId: str
    objectId: str
    clientSecret: str


class ManagedOutboundIps(TypedDict, total=False):
    """The number of addresses for outbound traffic."""

    count: int


class LoadBalancerProfile(TypedDict, total=False):
    """`loadBalancerProfile`."""

    managedOutboundIps: ManagedOutboundIps
    effectiveOutboundIps: list[dict[str, str]]


class NetworkProfile(TypedDict, total=False):
    """`networkProfile`; the service reaches the API server at `privateEndpointIp`."""

    podCidr: str
    serviceCidr: str
    softwareDefinedNetwork: str
    outboundType: str
    preconfiguredNSG: str
    loadBalancerProfile: LoadBalancerProfile
    privateEndpointIp: str


class MachineProfile(TypedDict, total=False):
    """The common members of the profiles of masters and workers."""

    vmSize: str
    subnetId: str
    encryptionAtHost: str
    diskEncryptionSetId: str


class WorkerProfile(MachineProfile, total=False):
    """One of `workerProfiles`, or of `workerProfilesStatus`."""

    name: str
    diskSizeGB: int
    count: int


class Condition(TypedDict):
    """One of a cluster's `conditions`."""

    type: str
    status: str
    reason: str
    message: str
    lastTransitionTime: str


class PendingStatus(TypedDict):
    """A status of a condition that has not held long enough to be shown, and since when it holds."""

    status: str
    since: str


class ExpirationRecord(TypedDict):
    """The end of something in the calendar: its row, and which of several it is."""

    name: str
    end: str
    detail: str


class PrincipalCheck(TypedDict):
    """Whether Entra ID takes the secret of a cluster's principal.

    `login` names the application and the version of the secret, and `refused` says why, or is empty.
    """

    login: str
    refused: str


class NetworkProblem(TypedDict):
    """Something that is wrong with a cluster's network: a word, and a sentence."""

    reason: str
    message: str


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


class PasswordClaim(TypedDict):
    """The call of an activity that makes a password, and when it began."""

    call: str
    at: str


class RegistryProfile(TypedDict, total=False):
    """One of `registryProfiles`: the token of the cluster, and by slot which call is making a password for it."""

    name: str
    username: str
    claims: dict[str, PasswordClaim]


class Install(TypedDict, total=False):
    """The time when the one-day certificates begin, and whether a resume has to repeat the bootstrap.

    `oneBlob` says that the signature in the bootstrap machine's customData is for its ignition alone; former releases
    signed for all blobs of the account.
    """

    now: str
    oneBlob: bool
    beginsAgain: bool


class PowerSchedule(TypedDict, total=False):
    """`powerSchedule`: on these days, by the clock of this time zone, the cluster starts and stops by itself."""

    timeZone: str
    days: list[str]
    stopTime: str
    startTime: str


class Properties(TypedDict, total=False):
    """The properties of a cluster: those of all API versions, and the decisions of activities."""

    provisioningState: str
    lastProvisioningState: str
    failedProvisioningState: str
    conditions: list[Condition]
    longLivedCredentials: str
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
    powerState: str
    powerSchedule: PowerSchedule
    install: Install
    zones: list[str]
    rhcosImage: dict[str, str]
    installer: str
    infraId: str
    storageSuffix: str
    registryProfiles: list[RegistryProfile]
    createdAt: str
    provisionedBy: str


class Cluster(TypedDict, total=False):
    """The internal cluster (`openShiftCluster` of its document): superset of all API versions, JSON names.

    It has `etag`, and in its properties `conditions`, only while a reply is made.
    """

    etag: str
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
    """The principal that a cluster runs with, and those that updates have begun to install."""

    worked: Principal
    tried: list[Principal]


class NotedIdentity(TypedDict):
    """An operator's identity: its id in lower case, and its object id once that is known."""

    resourceId: str
    objectId: str


class OperatorIdentities(TypedDict):
    """The identities of a cluster's operators, and the version of the next upgrade that they are enough for."""

    operators: dict[str, NotedIdentity]
    upgradeableTo: str


class KnownIdentities(TypedDict, total=False):
    """The identities that a cluster's operators run with, and those that updates have begun to bring in."""

    worked: OperatorIdentities
    tried: list[OperatorIdentities]


class Scaling(TypedDict):
    """A change of the number of workers: the number before it, and whether machine sets were about to be changed."""

    before: int
    begun: bool


class Power(TypedDict, total=False):
    """What the service knows of a cluster's stops and starts.

    Events of its schedule up to `since` are over. One that is not running was stopped at `stoppedAt` and has to be
    started before `startBefore`; with `drained` its nodes are cordoned and its health checks paused. A start began at
    `startedAt`, and has started the machines in `started`.
    """

    since: str
    stoppedAt: str
    startBefore: str
    drained: bool
    startedAt: str
    started: list[str]


class Revocation(TypedDict, total=False):
    """The last revocation that has not ended: its operation, and versioned ids of bundles.

    `signer` and `credentials` are those that it brings in. `former` are the credentials that they have replaced, once
    they have.
    """

    operationId: str
    signer: str
    credentials: str
    former: str


class Restarts(TypedDict):
    """The number of successive attempts that completed no row, and the time of the first restart."""

    count: int
    since: str


class FencedDocument(Document, total=False):
    """The members of a document that fences operations: at most one runs at a time, driven by one attempt.

    With `canceling` somebody has asked for the end of the operation, and no later attempt continues it.
    """

    key: str
    asyncOperationId: str
    lastAsyncOperationId: str
    attempt: int
    stopping: bool
    canceling: bool
    restarts: Restarts
    correlationData: CorrelationData


class SiteDocument(FencedDocument, total=False):
    """A site that operators run plans on. Its id is its name, and its key `/sites/<name>`.

    `bundle` is the digest of the archive that it has now, and `metadata` the path of the metadata file in it. `runs`
    has the last operation of each plan that was run, by the plan's name.
    """

    bundle: str
    metadata: str
    runs: dict[str, str]


class ClusterDocument(FencedDocument, total=False):
    """The document of one cluster."""

    partitionKey: str
    clusterResourceGroupIdKey: str
    clientIdKey: str
    bucket: int
    supersededOperationId: str | None
    isAction: bool
    principal: KnownPrincipals
    identities: KnownIdentities
    scaling: Scaling
    power: Power
    # When its last renewal began.
    renewedAt: str
    revocation: Revocation
    secrets: dict[str, str]
    hasPullSecret: bool
    liveVersion: str
    groupTags: list[str]
    openShiftCluster: Cluster


class AdminCredential(TypedDict, total=False):
    """A certificate of an administrator: whose it is (object id, and as what), since when, and when it ends."""

    serialNumber: str
    objectId: str
    kind: str
    at: str
    end: str


class AdminCredentialsDocument(Document, total=False):
    """The certificates of a cluster's administrators that are valid."""

    credentials: list[AdminCredential]


class OperationDocument(Document, total=False):
    """An async operation. After its end it contains a copy of the cluster, unless it was a delete.

    An operation on a site has `siteName` in place of the cluster's members, the bundle that it began with, and the ids
    of the service's clusters whose kubeconfigs it needs. `plan` is there in memory, and in operations that earlier
    builds have stored: see `shared/store/operations.py`. `begunBy` is absent if no caller is known: timers begin
    operations, too, and earlier builds did not store it.
    """

    siteName: str
    bundle: str
    sourceClusters: list[str]
    openShiftClusterKey: str
    clusterDocumentId: str
    taskHub: str
    takenOverAttempt: int
    asyncOperation: AsyncOperation
    plan: ResolvedPlan
    begunBy: BegunBy
    correlationData: CorrelationData
    openShiftCluster: Cluster


class ClusterConditionsDocument(Document, total=False):
    """The conditions of a cluster, apart from its document: a timer writes them. The id is that of the cluster's.

    `pending` has, by type, a status that is not shown yet. `mismatchedSince` says since when a machine set has had
    another number of machines than it wants, and `consoleReached` whether the service has ever reached its router.
    """

    partitionKey: str
    key: str
    observedAt: str
    conditions: list[Condition]
    pending: dict[str, PendingStatus]
    mismatchedSince: dict[str, str]
    consoleReached: bool
    expirations: list[ExpirationRecord]
    expirationsReadAt: str
    principal: PrincipalCheck
    network: list[NetworkProblem]


class PlanDocument(Document, total=False):
    """The plan of an operation, which never changes."""

    planOf: str
    plan: ResolvedPlan


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
    """A subscription, as ARM describes it."""

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
    defaultSince: str
    openShiftPullspec: str
    rhcosImage: dict[str, str]
    releaseMetadata: dict[str, Any]
    ignitionVersion: str
    flavour: str
    installer: str
    installerDigest: str
    snippets: dict[str, Any]


class SecretLocation(TypedDict, total=False):
    """The secret in a cluster from which an operator reads its credentials."""

    namespace: str
    name: str


class PlatformWorkloadIdentityRole(TypedDict, total=False):
    """A role that an operator of OpenShift needs in Azure, and the service accounts that act with it."""

    operatorName: str
    roleDefinitionName: str
    roleDefinitionId: str
    serviceAccounts: list[str]
    secretLocation: SecretLocation


class RoleSetDocument(Document, total=False):
    """The roles that the operators of a minor version need, as an operator of this service wrote them."""

    openShiftVersion: str
    platformWorkloadIdentityRoles: list[PlatformWorkloadIdentityRole]


class BillingTimes(TypedDict, total=False):
    """Tenant, region, and the start and end of billing in Unix time."""

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
