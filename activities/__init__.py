"""Durable activities. A cold start imports only this table; the first call of an activity imports the rest."""

from collections.abc import Callable

import azure.durable_functions as df

# Name in plans and in history: the module and attribute of its executor.
ACTIVITIES: dict[str, str] = {
    "validate_service_principal": "activities.checks.principals:validate_service_principal",
    "validate_service_principal_permissions": "activities.checks.principals:validate_service_principal_permissions",
    "validate_resource_provider_permissions": "activities.checks.principals:validate_resource_provider_permissions",
    "validate_network": "activities.checks.network_validation:validate_network",
    "validate_disk_encryption_sets": "activities.checks.disk_encryption_sets:validate_disk_encryption_sets",
    "validate_providers": "activities.checks.providers:validate_providers",
    "validate_quota": "activities.checks.quota:validate_quota",
    "validate_vm_sizes": "activities.checks.vm_sizes:validate_vm_sizes",
    "decide_names": "activities.azure.names:decide_names",
    "ensure_cluster_secrets": "activities.azure.cluster_secrets:ensure_cluster_secrets",
    "ensure_acr_token": "activities.machines.registry:ensure_acr_token",
    "decide_zones": "activities.machines.zones:decide_zones",
    "remove_expired_machines": "activities.machines.expired_machines:remove_expired_machines",
    "create_dns": "activities.azure.dns:create_dns",
    "ensure_resource_group": "activities.azure.resource_group:ensure_resource_group",
    "deploy_storage_template": "activities.azure.storage:deploy_storage_template",
    "storage_containers_ready": "activities.azure.storage:storage_containers_ready",
    "attach_nsgs": "activities.azure.subnets:attach_nsgs",
    "ensure_billing_record": "activities.azure.billing:ensure_billing_record",
    "deploy_network_template": "activities.azure.network:deploy_network_template",
    "private_dns_ready": "activities.azure.private_dns:private_dns_ready",
    "create_private_endpoint": "activities.azure.private_endpoint:create_private_endpoint",
    "update_api_address": "activities.azure.api_address:update_api_address",
    "create_api_server_certificate": "activities.azure.certificates:create_api_server_certificate",
    "create_ingress_certificate": "activities.azure.certificates:create_ingress_certificate",
    "ensure_graph": "activities.machines.graph:ensure_graph",
    "deploy_machines_template": "activities.machines.machines:deploy_machines_template",
    "bootstrap_config_map_ready": "activities.cluster.cluster_conditions:bootstrap_config_map_ready",
    "ensure_logging": "activities.cluster.logging:ensure_logging",
    "ensure_ifreload": "activities.cluster.ifreload:ensure_ifreload",
    "remove_bootstrap": "activities.machines.bootstrap_removal:remove_bootstrap",
    "remove_bootstrap_ignition": "activities.machines.bootstrap_removal:remove_bootstrap_ignition",
    "configure_api_server_certificate": "activities.cluster.cluster_certificates:configure_api_server_certificate",
    "api_servers_ready": "activities.cluster.cluster_conditions:api_servers_ready",
    "api_servers_available": "activities.cluster.cluster_conditions:api_servers_available",
    "workers_ready": "activities.cluster.cluster_conditions:workers_ready",
    "console_exists": "activities.cluster.cluster_conditions:console_exists",
    "console_ready": "activities.cluster.cluster_conditions:console_ready",
    "cluster_version_ready": "activities.cluster.cluster_conditions:cluster_version_ready",
    "update_console_branding": "activities.cluster.cluster_configuration:update_console_branding",
    "disable_alertmanager_warning": "activities.cluster.cluster_configuration:disable_alertmanager_warning",
    "disable_updates": "activities.cluster.cluster_configuration:disable_updates",
    "disable_samples": "activities.cluster.cluster_configuration:disable_samples",
    "disable_operator_hub_sources": "activities.cluster.cluster_configuration:disable_operator_hub_sources",
    "update_router_address": "activities.cluster.router_address:update_router_address",
    "configure_ingress_certificate": "activities.cluster.cluster_certificates:configure_ingress_certificate",
    "ingress_controller_ready": "activities.cluster.cluster_conditions:ingress_controller_ready",
    "note_principal": "activities.azure.principal_assignments:note_principal",
    "start_machines": "activities.machines.machine_power:start_machines",
    "update_root_credentials": "activities.cluster.principal_rotation:update_root_credentials",
    "restart_cloud_credential_operator": "activities.cluster.principal_rotation:restart_cloud_credential_operator",
    "operator_credentials_ready": "activities.cluster.principal_rotation:operator_credentials_ready",
    "update_cloud_provider_credentials": "activities.cluster.principal_rotation:update_cloud_provider_credentials",
    "redeploy_control_plane": "activities.cluster.principal_rotation:redeploy_control_plane",
    "control_plane_redeployed": "activities.cluster.principal_rotation:control_plane_redeployed",
    "settle_storage_template": "activities.azure.storage:settle_storage_template",
    "remove_former_role_assignments": "activities.azure.principal_assignments:remove_former_role_assignments",
    "cancel_superseded": "activities.operation.superseded:cancel_superseded",
    "delete_dns": "activities.azure.dns:delete_dns",
    "detach_nsgs": "activities.azure.subnets:detach_nsgs",
    "delete_private_endpoint": "activities.azure.private_endpoint:delete_private_endpoint",
    "delete_resource_group": "activities.azure.resource_group:delete_resource_group",
    "delete_acr_token": "activities.machines.registry:delete_acr_token",
    "delete_certificates": "activities.azure.certificates:delete_certificates",
    "delete_secrets": "activities.azure.cluster_secrets:delete_secrets",
    "end_billing": "activities.azure.billing:end_billing",
    # The engine itself calls the first two of these; each plan ends with one of the last two.
    "stop_operation": "activities.operation.operation:stop_operation",
    "finish_operation": "activities.operation.operation:finish_operation",
    "finish_delete": "activities.operation.operation:finish_delete",
}


def register(app: df.DFApp) -> None:
    """Register one durable activity for each line of the table."""
    for name, target in ACTIVITIES.items():
        app.function_name(name)(app.activity_trigger(input_name="call")(_activity(name, target)))


def _activity(name: str, target: str) -> Callable[[dict], dict]:  # type: ignore[type-arg] # the worker refuses dict[str, Any]
    def activity(call: dict) -> dict:  # type: ignore[type-arg]  # idem
        from activities.runtime.wrapper import perform  # noqa: PLC0415 - brings the executors' imports with the first call

        return dict(perform(target, call))  # type: ignore[arg-type] # JSON of the shape Call

    activity.__name__ = name
    return activity
