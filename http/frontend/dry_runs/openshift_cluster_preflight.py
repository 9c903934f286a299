"""Preflight of a template: what a PUT of its clusters would be refused for, before anything is deployed.

The answer is always 200, and its body says whether the template passes. It covers what a PUT decides from the body, the
catalogue and the stored cluster; nothing is reserved. For a template with one new cluster Azure is asked, too, by a dry
run of those checks whose result cannot depend on what the template makes: quotas and VM sizes.

A refusal stops the whole deployment, so whatever may still turn out well passes:

* A member with an expression such as `[reference(...)]` is not known before the template runs. It is not checked, nor
  is what depends on it. A resource whose api-version or name is not known is left to its PUT.
* An operation that runs may have ended when the cluster's turn comes. The cluster is checked as it will be if the
  operation succeeds: one that is being deleted counts as new.
* If there are more than a hundred clusters, the others are left to their PUT.
* If Azure does not answer within ten seconds, what it would say is left to the operation.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from frontend.clusters.openshift_cluster_put_or_patch import new_document
from frontend.clusters.requested_cluster import new_cluster, stored_cluster, valid_cluster
from frontend.dry_runs.trial_operation import dry_run_input
from frontend.messages import Call, Reply, Trial
from frontend.middleware.path import check_parameters
from shared import durations
from shared.arm.errors import NAMESPACE, RESOURCE_TYPE, CloudError, ErrorCode, invalid_request_content, shown, summarize
from shared.clusters import states
from shared.clusters.api_versions import find_api_version
from shared.clusters.checks.unknown import is_expression
from shared.clusters.decode import decode_template
from shared.clusters.states import Event
from shared.documents import ClusterDocument
from shared.json_object import JsonView
from shared.steps import DryRunResult, ResolvedRow, Verdict
from shared.store import PreconditionFailed, unreadable_documents

# Each cluster that exists costs a read of the vault, within one request's time.
_MAX_CLUSTERS = 100

_PASSED = {"status": "Succeeded"}
# The rows that ask Azure, and the codes of what they find. Other codes say that Azure could not be asked.
_ASKED = {"validate_quota": ErrorCode.RESOURCE_QUOTA_EXCEEDED, "validate_vm_sizes": ErrorCode.INVALID_PARAMETER}


def preflight(call: Call) -> Reply:
    """Answer POST of a template's preflight: check its clusters; say `"Succeeded"`, or `"Failed"` with an `error`.

    A template with one cluster gets the error that its PUT would get. With several, `details` has an entry for each
    cluster that would be refused, whose target is the cluster's id.

    Source: ARO-RP `pkg/frontend/openshiftcluster_preflightvalidation.go`. Unlike there, all clusters are checked.
    """
    try:
        clusters = [(_id(call, resource), resource) for resource in _clusters(call.content)][:_MAX_CLUSTERS]
    except CloudError as error:
        return failed(error)
    if not clusters:
        return Reply(200, _PASSED)
    keys = [each.lower() for each, _ in clusters]
    documents = call.services.store.clusters.named(call.subscription_id, keys)
    refusals = [(each, _refusal(call, resource, documents.get(each.lower()))) for each, resource in clusters]
    refused = [(each, error) for each, error in refusals if error is not None]
    if not refused:
        return Reply(200, _PASSED, trial=_trial(call, clusters[0][1]) if len(clusters) == 1 and not documents else None)
    return failed(refused[0][1] if len(clusters) == 1 else _several(refused))


def _trial(call: Call, resource: JsonView) -> Trial | None:
    """Return the dry run of the checks of a new cluster whose members are all known."""
    if any(is_expression(resource.get(member)) for member in ("name", "apiVersion")):
        return None
    put = _as_put(call, resource)
    sent, unknown = decode_template(resource, put.version)
    if unknown.targets:
        return None
    edge = states.find_edge(None, Event.PUT)
    document, _ = new_document(put, sent, edge)
    tried = dry_run_input(put, document, edge)
    plan = tried["plan"]
    rows: list[ResolvedRow] = [{**row, "needs": []} for row in plan["rows"] if row["name"] in _ASKED]
    return Trial(
        f"dry-run-{tried['operationId']}",
        lambda result, _running: _answered(result),
        {**tried, "plan": {**plan, "rows": rows}},
        durations.PREFLIGHT.total_seconds(),
    )


def _answered(result: DryRunResult | None) -> Reply:
    """Return the answer for what Azure said; without one, the template passes."""
    errors = [
        row["error"]
        for row in (result["rows"] if result else [])
        if row["verdict"] == Verdict.REFUSED and row["error"].get("code") == _ASKED[row["row"]]
    ]
    if not errors:
        return Reply(200, _PASSED)
    refusals = [CloudError(400, one["code"], one["message"], one.get("target", ""), one["details"]) for one in errors]
    return failed(refusals[0] if len(refusals) == 1 else summarize(refusals))


def failed(error: CloudError) -> Reply:
    """Return the answer for a template that would be refused."""
    return Reply(200, {"status": "Failed", "error": error.body()}, error=error)


def _several(refused: list[tuple[str, CloudError]]) -> CloudError:
    resource_id, first = refused[0]
    return CloudError(
        first.status_code,
        first.code,
        f"{len(refused)} of the template's clusters would be refused; the details have them all. "
        f"The first is '{shown(resource_id)}': {first.message}",
        resource_id,
        [{**error.body(), "target": each, "details": error.details or [error.body()]} for each, error in refused],
    )


def _clusters(content: Any) -> Iterator[JsonView]:
    """Yield the resources of a body that are clusters.

    Raises:
        CloudError: 400 `InvalidRequestContent`.
    """
    if not isinstance(content, dict):
        raise invalid_request_content("The request body must be a JSON object with an array 'resources'.")
    resources = content.get("resources")
    if not isinstance(resources, list | None):
        raise invalid_request_content("The member 'resources' of the request body must be an array.", "resources")
    for index, resource in enumerate(resources or []):
        if not isinstance(resource, dict):
            where = f"resources[{index}]"
            raise invalid_request_content(f"The member '{where}' of the request body must be an object.", where)
        if str(resource.get("type")).lower() == f"{NAMESPACE}/{RESOURCE_TYPE}".lower():
            yield resource


def _refusal(call: Call, resource: JsonView, document: ClusterDocument | None) -> CloudError | None:
    """Return what a PUT of a cluster would be refused for, or None. What is stored of it may not be readable."""
    if any(is_expression(resource.get(member)) for member in ("name", "apiVersion")):
        return None
    try:
        _check(_as_put(call, resource), resource, document)
    except CloudError as error:
        return error
    except unreadable_documents.ERRORS as error:
        if document is None:
            raise
        unreadable_documents.note(call.services.store.clusters.name, document["id"], error)
    return None


def _as_put(call: Call, resource: JsonView) -> Call:
    """Return the call of a PUT of a cluster.

    Raises:
        CloudError: 400 `InvalidResourceType` for the api-version, 400 or 404 for the name.
    """
    for member in ("name", "apiVersion"):
        if not isinstance(resource.get(member), str) or not resource[member]:
            raise invalid_request_content(f"The cluster's member '{member}' must be a text that is not empty.", member)
    named = {"resourceType": RESOURCE_TYPE, "resourceName": resource["name"]}
    parameters = {**call.request.parameters, **named}
    put = replace(
        call,
        request=replace(call.request, method="PUT", parameters=parameters),
        parameters={name: value.lower() for name, value in parameters.items()},
        version=find_api_version(resource["apiVersion"]),
    )
    check_parameters(put)
    return put


def _check(call: Call, resource: JsonView, document: ClusterDocument | None) -> None:
    """Check a cluster like its PUT.

    Raises:
        CloudError: with every problem.
    """
    sent, unknown = decode_template(resource, call.version)
    edge, stored = states.foresee_edge(document["openShiftCluster"] if document else None, Event.PUT), new_cluster(call)
    if document is not None and edge.state is not None:
        try:
            stored, _ = stored_cluster(call, document, sent)
        except PreconditionFailed:
            # A delete has begun since the document was read.
            edge = states.find_edge(None, Event.PUT)
    valid_cluster(call, sent, stored, edge, unknown)


def _id(call: Call, resource: JsonView) -> str:
    parameters = call.request.parameters
    group = f"/subscriptions/{parameters['subscriptionId']}/resourceGroups/{parameters['resourceGroupName']}"
    return f"{group}/providers/{NAMESPACE}/{RESOURCE_TYPE}/{shown(resource.get('name'))}"
