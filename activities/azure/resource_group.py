"""The cluster's own resource group in the customer's subscription: created, confirmed, kept in step, deleted."""

from http import HTTPStatus

from azure.core.exceptions import HttpResponseError, ResourceNotFoundError
from azure.mgmt.resource.resources import ResourceManagementClient
from azure.mgmt.resource.resources.models import ResourceGroup

from activities.runtime.executor import Executor, Outcome, TryAgain, wait
from activities.runtime.step import Step
from shared import settings
from shared.arm.errors import CloudError, ErrorCode, Owner
from shared.arm.names import same_location
from shared.documents import ClusterDocument
from shared.steps import RetryClass


def _ensure_resource_group(step: Step) -> None:
    """Create the group, or confirm that an existing one is this cluster's.

    A second run finds the group as it should be and sends nothing.

    Raises:
        CloudError: `ClusterResourceGroupAlreadyExists`, for the customer: the group is not this cluster's.

    Source: ARO-RP `pkg/cluster/deploybaseresources.go`, `ensureResourceGroup`.
    """
    existing = find(step)
    if existing is not None:
        _confirm(step, existing)
    _write(step, existing or ResourceGroup(location=step.cluster["location"]), is_new=existing is None)


def _update_group_tags(step: Step) -> None:
    """Give the group the cluster's tags. A second run sends nothing.

    Tags that the service has put there before, and that the cluster no longer has, are removed; those of others stay. A
    group that is gone, or is not this cluster's, is left alone: other rows report it.
    """
    group = find(step)
    if group is not None and is_ours(step, group):
        _write(step, group, is_new=False)
        _note(step, [])


def _write(step: Step, group: ResourceGroup, *, is_new: bool) -> None:
    """Write the group with the cluster's tags, unless it is as it should be."""
    before, wanted = group.tags or {}, step.cluster.get("tags") or {}
    former = step.document.get("groupTags", [])
    replaced = {name.lower() for name in (*former, *wanted)}
    tags = {name: value for name, value in before.items() if name.lower() not in replaced} | wanted
    if is_new or _as_compared(tags) != _as_compared(before):
        _note(step, former)
        wish = ResourceGroup(location=group.location, managed_by=step.cluster["id"], tags=tags)
        step.customer(ResourceManagementClient).resource_groups.create_or_update(step.resource_group, wish)


def _as_compared(tags: dict[str, str]) -> dict[str, str]:
    """Return tags as Azure compares them: their names in any case."""
    return {name.lower(): value for name, value in tags.items()}


def _note(step: Step, former: list[str]) -> None:
    """Store the names of the tags that are the service's on the group: the cluster's, and former ones until they go.

    This comes before they are written, so that an update after a failure still knows them.
    """
    names = sorted({name.lower() for name in (*former, *(step.cluster.get("tags") or {}))})

    def change(document: ClusterDocument) -> bool:
        before = document.get("groupTags", [])
        document["groupTags"] = names
        return before != names

    step.decide(change)


def _delete_resource_group(step: Step) -> Outcome | None:
    """Begin to delete the group with everything in it. A group that this cluster does not manage is left alone.

    Deny and role assignments, storage and network security groups are deleted with the group. A second run finds it
    gone, or being deleted.

    Source: ARO-RP `pkg/cluster/delete.go`, `deleteResourceGroup`: 404, and 403 after access was lost, are fine.

    Raises:
        HttpResponseError: Azure refuses the deletion of a group that stays ours: a right is missing.
    """
    group = find_ours(step)
    if group is None:
        return None
    if not _is_deleting(group):
        try:
            step.customer(ResourceManagementClient).resource_groups.begin_delete(step.resource_group, polling=False)
        except HttpResponseError as error:
            # The right to delete a group goes with the group, so a 403 alone does not say which of them is missing.
            if error.status_code not in (403, 404) or find_ours(step) is not None:
                raise
            return None
    return wait(f"resource group '{step.resource_group}' is being deleted")


def _is_deleted(step: Step) -> Outcome | None:
    """Tell whether the group is gone.

    Raises:
        TryAgain: if Azure gave up; the next deletion reports a lock or a resource in use.
    """
    group = find_ours(step)
    if group is None:
        return None
    if _is_deleting(group):
        return wait(f"resource group '{step.resource_group}' is being deleted")
    stuck = CloudError(
        409,
        ErrorCode.DEPLOYMENT_FAILED,
        f"Azure did not delete the resource group '{step.resource_group}'.",
        details=[{"code": "AzureResource", "message": group_id(step)}],
        # Locks, policies, and anything else that uses its resources.
        owner=Owner.CUSTOMER,
    )
    raise TryAgain(stuck, RetryClass.GIVEN_UP)


def group_id(step: Step) -> str:
    """Return the id of the cluster's group as the request gave it."""
    return str(step.properties["clusterProfile"]["resourceGroupId"])


def find(step: Step) -> ResourceGroup | None:
    """Return the group with the name of the cluster's group, whoever manages it, or None."""
    try:
        return step.customer(ResourceManagementClient).resource_groups.get(step.resource_group)
    except ResourceNotFoundError:
        return None


def find_ours(step: Step) -> ResourceGroup | None:
    """Return the cluster's group, or None if it is gone, closed to us, or managed by somebody else.

    Raises:
        HttpResponseError: the managed identity may not read the group. The first-party application's rights go with the
            group that it manages, but the identity's are on the subscription, so without them the group may well exist.
    """
    try:
        group = find(step)
    except HttpResponseError as error:
        if error.status_code != HTTPStatus.FORBIDDEN or not settings.load().first_party_client_id:
            raise
        return None
    return group if group is not None and is_ours(step, group) else None


def is_ours(step: Step, group: ResourceGroup) -> bool:
    """Tell whether this cluster manages the group."""
    return str(group.managed_by or "").lower() == str(step.cluster["id"]).lower()


def _is_deleting(group: ResourceGroup) -> bool:
    return group.properties is not None and group.properties.provisioning_state in ("Deleting", "Deprovisioning")


def _confirm(step: Step, group: ResourceGroup) -> None:
    if not is_ours(step, group) or not same_location(group.location, step.cluster["location"]):
        raise CloudError(
            400,
            ErrorCode.CLUSTER_RESOURCE_GROUP_ALREADY_EXISTS,
            f"The resource group '{step.resource_group}' exists already, in {group.location} and "
            + (f"managed by {group.managed_by}." if group.managed_by else "managed by nobody."),
            "properties.clusterProfile.resourceGroupId",
        )
    if _is_deleting(group):
        busy = CloudError(
            409, ErrorCode.CONFLICT, f"The resource group '{step.resource_group}' of a former cluster is being deleted."
        )
        raise TryAgain(busy, RetryClass.BUSY)


ensure_resource_group = Executor(run=_ensure_resource_group)
update_group_tags = Executor(run=_update_group_tags)
delete_resource_group = Executor(run=_delete_resource_group, status=_is_deleted)
