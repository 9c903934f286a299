"""Remedies: the advice that a customer reads when an operation fails.

A row's remedy is the one that its plan names, otherwise the entry of `BY_ROW` for its name. If there is neither, it is
`REPEAT`, because then only the service itself can have made the mistake. It helps against problems that the row itself
finds. For others, `activities/runtime/remedy_choice.py` chooses by the cause (`BY_CODE`) or the owner.
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
GRANT_IDENTITIES = (
    "Run the lines that the message gives: they grant the roles on the identities of the cluster's operators. Correct the "
    "ids of identities that were not found. Then repeat the request."
)
# For a refusal of Azure, about which only Azure knows more.
REPORTED = (
    "Correct what Azure reports below, then repeat the request to continue from this step. If Azure reports the same "
    "again, open a support request with the correlation id."
)
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
UPDATE_IDENTITIES = (
    "Read the cluster's last messages, here and below, and fix the cause: an operator says which identity, role or "
    "federated credential Azure refuses. Then repeat the request: it continues with the remaining steps. Until an update "
    "has succeeded, keep the former identities and their roles."
)
REVOKE = (
    "Read the cluster's last messages, here and below, and fix the cause, then repeat the request: it begins with "
    "another signer. Until a revocation has succeeded, former credentials may still open the cluster. The service itself "
    "can sign in."
)

# After a failed start the machines that were started run, and so does what could be started on them.
START_INSIDE = (
    "Read the cluster's last messages, here and below, and fix the cause, then POST start again: it continues with the "
    "remaining steps. To pay for no machines meanwhile, POST stop."
)
START_CREDENTIAL = (
    "The cluster's machines run by now, but it cannot act in Azure. Give it another secret or service principal with a PATCH, "
    "or give the identity back what the message says, then POST start again."
)

# After a failed renewal the cluster still runs, and what has not been renewed is not over yet.
RENEWAL = (
    "Do what the message says. The service renews again by itself, each day if something ends soon; a POST of renew does it "
    "at once. If it fails again, open a support request with the correlation id."
)
RENEWAL_INSIDE = (
    "Read the cluster's last messages, here and below, and fix the cause. The service renews again by itself, each day if "
    "something ends soon; a POST of renew does it at once."
)

# For the service's own data, credentials and networks.
OURS = (
    "Nothing is wrong with the request. Repeat it to continue from this step; if it fails again, open a support request "
    "with the correlation id."
)
# For a call that Azure left unanswered or postponed until its row gave up.
LATER = (
    "Azure was busy or unavailable for too long. Repeat the request in some minutes to continue from this step; "
    "if it fails again, look at Azure's status page, or open a support request with the correlation id."
)
# For a resource that somebody else is changing.
BUSY = (
    "Wait until the other operation on this resource has ended, then repeat the request to continue from this step. "
    "If it fails again, open a support request with the correlation id."
)
_GRANT = (
    "The message names a principal, an action and a scope. Assign the principal a role that has this action at this "
    "scope, and remove deny assignments that forbid it. Then repeat the request to continue from this step."
)
_NO_ROOM = (
    "Azure has no room for this size now. Repeat the request later to continue from this step, or delete the cluster and "
    "create it again with another size or in another region."
)
_MORE_QUOTA = (
    "Raise the quota that the message names (Azure portal, Quotas), or free some of it, then repeat the request to "
    "continue from this step."
)
_ENDPOINT = (
    "Let the service add the endpoint Microsoft.Storage to the subnets: remove locks from the virtual network, and exempt it "
    "from policies that forbid the endpoint or remove it. Or add it yourself: az network vnet subnet update --ids ID "
    "--service-endpoints, with those that the subnet has and Microsoft.Storage. Then repeat the request."
)
# For an operation that was stopped before it ended.
CANCELED = "Repeat the request to continue; a plan of a site continues with resume."
# For an operation that a DELETE has ended.
SUPERSEDED = "Wait until the delete has ended. To have the cluster again, create it."
# For a request that died before the cluster knew of it.
NOT_ACCEPTED = "Repeat the request."
# For a plan with steps that the deployed version does not have.
OTHER_VERSION = (
    "If that version was deployed by mistake, deploy the former one. In any case repeat the request: it makes a new plan "
    "and continues from the steps that are done."
)

# fmt: off
BY_ROW = {
    "validate_service_principal": "Create the application and its service principal in this tenant, or give the application the secret that was sent, then repeat the request. For another application or secret, delete the cluster and create it again.",
    "validate_federated_credentials": "Delete the federated credentials that the message names, or give their operators other identities, then repeat the request.",
    "validate_network": "Change the network as the message says, then repeat the request. For other subnets or address ranges, delete the cluster and create it with them.",
    "validate_disk_encryption_sets": "Let the resource provider read the disk encryption sets, then repeat the request. For other sets, of the cluster's region, delete the cluster and create it with them.",
    "validate_providers": "Register the resource providers that the message names, then repeat the request.",
    "validate_quota": "Ask Azure for more quota, as the message says, then repeat the request. For other sizes or another region, delete the cluster and create it there.",
    "validate_load_balancer_profile": "Ask Azure for more quota, as the message says, or for another number of addresses, then repeat the request.",
    "validate_vm_sizes": "Ask Azure support to open the sizes to the subscription, or register the feature or accept the terms that the message names, then repeat the request. For other sizes, delete the cluster and create it with them.",
    "validate_installer": "Do what the message says of the installer, then repeat the request to continue with it. For another version, delete the cluster and create it with that.",
    "decide_machine_image": "Do what the message says of the machines' image, then repeat the request to continue with it. For other sizes or another version, delete the cluster and create it with them.",
    "decide_zones": "Ask Azure support to open the sizes to the subscription in the zones, then repeat the request. For other sizes, delete the cluster and create it with them.",
    "create_dns": "Choose another properties.clusterProfile.domain, or one of your own with a dot in it.",
    "ensure_resource_group": "Choose a properties.clusterProfile.resourceGroupId that does not exist, and check policies that restrict resource groups.",
    "ensure_service_endpoints": _ENDPOINT,
    "storage_containers_ready": "Check policies that restrict network access to storage accounts, then repeat the request.",
    "attach_nsgs": "Attach or detach the network security groups that the message names, then repeat the request.",
    "private_dns_ready": "Find out in the activity log of the cluster's resource group who changed the zone, then delete the cluster and create it again.",
    "ensure_graph": "Do what the message says. Where it names properties of the cluster, delete the cluster and create it with other values. If it gives no advice, repeat the request; if it fails again, open a support request with the correlation id.",
    "deploy_machines_template": "Correct what Azure, or a machine's last console lines, report below, then repeat the request: machines that did not start are created again.",
    "bootstrap_config_map_ready": "Read the bootstrap machine's last console lines, below; operators can log in to it with python -m phases machine ssh (docs/operations.md). Check that firewalls, route tables and DNS servers of the virtual network let the machines reach the container registry, then delete the cluster and create it again.",
    "workers_ready": "Read the last messages of machines and nodes, here and below. If Azure refused a machine, raise the quota or give the service principal its roles back: the cluster then creates its workers by itself. Repeat the request to continue from this step.",
    "validate_worker_quota": "Ask Azure for more quota, as the message says, then repeat the request; or ask for fewer workers. The cluster keeps the workers that it has, and requests that do not name the refused number start from the one before.",
    "scale_workers": "Do what the message says, then repeat the request. If it gives no advice, read the cluster's last messages, here and below, and fix the cause first.",
    "workers_scaled": "Read the last messages of machine sets and machines, here and below. If Azure refused a machine, raise the quota or give the service principal its roles back; then repeat the request to continue, or ask for fewer workers.",
    "start_machines": "Start the virtual machines that the message names, then repeat the request.",
    "validate_stop_machines": "Do what the message says, then POST stop again. The cluster runs on.",
    "validate_stop": "Wait until the cluster is at rest, or do what the message says, then POST stop again. The cluster runs on.",
    "pin_master_addresses": "Remove locks on the cluster's resource group, then POST stop again. The cluster runs on.",
    "stop_workers": "POST stop again to continue, or POST start to have the cluster run.",
    "stop_masters": "POST stop again to continue, or POST start to have the cluster run.",
    "start_masters": "Do what Azure says of the machines that the message names; if it has no room for them, POST start again later.",
    "start_workers": "Do what Azure says of the machines that the message names; if it has no room for them, POST start again later, or delete these machines in the cluster's Azure resource group so that their machine sets make others.",
    "remove_former_role_assignments": "Remove locks on the cluster's resource group, then repeat the request.",
    "detach_nsgs": "Remove locks on the virtual network, grant the resource provider Network Contributor on it, then repeat the DELETE.",
    "delete_resource_group": "Remove locks on the cluster's resource group and whatever else uses its resources, then repeat the DELETE.",
}
# fmt: on

# The remedy for each of Azure's codes, wherever it is among the causes. The first match in this order wins.
BY_CODE: dict[str, str] = {
    "RequestDisallowedByPolicy": "Exempt the resource group of what was refused from the policy that the message names, "
    "then repeat the request to continue from this step.",
    "ScopeLocked": "The message names the scopes that are locked. List the locks with az lock list, remove each with az lock "
    "delete --ids ID, then repeat the request to continue from this step.",
    "MissingSubscriptionRegistration": "Register the resource provider that the message names: az provider register "
    "--namespace NAME. Then repeat the request to continue from this step.",
    "QuotaExceeded": _MORE_QUOTA,
    "ResourceQuotaExceeded": _MORE_QUOTA,
    "AuthorizationFailed": _GRANT,
    "LinkedAuthorizationFailed": _GRANT,
    "DenyAssignmentAuthorizationFailed": _GRANT,
    "RoleAssignmentExists": "Remove the role assignment that the message names from the cluster's resource group: somebody "
    "assigned by hand what the service assigns. Then repeat the request to continue from this step.",
    "RoleAssignmentLimitExceeded": "Remove role assignments that the subscription no longer needs, then repeat the request "
    "to continue from this step.",
    "PrincipalNotFound": "Make sure that the cluster's service principal still exists in this tenant "
    "(az ad sp show --id CLIENT_ID), then repeat the request. For another application, delete the cluster and create it "
    "again.",
    "SubnetIsFull": "Make room in the subnet that the message names, then repeat the request to continue from this step.",
    # A storage account cannot let in a subnet that has lost the endpoint since the service added it.
    "NetworkAclsValidationFailure": _ENDPOINT,
    # The data plane of a storage account: its firewall refuses the service.
    "AuthorizationFailure": "Exempt the cluster's resource group from policies that restrict network access to storage "
    "accounts, and undo what they changed. Then repeat the request to continue from this step.",
    "SkuNotAvailable": _NO_ROOM,
    "AllocationFailed": _NO_ROOM,
    "ZonalAllocationFailed": _NO_ROOM,
    "OverconstrainedAllocationRequest": _NO_ROOM,
    # The next request deploys the machine again.
    "OSProvisioningTimedOut": "Read the machines' last console lines, below. Check that network security groups, firewalls, "
    "route tables and DNS servers of the virtual network let them reach each other, the storage account and the "
    "container registry. Then repeat the request: machines that did not start are created again.",
}
