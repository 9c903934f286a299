"""The deny assignment of a cluster's resource group: only the service and the cluster itself change what is in it.

Azure lets only the first-party application of a registered resource provider write deny assignments.
"""

from typing import assert_never

from activities.azure import cluster_principal, deployments
from activities.runtime.step import Step
from shared.azure.templates import Parameters
from shared.clusters import principals
from shared.clusters.identities import cluster_credential, known_identities
from shared.clusters.identities.cluster_credential import ServicePrincipal, WorkloadIdentity

DEPLOYMENT = "deny"


def _parameters(step: Step) -> Parameters:
    """Return the template's parameters while every principal and identity that may still be in use is exempt."""
    former = principals.former_object_ids(step.document) + known_identities.former_object_ids(step.document)
    return _sparing(step, former)


def _settled_parameters(step: Step) -> Parameters:
    """Return the template's parameters once nothing former is in use, and only what the cluster has now is exempt."""
    return _sparing(step, [])


def _sparing(step: Step, former: list[str]) -> Parameters:
    spared = sorted({*_object_ids(step), *former})
    return {"sparedPrincipals": [{"id": each, "type": "ServicePrincipal"} for each in spared]}


def _object_ids(step: Step) -> list[str]:
    """Return the object ids of those that act in the group for the cluster.

    The cluster identity does nothing in the group. With workload identity ARO-RP exempts its own application too.
    """
    credential = step.credential
    match credential:
        case ServicePrincipal(_, object_id):
            return [object_id]
        case WorkloadIdentity(_, operators):
            return [*(each.object_id for each in operators.values()), cluster_principal.provider_object_id(step)]
        case _:
            assert_never(credential)


def _validate(step: Step) -> list[str]:
    return cluster_credential.unknown_ids(step.credential)


# Source: ARO-RP `pkg/cluster/deploybaseresources_additional.go`, `denyAssignment`.
deploy_deny_assignment = deployments.executor(DEPLOYMENT, _parameters, _validate)
settle_deny_assignment = deployments.executor(DEPLOYMENT, _settled_parameters, _validate)
