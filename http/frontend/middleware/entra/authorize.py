"""What the caller may do: Azure RBAC decides, in advance of everything that tells what exists."""

import logging
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from urllib.parse import quote

from frontend.callers.rights import Open, Right, Role, Scope
from frontend.messages import Call, Handler, Reply
from shared import tracing
from shared.arm import resource_id
from shared.arm.errors import authorization_failed, forbidden
from shared.arm.resource_id import ResourceId
from shared.azure.rights import Ask
from shared.documents import ClusterDocument

_log = logging.getLogger("frontend.access")


def authorize(call: Call, handle: Handler) -> Reply:
    """Refuse a caller who lacks what the verb requires. A verb that requires nothing is refused to everyone.

    Raises:
        CloudError: 403 `AuthorizationFailed` or `Forbidden`; 503 if Azure RBAC cannot be asked.
    """
    verb = call.route.verbs.get(call.request.method)
    if verb is None:  # Unknown paths have no verbs, and nothing to protect.
        return handle(call)
    match verb.needs:
        case Right(at=Scope.EACH_GROUP):
            return handle(replace(call, visible=partial(_visible, call, verb.needs)))
        case Right():
            _require(call, verb.needs)
            if verb.needs.also:
                _require(call, verb.needs.also)
        case Role() if not call.principal.has(verb.needs):
            raise forbidden(f"The token of this request does not have the app role '{verb.needs}'.")
        case None:
            raise forbidden(f"Nobody may {call.request.method} this path: it names no action that would allow it.")
        case Role() | Open():
            pass
    return handle(call)


def _require(call: Call, right: Right) -> None:
    principal, rights, scope = call.principal, call.services.rights, str(_SCOPES[right.at](call))
    # The first question costs next to nothing, so that those without any role cannot use up what ARM lets the app read.
    may = rights.holds(principal.object_id, scope) and rights.may(
        principal.object_id, Ask(right.action, scope), fresh=right.fresh
    )
    if not may:
        raise authorization_failed(principal.name, principal.object_id, right.action, scope)
    if call.request.method != "GET":
        # Azure's activity log does not see these requests, so this line is the record of who changed or took what.
        _log.info(
            "%s %s may %s at %s",
            principal.kind,
            principal.object_id,
            right.action,
            quote(scope),
            extra=tracing.current.get().extra(),
        )


def _subscription(call: Call) -> ResourceId:
    return ResourceId(call.request.parameters["subscriptionId"])


def _group(call: Call) -> ResourceId:
    given = call.request.parameters
    return ResourceId(given["subscriptionId"], given["resourceGroupName"])


def _group_of_operation(call: Call) -> ResourceId:
    """Return the group of the operation's cluster. If there is none, only those who may read everything learn that."""
    key = call.services.store.polls.cluster_key(call.parameters["operationId"])
    cluster = resource_id.parse(key) if key else None
    if cluster is None or cluster.subscription_id != call.subscription_id:
        return _subscription(call)
    return cluster.group


_SCOPES: dict[Scope, Callable[[Call], ResourceId]] = {
    Scope.GROUP: _group,
    Scope.SUBSCRIPTION: _subscription,
    Scope.OPERATION: _group_of_operation,
}


def _visible(call: Call, right: Right, documents: list[ClusterDocument]) -> list[ClusterDocument]:
    """Return the clusters of those resource groups on which the caller has the right."""
    groups = {document["key"]: str(resource_id.parse(document["key"]).group) for document in documents}
    scopes = sorted(set(groups.values()))
    rights, caller = call.services.rights, call.principal.object_id
    if not (scopes and rights.holds(caller, str(_subscription(call)))):
        return []
    answers = rights.may_each(caller, [Ask(right.action, scope) for scope in scopes])
    allowed = {scope for scope, may in zip(scopes, answers, strict=True) if may}
    return [document for document in documents if groups[document["key"]] in allowed]
