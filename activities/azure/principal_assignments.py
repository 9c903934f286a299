"""What Azure and the cluster document keep of a cluster's principals while an update replaces one by another."""

from azure.core.exceptions import ResourceNotFoundError
from azure.mgmt.authorization import AuthorizationManagementClient

from activities.azure import resource_group, storage
from activities.runtime.executor import Executor
from activities.runtime.step import Step
from shared.clusters import principals


def _note_principal(step: Step) -> None:
    """Note on the cluster document which principal is about to be carried in, before anything else learns of it.

    If the update fails on the way, the next one knows by that what it has to replace, whichever principal it brings.
    """
    step.decide(principals.note_tried)


def _remove_former(step: Step) -> None:
    """Remove the assignments that the service made for principals which the cluster does not use any more.

    Their names tell them from all others at the same scope. One that is gone is fine, so a second run changes nothing.

    Source: ARO-RP `pkg/cluster/deploybaseresources.go`; it removes those of others as well.
    """
    scope = resource_group.group_id(step)
    assignments = step.customer(AuthorizationManagementClient).role_assignments
    for object_id in principals.former_object_ids(step.document):
        try:
            assignments.delete(scope, storage.role_assignment_name(scope, object_id))
        except ResourceNotFoundError:
            continue


note_principal = Executor(run=_note_principal)
remove_former_role_assignments = Executor(run=_remove_former)
