"""The plan that updates a cluster: it deploys roles and the masters' security group again, and does what is asked.

That of the nodes has rules of the cluster's own cloud provider, which a deployment would remove.

Workers get the number of outbound addresses that the cluster asks for, and the cluster's resource group gets its tags.

A principal changes in this order: the new one gets its role and is exempted from the deny assignment, while the former
one keeps both; the cluster switches to the new one; then the former one loses both. A changed secret takes the same
rows.

Identities of operators change in the same order, and with them the version up to which the cluster may be upgraded.

A changed number of workers comes after that, because machine-api makes machines as the cluster's principal, or as its
own identity.
"""

from dataclasses import replace

from orchestrators.plans.create import IDENTITIES, PRINCIPALS
from orchestrators.plans.rows import A_FEW_RESTARTS, action, begin_and_poll, check, condition, section
from shared.arm.errors import Owner
from shared.remedies import GRANT_IDENTITIES, UPDATE_IDENTITIES, UPDATE_INSIDE, UPDATE_PRINCIPAL, UPDATE_REPORTED
from shared.steps import RetryPolicy

_CHANGES = "principal_is_to_be_carried_in"
_CARRIES = "identities_are_to_be_carried_in"
_SCALES = "workers_are_to_be_scaled"
_PRINCIPALS = tuple(
    replace(row, message=UPDATE_PRINCIPAL) if row.name == "validate_service_principal" else row for row in PRINCIPALS
)

