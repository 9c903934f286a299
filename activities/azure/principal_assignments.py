"""What Azure and the cluster document store about a cluster's principals while an update replaces one by another."""

from azure.core.exceptions import ResourceNotFoundError
from azure.mgmt.authorization import AuthorizationManagementClient

from activities.azure import resource_group, storage
from activities.runtime.executor import Executor
from activities.runtime.step import Step
from shared.clusters import principals
from shared.clusters.identities import known_identities


def _note_principal(step: Step) -> None:
    """Record in the cluster document which principal or identities are about to come, before anything else gets them.

    If the update fails later, the next update knows what it has to replace, whatever it brings.
    """
    step.decide(lambda document: principals.note_tried(document) or known_identities.note_tried(document))


def _remove_former(step: Step) -> None:
    """Remove the assignments that the service made for principals that the cluster no longer uses.

    Their names distinguish them from all others at the same scope. A missing one is fine, so a second run changes
    nothing.

    Source: ARO-RP `pkg/cluster/deploybaseresources.go`; it also removes those of others.
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
