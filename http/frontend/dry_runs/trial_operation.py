"""The operation that a request would begin: its plan and its document. Nothing is written, and no secret is in it."""

from dataclasses import replace

from frontend.clusters.openshift_cluster_put_or_patch import change_document, new_document
from frontend.clusters.operation_begin import new_request
from frontend.messages import Call
from orchestrators import plans
from orchestrators.plans.operation_start import begin_operation
from shared.arm.errors import CloudError, ErrorCode, conflict, resource_not_found, shown
from shared.clusters import states
from shared.clusters.decode import decode_cluster
from shared.clusters.identities import cluster_credential
from shared.clusters.secrets import Purpose
from shared.clusters.states import Edge, Event
from shared.documents import ClusterDocument
from shared.steps import DryRunInput
from shared.store import PreconditionFailed


def planned(call: Call, plan_name: str) -> DryRunInput:
    """Return what a dry run starts with.

    Args:
        call: a PUT of the cluster; its body matters only to the plans of a PUT.
        plan_name: the plan that the request is expected to run.

    Raises:
        CloudError: what the request would be refused for; 404 `NotFound` for an unknown plan; 409 `Conflict` if
            the request would run another plan.
    """
    if plan_name not in plans.PLANS:
        known = ", ".join(plans.PLANS)
        raise CloudError(404, ErrorCode.NOT_FOUND, f"There is no plan '{shown(plan_name)}'. There are: {known}.")
    document = call.services.store.clusters.get(call.key)
    event = next(edge.event for edge in states.EDGES if edge.plan == plan_name)
    if event is not Event.PUT and document is None:
        raise resource_not_found(call.resource_id)
    edge = states.find_edge(document["openShiftCluster"] if document else None, event)
    if edge.plan != plan_name:
        exists = "exists" if document else "does not exist"
        raise conflict(f"The cluster {exists}, so this request would run the plan '{edge.plan}', not '{plan_name}'.")
    return _planned(call, document, edge)


def planned_put(call: Call) -> DryRunInput:
    """Return what the dry run of a PUT starts with.

    Args:
        call: a PUT of the cluster.

    Raises:
        CloudError: what the PUT would be refused for.
    """
    document = call.services.store.clusters.get(call.key)
    return _planned(call, document, states.find_edge(document["openShiftCluster"] if document else None, Event.PUT))


def _planned(call: Call, document: ClusterDocument | None, edge: Edge) -> DryRunInput:
    done: list[str] | None = None
    if document is None:
        document, _ = new_document(
            call, cluster_credential.with_secret(decode_cluster(call.content, call.version)), edge
        )
        document["secrets"] = {}
    elif edge.event is Event.PUT:
        done = _change(call, document, edge)
    return dry_run_input(call, document, edge, done)


def dry_run_input(call: Call, document: ClusterDocument, edge: Edge, done: list[str] | None = None) -> DryRunInput:
    """Return the input of the dry run of an operation.

    Args:
        call: the request that would begin it.
        document: the document as the request would write it, changed in place.
        edge: the edge of the state machine that it would take.
        done: the rows that an earlier operation has done.
    """
    request = new_request(call)
    operation = begin_operation(request, document, edge, call.services.settings, done)
    return {
        "plan": operation["plan"],
        "document": dict(document),
        "operationId": request.operation_id,
        "correlationId": call.correlation.get("correlationId", ""),
        "clientRequestId": call.correlation.get("clientRequestId", ""),
        "traceparent": call.correlation.get("traceparent", ""),
    }


def _change(call: Call, document: ClusterDocument, edge: Edge) -> list[str] | None:
    """Change a document in memory, and leave out the id of a secret that the request would replace."""
    try:
        bundle, stored, done = change_document(call, document, edge, decode_cluster(call.content, call.version))
    except PreconditionFailed:
        raise conflict(f"The cluster '{call.resource_id}' is being deleted. Try again.") from None
    if bundle != stored:
        kept = {purpose: each for purpose, each in document["secrets"].items() if purpose != Purpose.REQUEST}
        document["secrets"] = kept
    return done


def as_put(call: Call) -> Call:
    """Return the call as a PUT of the cluster in its path."""
    return replace(call, request=replace(call.request, method="PUT"))
