"""PUT and PATCH of a cluster: create, update, resume.

What is written comes in this order: secrets, async operation, cluster document; the wrapper then starts the
orchestration. Whatever dies in between leaves something that nobody sees (a secret, an operation that no document
names) or something that the watchdog starts.
"""

import copy
import json
from typing import Any

from frontend.messages import Call, Reply, new_id
from frontend.operation_begin import accepted, begin_operation
from orchestrators import resuming
from shared.arm.errors import CloudError, ErrorCode, conflict, resource_not_found
from shared.clusters import catalogue, convert, principals, states
from shared.clusters.decode import decode_cluster
from shared.clusters.documents import Cluster
from shared.clusters.facts import Facts
from shared.clusters.secrets import Purpose, secret_name
from shared.clusters.states import Edge, Event
from shared.clusters.validation import validate_delta, validate_resume, validate_static
from shared.store import UPDATE_TRIES, Conflict, NotFound, PreconditionFailed

_BUCKETS = 256


def put(call: Call) -> Reply:
    """Create a cluster, update it to what the body says, or resume a create that failed.

    Source: ARO-RP `pkg/frontend/openshiftcluster_putorpatch.go`; differences are in `rp-contract` 4.
    """
    return _retried(call, Event.PUT)


def patch(call: Call) -> Reply:
    """Change the members of a cluster that the body gives.

    Raises:
        CloudError: 404 `ResourceNotFound` when there is no cluster.
    """
    return _retried(call, Event.PATCH)


def _retried(call: Call, event: Event) -> Reply:
    """Repeat the whole decision while somebody else is faster with the document."""
    sent = decode_cluster(call.content, call.version)
    for _ in range(UPDATE_TRIES):
        try:
            return _put_or_patch(call, event, sent)
        except (PreconditionFailed, NotFound):
            continue
    raise conflict(f"The cluster '{call.resource_id}' was changed by other requests at the same time. Try again.")


def _put_or_patch(call: Call, event: Event, sent: Cluster) -> Reply:
    document = call.services.store.clusters.get(call.key)
    if document is None and event is Event.PATCH:
        raise resource_not_found(call.resource_id)
    if document is None:
        return _create(call, sent)
    edge = states.find_edge(document["openShiftCluster"], event)
    return _update(call, document, edge, sent)


def _create(call: Call, sent: Cluster) -> Reply:
    services = call.services
    cluster = _new_cluster(call, sent)
    bundle = convert.take_secrets(cluster)
    properties = cluster["properties"]
    document: dict[str, Any] = {
        "id": new_id(),
        "key": call.key,
        "partitionKey": call.subscription_id,
        "clusterResourceGroupIdKey": properties["clusterProfile"]["resourceGroupId"],
        "clientIdKey": properties["servicePrincipalProfile"]["clientId"].lower(),
        "bucket": services.random.randrange(_BUCKETS),
        "openShiftCluster": cluster,
    }
    name = secret_name(document["id"], Purpose.REQUEST)
    document["secrets"] = {str(Purpose.REQUEST): services.vault.put_secret(name, bundle, document["id"])}
    document["hasPullSecret"] = _has_pull_secret(bundle)
    operation = begin_operation(call, document, states.find_edge(None, Event.PUT))
    services.store.operations.create(operation)
    try:
        services.store.clusters.create(document)
    except Conflict as error:
        stored = services.store.clusters.get(call.key)
        # It may be our own write, sent again by the SDK because the answer to the first one was lost.
        if stored is None or stored["id"] != document["id"]:
            # The document's id will never be used, so nobody else can have this secret in hand.
            services.vault.delete(name)
            raise _collision(call, document) from error
    return accepted(call, 201, convert.to_external(cluster, call.version), document, operation)


def _new_cluster(call: Call, sent: Cluster) -> Cluster:
    """Return the valid internal cluster of a create, secrets included."""
    services = call.services
    parameters = call.request.parameters
    base: Cluster = {
        "id": call.resource_id,
        "name": parameters["resourceName"],
        "type": f"{parameters['resourceProviderNamespace']}/{parameters['resourceType']}",
    }
    cluster = convert.overlay(base, sent, call.version, patch=False)
    versions = services.store.versions()
    profile = cluster.get("properties", {}).get("clusterProfile", {})
    if not profile.get("version"):
        profile["version"] = catalogue.default_version(versions)
    validate_static(_facts(call, cluster, versions=tuple(catalogue.names(versions))))
    cluster = convert.settle(cluster, base, call.version)
    convert.apply_defaults(cluster)
    _set_system_data(call, cluster)
    properties = cluster["properties"]
    properties["clusterProfile"]["resourceGroupId"] = properties["clusterProfile"]["resourceGroupId"].lower()
    properties["createdAt"] = services.now().isoformat()
    properties["provisionedBy"] = services.settings.build
    return cluster


