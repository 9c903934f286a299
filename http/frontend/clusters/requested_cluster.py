"""What a PUT or PATCH makes of a cluster. Every request goes the same way, and the order is here and nowhere else.

1. decode: known members of the right types, before anything is read;
2. overlay: what the body says, laid over what is stored;
3. the version of a create that names none;
4. validate: what can be said without asking anybody, then what may not change;
5. settle: what is the service's own goes back to what the service says;
6. default: what is empty and has a default;
7. what ARM says of who sent it.

What comes out holds secrets: `convert.take_secrets` parts them from the document, and `convert.to_external` answers.
"""

from frontend.messages import Call
from shared.clusters import catalogue, convert
from shared.clusters.checks.facts import Facts
from shared.clusters.checks.validation import validate_delta, validate_resume, validate_static
from shared.clusters.decode import decode_cluster
from shared.clusters.states import Edge, Event
from shared.documents import Cluster


def decode(call: Call) -> Cluster:
    """Return what the body says.

    Raises:
        CloudError: 400 `InvalidRequestContent`.
    """
    return decode_cluster(call.content, call.version)


def requested_cluster(call: Call, sent: Cluster, stored: Cluster, edge: Edge) -> Cluster:
    """Return the cluster that a request wants: valid and complete, secrets included.

    Args:
        call: the request.
        sent: the decoded body.
        stored: the internal cluster with its secrets; at create one of `id`, `name` and `type`.
        edge: the edge of the state machine that the request takes.

    Raises:
        CloudError: with all that is wrong with it.
    """
    version, creating = call.version, edge.state is None
    cluster = convert.overlay(stored, sent, version, patch=edge.event is Event.PATCH)
    versions = _with_version(call, cluster) if creating else ()
    validate_static(_facts(call, cluster, {} if creating else stored, versions, creating=creating))
    if not creating:
        validate = validate_resume if edge.resume else validate_delta
        validate(stored, cluster, version)
    cluster = convert.settle(cluster, stored, version)
    convert.apply_defaults(cluster)
    if call.system_data:
        cluster["systemData"] = {**cluster.get("systemData", {}), **call.system_data}
    return cluster


def _with_version(call: Call, cluster: Cluster) -> tuple[str, ...]:
    """Give a new cluster the default version unless it names one; return those that it may name."""
    documents = call.services.store.versions.enabled()
    profile = cluster.get("properties", {}).get("clusterProfile", {})
    if not profile.get("version"):
        profile["version"] = catalogue.default_version(documents)
    return tuple(catalogue.names(documents))


def _facts(call: Call, cluster: Cluster, stored: Cluster, versions: tuple[str, ...], *, creating: bool) -> Facts:
    settings = call.services.settings
    return Facts(
        cluster, call.version, call.resource_id, settings.location, settings.domain, creating, versions, stored
    )
