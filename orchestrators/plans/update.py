"""Update a cluster: the network as the cluster left it, and a changed service principal or secret carried into it.

The order of a change: the new principal gets its role and is spared by the deny assignment, while the former one keeps
both; the cluster is made to run with the new one; then the former one loses both.
"""

from dataclasses import replace
from datetime import timedelta

from orchestrators.plans.create import PRINCIPALS
from orchestrators.plans.rows import A_FEW_RESTARTS, Row

_PRINCIPAL_CHANGES = "principal_is_to_be_carried_in"
_WRONG_PRINCIPAL = (
    "Make the application and its service principal in this tenant, or give the application the secret that was sent, "
    "then repeat the request. The cluster still runs with the former service principal and secret, and requests that "
    "name none start from it."
)
_INSIDE = (
    "Look at what the cluster said last, in this message and below, and mend it, then repeat the request: it goes on "
    "with what is left to do. Until an update has succeeded, keep the former service principal and its secret."
)
_VALIDATION = tuple(
    replace(row, message=_WRONG_PRINCIPAL) if row.name == "validate_service_principal" else row for row in PRINCIPALS
)

# fmt: off
UPDATE = (
    *_VALIDATION,
    # Before anything in Azure or in the cluster knows of it: what fails from here on is still known to the next update.
    Row(name="note_principal", phase="update", kind="action",
        executor="note_principal",
        needs=("validate_service_principal_permissions", "validate_resource_provider_permissions"),
        waits_for="the service principal to be noted on the cluster"),
    # The template carries the role assignment and the deny assignment, and both name the service principal.
    Row(name="deploy_storage_template", phase="update", kind="begin-and-poll",
        executor="deploy_storage_template", owner="azure", poll=timedelta(seconds=5), deadline=timedelta(minutes=30),
        needs=("note_principal",),
        waits_for="Azure Resource Manager to finish the deployment of storage, network security groups and role assignments",
        message="Correct what Azure reports below, then repeat the request."),
    Row(name="attach_nsgs", phase="update", kind="action",
        executor="attach_nsgs", owner="azure", poll=timedelta(seconds=2), deadline=timedelta(minutes=15),
        needs=("deploy_storage_template",),
        waits_for="both subnets to have the cluster's network security groups",
        message="Detach other network security groups from the cluster's subnets, then repeat the request."),
    Row(name="start_machines", phase="principal", kind="begin-and-poll",
        executor="start_machines", owner="azure", deadline=timedelta(minutes=30), when=_PRINCIPAL_CHANGES,
        needs=("deploy_storage_template",),
        waits_for="every virtual machine of the cluster to run",
        message="Start the virtual machines that the message names, then repeat the request."),
    # They may be degraded, which new credentials may mend.
    Row(name="api_servers_available", phase="principal", kind="condition",
        executor="api_servers_available", deadline=timedelta(minutes=30), when=_PRINCIPAL_CHANGES,
        needs=("start_machines",),
        waits_for="the API servers to be available on every master",
        message=_INSIDE),
    Row(name="update_root_credentials", phase="principal", kind="action",
        executor="update_root_credentials", deadline=timedelta(minutes=10), when=_PRINCIPAL_CHANGES,
        needs=("api_servers_available",),
        waits_for="the cluster to take its new credentials for Azure",
        message=_INSIDE),
    Row(name="restart_cloud_credential_operator", phase="principal", kind="action",
        executor="restart_cloud_credential_operator", deadline=timedelta(minutes=10), when=_PRINCIPAL_CHANGES,
        needs=("update_root_credentials",),
        waits_for="the cloud-credential operator to begin anew with them",
        message=_INSIDE),
    Row(name="operator_credentials_ready", phase="principal", kind="condition",
        executor="operator_credentials_ready", deadline=timedelta(minutes=10), shortest=A_FEW_RESTARTS, when=_PRINCIPAL_CHANGES,
        needs=("restart_cloud_credential_operator",),
        waits_for="the cloud-credential operator to give them to every operator that acts in Azure",
        message=_INSIDE),
    Row(name="update_cloud_provider_credentials", phase="principal", kind="action",
        executor="update_cloud_provider_credentials", deadline=timedelta(minutes=10), when=_PRINCIPAL_CHANGES,
        needs=("operator_credentials_ready",),
        waits_for="the cloud provider of the control plane to take them",
        message=_INSIDE),
    Row(name="redeploy_control_plane", phase="principal", kind="action",
        executor="redeploy_control_plane", deadline=timedelta(minutes=10), when=_PRINCIPAL_CHANGES,
        needs=("update_cloud_provider_credentials",),
        waits_for="the operators of API server and controller manager to be told to deploy anew",
        message=_INSIDE),
    # One master after the other, and twice: minutes each.
    Row(name="control_plane_redeployed", phase="principal", kind="condition",
        executor="control_plane_redeployed", deadline=timedelta(minutes=60), when=_PRINCIPAL_CHANGES,
        needs=("redeploy_control_plane",),
        waits_for="API server and controller manager to run with them on every master",
        message=_INSIDE),
    # Nothing in the cluster uses a former principal any more.
    Row(name="settle_storage_template", phase="principal", kind="begin-and-poll",
        executor="settle_storage_template", owner="azure", poll=timedelta(seconds=5), deadline=timedelta(minutes=30),
        needs=("control_plane_redeployed", "attach_nsgs"),
        waits_for="Azure Resource Manager to finish the deployment of a deny assignment that spares this service principal alone",
        message="Correct what Azure reports below, then repeat the request."),
    Row(name="remove_former_role_assignments", phase="principal", kind="action",
        executor="remove_former_role_assignments", owner="azure",
        needs=("settle_storage_template",),
        waits_for="Azure to take the role that the service gave to a former service principal from it",
        message="Remove locks on the cluster's resource group, then repeat the request."),
    Row(name="finish", phase="finish", kind="action",
        executor="finish_operation",
        needs=("remove_former_role_assignments",),
        waits_for="the result to be stored"),
)
# fmt: on
