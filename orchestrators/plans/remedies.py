"""The remedies of rows: the advice that a customer reads when a row fails.

A row's remedy is the one that its plan names, otherwise the entry of `BY_ROW` for its name. If there is neither, it is
`REPEAT`, because then only the service itself can have made the mistake.
"""

REPEAT = "Repeat the request; if it fails again, open a support request with the correlation id."
# For work that Azure began and did not refuse, but did not finish in time.
TOO_SLOW = (
    "Azure took too long and reported no error. Repeat the request to continue from this step; if it takes as long again, "
    "look at Azure's status page, or open a support request with the correlation id."
)
GRANT = (
    "Run the lines that the message gives: they grant the roles on the virtual network, its route tables, NAT "
    "gateways and security groups, and the disk encryption sets. Then repeat the request."
)
REPORTED = "Correct what Azure reports below, then repeat the request to continue from this step."
LOCKED = "Remove locks on the cluster's resource group, then repeat the request to continue from this step."
ISSUER = (
    "Repeat the request. If the authority refuses again, open a support request with the correlation id: the issuer in "
    "the service's Key Vault, or its account with the authority, needs an operator."
)
# For rows that act inside the cluster. A wait's message names the operator or machine, so the remedy need not.
INSIDE = (
    "Read the cluster's last messages, here and below, then repeat the request to continue from this "
    "step; if it says the same again, delete the cluster and create it again."
)

# After a failed update the cluster still runs, and the next update runs every row again.
UPDATE_PRINCIPAL = (
    "Create the application and its service principal in this tenant, or give the application the secret that was sent, "
    "then repeat the request. The cluster still runs with the former service principal and secret, and requests that "
    "name none start from it."
)
UPDATE_REPORTED = "Correct what Azure reports below, then repeat the request."
UPDATE_INSIDE = (
    "Read the cluster's last messages, here and below, and fix the cause, then repeat the request: it continues "
    "with the remaining steps. Until an update has succeeded, keep the former service principal and its secret."
)

# fmt: off
BY_ROW = {
    "validate_service_principal": "Create the application and its service principal in this tenant, or give the application the secret that was sent, then repeat the request. For another application or secret, delete the cluster and create it again.",
    "validate_network": "Change the network as the message says, then repeat the request. For other subnets or address ranges, delete the cluster and create it with them.",
    "validate_disk_encryption_sets": "Let the resource provider read the disk encryption sets, then repeat the request. For other sets, of the cluster's region, delete the cluster and create it with them.",
    "validate_providers": "Register the resource providers that the message names, then repeat the request.",
    "validate_quota": "Ask Azure for more quota, as the message says, then repeat the request. For other sizes or another region, delete the cluster and create it there.",
    "validate_load_balancer_profile": "Ask Azure for more quota, as the message says, or for another number of addresses, then repeat the request.",
    "validate_vm_sizes": "Ask Azure support to open the sizes to the subscription, or register the feature that the message names, then repeat the request. For other sizes, delete the cluster and create it with them.",
    "decide_zones": "Ask Azure support to open the sizes to the subscription in the zones, then repeat the request. For other sizes, delete the cluster and create it with them.",
    "create_dns": "Choose another properties.clusterProfile.domain, or one of your own with a dot in it.",
    "ensure_resource_group": "Choose a properties.clusterProfile.resourceGroupId that does not exist, and check policies that restrict resource groups.",
    "storage_containers_ready": "Check policies that restrict network access to storage accounts, then repeat the request.",
    "attach_nsgs": "Attach or detach the network security groups that the message names, then repeat the request.",
    "private_dns_ready": "Find out in the activity log of the cluster's resource group who changed the zone, then delete the cluster and create it again.",
    "ensure_graph": "Do what the message says. Where it names properties of the cluster, delete the cluster and create it with other values. If it gives no advice, repeat the request; if it fails again, open a support request with the correlation id.",
    "deploy_machines_template": "Correct what Azure, or a machine's last console lines, report below, then repeat the request: machines that did not start are created again.",
    "bootstrap_config_map_ready": "Read the bootstrap machine's last console lines, below. Check that firewalls, route tables and DNS servers of the virtual network let the machines reach the container registry, then delete the cluster and create it again.",
    "workers_ready": "Read the last messages of machines and nodes, here and below. If Azure refused a machine, raise the quota or give the service principal its roles back: the cluster then creates its workers by itself. Repeat the request to continue from this step.",
    "validate_worker_quota": "Ask Azure for more quota, as the message says, then repeat the request; or ask for fewer workers. The cluster keeps the workers that it has, and requests that do not name the refused number start from the one before.",
    "scale_workers": "Do what the message says, then repeat the request. If it gives no advice, read the cluster's last messages, here and below, and fix the cause first.",
    "workers_scaled": "Read the last messages of machine sets and machines, here and below. If Azure refused a machine, raise the quota or give the service principal its roles back; then repeat the request to continue, or ask for fewer workers.",
    "start_machines": "Start the virtual machines that the message names, then repeat the request.",
    "remove_former_role_assignments": "Remove locks on the cluster's resource group, then repeat the request.",
    "detach_nsgs": "Remove locks on the virtual network, grant the resource provider Network Contributor on it, then repeat the DELETE.",
    "delete_resource_group": "Remove locks on the cluster's resource group and whatever else uses its resources, then repeat the DELETE.",
}
# fmt: on
