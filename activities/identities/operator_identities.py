"""The identities as Azure knows them: their client ids and object ids, which everything else needs."""

from dataclasses import replace
from http import HTTPStatus

from azure.core.exceptions import HttpResponseError

from activities.identities import cluster_identity
from activities.identities.cluster_identity import API_VERSION, Actor, actor_of, as_actor
from activities.runtime.executor import Executor, TryAgain
from activities.runtime.step import Step
from shared.arm.errors import CloudError, ErrorCode, summarize
from shared.azure.arm_documents import ArmDocuments
from shared.clusters.identities import cluster_credential
from shared.clusters.identities.cluster_credential import Identity, operator_path
from shared.steps import RetryClass

_CLUSTER = "identity.userAssignedIdentities"


def _look_up(step: Step) -> None:
    """Read every identity, and store its client id and object id. A second run finds the same, and stores nothing.

    Raises:
        CloudError: `InvalidPlatformWorkloadIdentity`, for the customer: there is no such identity.
        TryAgain: the same, if an identity may not be read: a role takes minutes to reach every part of ARM.

    Source: ARO-RP `pkg/cluster/workloadidentity.go`, `platformWorkloadIdentityIDs`.
    """
    credential, actor, issued = step.identities, actor_of(step), cluster_identity.issued_to(step)
    gone, refused, operators = list[CloudError](), list[CloudError](), dict[str, Identity]()
    cluster = credential.cluster
    if issued is not None:
        cluster = replace(cluster, client_id=issued.client_id, object_id=issued.object_id)
    with as_actor(step) as arm:
        wanted = {operator_path(name): (f"operator '{name}'", each) for name, each in credential.operators.items()}
        if issued is None:
            wanted[_CLUSTER] = ("the cluster", cluster)
        found = {path: _read(arm, each) for path, (_, each) in wanted.items()}
    for path, (who, identity) in wanted.items():
        answer = found[path]
        if isinstance(answer, Identity):
            continue
        (gone if answer == HTTPStatus.NOT_FOUND else refused).append(_problem(actor, who, identity, path, answer))
    if gone:
        raise summarize([*gone, *refused])
    if refused:
        raise TryAgain(summarize(refused), RetryClass.AUTHORIZATION)
    known = {path: answer for path, answer in found.items() if isinstance(answer, Identity)}
    operators = {name: known[operator_path(name)] for name in credential.operators}
    looked_up = replace(credential, cluster=known.get(_CLUSTER, cluster), operators=operators)
    step.decide(lambda document: cluster_credential.note(document, looked_up))


def _read(arm: ArmDocuments, identity: Identity) -> Identity | int:
    """Return an identity with its ids, or the status with which ARM refuses to show it."""
    try:
        properties = arm.get(identity.resource_id, API_VERSION)["properties"]
    except HttpResponseError as error:
        if error.status_code not in (HTTPStatus.FORBIDDEN, HTTPStatus.NOT_FOUND):
            raise
        return error.status_code
    return replace(identity, client_id=properties["clientId"], object_id=properties["principalId"])


def _problem(actor: Actor, who: str, identity: Identity, path: str, status: int) -> CloudError:
    if status == HTTPStatus.NOT_FOUND:
        message = f"The identity '{identity.resource_id}' of {who} was not found. Create it, or give another one."
    else:
        message = (
            f"The {actor.label} may not read the identity '{identity.resource_id}' of {who}. "
            f"{actor.grant(identity.resource_id)}"
        )
    return CloudError(400, ErrorCode.INVALID_PLATFORM_WORKLOAD_IDENTITY, message, path)


look_up_identities = Executor(run=_look_up)
