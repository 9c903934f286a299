"""The names of all activities. `activities/__init__.py` registers them; stored plans are compared with them.

Durable swallows a call of an activity that the deployed package does not have: the orchestration never hears of it, and
gives every later answer to a wrong task. So a plan that an earlier package has stored is compared before it runs.
"""

from collections.abc import Iterable

from shared import remedies
from shared.arm.errors import CloudErrorBody, ErrorCode, Owner
from shared.arm.operation_errors import operation_error

# The modules of `activities/`, and the executors in them. An executor has the name under which plans and durable
# history know it.
BY_MODULE: dict[str, tuple[str, ...]] = {
    "checks.principals": (
        "validate_service_principal",
        "validate_service_principal_permissions",
        "validate_resource_provider_permissions",
    ),
    "checks.network_validation": ("validate_network",),
    "checks.disk_encryption_sets": ("validate_disk_encryption_sets",),
    "checks.providers": ("validate_providers",),
    "checks.quota": ("validate_quota", "validate_worker_quota", "validate_load_balancer_profile"),
    "checks.vm_sizes": ("validate_vm_sizes",),
    "azure.resource_names": ("decide_names",),
    "azure.cluster_secrets": ("ensure_cluster_secrets", "delete_secrets"),
    "azure.dns": ("create_dns", "delete_dns"),
    "azure.resource_group": ("ensure_resource_group", "update_group_tags", "delete_resource_group"),
    "azure.storage": ("deploy_storage_template", "storage_containers_ready"),
    "azure.deny_assignment": ("deploy_deny_assignment", "settle_deny_assignment"),
    "azure.subnets": ("ensure_service_endpoints", "attach_nsgs", "detach_nsgs"),
    "azure.billing": ("ensure_billing_record", "end_billing"),
    "azure.billing_copy": ("copy_billing_record",),
    "azure.network": ("deploy_network_template",),
    "azure.outbound": ("reconcile_load_balancer_profile",),
    "azure.private_dns": ("private_dns_ready",),
    "azure.private_endpoint": ("create_private_endpoint", "delete_private_endpoint"),
    "azure.api_address": ("update_api_address",),
    "azure.domain_certificates": ("create_api_server_certificate", "create_ingress_certificate", "delete_certificates"),
    "identities.cluster_identity": ("ensure_identity_certificate",),
    "identities.operator_identities": ("look_up_identities",),
    "identities.issuer": ("publish_issuer_documents", "delete_issuer_documents"),
    "identities.federated_credentials": (
        "validate_federated_credentials",
        "ensure_federated_credentials",
        "delete_federated_credentials",
    ),
    "identities.former_identities": ("remove_former_identities",),
    "identities.identity_permissions": ("validate_cluster_identity_permissions", "validate_operator_permissions"),
    "renewals.user_kubeconfig": ("renew_user_kubeconfig",),
    "renewals.pull_secret": ("update_pull_secret",),
    "renewals.default_ingress_certificate": ("renew_default_ingress_certificate",),
    "renewals.served_certificates": ("api_server_certificate_served", "ingress_certificate_served"),
    "renewals.machine_config_server": ("renew_machine_config_server_certificate",),
    "azure.principal_assignments": ("note_principal", "remove_former_role_assignments"),
    "machines.registry": ("ensure_acr_token", "renew_acr_password", "delete_acr_token"),
    "machines.installer_program": ("validate_installer",),
    "machines.machine_image": ("decide_machine_image",),
    "machines.gallery_image": ("copy_machine_disk", "deploy_image_template"),
    "machines.zones": ("decide_zones",),
    "machines.expired_machines": ("remove_expired_machines",),
    "machines.graph": ("ensure_graph",),
    "machines.stored_signer": ("store_admin_signer",),
    "machines.machines": ("deploy_machines_template",),
    "machines.bootstrap_removal": ("remove_bootstrap", "remove_bootstrap_ignition"),
    "machines.machine_power": ("start_machines",),
    "cluster.cluster_conditions": (
        "bootstrap_config_map_ready",
        "api_servers_ready",
        "api_servers_available",
        "workers_ready",
        "console_exists",
        "console_ready",
        "cluster_version_ready",
        "ingress_controller_ready",
    ),
    "cluster.logging": ("ensure_logging",),
    "cluster.ifreload": ("ensure_ifreload",),
    "cluster.cluster_certificates": ("configure_api_server_certificate", "configure_ingress_certificate"),
    "cluster.cluster_configuration": (
        "update_console_branding",
        "disable_alertmanager_warning",
        "disable_updates",
        "disable_samples",
        "disable_file_storage_class",
        "disable_operator_hub_sources",
    ),
    "cluster.router_address": ("update_router_address",),
    "cluster.principal_rotation": (
        "update_root_credentials",
        "restart_cloud_credential_operator",
        "operator_credentials_ready",
        "update_cloud_provider_credentials",
        "redeploy_control_plane",
        "control_plane_redeployed",
    ),
    "cluster.operator_identities": (
        "update_operator_secrets",
        "operator_identities_ready",
        "annotate_upgradeable_to",
    ),
    "cluster.credential_revocation": (
        "prepare_revocation",
        "trust_new_signer",
        "new_credentials_accepted",
        "switch_credentials",
        "remove_former_signers",
        "former_credentials_refused",
        "forget_former_credentials",
    ),
    "cluster.worker_scaling": ("scale_workers", "workers_scaled"),
    "power.fitness": ("validate_stop_machines", "validate_stop"),
    "power.master_addresses": ("pin_master_addresses",),
    "power.power_record": ("note_stop", "note_stopped", "note_start", "note_running"),
    "power.health_checks": ("pause_health_checks", "unpause_health_checks"),
    "power.cordons": ("cordon_nodes", "drain_workers", "uncordon_nodes"),
    "power.virtual_machines": ("stop_workers", "stop_masters", "start_workers", "start_masters"),
    "power.kubelet_certificates": ("masters_ready", "other_nodes_ready"),
    "power.settling": ("api_server_ready", "operators_settled"),
    # The rows of plans that people declare.
    "phases.site_phases": ("run_phase", "dry_run_phase", "phase_status", "cluster_status"),
    "operation.superseded_operation": ("cancel_superseded",),
    # The engine calls it itself.
    "operation.stop": ("stop_operation",),
    # Each plan ends with one of these.
    "operation.finish": ("finish_operation", "finish_delete"),
}
# Names in the stored plans of operations that began before a release renamed them, and the names that they have now.
# Such an operation goes on.
FORMER_NAMES = {"settle_storage_template": "settle_deny_assignment"}
# Activities without an executor: one tries all rows of a plan, the other is the first row of each attempt.
DRY_RUN = "dry_run"
CHECK_PLAN = "check_plan"

ACTIVITIES = frozenset(name for names in BY_MODULE.values() for name in names) | {*FORMER_NAMES, DRY_RUN, CHECK_PLAN}


def missing(names: Iterable[str]) -> list[str]:
    """Return the names that are not activities of this package, each once."""
    return [name for name in dict.fromkeys(names) if name not in ACTIVITIES]


def missing_error(names: list[str], correlation_id: str) -> CloudErrorBody:
    """Return the error of an operation whose plan names activities that this package does not have.

    Args:
        names: the missing activities.
        correlation_id: the operation's.
    """
    message = (
        "The operation was planned by another version of the service. The deployed version cannot do these steps of "
        f"its plan: {', '.join(names)}."
    )
    return operation_error(
        ErrorCode.DEPLOYMENT_FAILED, message, [], remedies.OTHER_VERSION, correlation_id, Owner.PLATFORM
    )
