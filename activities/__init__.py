"""Durable activities. A cold start imports only this table; the first call of an activity imports the rest."""

from collections.abc import Callable

import azure.durable_functions as df

# The modules, and the executors in them. An executor has the name under which plans and durable history know it.
_EXECUTORS: dict[str, tuple[str, ...]] = {
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
    "azure.names": ("decide_names",),
    "azure.cluster_secrets": ("ensure_cluster_secrets", "delete_secrets"),
    "azure.dns": ("create_dns", "delete_dns"),
    "azure.resource_group": ("ensure_resource_group", "delete_resource_group"),
    "azure.storage": ("deploy_storage_template", "storage_containers_ready"),
    "azure.deny_assignment": ("deploy_deny_assignment", "settle_deny_assignment"),
    "azure.subnets": ("attach_nsgs", "detach_nsgs"),
    "azure.billing": ("ensure_billing_record", "end_billing"),
    "azure.billing_copy": ("copy_billing_record",),
    "azure.network": ("deploy_network_template",),
    "azure.outbound": ("reconcile_load_balancer_profile",),
    "azure.private_dns": ("private_dns_ready",),
    "azure.private_endpoint": ("create_private_endpoint", "delete_private_endpoint"),
    "azure.api_address": ("update_api_address",),
    "azure.certificates": ("create_api_server_certificate", "create_ingress_certificate", "delete_certificates"),
    "azure.principal_assignments": ("note_principal", "remove_former_role_assignments"),
    "machines.registry": ("ensure_acr_token", "delete_acr_token"),
    "machines.zones": ("decide_zones",),
    "machines.expired_machines": ("remove_expired_machines",),
    "machines.graph": ("ensure_graph",),
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
    "cluster.worker_scaling": ("scale_workers", "workers_scaled"),
    # The rows of plans that people declare.
    "phases.of_site": ("run_phase", "dry_run_phase", "phase_status", "cluster_status"),
    "operation.superseded": ("cancel_superseded",),
    # The engine calls it itself.
    "operation.stop": ("stop_operation",),
    # Each plan ends with one of these.
    "operation.finish": ("finish_operation", "finish_delete"),
}
# Names in the stored plans of operations that began before a release renamed them. Such an operation goes on.
FORMER_NAMES = {"settle_storage_template": "activities.azure.deny_assignment:settle_deny_assignment"}
# Where the executor of each name is.
ACTIVITIES = {
    name: f"activities.{module}:{name}" for module, names in _EXECUTORS.items() for name in names
} | FORMER_NAMES
# The activity that is no row of a plan: it tries all of them.
DRY_RUN = "dry_run"


def register(app: df.DFApp) -> None:
    """Register one durable activity for each line of the table, and the dry run."""
    for name, target in ACTIVITIES.items():
        app.function_name(name)(app.activity_trigger(input_name="call")(_activity(name, target)))
    app.function_name(DRY_RUN)(app.activity_trigger(input_name="given")(_dry_run))


def _dry_run(given: dict) -> dict:  # type: ignore[type-arg]  # the worker refuses dict[str, Any]
    from activities.dry_run.rows import dry_run  # noqa: PLC0415 - brings the executors' imports with the first call

    return dict(dry_run(given))  # type: ignore[arg-type] # JSON of the shape DryRunInput


def _activity(name: str, target: str) -> Callable[[dict], dict]:  # type: ignore[type-arg] # the worker refuses dict[str, Any]
    def activity(call: dict) -> dict:  # type: ignore[type-arg]  # idem
        from activities.runtime.wrapper import perform  # noqa: PLC0415 - brings the executors' imports with the first call

        return dict(perform(target, call))  # type: ignore[arg-type] # JSON of the shape Call

    activity.__name__ = name
    return activity
