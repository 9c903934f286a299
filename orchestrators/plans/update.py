"""Update a cluster: what a changed service principal needs, and the network as the cluster left it."""

from datetime import timedelta

from orchestrators.plans.create import PRINCIPALS
from orchestrators.plans.rows import Row

# fmt: off
UPDATE = (
    *PRINCIPALS,
    # The template carries the role assignment and the deny assignment, and both name the service principal.
    Row(name="deploy_storage_template", phase="update", kind="begin-and-poll",
        executor="deploy_storage_template", owner="azure", poll=timedelta(seconds=5), deadline=timedelta(minutes=30),
        needs=("validate_service_principal_permissions", "validate_resource_provider_permissions"),
        waits_for="Azure Resource Manager to finish the deployment of storage, network security groups and role assignments",
        message="Correct what Azure reports below, then repeat the request."),
    Row(name="attach_nsgs", phase="update", kind="action",
        executor="attach_nsgs", owner="azure", poll=timedelta(seconds=2), deadline=timedelta(minutes=15),
        needs=("deploy_storage_template",),
        waits_for="both subnets to have the cluster's network security groups",
        message="Detach other network security groups from the cluster's subnets, then repeat the request."),
    Row(name="finish", phase="finish", kind="action",
        executor="finish_operation",
        needs=("attach_nsgs",),
        waits_for="the result to be stored"),
)
# fmt: on