# fmt: off
_VALIDATION = _PRINCIPALS + IDENTITIES + section("validation",
    check("validate_worker_quota", 5, "Azure to report how much of its quotas the subscription has left", when=_SCALES),
    check("validate_load_balancer_profile", 5, "Azure to report how many public addresses the subscription has left",
        when="uses_load_balancer"),
)
_UPDATE = section("update",
    # Before anything in Azure or in the cluster uses it, so that the next update knows of it if this one fails.
    action("note_principal", 5, "the service principal, or the operators' identities, to be noted on the cluster",
        needs=("validate_service_principal_permissions", "validate_resource_provider_permissions",
               "validate_operator_permissions", "validate_federated_credentials",
               "validate_worker_quota", "validate_load_balancer_profile")),
    # Somebody may have removed them.
    action("publish_issuer_documents", 10, "the public documents of the cluster's token issuer to be stored",
        when="has_workload_identity", needs=("note_principal",)),
    # Clusters from before this row get a storage account that is closed, and a subnet gets back an endpoint that it lost.
    action("ensure_service_endpoints", 15, "both subnets to have the service endpoint of storage",
        owner=Owner.CUSTOMER, poll=2, when="closes_storage", needs=("note_principal",)),
    # The role assignment and the deny assignment both name the service principal.
    begin_and_poll("deploy_storage_template", 30,
        "Azure Resource Manager to finish the deployment of storage, network security groups and the role assignment",
        needs=("ensure_service_endpoints",), remedy=UPDATE_REPORTED),
    # Clusters of earlier builds have it in the install graph alone, in the storage account.
    action("store_admin_signer", 10, "the signer of the cluster's admin credentials to be in Key Vault",
        when="has_no_stored_signer", needs=("deploy_storage_template",)),
    begin_and_poll("deploy_deny_assignment", 30,
        "Azure Resource Manager to finish the deployment of a deny assignment that exempts this service principal too",
        when="has_first_party", needs=("note_principal",), remedy=UPDATE_REPORTED),
    action("ensure_federated_credentials", 75, "the operators' identities to trust the cluster's tokens",
        retry=RetryPolicy.IDENTITIES, when="has_workload_identity",
        needs=("publish_issuer_documents", "deploy_storage_template"), remedy=GRANT_IDENTITIES),
    action("attach_nsgs", 15, "both subnets to have the cluster's network security groups", owner=Owner.AZURE, poll=2,
        needs=("deploy_storage_template",)),
    action("update_group_tags", 5, "the cluster's resource group to have the cluster's tags", owner=Owner.AZURE,
        needs=("note_principal",), remedy=UPDATE_REPORTED),
    begin_and_poll("reconcile_load_balancer_profile", 30,
        "Azure to give the load balancer of the workers its outbound addresses",
        when="uses_load_balancer", needs=("deploy_storage_template",), remedy=UPDATE_REPORTED),
)
_PRINCIPAL = section("principal",
    begin_and_poll("start_machines", 30, "every virtual machine of the cluster to run", poll=10,
        when="changes_the_cluster", needs=("deploy_storage_template", "deploy_deny_assignment")),
    # The row accepts degraded API servers, because new credentials may repair them.
    condition("api_servers_available", 30, "the API servers to be available on every master",
        when="changes_the_cluster", needs=("start_machines",), remedy=UPDATE_INSIDE),
    action("update_root_credentials", 10, "the cluster's root Secret to hold the new credentials for Azure",
        when=_CHANGES, needs=("api_servers_available",), remedy=UPDATE_INSIDE),
    action("restart_cloud_credential_operator", 10, "the cloud-credential operator to restart with the new credentials",
        when=_CHANGES, needs=("update_root_credentials",), remedy=UPDATE_INSIDE),
    condition("operator_credentials_ready", 10,
        "the cloud-credential operator to give the new credentials to every operator that acts in Azure",
        shortest=A_FEW_RESTARTS, when=_CHANGES, needs=("restart_cloud_credential_operator",),
        remedy=UPDATE_INSIDE),
    action("update_cloud_provider_credentials", 10, "the control plane's cloud provider to hold the new credentials",
        when=_CHANGES, needs=("operator_credentials_ready",), remedy=UPDATE_INSIDE),
    action("redeploy_control_plane", 10, "the operators of API server and controller manager to be asked for a redeployment",
        when=_CHANGES, needs=("update_cloud_provider_credentials",), remedy=UPDATE_INSIDE),
    # Both are redeployed on one master after the other, which takes minutes for each master.
    condition("control_plane_redeployed", 60, "API server and controller manager to run with the new credentials on every master",
        usual=490, when=_CHANGES, needs=("redeploy_control_plane",), remedy=UPDATE_INSIDE),
    # Operators follow their Secrets, each by itself.
    action("update_operator_secrets", 10, "the Secrets of the operators to name their identities",
        when=_CARRIES, needs=("api_servers_available", "ensure_federated_credentials"), remedy=UPDATE_IDENTITIES),
    condition("operator_identities_ready", 30, "every operator that acts in Azure to be well with its identity",
        owner=Owner.CUSTOMER, shortest=A_FEW_RESTARTS, when=_CARRIES, needs=("update_operator_secrets",),
        remedy=UPDATE_IDENTITIES),
    action("annotate_upgradeable_to", 10,
        "the cloud-credential operator to know up to which version operators have their identities",
        when=_CARRIES, needs=("operator_identities_ready",), remedy=UPDATE_IDENTITIES),
    # From here on nothing in the cluster uses a former principal or identity.
    begin_and_poll("settle_deny_assignment", 30,
        "Azure Resource Manager to finish the deployment of a deny assignment that exempts only this service principal",
        when="has_first_party", needs=("control_plane_redeployed", "annotate_upgradeable_to", "attach_nsgs"),
        remedy=UPDATE_REPORTED),
    action("remove_former_role_assignments", 5,
        "Azure to delete the role assignments of former service principals",
        owner=Owner.AZURE, needs=("settle_deny_assignment",)),
    action("remove_former_identities", 75,
        "Azure to delete the roles of former identities, and what they trusted for the cluster",
        owner=Owner.AZURE, retry=RetryPolicy.IDENTITIES, when=_CARRIES, needs=("settle_deny_assignment",),
        remedy=UPDATE_REPORTED),
)
_WORKERS = section("workers",
    action("scale_workers", 10, "the machine sets of the workers to ask for the wanted number of machines",
        shortest=A_FEW_RESTARTS, when=_SCALES, needs=("control_plane_redeployed", "operator_identities_ready", "attach_nsgs", "reconcile_load_balancer_profile")),
    condition("workers_scaled", 30, "the machine sets of the workers to have the machines that they ask for",
        owner=Owner.AZURE, shortest=A_FEW_RESTARTS, when=_SCALES, needs=("scale_workers",)),
)
_FINISH = section("finish",
    action("finish", 5, "the result to be stored", executor="finish_operation",
        needs=("remove_former_role_assignments", "remove_former_identities", "workers_scaled", "reconcile_load_balancer_profile", "update_group_tags",
               "ensure_federated_credentials", "store_admin_signer")),
)
# fmt: on

UPDATE = _VALIDATION + _UPDATE + _PRINCIPAL + _WORKERS + _FINISH
