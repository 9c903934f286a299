"""The cluster that a PUT or PATCH asks for.

Create, update and resume take the same steps, in this order:
1. decode: take the members that the version knows and check their types. The caller has done this with
   `decode_cluster`, once the cluster's state allowed the request;
2. overlay: lay the body over the stored cluster; members that it has from a GET are compared with what a GET shows now;
3. give a create without a version the default version;
4. validate: check everything that needs no call, then refuse changes of fixed members, and operators whose identities
   are not those of the version;
5. settle: restore the members that belong to the service;
6. fill empty members that have a default;
7. add who sends it, if it changes anything.

A preflight takes the first four of them. The result contains secrets. `convert.take_secrets` removes them before the
document is written, and `convert.to_external` leaves them out of the reply.
"""

import copy
from collections.abc import Callable
from typing import Any

from azure.core.exceptions import ResourceNotFoundError

from frontend.clusters import requested_identities
from frontend.clusters.enrichment import Shown
from frontend.messages import Call
from shared.arm.errors import CloudError, ErrorCode
from shared.clusters import catalogue, convert, principals, worker_count
from shared.clusters.checks.facts import Facts
from shared.clusters.checks.unknown import ALL_KNOWN, Unknown
from shared.clusters.identities import cluster_credential, known_identities
from shared.clusters.live import live_values, live_workers
from shared.clusters.secrets import Purpose
from shared.clusters.states import Edge, Event
from shared.clusters.validation import (
    changed_members,
    is_changed,
    validate_delta,
    validate_resume,
    validate_static,
)
from shared.documents import Cluster, ClusterDocument
from shared.store import PreconditionFailed
from shared.vault import Bundle

_VERSION = "properties.clusterProfile.version"


def requested_cluster(
    call: Call, sent: Cluster, stored: Cluster, edge: Edge, read_live: Callable[[], Shown] | None = None
) -> Cluster:
    """Return the cluster that a request asks for, valid, complete and with its secrets.

    Args:
        call: the request.
        sent: the decoded body.
        stored: the internal cluster with its secrets; for a create, one with only `id`, `name` and `type`. If the
            request scales machine sets, its number of workers becomes the one that they have.
        edge: the edge of the state machine that the request takes.
        read_live: returns the cluster as a GET shows it now, however often it is called; None for a create, and for a
            preflight, which lets pass what only the live cluster can tell.

    Raises:
        CloudError: with every problem that the validation finds.
    """
    cluster = convert.settle(valid_cluster(call, sent, stored, edge, read_live=read_live), stored, call.version)
    convert.apply_defaults(cluster)
    if call.system_data and is_changed(stored, cluster, call.version):
        cluster["systemData"] = {**call.first_system_data, **cluster.get("systemData", {}), **call.system_data}
    return cluster


def valid_cluster(  # noqa: PLR0917 - the request, its cluster, and what is special about either
    call: Call,
    sent: Cluster,
    stored: Cluster,
    edge: Edge,
    unknown: Unknown = ALL_KNOWN,
    read_live: Callable[[], Shown] | None = None,
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
    if not creating:
        requested_identities.require_api_version(call, stored)
    cluster = convert.overlay(stored, sent, version, patch=edge.event is Event.PATCH)
    before, after = (stored, cluster) if creating else _beside_live(call, sent, stored, cluster, edge, read_live)
    facts = (
        _facts_of_create(call, cluster, unknown) if creating else _facts(call, cluster, creating=False, unknown=unknown)
    )
    validate_static(facts)
    if not creating:
        validate = validate_resume if edge.resume else validate_delta
        validate(before, after, version, unknown)
    requested_identities.require_roles(call, cluster, unknown, lambda: _openshift(cluster, read_live))
    return cluster


def _openshift(cluster: Cluster, read_live: Callable[[], Shown] | None) -> str:
    """Return the version of OpenShift that a cluster has now, or will have; that of its create if nobody can tell."""
    now = read_live().cluster if read_live else cluster
    return now["properties"]["clusterProfile"]["version"]


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
        document: the cluster document; principal, identities and worker count may change, see `start_from_worked` and
            `start_from_settled`.
        sent: the decoded body.

    Raises:
        PreconditionFailed: a delete has removed the secrets since the document was read.
    """
    principals.start_from_worked(document, cluster_credential.named_client_id(sent))
    known_identities.start_from_worked(document)
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


def _beside_live(  # noqa: PLR0917 - the steps' own values
    call: Call, sent: Cluster, stored: Cluster, cluster: Cluster, edge: Edge, read_live: Callable[[], Shown] | None
) -> tuple[Cluster, Cluster]:
    """Return the cluster that an update begins with and the one that it asks for, to be compared.

    A GET may show another version, console or list of ingress profiles than the stored one, and machine sets, which are
    not stored at all. If the body differs from the stored cluster in such a member, both have what a GET shows now, the
    latter with the body laid over it. The live cluster is read only for that. What the body only repeats gets the
    stored value in `cluster`, and so do machine sets, except the number of workers.

    Raises:
        CloudError: 409 `Conflict` for machine sets if the cluster cannot be read; see `live_workers.counts` for others.
    """
    version, is_patch = call.version, edge.event is Event.PATCH
    of_sets = (live_workers.PROFILES,) if live_workers.are_named(sent, version) else (live_workers.STATUS,)
    changed = changed_members(stored, cluster, version, (*live_values.FIXED, *of_sets))
    sets = [path for path in of_sets if path in changed]
    if read_live is None or not changed:
        for path in sets:
            convert.copy_member(stored, cluster, path)
        return stored, cluster
    live = read_live()
    if sets and (why := live.unread.get("worker_profiles")):
        raise _unread(sets[0], why)
    before, after = copy.deepcopy(stored), copy.deepcopy(cluster)
    shown = convert.as_read(live.cluster, version)
    repeated = convert.overlay(shown, sent, version, patch=is_patch)
    for path in changed:
        convert.copy_member(shown, before, path)
        convert.copy_member(repeated, after, path)
    # The static rules judge what no version accepts. They leave out machine sets, which a create cannot have.
    for path in set(changed).difference(changed_members(before, after, version, live_values.FIXED)):
        convert.copy_member(stored, cluster, path)
    if live_workers.PROFILES in sets:
        infra_id = stored["properties"].get("infraId", "")
        scaled = live_workers.counts(before, after, infra_id, version, patch=is_patch)
        if scaled is not None:
            worker_count.set_wanted(stored, scaled[0])
            worker_count.set_wanted(cluster, scaled[1])
    return before, after


def _unread(path: str, why: str) -> CloudError:
    return CloudError(
        409,
        ErrorCode.CONFLICT,
        f"The request has machine sets in '{path}', and the cluster cannot be read, so nobody can tell whether they "
        f"differ from those that it has: {why}. Try again when the cluster's API server answers, or leave '{path}' out "
        "of a PATCH. A PUT may have the profiles of the create instead, and no 'workerProfilesStatus'.",
        path,
    )


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
        versions=tuple(catalogue.installable_versions(documents)),
        pulled_from=() if settings.acr_resource_id else catalogue.registries(documents, profile.get("version", "")),
        installer=catalogue.installer(documents, profile.get("version", "")),
        unknown=unknown,
    )


def _facts(call: Call, cluster: Cluster, **more: Any) -> Facts:
    settings = call.services.settings
    return Facts(cluster, call.version, call.resource_id, settings.location, settings.domain, **more)
