"""What the service has made for identities that a cluster no longer uses: their roles, and what they trust."""

from azure.core.exceptions import ResourceNotFoundError
from azure.mgmt.authorization import AuthorizationManagementClient
from azure.mgmt.authorization.v2022_04_01.models import RoleAssignment

from activities.azure import resource_group, storage
from activities.identities import federated_credentials
from activities.identities.cluster_identity import as_actor
from activities.runtime.executor import Executor
from activities.runtime.step import Step
from shared.azure.scopes import AT_SCOPE
from shared.clusters.identities import known_identities


def _remove(step: Step) -> None:
    """Remove the role assignments and the federated credentials that the service made and that no operator needs now.

    Those of former identities, and those of a role or a service account that an operator no longer has. Names tell the
    service's own assignments from others, and issuer and audience its own credentials. A second run finds nothing.

    Source: ARO-RP `pkg/cluster/workloadidentityresources.go`, which leaves those of former identities.
    """
    _remove_assignments(step)
    with as_actor(step) as arm:
        for identity in known_identities.former(step.document):
            federated_credentials.delete_of(arm, identity, step.identities.issuer)
        federated_credentials.delete_superfluous(step, arm)
    step.decide(known_identities.note_worked)


def _remove_assignments(step: Step) -> None:
    scope, wanted = resource_group.group_id(step), {each["name"] for each in storage.role_assignments(step)}
    assignments = step.customer(AuthorizationManagementClient).role_assignments
    for found in list(assignments.list_for_scope(scope, filter=AT_SCOPE)):
        if found.name not in wanted and _is_ours(scope, found):
            try:
                assignments.delete(scope, str(found.name))
            except ResourceNotFoundError:
                continue


def _is_ours(scope: str, found: RoleAssignment) -> bool:
    role = str(found.role_definition_id).rpartition("/")[2]
    return str(found.name) == storage.role_assignment_name(scope, str(found.principal_id), role)


remove_former_identities = Executor(run=_remove)
