"""The deny assignment of a cluster's resource group: only the service and the cluster's principal change what is in it.

Azure lets only the first-party application of a registered resource provider write deny assignments.
"""

from activities.azure import deployments
from activities.runtime.step import Step
from shared.azure.templates import Parameters
from shared.clusters import principals

DEPLOYMENT = "deny"


def _parameters(step: Step) -> Parameters:
    """Return the template's parameters while every principal that may still be in use is exempt."""
    return _sparing(step, principals.former_object_ids(step.document))


def _settled_parameters(step: Step) -> Parameters:
    """Return the template's parameters once the cluster runs with its current principal, and only that is exempt."""
    return _sparing(step, [])


def _sparing(step: Step, former: list[str]) -> Parameters:
    object_id = step.properties["servicePrincipalProfile"]["objectId"]
    return {"sparedPrincipals": [{"id": each, "type": "ServicePrincipal"} for each in sorted({object_id, *former})]}


def _validate(step: Step) -> list[str]:
    known = step.properties["servicePrincipalProfile"].get("objectId")
    return [] if known else ["properties.servicePrincipalProfile.objectId is not known yet"]


# Source: ARO-RP `pkg/cluster/deploybaseresources_additional.go`, `denyAssignment`.
deploy_deny_assignment = deployments.executor(DEPLOYMENT, _parameters, _validate)
settle_deny_assignment = deployments.executor(DEPLOYMENT, _settled_parameters, _validate)
