"""The cluster that a PUT or PATCH asks for.

Create, update and resume take the same steps, in this order:
1. decode: take the members that the version knows and check their types. The caller has done this with
   `decode_cluster`, once the cluster's state allowed the request;
2. overlay: lay the body over the stored cluster, without what it only repeats of the live one;
3. give a create without a version the default version;
4. validate: check everything that needs no call, then refuse changes of fixed members;
5. settle: restore the members that belong to the service;
6. fill empty members that have a default;
7. add who sends it.

A preflight takes the first four of them. The result contains secrets. `convert.take_secrets` removes them before the
document is written, and `convert.to_external` leaves them out of the reply.
"""

import copy
from collections.abc import Callable
from typing import Any

from azure.core.exceptions import ResourceNotFoundError

from frontend.messages import Call
from shared.clusters import catalogue, convert, live, live_workers, principals, worker_count
from shared.clusters.checks.facts import Facts
from shared.clusters.checks.unknown import ALL_KNOWN, Unknown
from shared.clusters.checks.validation import changed_members, validate_delta, validate_resume, validate_static
from shared.clusters.secrets import Purpose
from shared.clusters.states import Edge, Event
from shared.documents import Cluster, ClusterDocument
from shared.store import PreconditionFailed
from shared.vault import Bundle

_VERSION = "properties.clusterProfile.version"


def requested_cluster(
    call: Call, sent: Cluster, stored: Cluster, edge: Edge, read_live: Callable[[], Cluster] | None = None
) -> Cluster:
    """Return the cluster that a request asks for, valid, complete and with its secrets.

    Args:
        call: the request.
        sent: the decoded body.
        stored: the internal cluster with its secrets; for a create, one with only `id`, `name` and `type`.
        edge: the edge of the state machine that the request takes.
        read_live: returns the internal cluster as a GET shows it; None for a create.

    Raises:
        CloudError: with every problem that the validation finds.
    """
    cluster = convert.settle(valid_cluster(call, sent, stored, edge, read_live=read_live), stored, call.version)
    convert.apply_defaults(cluster)
    if call.system_data:
        cluster["systemData"] = {**call.first_system_data, **cluster.get("systemData", {}), **call.system_data}
    return cluster


def valid_cluster(  # noqa: PLR0917 - the request, its cluster, and what is special about either
    call: Call,
    sent: Cluster,
    stored: Cluster,
    edge: Edge,
    unknown: Unknown = ALL_KNOWN,
    read_live: Callable[[], Cluster] | None = None,
) -> Cluster:
    """Return the cluster that a request asks for, valid, before the service adds its own values.

    Args:
        call: the request.
        sent: the decoded body.
        stored: as for `requested_cluster`.
        edge: the edge of the state machine that the request takes.
        unknown: the members of the body whose values are not known yet.
        read_live: as for `requested_cluster`.

    Raises:
        CloudError: with every problem that the validation finds.
    """
    version, creating = call.version, edge.state is None
    is_patch = edge.event is Event.PATCH
    if not creating:
        sent = live_workers.as_sent_at_create(sent, stored, version, patch=is_patch)
    cluster = convert.overlay(stored, sent, version, patch=is_patch)
    if read_live is not None:
        _forget_live(cluster, sent, stored, call, edge, read_live)
    facts = (
        _facts_of_create(call, cluster, unknown) if creating else _facts(call, cluster, creating=False, unknown=unknown)
    )
    validate_static(facts)
    if not creating:
        validate = validate_resume if edge.resume else validate_delta
        validate(stored, cluster, version, unknown)
    return cluster


def new_cluster(call: Call) -> Cluster:
    """Return what a create begins with: the ids, as the caller typed them."""
    parameters = call.request.parameters
    return {
        "id": call.resource_id,
        "name": parameters["resourceName"],
        "type": f"{parameters['resourceProviderNamespace']}/{parameters['resourceType']}",
    }


def stored_cluster(call: Call, document: ClusterDocument, sent: Cluster) -> tuple[Cluster, Bundle]:
    """Return what an update begins with: the stored cluster with its secrets, and the bundle of these secrets.

    Args:
        call: the request.
        document: the cluster document; principal and worker count may change, see `start_from_worked` and
            `start_from_settled`.
        sent: the decoded body.

    Raises:
        PreconditionFailed: a delete has removed the secrets since the document was read.
    """
    profile = (sent.get("properties") or {}).get("servicePrincipalProfile") or {}
    principals.start_from_worked(document, str(profile.get("clientId") or ""))
    worker_count.start_from_settled(document, sent)
    stored = copy.deepcopy(document["openShiftCluster"])
    # The document may be older than the latest default.
    convert.apply_defaults(stored)
    try:
        bundle = call.services.vault.get_secret(document["secrets"][Purpose.REQUEST])
    except ResourceNotFoundError as error:
        raise PreconditionFailed(document["id"]) from error
    convert.put_secrets(stored, bundle)
    return stored, bundle


def _forget_live(  # noqa: PLR0917 - the steps' own values
    cluster: Cluster, sent: Cluster, stored: Cluster, call: Call, edge: Edge, read_live: Callable[[], Cluster]
) -> None:
    """Undo the changes of a request that only repeats what a GET shows of the live cluster.

    A GET may show another version, console or list of ingress profiles than the stored one, which updates compare with.
    A body repeats them if, laid over what a GET shows, it changes nothing there. The live cluster is read only if the
    body differs from the stored cluster in such a member.
    """
    changed = changed_members(stored, cluster, call.version, live.FIXED)
    if not changed:
        return
    shown = convert.as_read(read_live(), call.version)
    repeated = convert.overlay(shown, sent, call.version, patch=edge.event is Event.PATCH)
    for path in set(changed).difference(changed_members(shown, repeated, call.version, changed)):
        convert.copy_member(stored, cluster, path)


def _facts_of_create(call: Call, cluster: Cluster, unknown: Unknown) -> Facts:
    """Return the context of a create. A cluster that names no version gets the default one."""
    settings, documents = call.services.settings, call.services.store.versions.enabled()
    profile = cluster.get("properties", {}).get("clusterProfile", {})
    if not profile.get("version") and not unknown.covers(_VERSION):
        profile["version"] = catalogue.default_version(documents)
    return _facts(
        call,
        cluster,
        creating=True,
        versions=tuple(catalogue.names(documents)),
        pulled_from=() if settings.acr_resource_id else catalogue.registries(documents, profile.get("version", "")),
        unknown=unknown,
    )


def _facts(call: Call, cluster: Cluster, **more: Any) -> Facts:
    settings = call.services.settings
    return Facts(cluster, call.version, call.resource_id, settings.location, settings.domain, **more)
