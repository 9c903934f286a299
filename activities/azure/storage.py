"""The first deployment of a cluster, with storage, network security groups and the role assignment; and its blobs."""

from datetime import UTC, datetime, timedelta
from typing import assert_never
from uuid import NAMESPACE_URL, uuid5

from azure.core.credentials import AzureSasCredential, TokenCredential
from azure.core.exceptions import HttpResponseError, ServiceRequestError, ServiceResponseError
from azure.mgmt.storage import StorageManagementClient
from azure.mgmt.storage.models import AccountSasParameters
from azure.storage.blob import BlobClient, BlobSasPermissions, BlobServiceClient, LinearRetry, generate_blob_sas

from activities.azure import cluster_principal, deployments, resource_group, subnets
from activities.runtime.executor import Executor, Outcome, wait
from activities.runtime.step import Step
from shared import answer_framing, cloud, deadline, durations, settings, tracing
from shared.arm.errors import CloudError, ErrorCode
from shared.azure import credentials
from shared.azure.azure_errors import clean, is_away
from shared.azure.templates import Parameters
from shared.clusters.identities import cluster_credential
from shared.clusters.identities.cluster_credential import ServicePrincipal, WorkloadIdentity
from shared.clusters.states import ProvisioningState
from shared.http_session import MOST_BYTES
from shared.vault import get_vault

DEPLOYMENT = "storage"
IGNITION_CONTAINER = "ignition"
CONTAINERS = (IGNITION_CONTAINER, "aro")
# Azure's built-in role Contributor.
_CONTRIBUTOR = "b24988ac-6180-42a0-ab88-20f7382dd24c"
# Azure's built-in role Storage Blob Data Contributor.
_BLOB_CONTRIBUTOR = "ba92f5b4-2d11-453d-a403-e96b0029c9fe"


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


def role_assignments(step: Step) -> list[dict[str, str]]:
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
        "roleAssignments": role_assignments(step),
        "hasKeys": has_keys(step),
        "blobAssignments": _blob_assignments(step),
        "admittedSubnetIds": _admitted_subnet_ids(step),
        "isCreated": step.properties.get("provisioningState") == ProvisioningState.CREATING,
    }


def has_keys(step: Step) -> bool:
    """Tell whether the keys of the cluster's storage account open it. A cluster without a secret has no such keys."""
    credential = step.credential
    match credential:
        case ServicePrincipal():
            return True
        case WorkloadIdentity():
            return False
        case _:
            assert_never(credential)


def _blob_assignments(step: Step) -> list[dict[str, str]]:
    """Return the assignments at the storage account that let the service itself work on its blobs.

    In one's own subscription the service has that right by its own role, and may assign only roles of operators.
    """
    if has_keys(step) or not settings.load().first_party_client_id:
        return []
    scope, object_id = resource_group.group_id(step), cluster_principal.provider_object_id(step)
    return [_assignment(role_assignment_name(scope, object_id, _BLOB_CONTRIBUTOR), _BLOB_CONTRIBUTOR, object_id)]


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
    """Return a client of the cluster's blobs, which acts by a signature for an hour, or by the service's own token.

    Args:
        step: the step, for its cluster.
        services: as `listAccountSas` takes them.
        resource_types: of `s`ervice, `c`ontainer, `o`bject.
        permissions: of `r`ead, `l`ist, `c`reate, `w`rite, `d`elete.
    """
    client, group, name = step.customer(StorageManagementClient), step.resource_group, account_name(step)
    if not has_keys(step):
        return _open(_blob_endpoint(client, group, name), _provider(step))
    wanted = AccountSasParameters(
        services=services,
        resource_types=resource_types,
        permissions=permissions,
        protocols="https",
        shared_access_expiry_time=datetime.now(UTC).replace(microsecond=0) + durations.STORAGE_LINK,
    )
    return open_account(client, group, name, wanted)


def _provider(step: Step) -> TokenCredential:
    return credentials.provider(step.tenant_id, get_vault().get_service_secret)


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
    signed = client.storage_accounts.list_account_sas(group, name, wanted)
    endpoint = _blob_endpoint(client, group, name)
    if not signed.account_sas_token:
        raise _no_blobs(name)
    return _open(endpoint, AzureSasCredential(signed.account_sas_token))


def _blob_endpoint(client: StorageManagementClient, group: str, name: str) -> str:
    endpoints = client.storage_accounts.get_properties(group, name).primary_endpoints
    if endpoints is None or not endpoints.blob:
        raise _no_blobs(name)
    return str(endpoints.blob)


def _no_blobs(name: str) -> CloudError:
    return CloudError(500, ErrorCode.DEPLOYMENT_FAILED, f"The storage account '{name}' has no blob endpoint.")


def _open(endpoint: str, credential: AzureSasCredential | TokenCredential) -> BlobServiceClient:
    return BlobServiceClient(
        endpoint,
        credential=credential,
        transport=cloud.short_transport(),
        # Its own retries begin after 15 seconds, in which the thread would sleep while it holds the turn for
        # certificates.
        retry_policy=LinearRetry(backoff=1, retry_total=1, random_jitter_range=0),
        raw_request_hook=tracing.add_headers,
        raw_response_hook=answer_framing.expect_whole,
    )


def signature(step: Step, container: str, blob: str, start: datetime, life: timedelta) -> str:
    """Return a signature with which anybody reads one blob of an account without keys: the service's own right, lent.

    Args:
        step: the step, for its cluster.
        container: name of the container.
        blob: name of the blob.
        start: when it begins to be valid.
        life: how long it is valid; seven days at most.
    """
    with blob_service(step, resource_types="o", permissions="r") as blobs:
        key = blobs.get_user_delegation_key(start, start + life)
    signed: str = generate_blob_sas(
        account_name(step),
        container,
        blob,
        user_delegation_key=key,
        permission=BlobSasPermissions(read=True),
        start=start,
        expiry=start + life,
        protocol="https",
    )
    return signed


def read(blob: BlobClient, offset: int = 0, most_bytes: int = MOST_BYTES) -> bytes:
    """Read a part of a cluster's blob, at once and in the time of one answer, because customers can write there.

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
