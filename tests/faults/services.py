"""What can be away, and how: the services that the product calls, with the steps that call them."""

from dataclasses import dataclass, field

from orchestrators.plans import PLANS
from tests.faults.scenarios import Json, Operation

Steps = tuple[str, ...]
OPERATIONS: tuple[Operation, ...] = ("create", "update", "delete")
# Azure's ten minutes, the longest that an operation has to sit out.
TEN_MINUTES = 600.0
# What the service has of its own cluster here: a domain of the service's, no pull secret, nothing that is cancelled.
TRUE = ("", "uses_managed_domain", "has_no_pull_secret")


def steps_of(operation: Operation) -> Steps:
    """Return the steps of an operation on one of the clusters here."""
    return tuple(row.name for row in PLANS[operation] if row.when in TRUE)


@dataclass(frozen=True)
class Service:
    """Something that can be away.

    Args:
        of: the service, as the faults of the local Azure call it.
        operation: a regular expression for what is meant of it.
        steps: by operation: some of the steps that call it.
    """

    of: str
    operation: str = ".*"
    steps: dict[Operation, Steps] = field(default_factory=dict)


# What a step of each of these calls, the journal of an undisturbed run says; `test_services.py` compares.
SERVICES = {
    "Azure Resource Manager": Service(
        "arm",
        steps={
            "create": (
                *("validate_network", "validate_providers", "validate_quota", "validate_resource_provider_permissions"),
                *(
                    "validate_service_principal_permissions",
                    "validate_vm_sizes",
                    "ensure_resource_group",
                    "attach_nsgs",
                ),
                *("deploy_storage_template", "deploy_network_template", "deploy_machines_template", "ensure_graph"),
                *("create_private_endpoint", "update_api_address", "private_dns_ready", "remove_bootstrap"),
                *("remove_bootstrap_ignition", "storage_containers_ready", "update_router_address"),
            ),
            "update": ("validate_service_principal_permissions", "deploy_storage_template", "attach_nsgs"),
            "delete": (
                "delete_dns",
                "detach_nsgs",
                "delete_private_endpoint",
                "delete_resource_group",
                "delete_acr_token",
            ),
        },
    ),
    "the DNS zone": Service(
        "arm",
        r"\w+ Microsoft.Network/dnsZones.*",
        {"create": ("create_dns", "update_api_address", "update_router_address"), "delete": ("delete_dns",)},
    ),
    "the registry": Service(
        "arm",
        r"\w+ Microsoft.ContainerRegistry.*",
        {"create": ("ensure_acr_token",), "delete": ("delete_acr_token",)},
    ),
    "Entra ID": Service(
        "entra",
        steps={
            "create": (
                *("validate_service_principal", "validate_service_principal_permissions"),
                *("validate_resource_provider_permissions", "validate_network", "validate_providers"),
            ),
            "update": ("validate_service_principal", "validate_service_principal_permissions"),
        },
    ),
    "Key Vault": Service(
        "keyvault",
        steps={
            "create": (
                *("ensure_cluster_secrets", "ensure_acr_token", "ensure_graph", "ensure_logging"),
                *("create_api_server_certificate", "create_ingress_certificate"),
                *("configure_api_server_certificate", "configure_ingress_certificate"),
            ),
            "delete": ("delete_certificates", "delete_secrets"),
        },
    ),
    "Cosmos DB": Service("cosmos", steps={operation: steps_of(operation) for operation in OPERATIONS}),
    "the cluster's storage account": Service(
        "blobs", steps={"create": ("storage_containers_ready", "ensure_graph", "remove_bootstrap_ignition")}
    ),
    "the cluster's API": Service(
        "kubernetes",
        steps={
            "create": (
                *("bootstrap_config_map_ready", "ensure_logging", "ensure_ifreload", "api_servers_ready"),
                *("configure_api_server_certificate", "workers_ready", "console_exists", "update_console_branding"),
                *("cluster_version_ready", "disable_alertmanager_warning", "disable_updates", "disable_samples"),
                *("disable_operator_hub_sources", "update_router_address", "configure_ingress_certificate"),
                *("ingress_controller_ready", "console_ready"),
            )
        },
    ),
}
# Called for tokens that are kept: an outage is felt only by a worker that has just been started.
IDENTITY = "the managed identity"
IDENTITY_SERVICE = Service("managed-identity")
# Not behind the front of the local Azure: Azurite stops answering, the task hub's file is locked.
AZURITE, HUB = "Azurite", "the host's storage"

# How a service is away. A delay and a silence last seconds of this machine, as the SDKs' own patience does.
WAYS: dict[str, Json] = {
    "503": {"kind": "status", "status_code": 503},
    "429 with Retry-After": {"kind": "status", "status_code": 429, "retry_after": 1},
    "429 without Retry-After": {"kind": "status", "status_code": 429},
    "reset": {"kind": "reset"},
    "lost answers": {"kind": "lost-response"},
    "delays": {"kind": "delay", "delay_seconds": 1},
    "silence": {"kind": "silence", "delay_seconds": 5},
}
