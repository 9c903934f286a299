"""Brings a changed principal, or secret, into the cluster: from the root Secret to everything that acts in Azure.

The secret is in memory while a step runs. Each step compares the cluster with the current request and changes what
differs. So a second run, or the update after a failed one, continues where the last one ended.
"""

from datetime import datetime

from kubernetes.client import ApiClient

from activities.azure import cluster_principal
from activities.cluster import cluster_api
from activities.runtime.executor import Executor, Outcome
from activities.runtime.step import Step
from shared.json_object import Json
from shared.openshift import azure_credentials, client, writes
from shared.openshift.azure_credentials import Credentials
from shared.openshift.client import Read


def _wanted(step: Step) -> Credentials:
    principal = cluster_principal.principal_of(step)
    return Credentials(step.tenant_id, principal.client_id, cluster_principal.client_secret(step))


def _update_root(step: Step) -> Outcome | None:
    """Write the credentials into the root Secret; the cloud-credential operator copies them from there."""
    wanted = _wanted(step)
    return cluster_api.write(
        step,
        lambda api: writes.amend(
            api, azure_credentials.ROOT, lambda found: azure_credentials.root_patch(found, wanted)
        ),
    )


def _restart_operator(step: Step) -> Outcome | None:
    """Delete the operator's pods that are older than this row; new ones start with the current root Secret."""

    def work(api: ApiClient) -> None:
        for pod in client.read(api, azure_credentials.OPERATOR_PODS):
            metadata = pod["metadata"]
            if datetime.fromisoformat(metadata["creationTimestamp"]) < datetime.fromisoformat(step.call["startTime"]):
                client.delete(api, Read("Pod", metadata["name"], metadata["namespace"]))

    return cluster_api.write(step, work)


def _operator_credentials(step: Step) -> Outcome | None:
    """Tell whether every CredentialsRequest for Azure has the credentials in its Secret."""
    wanted = _wanted(step)

    def missing(api: ApiClient) -> list[str]:
        requests = filter(azure_credentials.is_for_azure, client.read(api, azure_credentials.REQUESTS))
        return [
            azure_credentials.request_missing(each, client.read(api, azure_credentials.target(each)), wanted)
            for each in requests
        ]

    return cluster_api.wait_while_missing(step, missing)


def _update_provider(step: Step) -> Outcome | None:
    """Write the credentials into the Secret of the cloud provider, which reads it when its pods start.

    Clusters whose cloud provider is an operator's have no such Secret: the credential operator made that one.
    """
    wanted, change = _wanted(step), cluster_principal.principal_of(step).secret_id.rsplit("/", 1)[-1]

    def patch(found: Json) -> Json:
        return azure_credentials.provider_patch(found, wanted, change)

    def work(api: ApiClient) -> None:
        if client.read(api, azure_credentials.PROVIDER) is not None:
            writes.amend(api, azure_credentials.PROVIDER, patch)

    return cluster_api.write(step, work)


def _reason(api: ApiClient) -> str:
    """Return the reason for which the control plane has to be redeployed, or ""."""
    secret = client.read(api, azure_credentials.PROVIDER)
    return azure_credentials.redeployment_reason(secret) if secret else ""


def _redeploy(step: Step) -> Outcome | None:
    """Make the operators of the control plane redeploy its pods, if the cloud provider's Secret has ever changed."""

    def work(api: ApiClient) -> None:
        reason = _reason(api)
        for operator, _pod in azure_credentials.CONTROL_PLANE if reason else ():
            writes.amend(api, operator, lambda found: azure_credentials.reason_patch(found, reason))

    return cluster_api.write(step, work)


def _redeployed(step: Step) -> Outcome | None:
    """Tell whether every master runs the pods that were deployed for the last change of the cloud provider's Secret."""

    def missing(api: ApiClient) -> list[str]:
        reason = _reason(api)
        if not reason:
            return []
        return [_redeployment(api, operator, pod, reason) for operator, pod in azure_credentials.CONTROL_PLANE]

    return cluster_api.wait_while_missing(step, missing)


def _redeployment(api: ApiClient, what: Read, pod: Read, reason: str) -> str:
    operator = writes.existing(api, what)
    revision = azure_credentials.latest_revision(operator)
    deployed = client.read(api, Read(pod.kind, f"{pod.name}-{revision}", pod.namespace))
    return azure_credentials.redeployment_missing(what, operator, deployed, reason)


update_root_credentials = Executor(run=_update_root)
restart_cloud_credential_operator = Executor(run=_restart_operator)
operator_credentials_ready = Executor(status=_operator_credentials)
update_cloud_provider_credentials = Executor(run=_update_provider)
redeploy_control_plane = Executor(run=_redeploy)
control_plane_redeployed = Executor(status=_redeployed)
