"""The documents in the store, as types. `docs/design.md` explains each member and gives examples.

Documents are plain dictionaries at run time: members written by a newer build are kept and written back, so nothing
here may be used to filter. All members are optional to the type checker, because an older build may have written less.
"""

from typing import Any, Literal, TypedDict

from shared.arm.errors import CloudErrorBody

Cluster = dict[str, Any]
"""The internal cluster (`openShiftCluster` of its document): superset of all API versions, JSON names."""


class CorrelationData(TypedDict, total=False):
    """What ties a request to everything that it causes."""

    correlationId: str
    clientRequestId: str
    requestId: str
    requestTime: str
    traceparent: str


class ClusterDocument(TypedDict, total=False):
    """The truth about one cluster, in container `OpenShiftClusters`."""

    id: str
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
    correlationData: CorrelationData
    secrets: dict[str, str]
    openShiftCluster: Cluster
    _etag: str


class AsyncOperation(TypedDict, total=False):
    """The part of an operation that its client reads."""

    id: str
    name: str
    initialStatus: str
    status: str
    startTime: str
    endTime: str
    error: CloudErrorBody


class SkippedRow(TypedDict):
    """A row that the operation does not need, and why."""

    name: str
    reason: str


class ResolvedPlan(TypedDict, total=False):
    """A plan in flight: what will be done, decided when the operation started."""

    name: str
    timeScale: float
    rows: list[dict[str, Any]]
    skipped: list[SkippedRow]


class AsyncOperationDocument(TypedDict, total=False):
    """One operation, in container `AsyncOperations`, for 7 days."""

    id: str
    openShiftClusterKey: str
    clusterDocumentId: str
    ttl: int
    asyncOperation: AsyncOperation
    plan: ResolvedPlan
    correlationData: CorrelationData
    openShiftCluster: Cluster
    _etag: str


class ProgressItem(TypedDict, total=False):
    """One (operation, step, attempt), in container `OperationProgress`, for 7 days."""

    id: str
    operationId: str
    step: str
    attempt: int
    phase: str
    kind: Literal["action", "begin-and-poll", "condition"]
    status: Literal["Running", "Succeeded", "Failed", "Canceled"]
    startTime: str
    endTime: str
    polls: int
    deadline: str
    waitsFor: str
    message: str
    error: CloudErrorBody | None
    lastProgressTime: str
    ttl: int


class SubscriptionDocument(TypedDict, total=False):
    """What ARM last said of a subscription, in container `Subscriptions`."""

    id: str
    deleting: bool
    subscription: dict[str, Any]
    _etag: str
