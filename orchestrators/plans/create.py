"""The plan that creates a cluster. Nothing is made in the customer's subscription before all validations have passed."""

from datetime import timedelta

from orchestrators.plans.rows import A_FEW_RESTARTS, action, begin_and_poll, check, condition, section
from shared.arm.errors import Owner
from shared.remedies import GRANT, GRANT_IDENTITIES, INSIDE, ISSUER, LOCKED, REPORTED
from shared.steps import RetryPolicy

# fmt: off
# An update runs these rows too, because it may bring another service principal.
PRINCIPALS = section("validation",
    check("validate_service_principal", 5, "Entra ID to issue a token to the cluster's service principal",
        retry=RetryPolicy.SERVICE_PRINCIPAL, when="has_service_principal"),
    check("validate_service_principal_permissions", 10,
        "the cluster's service principal to have its permissions on the network and on what is linked to it",
        retry=RetryPolicy.PERMISSIONS, when="has_service_principal", needs=("validate_service_principal",), remedy=GRANT),
    check("validate_resource_provider_permissions", 10,
        "the resource provider to have its permissions on the network and on what is linked to it",
        retry=RetryPolicy.PERMISSIONS, remedy=GRANT),
)
# A missing role is waited for as long as Azure may take to spread it, so the deadlines are longer than that. An update
# runs these rows too.
IDENTITIES = section("validation",
    action("ensure_identity_certificate", 15, "Azure to issue the certificate of the cluster identity",
        when="has_identity_certificate"),
    check("look_up_identities", 75, "Azure to show the identities of the cluster and of its operators",
        retry=RetryPolicy.IDENTITIES, when="has_workload_identity", needs=("ensure_identity_certificate",),
        remedy=GRANT_IDENTITIES),
    check("validate_cluster_identity_permissions", 75,
        "the cluster identity to have its role on the identities of the operators",
        retry=RetryPolicy.IDENTITIES, when="has_workload_identity", needs=("look_up_identities",),
        remedy=GRANT_IDENTITIES),
    check("validate_operator_permissions", 75,
        "the identities of the operators to have their roles on the network and on what is linked to it",
        retry=RetryPolicy.IDENTITIES, when="has_workload_identity", needs=("look_up_identities",), remedy=GRANT),
    check("validate_federated_credentials", 75, "Azure to show what the identities of the operators trust",
        retry=RetryPolicy.IDENTITIES, when="has_workload_identity", needs=("validate_cluster_identity_permissions",)),
)
VALIDATION = PRINCIPALS + IDENTITIES + section("validation",
    check("validate_network", 10, "Azure to show the virtual network and its subnets", retry=RetryPolicy.PERMISSIONS),
    check("validate_disk_encryption_sets", 10, "Azure to show the disk encryption sets", retry=RetryPolicy.PERMISSIONS,
        when="uses_disk_encryption_sets"),
    check("validate_providers", 10, "Azure to report which resource providers the subscription has registered"),
    check("validate_quota", 5, "Azure to report how much of its quotas the subscription has left"),
    check("validate_vm_sizes", 5, "Azure to report which machine sizes the region offers the subscription"),
    # It waits for the registry's token only if the release image has to be read.
    check("validate_installer", 15, "the release's installer to be fetched and to say which release it installs",
        poll=5, shortest=timedelta(minutes=5), when="uses_installer_program"),
)
_PREPARATION = section("preparation",
    action("decide_names", 5, "the names of the cluster's resources to be stored"),
    action("ensure_cluster_secrets", 5, "Key Vault to store the cluster's keys"),
    action("ensure_acr_token", 10, "the container registry to issue the cluster's token",
        poll=5, shortest=A_FEW_RESTARTS, when="has_registry"),
    # It waits for the registry's token only if the release has to be read, so that it holds up nothing else.
    action("decide_machine_image", 10, "the catalogue or the release to name the machines' image, and Azure to show it",
        poll=5, shortest=A_FEW_RESTARTS, needs=("validate_vm_sizes", "decide_names")),
    action("decide_zones", 5, "Azure to report the zones of the machine sizes", needs=("validate_vm_sizes",)),
    # Everything made from expired certificates is deleted before anything is made from new ones.
    begin_and_poll("remove_expired_machines", 30,
        "Azure to delete the machines whose certificates are too old to continue with",
        when="begins_again", needs=("validate_resource_provider_permissions",), remedy=LOCKED),
    action("create_dns", 5, "the record of the API server in the managed zone", when="uses_managed_domain"),
)
_CHECKED = (*(row.name for row in VALIDATION), "decide_machine_image")
# Rows off the longest chain of a create are polled rarely: if their end is noticed late, the create takes no longer.
_BOOTSTRAP = section("bootstrap",
    action("ensure_resource_group", 5, "the cluster's resource group", needs=_CHECKED),
    # A second key would make tokens worthless that the first one has signed, so it is made once, and first.
    # On a busy machine a key of 4,096 bits takes minutes.
    action("publish_issuer_documents", 10, "the public documents of the cluster's token issuer to be stored",
        shortest=timedelta(minutes=5), when="has_workload_identity", needs=_CHECKED),
    # The storage account lets in only subnets with the endpoint. Azure takes four seconds for each.
    action("ensure_service_endpoints", 15, "both subnets to have the service endpoint of storage",
        owner=Owner.CUSTOMER, poll=1, usual=8, shortest=A_FEW_RESTARTS, when="closes_storage", needs=_CHECKED),
    begin_and_poll("deploy_storage_template", 30,
        "Azure Resource Manager to finish the deployment of storage, network security groups and the role assignment",
        poll=15, usual=30,
        needs=("validate_service_principal", "look_up_identities", "decide_names", "ensure_resource_group", "ensure_service_endpoints",
               "remove_expired_machines"),
        remedy=REPORTED),
    # Operators of the bootstrap's first minutes get no token before it.
    action("ensure_federated_credentials", 75, "the operators' identities to trust the cluster's tokens",
        retry=RetryPolicy.IDENTITIES, when="has_workload_identity",
        needs=("publish_issuer_documents", "deploy_storage_template"), remedy=GRANT_IDENTITIES),
    condition("storage_containers_ready", 10, "the blob containers to answer", owner=Owner.CUSTOMER,
        shortest=A_FEW_RESTARTS, needs=("deploy_storage_template",)),
    begin_and_poll("deploy_deny_assignment", 30,
        "Azure Resource Manager to finish the deployment of the deny assignment",
        when="has_first_party", needs=("deploy_storage_template",), remedy=REPORTED),
    action("attach_nsgs", 15, "both subnets to take the cluster's network security groups", owner=Owner.AZURE, poll=1,
        usual=8, shortest=A_FEW_RESTARTS, needs=("deploy_storage_template",)),
    action("ensure_billing_record", 5, "the billing record", needs=("deploy_storage_template",)),
    action("copy_billing_record", 5, "the copy of the billing record", when="copies_billing",
        needs=("ensure_billing_record",)),
    begin_and_poll("deploy_network_template", 30,
        "Azure Resource Manager to finish the deployment of load balancers, addresses, private DNS zone and private link",
        poll=15, usual=80, needs=("attach_nsgs",), remedy=REPORTED),
    # Machines start only after this row: one that resolves a wrong address waits forever, as if it had not booted.
    condition("private_dns_ready", 10, "the private DNS zone to have its records and its link to the virtual network",
        owner=Owner.CUSTOMER, shortest=A_FEW_RESTARTS, needs=("deploy_network_template",)),
    begin_and_poll("create_private_endpoint", 20, "the service's private endpoint to be connected with the cluster",
        poll=30, shortest=A_FEW_RESTARTS, needs=("deploy_network_template",)),
    action("update_api_address", 5, "the API server's address to be stored",
        needs=("create_private_endpoint", "create_dns")),
    # Certificates are ordered as soon as all checks have passed: an authority may take as long as the machines do.
    begin_and_poll("create_api_server_certificate", 30,
        "the certificate authority to issue the API server's certificate",
        owner=Owner.PLATFORM, poll=30, shortest=A_FEW_RESTARTS, when="gets_certificates",
        needs=("create_dns", "ensure_resource_group"), remedy=ISSUER),
    begin_and_poll("create_ingress_certificate", 30, "the certificate authority to issue the ingress certificate",
        owner=Owner.PLATFORM, poll=30, shortest=A_FEW_RESTARTS, when="gets_certificates",
        needs=("create_dns", "ensure_resource_group"), remedy=ISSUER),
    # Making the keys takes a second on every core, so clusters take turns. When a busy machine created fifty clusters,
    # one of them waited for more than six minutes.
    action("ensure_graph", 60, "the cluster's certificates and ignition to be made and stored", poll=30,
        shortest=timedelta(minutes=15),
        needs=("remove_expired_machines", "storage_containers_ready", "ensure_cluster_secrets", "ensure_acr_token",
               "decide_machine_image", "decide_zones", "publish_issuer_documents")),
    # Both end at once if the image exists already, which only `decide_machine_image` finds out.
    begin_and_poll("copy_machine_disk", 120,
        "Azure to copy the release's disk, if the machines' image has to be made from it",
        poll=30, needs=("storage_containers_ready", "decide_machine_image")),
    begin_and_poll("deploy_image_template", 60, "Azure Resource Manager to make the machines' image from the disk",
        poll=30, needs=("copy_machine_disk",), remedy=REPORTED),
    # Azure gives up on a machine after 40 minutes, and its error says more than our deadline's would. Polls may be far
    # apart, because the bootstrap continues for minutes after the masters are up.
    begin_and_poll("deploy_machines_template", 75,
        "Azure to start the bootstrap machine and the masters, which take their ignition from it",
        poll=60, usual=680,
        needs=("ensure_graph", "deploy_network_template", "private_dns_ready", "deploy_image_template",
               "ensure_federated_credentials")),
    condition("bootstrap_config_map_ready", 75,
        "the bootstrap machine to report that the masters run the control plane",
        owner=Owner.CUSTOMER, poll=60, usual=610, needs=("update_api_address", "deploy_machines_template")),
    action("ensure_logging", 30, "the cluster to take the service's logging", when="sends_logs",
        needs=("bootstrap_config_map_ready",), remedy=INSIDE),
    # Its image is in the service's registry only.
    action("ensure_ifreload", 30, "the cluster to take the workaround for its machines' network driver",
        when="has_registry", needs=("bootstrap_config_map_ready",), remedy=INSIDE),
)
_REMOVE_BOOTSTRAP = section("remove-bootstrap",
    begin_and_poll("remove_bootstrap", 30, "Azure to delete the bootstrap machine, its disk and its network interface",
        poll=5, usual=37, needs=("bootstrap_config_map_ready",), remedy=LOCKED),
    action("remove_bootstrap_ignition", 5, "the bootstrap machine's ignition to be deleted",
        needs=("bootstrap_config_map_ready",), remedy=LOCKED),
    action("configure_api_server_certificate", 10, "the API server to take the certificate of its public name",
        when="gets_certificates", needs=("remove_bootstrap", "create_api_server_certificate"), remedy=INSIDE),
    condition("api_servers_ready", 45, "the API servers to be rolled out on every master",
        poll=60, usual=540, needs=("remove_bootstrap", "configure_api_server_certificate"), remedy=INSIDE),
    condition("workers_ready", 45, "two workers to run and to be ready", owner=Owner.CUSTOMER, poll=60,
        needs=("remove_bootstrap",)),
    condition("console_exists", 30, "the cluster to have its console", needs=("api_servers_ready",), remedy=INSIDE),
    action("update_console_branding", 10, "the console to show the service's branding", needs=("console_exists",),
        remedy=INSIDE),
    condition("cluster_version_ready", 45, "every operator of the cluster to be available", poll=15,
        needs=("api_servers_ready",), remedy=INSIDE),
    action("disable_alertmanager_warning", 10,
        "Alertmanager to accept a receiver, so that the console stops warning",
        needs=("cluster_version_ready",), remedy=INSIDE),
    action("disable_updates", 10, "the cluster to ask nobody for updates", needs=("cluster_version_ready",),
        remedy=INSIDE),
    # Samples and catalogues offer images that can be downloaded only with a pull secret of Red Hat.
    action("disable_samples", 10, "the samples operator to remove its samples", when="has_no_pull_secret",
        needs=("cluster_version_ready",), remedy=INSIDE),
    # It would keep shares in storage accounts whose keys open them, and the cluster's have none.
    action("disable_file_storage_class", 10, "the storage class of Azure's files to be removed",
        when="has_workload_identity", needs=("cluster_version_ready",), remedy=INSIDE),
    action("disable_operator_hub_sources", 10, "the operator catalogues to be turned off", when="has_no_pull_secret",
        needs=("cluster_version_ready",), remedy=INSIDE),
    # The router's pods run on workers, and the cluster itself gets the router's address from Azure.
    action("update_router_address", 30, "the cluster's router to have its address", poll=20, needs=("workers_ready",),
        remedy=INSIDE),
    action("configure_ingress_certificate", 10, "the router to take the certificate of the cluster's applications",
        when="gets_certificates", needs=("update_router_address", "create_ingress_certificate"), remedy=INSIDE),
    condition("ingress_controller_ready", 30, "the ingress controller to serve", poll=20,
        needs=("update_router_address", "configure_ingress_certificate"), remedy=INSIDE),
    # The console is served through the router, so this row's deadline starts once the router serves.
    condition("console_ready", 20, "the console to answer", poll=20,
        needs=("update_console_branding", "ingress_controller_ready"), remedy=INSIDE),
)
_FINISH = section("finish",
    action("finish", 5, "the result to be stored", executor="finish_operation",
        needs=("deploy_deny_assignment", "copy_billing_record", "ensure_logging", "ensure_ifreload", "remove_bootstrap_ignition",
               "console_ready", "disable_alertmanager_warning", "disable_updates", "disable_samples",
               "disable_file_storage_class", "disable_operator_hub_sources")),
)
# fmt: on

CREATE = VALIDATION + _PREPARATION + _BOOTSTRAP + _REMOVE_BOOTSTRAP + _FINISH
