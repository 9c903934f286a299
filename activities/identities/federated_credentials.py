"""The federated credentials of the operators' identities: written before the cluster runs, deleted with it."""

import logging
from collections.abc import Iterator
from typing import Any

from azure.core.exceptions import AzureError, HttpResponseError, ResourceNotFoundError

from activities.identities.cluster_identity import API_VERSION, as_actor
from activities.runtime.executor import Executor
from activities.runtime.step import Step
from shared import tracing
from shared.arm import resource_id
from shared.arm.errors import CloudError, ErrorCode, shown, summarize
from shared.azure import azure_errors
from shared.azure.arm_documents import ArmDocuments, Document
from shared.clusters.identities import federated_credentials, known_identities
from shared.clusters.identities.cluster_credential import operator_path
from shared.clusters.identities.federated_credentials import AUDIENCE, FederatedCredential
from shared.steps import RetryClass

_log = logging.getLogger("activities")


def credentials_of(arm: ArmDocuments, identity: str) -> list[Document]:
    """Return the federated credentials of an identity.

    Args:
        arm: acts on the identities.
        identity: resource id of the identity.

    Raises:
        azure.core.exceptions.ResourceNotFoundError: there is no such identity.
        azure.core.exceptions.HttpResponseError: ARM refuses.
    """
    return arm.list(f"{identity}/federatedIdentityCredentials", API_VERSION)


def _is_ours(found: Document, issuer: str) -> bool:
    """Tell whether a credential is one that the service made for the cluster with an issuer."""
    properties = found.get("properties") or {}
    return federated_credentials.is_ours(properties.get("issuer") or "", properties.get("audiences") or [], issuer)


def _validate_foreign(step: Step) -> None:
    """Check that the operators' identities trust the cluster's own issuer at most, and nobody else.

    Whoever else could get a token of an identity would do in the cluster's resource group what its operator does. Those
    that an earlier run has written are fine.

    Source: ARO-RP `pkg/validate/dynamic/platformworkloadidentityprofile.go`. A repeated create fails on its own there.

    Raises:
        CloudError: `PlatformWorkloadIdentityContainsInvalidCredential`, with one entry for each such credential.
    """
    credential = step.identities
    with as_actor(step) as arm:
        problems = [
            _foreign(name, identity.resource_id, found)
            for name, identity in credential.operators.items()
            for found in credentials_of(arm, identity.resource_id)
            if not _is_ours(found, credential.issuer)
        ]
    if problems:
        raise summarize(problems)


def _foreign(operator: str, identity: str, found: Document) -> CloudError:
    place, name = resource_id.parse(identity), shown(found.get("name"))
    issuer = (found.get("properties") or {}).get("issuer")
    return CloudError(
        400,
        ErrorCode.PLATFORM_WORKLOAD_IDENTITY_CONTAINS_INVALID_CREDENTIAL,
        f"The identity '{identity}' of operator '{operator}' has the federated credential '{name}', which is not the "
        f"cluster's (issuer '{shown(issuer)}'): only the cluster may get its tokens. Give the operator another "
        "identity, or delete the credential: az identity federated-credential delete "
        f"--resource-group {place.resource_group} --identity-name {place.name} --name '{name}'",
        f"{operator_path(operator)}.resourceId",
    )


def _ensure(step: Step) -> None:
    """Write the credentials that the operators' identities do not have yet.

    Azure takes one write at a time for an identity, so they are written one after another. A second run finds them, by
    issuer and subject, and writes nothing.

    Source: ARO-RP `pkg/cluster/workloadidentityresources.go`, `federateIdentityCredentials`.
    """
    issuer = step.identities.issuer
    with as_actor(step) as arm:
        for identity, federated in _wanted(step).items():
            there = {found["properties"]["subject"] for found in _ours(arm, identity, issuer)}
            for each in federated:
                if each.subject not in there:
                    arm.put(_path(identity, each.name), API_VERSION, _body(each))


def _wanted(step: Step) -> dict[str, list[FederatedCredential]]:
    credential = step.identities
    return federated_credentials.wanted(step.cluster["name"], credential, step.operator_roles(credential))


def _body(federated: FederatedCredential) -> dict[str, Any]:
    properties = {"issuer": federated.issuer, "subject": federated.subject, "audiences": [AUDIENCE]}
    return {"properties": properties}


def _path(identity: str, name: str) -> str:
    return f"{identity}/federatedIdentityCredentials/{name}"


def _validate(step: Step) -> list[str]:
    return [] if step.identities.issuer else ["properties.clusterProfile.oidcIssuer is not known yet"]


def _delete(step: Step) -> None:
    """Delete the credentials that the service has made for the cluster, and no others.

    The identities are the customer's, who may have deleted them or taken the service's rights. That is logged, and does
    not fail the delete. A second run finds nothing.

    Source: ARO-RP `pkg/cluster/delete.go`, `deleteFederatedCredentials`.

    Raises:
        azure.core.exceptions.AzureError: Azure does not answer, or is busy.
    """
    credential = step.identities
    if not credential.issuer:
        return
    try:
        with as_actor(step) as arm:
            for identity in credential.operators.values():
                delete_of(arm, identity.resource_id, credential.issuer)
            for former in known_identities.former(step.document):
                delete_of(arm, former, credential.issuer)
    except (AzureError, CloudError) as error:
        _skip(error, "the cluster's identities")


def delete_superfluous(step: Step, arm: ArmDocuments) -> None:
    """Delete the credentials with which an operator's identity trusts service accounts that its operator no longer has.

    Args:
        step: the step, for its cluster.
        arm: acts on the identities.

    Raises:
        azure.core.exceptions.HttpResponseError: ARM refuses.
    """
    for identity, federated in _wanted(step).items():
        subjects = {each.subject for each in federated}
        for found in _ours(arm, identity, step.identities.issuer):
            if found["properties"]["subject"] not in subjects:
                arm.delete(_path(identity, found["name"]), API_VERSION)


def delete_of(arm: ArmDocuments, identity: str, issuer: str) -> None:
    """Delete the credentials that the service has made for an identity. If ARM refuses, they stay, and that is logged.

    Args:
        arm: acts on the identities.
        identity: resource id of the identity, which its owner may have deleted.
        issuer: the cluster's.

    Raises:
        azure.core.exceptions.AzureError: Azure does not answer, or is busy.
    """
    try:
        for found in _ours(arm, identity, issuer):
            arm.delete(_path(identity, found["name"]), API_VERSION)
    except HttpResponseError as error:
        _skip(error, identity)


def _ours(arm: ArmDocuments, identity: str, issuer: str) -> Iterator[Document]:
    try:
        found = credentials_of(arm, identity)
    except ResourceNotFoundError:
        return
    yield from (each for each in found if _is_ours(each, issuer))


def _skip(error: Exception, what: str) -> None:
    """Log what is left behind.

    Raises:
        AzureError: the error, if it may pass.
    """
    if isinstance(error, AzureError) and (
        azure_errors.is_away(error) or azure_errors.retry_class(error) == RetryClass.BUSY
    ):
        raise error
    _log.warning("federated credentials of %s stay: %s", what, error, extra=tracing.current.get().extra())


validate_federated_credentials = Executor(run=_validate_foreign)
ensure_federated_credentials = Executor(run=_ensure, validate=_validate)
delete_federated_credentials = Executor(run=_delete)
