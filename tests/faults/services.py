"""The services that can be away, the ways in which they are, and the steps that call them."""

from dataclasses import dataclass, field

from orchestrators.plans import PLANS
from shared.json_object import Json
from tests.faults.scenarios import Operation

Steps = tuple[str, ...]
OPERATIONS: tuple[Operation, ...] = ("create", "update", "delete")
LIVING: tuple[Operation, ...] = ("stop", "start", "revoke_credentials", "renew")
# Ten minutes of Azure's time, the longest outage that an operation must survive.
TEN_MINUTES = 600.0
# The predicates that hold for the clusters here: a managed domain, no pull secret, a load balancer, nothing to cancel;
# the release's own installer; a hosted service. A cluster that is stopped was running before.
TRUE = (
    *("", "uses_managed_domain", "has_no_pull_secret", "uses_load_balancer", "uses_installer_program"),
    *("has_first_party", "has_registry", "has_service_principal", "gets_certificates", "sends_logs", "closes_storage"),
    "is_to_be_drained",
)


def steps_of(operation: Operation) -> Steps:
    """Return the steps that an operation has for one of the clusters here."""
    return tuple(row.name for row in PLANS[operation] if row.when in TRUE)


@dataclass(frozen=True)
class Service:
    """Something that can be away.

    Args:
        of: name of the service in the faults of the local Azure.
        operation: a regular expression for the operations of the service that fail.
        steps: some of the steps that call it, by operation.
    """

    of: str
    operation: str = ".*"
    steps: dict[Operation, Steps] = field(default_factory=dict)


# The journal of an undisturbed run says which services a step calls. `test_services.py` checks that the steps exist,
# and the runner reports an outage at a step that no call met. OpenShift's mirror is not here: one create of a platform
# asks it, once, and all others find the program.
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
                    "ensure_service_endpoints",
                    "attach_nsgs",
                ),
                *("deploy_storage_template", "deploy_deny_assignment", "deploy_network_template"),
                *("deploy_machines_template", "ensure_graph", "decide_machine_image"),
                *("create_private_endpoint", "update_api_address", "private_dns_ready", "remove_bootstrap"),
                *("remove_bootstrap_ignition", "storage_containers_ready", "update_router_address"),
            ),
            "update": (
                *("validate_service_principal_permissions", "validate_load_balancer_profile"),
                *("ensure_service_endpoints", "deploy_storage_template", "attach_nsgs"),
                *("reconcile_load_balancer_profile", "update_group_tags"),
            ),
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
        # The other checks use a token that whichever of them is first has asked for.
        steps=dict.fromkeys(
            ("create", "update"), ("validate_service_principal", "validate_service_principal_permissions")
        ),
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
# Called only for tokens, which are cached: only a worker that has just started notices an outage.
IDENTITY = "the managed identity"
IDENTITY_SERVICE = Service("managed-identity")
# Entra ID refuses the service's own certificate, as while a clock is off. The checks sign in as the cluster's
# principal.
SIGN_IN = "the service's sign-in"
REFUSAL: Json = {
    "service": "entra",
    "operation": "POST token",
    "step": "(?!validate_).*",
    "kind": "status",
    "status_code": 401,
    "code": "invalid_client",
    "message": "AADSTS700024: Client assertion is not within its valid time range.",
}
# Not reached through the local Azure's server: Azurite is suspended, and the task hub's file is locked.
AZURITE, HUB = "Azurite", "the host's storage"

# The ways in which a service is away. Delays and silences last real seconds, because the SDKs' time-outs do.
WAYS: dict[str, Json] = {
    "503": {"kind": "status", "status_code": 503},
    "429 with Retry-After": {"kind": "status", "status_code": 429, "retry_after": 1},
    "429 without Retry-After": {"kind": "status", "status_code": 429},
    "reset": {"kind": "reset"},
    "lost answers": {"kind": "lost-response"},
    "cut in the headers": {"kind": "cut-headers"},
    "cut in the body": {"kind": "cut-body"},
    "cut in a chunk": {"kind": "cut-chunk"},
    "cut before the end": {"kind": "cut-end"},
    "delays": {"kind": "delay", "delay_seconds": 1},
    "silence": {"kind": "silence", "delay_seconds": 5},
}
CUT_WAYS = tuple(name for name, way in WAYS.items() if way["kind"].startswith("cut-"))
