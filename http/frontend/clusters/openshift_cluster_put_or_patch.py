"""PUT and PATCH of a cluster: create, update, resume.

A request writes in this order: reservation of the domain, secrets, async operation, cluster document; the wrapper then
starts the orchestration. A request that fails undoes its writes. If it dies in between, it leaves either something that
no document names (a reservation, a secret, an operation), which a sweep finds, or something that the watchdog starts.
"""

import json
from contextlib import ExitStack
from dataclasses import replace
from functools import cache

from frontend.clusters import cluster_reply, managed_domain, operators_view, requested_identities
from frontend.clusters.enrichment import Shown, show_clusters
from frontend.clusters.operation_begin import accepted_reply, new_request, refused_reply, write_operation
from frontend.clusters.requested_cluster import new_cluster, requested_cluster, stored_cluster
from frontend.clusters.undo import attempt, undoing
from frontend.messages import Call, Reply, new_id
from frontend.races import repeat_until_written
from orchestrators.plans import predicates, resume
from orchestrators.plans.operation_start import begin_operation
from shared import deadline
from shared.arm.errors import CloudError, ErrorCode, resource_not_found
from shared.arm.preconditions import require_match
from shared.clusters import catalogue, convert, states, worker_count
from shared.clusters.decode import decode_cluster
from shared.clusters.identities import cluster_credential
from shared.clusters.power import power_states
from shared.clusters.secrets import Purpose, secret_name
from shared.clusters.states import Edge, Event
from shared.documents import Cluster, ClusterDocument, OperationDocument
from shared.steps import StepStatus
from shared.store import Conflict, PreconditionFailed
from shared.vault import Bundle

_BUCKETS = 256


def put(call: Call) -> Reply:
    """Answer PUT of a cluster: create it, update it to match the body, or resume a create that failed.

    Source: ARO-RP `pkg/frontend/openshiftcluster_putorpatch.go`. Unlike there, a failed create can be resumed, a PUT
    may leave out members that have a default, and the checks against Azure run in the operation, not in the request.

    Raises:
        CloudError: 412 `PreconditionFailed`, before the cluster's state is looked at: of two callers who create a
            cluster with `If-None-Match: *`, the second learns that it exists.
    """
    return _repeated(call, Event.PUT)


def patch(call: Call) -> Reply:
    """Answer PATCH of a cluster: change the members that the body contains.

    Raises:
        CloudError: 404 `ResourceNotFound` if there is no cluster; 412 `PreconditionFailed`.
    """
    return _repeated(call, Event.PATCH)


def _repeated(call: Call, event: Event) -> Reply:
    return repeat_until_written(f"The cluster '{call.resource_id}'", lambda: _put_or_patch(call, event))


def _put_or_patch(call: Call, event: Event) -> Reply:
    document = call.services.store.clusters.get(call.key)
    if document is None and call.version.for_operators:
        raise operators_view.no_cluster(call)
    if document is None and event is Event.PATCH:
        raise resource_not_found(call.resource_id)
    require_match(call.request.headers, document["_etag"] if document else "")
    if document is None:
        return _create(call, decode_cluster(call.content, call.version))
    try:
        edge = states.find_edge(document["openShiftCluster"], event)
    except CloudError as error:
        return refused_reply(call, document, error)
    sent = decode_cluster(call.content, call.version)
    if call.version.for_operators:
        operators_view.refuse(call, document["openShiftCluster"], event, sent)
    return _update(call, document, edge, sent)


