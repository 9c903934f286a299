"""Durable activities. This table is all that a cold start imports of them; the rest comes with the first call."""

from collections.abc import Callable
from typing import Any

import azure.durable_functions as df

# Name in plans and in history: where its executor stands.
ACTIVITIES: dict[str, str] = {
    "validate_service_principal": "activities.validation:validate_service_principal",
    "validate_service_principal_permissions": "activities.validation:validate_service_principal_permissions",
    "validate_resource_provider_permissions": "activities.validation:validate_resource_provider_permissions",
    "validate_network": "activities.network_validation:validate_network",
    "validate_disk_encryption_sets": "activities.disk_encryption_sets:validate_disk_encryption_sets",
    "validate_providers": "activities.providers:validate_providers",
    "validate_quota": "activities.quota:validate_quota",
    "validate_vm_sizes": "activities.vm_sizes:validate_vm_sizes",
    "decide_names": "activities.names:decide_names",
    "ensure_cluster_secrets": "activities.cluster_secrets:ensure_cluster_secrets",
    "ensure_acr_token": "activities.registry:ensure_acr_token",
    "decide_zones": "activities.zones:decide_zones",
    "remove_expired_machines": "activities.phase_restart:remove_expired_machines",
    "create_dns": "activities.dns:create_dns",
    "ensure_resource_group": "activities.resource_group:ensure_resource_group",
    "deploy_storage_template": "activities.storage:deploy_storage_template",
    "storage_containers_ready": "activities.storage:storage_containers_ready",
    "attach_nsgs": "activities.subnets:attach_nsgs",
    "ensure_billing_record": "activities.billing:ensure_billing_record",
    "deploy_network_template": "activities.network:deploy_network_template",
    "private_dns_ready": "activities.private_dns:private_dns_ready",
    "create_private_endpoint": "activities.private_endpoint:create_private_endpoint",
    "update_api_address": "activities.api_address:update_api_address",
    "create_api_server_certificate": "activities.certificates:create_api_server_certificate",
    "create_ingress_certificate": "activities.certificates:create_ingress_certificate",
    "ensure_graph": "activities.graph:ensure_graph",
    "deploy_machines_template": "activities.machines:deploy_machines_template",
    "bootstrap_config_map_ready": "activities.cluster_conditions:bootstrap_config_map_ready",
    "ensure_logging": "activities.logging:ensure_logging",
    "ensure_ifreload": "activities.ifreload:ensure_ifreload",
    "remove_bootstrap": "activities.bootstrap_removal:remove_bootstrap",
    "remove_bootstrap_ignition": "activities.bootstrap_removal:remove_bootstrap_ignition",
    "configure_api_server_certificate": "activities.cluster_certificates:configure_api_server_certificate",
    "api_servers_ready": "activities.cluster_conditions:api_servers_ready",
    "api_servers_available": "activities.cluster_conditions:api_servers_available",
    "workers_ready": "activities.cluster_conditions:workers_ready",
    "console_exists": "activities.cluster_conditions:console_exists",
    "console_ready": "activities.cluster_conditions:console_ready",
    "cluster_version_ready": "activities.cluster_conditions:cluster_version_ready",
    "update_console_branding": "activities.cluster_configuration:update_console_branding",
    "disable_alertmanager_warning": "activities.cluster_configuration:disable_alertmanager_warning",
    "disable_updates": "activities.cluster_configuration:disable_updates",
    "disable_samples": "activities.cluster_configuration:disable_samples",
    "disable_operator_hub_sources": "activities.cluster_configuration:disable_operator_hub_sources",
    "update_router_address": "activities.router_address:update_router_address",
    "configure_ingress_certificate": "activities.cluster_certificates:configure_ingress_certificate",
    "ingress_controller_ready": "activities.cluster_conditions:ingress_controller_ready",
    "note_principal": "activities.principal_assignments:note_principal",
    "start_machines": "activities.machine_power:start_machines",
    "update_root_credentials": "activities.principal_rotation:update_root_credentials",
    "restart_cloud_credential_operator": "activities.principal_rotation:restart_cloud_credential_operator",
    "operator_credentials_ready": "activities.principal_rotation:operator_credentials_ready",
    "update_cloud_provider_credentials": "activities.principal_rotation:update_cloud_provider_credentials",
    "redeploy_control_plane": "activities.principal_rotation:redeploy_control_plane",
    "control_plane_redeployed": "activities.principal_rotation:control_plane_redeployed",
    "settle_storage_template": "activities.storage:settle_storage_template",
    "remove_former_role_assignments": "activities.principal_assignments:remove_former_role_assignments",
    "cancel_superseded": "activities.superseded:cancel_superseded",
    "delete_dns": "activities.dns:delete_dns",
    "detach_nsgs": "activities.subnets:detach_nsgs",
    "delete_private_endpoint": "activities.private_endpoint:delete_private_endpoint",
    "delete_resource_group": "activities.resource_group:delete_resource_group",
    "delete_acr_token": "activities.registry:delete_acr_token",
    "delete_certificates": "activities.certificates:delete_certificates",
    "delete_secrets": "activities.cluster_secrets:delete_secrets",
    "end_billing": "activities.billing:end_billing",
    # The engine calls the first two of these itself; each plan ends with one of the last two.
    "stop_operation": "activities.operation:stop_operation",
    "finish_operation": "activities.operation:finish_operation",
    "finish_delete": "activities.operation:finish_delete",
}


def register(app: df.DFApp) -> None:
    """Register one durable activity for each line of the table."""
    for name, target in ACTIVITIES.items():
        app.function_name(name)(app.activity_trigger(input_name="call")(_activity(name, target)))


def _activity(name: str, target: str) -> Callable[[dict], dict]:  # type: ignore[type-arg] # the worker refuses dict[str, Any]
    def activity(call: dict) -> dict:  # type: ignore[type-arg]  # idem
        from activities.wrapper import perform  # noqa: PLC0415 - brings the executors' imports with the first call

        outcome: dict[str, Any] = perform(target, call)  # type: ignore[arg-type] # JSON of the shape Call
        return outcome

    activity.__name__ = name
    return activity
