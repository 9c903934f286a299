"""The customer's disk encryption sets, whose keys encrypt the machines' disks."""

from functools import partial
from http import HTTPStatus

from azure.core.exceptions import HttpResponseError, ResourceNotFoundError
from azure.mgmt.compute import ComputeManagementClient
from azure.mgmt.compute.models import DiskEncryptionSet

from activities.azure.cluster_principal import Connect, read_as_either
from activities.checks import linked_resources
from activities.checks.linked_resources import Linked
from activities.runtime.executor import Executor, TryAgain
from activities.runtime.step import Step
from shared.arm.errors import CloudError, summarize
from shared.arm.names import same_location
from shared.azure.sdk_values import text
from shared.steps import RetryClass


def _validate_disk_encryption_sets(step: Step) -> None:
    """Check that each set exists in the cluster's region and is usable.

    Raises:
        CloudError: `InvalidLinkedDiskEncryptionSet`, for the customer, with an entry for each problem.
        TryAgain: if neither principal may read a set yet.

    Source: ARO-RP `pkg/validate/dynamic/diskencryptionset.go`.
    """
    problems: list[CloudError] = []
    unreadable: list[CloudError] = []
    for linked in linked_resources.encryption_sets(step):
        try:
            problems += _problems(step, linked, read_as_either(step, partial(_get, linked)))
        except ResourceNotFoundError:
            problems.append(linked.not_found())
        except HttpResponseError as error:
            if error.status_code != HTTPStatus.FORBIDDEN:
                raise
            unreadable.append(linked.unreadable(step.credential))
    if problems:
        raise summarize([*problems, *unreadable])
    if unreadable:
        raise TryAgain(summarize(unreadable), RetryClass.AUTHORIZATION)


def _get(linked: Linked, connect: Connect) -> DiskEncryptionSet:
    sets = connect(ComputeManagementClient).disk_encryption_sets
    found: DiskEncryptionSet = sets.get(linked.id.resource_group, linked.id.name)
    return found


def _problems(step: Step, linked: Linked, found: DiskEncryptionSet) -> list[CloudError]:
    problems = []
    wanted, state = step.cluster["location"], text(found.provisioning_state)
    if not same_location(str(found.location), wanted):
        problems.append(
            f"The disk encryption set '{linked.id}' is in '{found.location}', and the cluster would be in '{wanted}'. "
            "Use one of the cluster's region."
        )
    if state != "Succeeded":
        problems.append(
            f"The disk encryption set '{linked.id}' is in state '{state}', not 'Succeeded'. Check that it may use its "
            "key."
        )
    return [CloudError(400, linked.kind.missing, problem, linked.target) for problem in problems]


validate_disk_encryption_sets = Executor(run=_validate_disk_encryption_sets)