def _create(call: Call, sent: Cluster) -> Reply:
    services, edge = call.services, states.find_edge(None, Event.PUT)
    document, bundle = new_document(call, sent, edge)
    requested_identities.note_home(call, document["openShiftCluster"], Event.PUT)
    name = secret_name(document["id"], Purpose.REQUEST)
    with undoing() as undo:
        managed_domain.reserve(call, document, undo)
        # Pushed first, because the answer may be lost. The document's id is never reused, so nobody else has this
        # secret.
        undo.callback(attempt, "delete its secret", lambda: services.vault.delete(name))
        document["secrets"] = {str(Purpose.REQUEST): services.vault.put_secret(name, bundle, document["id"])}
        operation = begin_operation(new_request(call), document, edge, services.settings)
        try:
            write_operation(call, document, operation, services.store.clusters.create, undo)
        except Conflict as error:
            raise _collision(call, document) from error
    return _accepted(call, 201, document, operation)


def new_document(call: Call, sent: Cluster, edge: Edge) -> tuple[ClusterDocument, Bundle]:
    """Return the document of a create, without secrets, and the bundle of these. Nothing is written.

    Args:
        call: the request.
        sent: the decoded body.
        edge: the edge of the state machine that a create takes.

    Raises:
        CloudError: with every problem of the body.
    """
    cluster = _new_cluster(call, sent, edge)
    bundle = convert.take_secrets(cluster)
    document = _new_document(call, cluster)
    document["hasPullSecret"] = _has_pull_secret(bundle)
    return document, bundle


def _new_document(call: Call, cluster: Cluster) -> ClusterDocument:
    return {
        "id": new_id(),
        "key": call.key,
        "partitionKey": call.subscription_id,
        "clusterResourceGroupIdKey": cluster["properties"]["clusterProfile"]["resourceGroupId"],
        "clientIdKey": cluster_credential.unique_key(cluster_credential.parse({"openShiftCluster": cluster})),
        "bucket": call.services.random.randrange(_BUCKETS),
        "openShiftCluster": cluster,
    }


def _new_cluster(call: Call, sent: Cluster, edge: Edge) -> Cluster:
    """Return the valid internal cluster of a create, secrets included."""
    services = call.services
    cluster = requested_cluster(call, sent, new_cluster(call), edge)
    properties = cluster["properties"]
    properties["clusterProfile"]["resourceGroupId"] = properties["clusterProfile"]["resourceGroupId"].lower()
    properties["createdAt"] = services.now().isoformat()
    properties["provisionedBy"] = services.settings.build
    # Decided here, so that no later change of the catalogue, or of a default, changes it under a running create.
    properties["installer"] = catalogue.installer(
        services.store.versions.enabled(), properties["clusterProfile"]["version"]
    )
    return cluster


def _update(call: Call, document: ClusterDocument, edge: Edge, sent: Cluster) -> Reply:
    services = call.services
    bundle, stored_bundle, done = change_document(call, document, edge, sent)
    requested_identities.note_home(call, document["openShiftCluster"], edge.event)
    with undoing() as undo:
        if bundle != stored_bundle:
            _replace_secret(call, document, bundle, undo)
        operation = begin_operation(new_request(call), document, edge, services.settings, done)
        try:
            write_operation(call, document, operation, services.store.clusters.replace, undo)
        except Conflict as error:
            raise _collision(call, document) from error
    return _accepted(call, 200, document, operation)


def _accepted(call: Call, status: int, document: ClusterDocument, operation: OperationDocument) -> Reply:
    """Return the reply with the cluster as the request has written it, and its ETag."""
    body = cluster_reply.body(call, document["openShiftCluster"], document["_etag"])
    reply = accepted_reply(call, status, body, document, operation)
    return replace(reply, headers={**reply.headers, "ETag": document["_etag"]})


