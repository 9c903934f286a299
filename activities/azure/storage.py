"""The first deployment of a cluster, with storage, network security groups and the role assignment; and its blobs."""

from datetime import UTC, datetime
from typing import assert_never
from uuid import NAMESPACE_URL, uuid5

from azure.core.credentials import AzureSasCredential
from azure.core.exceptions import HttpResponseError, ServiceRequestError, ServiceResponseError
from azure.mgmt.storage import StorageManagementClient
from azure.mgmt.storage.models import AccountSasParameters
from azure.storage.blob import BlobClient, BlobServiceClient, LinearRetry

from activities.azure import deployments, resource_group, subnets
from activities.runtime.executor import Executor, Outcome, wait
from activities.runtime.step import Step
from shared import answer_framing, cloud, deadline, durations, settings, tracing
from shared.arm.errors import CloudError, ErrorCode
from shared.azure.azure_errors import clean, is_away
from shared.azure.templates import Parameters
from shared.clusters.identities import cluster_credential
from shared.clusters.identities.cluster_credential import ServicePrincipal, WorkloadIdentity
from shared.clusters.states import ProvisioningState
from shared.network import MOST_BYTES

DEPLOYMENT = "storage"
IGNITION_CONTAINER = "ignition"
CONTAINERS = (IGNITION_CONTAINER, "aro")
# Azure's built-in role Contributor.
_CONTRIBUTOR = "b24988ac-6180-42a0-ab88-20f7382dd24c"


def role_assignment_name(scope: str, object_id: str, role: str = "contributor") -> str:
    """Return the name of the assignment with which the service gives a role to what acts for the cluster in its group.

    Azure does not let an assignment change its principal, so the name contains it: each principal has its own
    assignment, and one that somebody else made never has this name.

    Args:
        scope: id of the group.
        object_id: object id of the principal, or of the operator's identity.
        role: what tells the roles of one principal apart.
    """
    return str(uuid5(NAMESPACE_URL, f"{scope}/{role}/{object_id}".lower()))


def _role_assignments(step: Step) -> list[dict[str, str]]:
    """Return the assignments at the cluster's resource group: the principal may do all in it, an operator its part."""
    scope, credential = resource_group.group_id(step), step.credential
    match credential:
        case ServicePrincipal(_, object_id):
            return [_assignment(role_assignment_name(scope, object_id), _CONTRIBUTOR, object_id)]
        case WorkloadIdentity(_, operators):
            assignments = []
            for each in step.operator_roles(credential):
                object_id, role = operators[each["operatorName"]].object_id, each["roleDefinitionId"].rpartition("/")[2]
                assignments.append(_assignment(role_assignment_name(scope, object_id, role), role, object_id))
            return assignments
        case _:
            assert_never(credential)


def _assignment(name: str, role: str, object_id: str) -> dict[str, str]:
    return {"name": name, "role": role, "principalId": object_id}


def _parameters(step: Step) -> Parameters:
    return {
        "infraId": step.properties["infraId"],
        "storageSuffix": step.properties["storageSuffix"],
        "location": step.cluster["location"],
        "roleAssignments": _role_assignments(step),
        "admittedSubnetIds": _admitted_subnet_ids(step),
        "isCreated": step.properties.get("provisioningState") == ProvisioningState.CREATING,
    }


def _admitted_subnet_ids(step: Step) -> list[str]:
    """Return the subnets that the storage account lets in, the service's and the cluster's; none if it stays open.

    Azure refuses a subnet without the service endpoint of storage. So a plan that does not add it first, because the
    service is in no subnet or an earlier package has stored the plan, leaves the account open.
    """
    if "ensure_service_endpoints" not in step.call["row"]["needs"]:
        return []
    app = settings.load().app_subnet_id
    return [app, *map(str, subnets.subnet_ids(step))] if app else []


def _validate(step: Step) -> list[str]:
    decided = ("infraId", "storageSuffix")
    missing = [f"properties.{name} is not decided yet" for name in decided if not step.properties.get(name)]
    return missing + cluster_credential.unknown_ids(step.credential)


def account_name(step: Step) -> str:
    """Return the name of the cluster's storage account."""
    return f"cluster{step.properties['storageSuffix']}"


def blob_service(step: Step, *, services: str = "b", resource_types: str, permissions: str) -> BlobServiceClient:
    """Return a client of the cluster's blobs, with a signature that expires in an hour.

    Args:
        step: the step, for its cluster.
        services: as `listAccountSas` takes them.
        resource_types: of `s`ervice, `c`ontainer, `o`bject.
        permissions: of `r`ead, `l`ist, `c`reate, `w`rite, `d`elete.
    """
    wanted = AccountSasParameters(
        services=services,
        resource_types=resource_types,
        permissions=permissions,
        protocols="https",
        shared_access_expiry_time=datetime.now(UTC).replace(microsecond=0) + durations.STORAGE_LINK,
    )
    return open_account(step.customer(StorageManagementClient), step.resource_group, account_name(step), wanted)


def open_account(
    client: StorageManagementClient, group: str, name: str, wanted: AccountSasParameters
) -> BlobServiceClient:
    """Return a client of an account's blobs with the requested signature.

    Args:
        client: client of the account's subscription.
        group: resource group of the account.
        name: name of the account.
        wanted: the rights that the signature grants.

    Raises:
        CloudError: if the account has no blobs.
    """
    accounts = client.storage_accounts
    signed = accounts.list_account_sas(group, name, wanted)
    endpoints = accounts.get_properties(group, name).primary_endpoints
    if endpoints is None or not endpoints.blob or not signed.account_sas_token:
        raise CloudError(500, ErrorCode.DEPLOYMENT_FAILED, f"The storage account '{name}' has no blob endpoint.")
    return BlobServiceClient(
        endpoints.blob,
        credential=AzureSasCredential(signed.account_sas_token),
        transport=cloud.short_transport(),
        # Its own retries begin after 15 seconds, in which the thread would sleep while it holds the turn for
        # certificates.
        retry_policy=LinearRetry(backoff=1, retry_total=1, random_jitter_range=0),
        raw_request_hook=tracing.add_headers,
        raw_response_hook=answer_framing.expect_whole,
    )


def read(blob: BlobClient, offset: int = 0, most_bytes: int = MOST_BYTES) -> bytes:
    """Read a part of a blob, at once and within the time of one answer, because customers can write there.

    Args:
        blob: the blob.
        offset: where the part begins.
        most_bytes: how long it may be.

    Raises:
        azure.core.exceptions.AzureError: if it cannot be read; `ResourceNotFoundError` if there is none.
    """
    with deadline.within(cloud.ANSWER_SECONDS):
        content: bytes = blob.download_blob(offset=offset, length=most_bytes).readall()
        return content


def _containers_ready(step: Step) -> Outcome | None:
    """Tell whether both containers answer on the data plane, which the cluster's machines will read.

    Any error of the data plane counts as "not yet", because a new account's name takes a while to resolve.
    """
    with blob_service(step, resource_types="c", permissions="r") as blobs:
        for container in CONTAINERS:
            try:
                blobs.get_container_client(container).get_container_properties()
            except (HttpResponseError, ServiceRequestError, ServiceResponseError) as error:
                told = clean(str(error.message)).splitlines()[0]
                return wait(f"container '{container}': {told}", unanswered=is_away(error))
    return None


# Source: ARO-RP `pkg/cluster/deploystorage.go`, `deployStorageTemplate`.
deploy_storage_template = deployments.executor(DEPLOYMENT, _parameters, _validate)
storage_containers_ready = Executor(status=_containers_ready)