def _update(call: Call, document: dict[str, Any], edge: Edge, sent: Cluster) -> Reply:
    services = call.services
    principals.start_from_worked(document, _client_id(sent))
    stored = copy.deepcopy(document["openShiftCluster"])
    stored_bundle = services.vault.get_secret(document["secrets"][Purpose.REQUEST])
    convert.put_secrets(stored, stored_bundle)
    cluster = convert.overlay(stored, sent, call.version, patch=edge.event is Event.PATCH)
    validate_static(_facts(call, cluster, stored=stored))
    validate = validate_resume if edge.resume else validate_delta
    validate(stored, cluster, call.version)
    cluster = convert.settle(cluster, stored, call.version)
    convert.apply_defaults(cluster)
    _set_system_data(call, cluster)
    bundle = convert.take_secrets(cluster)
    if bundle != stored_bundle:
        name = secret_name(document["id"], Purpose.REQUEST)
        document["secrets"][str(Purpose.REQUEST)] = services.vault.put_secret(name, bundle, document["id"])
    document["hasPullSecret"] = _has_pull_secret(bundle)
    principal = cluster["properties"]["servicePrincipalProfile"]
    if principal["clientId"].lower() != document["clientIdKey"]:
        # The object id was that of another application; the operation asks for it anew.
        principal.pop("objectId", None)
        document["clientIdKey"] = principal["clientId"].lower()
    document["openShiftCluster"] = cluster
    operation = begin_operation(call, document, edge, _resume(call, document) if edge.resume else None)
    services.store.operations.create(operation)
    try:
        services.store.clusters.replace(document)
    except Conflict as error:
        raise _collision(call, document) from error
    return accepted(call, 200, convert.to_external(cluster, call.version), document, operation)


def _client_id(sent: Cluster) -> str:
    profile = (sent.get("properties") or {}).get("servicePrincipalProfile") or {}
    return str(profile.get("clientId") or "")


def _facts(call: Call, cluster: Cluster, *, stored: Cluster | None = None, versions: tuple[str, ...] = ()) -> Facts:
    own, creating = call.services.settings, stored is None
    return Facts(cluster, call.version, call.resource_id, own.location, own.domain, creating, versions, stored or {})


def _set_system_data(call: Call, cluster: Cluster) -> None:
    if call.system_data:
        cluster["systemData"] = {**cluster.get("systemData", {}), **call.system_data}


def _has_pull_secret(bundle: dict[str, Any]) -> bool:
    """Tell whether the customer brought credentials of registries. The vault alone knows which."""
    return bool(json.loads(bundle.get("pullSecret") or "{}").get("auths"))


def _resume(call: Call, document: dict[str, Any]) -> list[str]:
    """Return the rows that the new operation takes over; note on the cluster when its bootstrap has to begin again."""
    done, properties = _done_rows(call, document), document["openShiftCluster"]["properties"]
    again = resuming.begins_again(properties, done, call.services.now())
    if again:
        properties.setdefault("install", {})["beginsAgain"] = True
    return resuming.carried_over(done, again=again)


def _done_rows(call: Call, document: dict[str, Any]) -> list[str]:
    """Return the rows that the failed create has done, or had taken over from one before it."""
    store, operation_id = call.services.store, document.get("lastAsyncOperationId", "")
    operation = store.operations.get(operation_id) if operation_id else None
    if operation is None:  # Operations and their progress expire together; every row may run again.
        return []
    done = [item["step"] for item in store.progress.list(operation_id) if item["status"] == "Succeeded"]
    return list(dict.fromkeys([*operation["plan"].get("done", []), *done]))


def _collision(call: Call, document: dict[str, Any]) -> Exception:
    """Return what to raise for a write that met a unique key: whose value it is, or a race to decide again."""
    clusters = call.services.store.clusters
    for member, code, what in (
        ("clientIdKey", ErrorCode.DUPLICATE_CLIENT_ID, "service principal with client id"),
        ("clusterResourceGroupIdKey", ErrorCode.DUPLICATE_RESOURCE_GROUP, "cluster resource group"),
    ):
        value = document[member]
        found = clusters.find_by(document["partitionKey"], member, value)
        if found is not None and found["key"] != document["key"]:
            return CloudError(
                400, code, f"The {what} '{value}' belongs to another cluster of this subscription. Choose another one."
            )
    return PreconditionFailed(document["id"])