def change_document(
    call: Call, document: ClusterDocument, edge: Edge, sent: Cluster
) -> tuple[Bundle, Bundle, list[str] | None]:
    """Change a document to what an update or resume asks for. Nothing is written.

    Args:
        call: the request.
        document: the stored document, changed in place.
        edge: the edge of the state machine that is taken.
        sent: the decoded body.

    Returns:
        The bundle of the cluster's secrets, the stored one, and the rows that a resume carries over.

    Raises:
        CloudError: with every problem of the body.
        PreconditionFailed: a delete has removed the secrets since the document was read.
    """
    stored, stored_bundle = stored_cluster(call, document, sent)
    read_live = cache(lambda: _live(call, document))
    cluster = requested_cluster(call, sent, stored, edge, read_live)
    bundle = convert.take_secrets(cluster)
    document["hasPullSecret"] = _has_pull_secret(bundle)
    before = cluster_credential.parse(document)
    document["openShiftCluster"] = cluster
    cluster_credential.accept(document, before)
    requested_identities.note_version(document, lambda: read_live().cluster["properties"]["clusterProfile"]["version"])
    worker_count.note_wanted(document, worker_count.wanted(stored))
    power_states.note_schedule(document, stored, call.services.now())
    changes = bundle != stored_bundle or predicates.changes_the_cluster(document, call.services.settings)
    if changes and not edge.resume:
        power_states.require_running(document, "A change of the service principal, of identities or of workers")
    done = _resume(call, document) if edge.resume else None
    return bundle, stored_bundle, done


def _live(call: Call, document: ClusterDocument) -> Shown:
    """Return a cluster as a GET shows it now."""
    with deadline.live_reads():
        (cluster,) = show_clusters(call, [document])
    return cluster


def _replace_secret(call: Call, document: ClusterDocument, bundle: Bundle, undo: ExitStack) -> None:
    """Store a new version of the request's secret.

    If the update is not accepted, the version is disabled, because no document names it and nobody may use it.
    """
    vault, name = call.services.vault, secret_name(document["id"], Purpose.REQUEST)
    versioned_id = vault.put_secret(name, bundle, document["id"])
    undo.callback(attempt, "disable a version of its secret", lambda: vault.disable(versioned_id))
    document["secrets"][str(Purpose.REQUEST)] = versioned_id


def _has_pull_secret(bundle: Bundle) -> bool:
    """Tell whether the customer supplied registry credentials. Only the vault knows which."""
    return bool(json.loads(bundle.get("pullSecret") or "{}").get("auths"))


def _resume(call: Call, document: ClusterDocument) -> list[str]:
    """Return the rows that the new operation carries over; mark the cluster if its bootstrap has to begin again."""
    done, properties = _done_rows(call, document), document["openShiftCluster"]["properties"]
    again = resume.begins_again(properties, done, call.services.now())
    if again:
        properties.setdefault("install", {})["beginsAgain"] = True
    return resume.carried_over_rows(done, again=again)


def _done_rows(call: Call, document: ClusterDocument) -> list[str]:
    """Return the rows that the failed create has done, or had carried over from an earlier one."""
    store, operation_id = call.services.store, document.get("lastAsyncOperationId", "")
    operation = store.operations.read(operation_id) if operation_id else None
    if operation is None:  # Operations and their progress expire together; every row may run again.
        return []
    done = [item["step"] for item in store.progress.list(operation_id) if item["status"] == StepStatus.SUCCEEDED]
    plan = store.operations.with_plan(operation).get("plan")
    return list(dict.fromkeys([*(plan.get("done", []) if plan else []), *done]))


def _collision(call: Call, document: ClusterDocument) -> Exception:
    """Return the exception for a write that met a unique key: it names the member, or a race to decide again."""
    clusters = call.services.store.clusters
    group, credential = document["clusterResourceGroupIdKey"], cluster_credential.parse(document)
    for member, value, code, what in (
        ("clientIdKey", document["clientIdKey"], ErrorCode.DUPLICATE_CLIENT_ID, cluster_credential.label(credential)),
        ("clusterResourceGroupIdKey", group, ErrorCode.DUPLICATE_RESOURCE_GROUP, "cluster resource group"),
    ):
        other = clusters.find_by(document["partitionKey"], member, value)
        if other is not None and other["key"] != document["key"]:
            return CloudError(
                400, code, f"The {what} '{value}' belongs to another cluster of this subscription. Choose another one."
            )
    return PreconditionFailed(document["id"])
