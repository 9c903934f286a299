"""Begins an operation in the documents, for requests and for the timer that deletes clusters.

Pure: the caller writes the operation first, then the cluster. If nobody starts the operation, the watchdog does.
"""

from dataclasses import dataclass, field
from datetime import datetime, timedelta

from orchestrators import plans
from shared.arm import async_operations
from shared.clusters.states import ACTIONS, Edge, apply_edge, is_terminal
from shared.documents import BegunBy, ClusterDocument, CorrelationData, FencedDocument, OperationDocument, SiteDocument
from shared.settings import Settings
from shared.steps import ResolvedPlan, StepStatus

# The time that a request has between its first document and the start of the orchestration; scaled by the settings.
LOOK_BACK = timedelta(minutes=2)


@dataclass(frozen=True)
class OperationRequest:
    """The id of a new operation, its caller and its time.

    Args:
        operation_id: a random id, never used before.
        namespace: the resource provider, in the client's spelling.
        correlation: the ids that tie the operation to its request.
        now: the start time.
        begun_by: the caller; empty if nobody has called, or it is not known who.
    """

    operation_id: str
    namespace: str
    correlation: CorrelationData
    now: datetime
    begun_by: BegunBy = field(default_factory=BegunBy)


def begin_operation(
    request: OperationRequest,
    document: ClusterDocument,
    edge: Edge,
    settings: Settings,
    done: list[str] | None = None,
) -> OperationDocument:
    """Change a cluster document so that it names a new operation, and return that operation's document.

    Nothing is stored.

    Args:
        request: its id, caller and time.
        document: the cluster document, changed in place.
        edge: the edge of the state machine that is taken.
        settings: our settings, for the plan, the task hub that drives the operation, and the region in its path.
        done: rows that an earlier operation has done, for a resume.
    """
    operation_id, properties = request.operation_id, document["openShiftCluster"]["properties"]
    cancels = not is_terminal(properties.get("provisioningState", "Succeeded"))
    apply_edge(document["openShiftCluster"], edge)
    # If a delete failed before it saw the superseded operation end, the next delete waits for that end.
    superseded = document.get("asyncOperationId") if cancels else document.get("supersededOperationId")
    document["supersededOperationId"] = superseded
    document["isAction"] = edge.event in ACTIONS
    _name(document, request)
    plan = plans.resolve(edge.plan, document, settings)
    if done:
        plan["done"] = done
    path = async_operations.operation_path(document["partitionKey"], request.namespace, settings.location, operation_id)
    return {
        **_begun_by(request),
        "id": operation_id,
        "asyncOperation": async_operations.new_operation(operation_id, path, str(edge.next), request.now),
        "openShiftClusterKey": document["key"],
        "clusterDocumentId": document["id"],
        "taskHub": settings.task_hub,
        "plan": plan,
        "correlationData": request.correlation.copy(),
    }


def begin_site_operation(
    request: OperationRequest, document: SiteDocument, plan: ResolvedPlan, settings: Settings
) -> OperationDocument:
    """Change a site document so that it names a new operation, and return that operation's document.

    Nothing is stored.

    Args:
        request: its id, caller and time.
        document: the site document, changed in place.
        plan: the plan that the operation runs.
        settings: our settings, for the task hub that drives the operation.
    """
    operation_id = request.operation_id
    _name(document, request)
    path = f"/sre/providers/{request.namespace}/sites/{document['id']}/operations/{operation_id}"
    return {
        **_begun_by(request),
        "id": operation_id,
        "asyncOperation": async_operations.new_operation(operation_id, path, StepStatus.RUNNING, request.now),
        "siteName": document["id"],
        "bundle": document["bundle"],
        "taskHub": settings.task_hub,
        "plan": plan,
        "correlationData": request.correlation.copy(),
    }


def _begun_by(request: OperationRequest) -> OperationDocument:
    return {"begunBy": request.begun_by.copy()} if request.begun_by else {}


def _name(document: FencedDocument, request: OperationRequest) -> None:
    """Let a document name a new operation, which its first attempt will drive."""
    # `lastAsyncOperationId` outlives the operation: a resume uses it to find the rows that a failed operation has done.
    document["asyncOperationId"] = document["lastAsyncOperationId"] = request.operation_id
    document["attempt"] = 1
    document["stopping"] = False
    # A delete may supersede an operation that somebody has canceled.
    document.pop("canceling", None)
    document.pop("restarts", None)
    document["correlationData"] = request.correlation.copy()
