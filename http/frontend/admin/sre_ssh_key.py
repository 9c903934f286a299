"""The SSH key of a cluster's machines and their addresses, for an operator whose machine does not come up.

This module logs nothing, and the reply forbids caches to store it: it is the only one with a machine's private key.
The access log has a line for each request, with the operator's name.
"""

from azure.core.exceptions import AzureError

from frontend.clusters import openshift_cluster_credentials
from frontend.clusters.cluster_lookup import bundle_of, cluster_document
from frontend.messages import Call, Reply
from shared.arm import resource_id
from shared.arm.errors import CloudError, request_not_allowed
from shared.azure import azure_errors
from shared.azure.arm_reads import ArmNotFound, Documents
from shared.clusters.secrets import Purpose
from shared.documents import ClusterDocument

# The user that Red Hat Enterprise Linux CoreOS has from the start.
USERNAME = "core"
_NETWORK_INTERFACES = "2024-05-01"
_NO_MACHINES = (
    "There is no machine in '{}': the cluster's create has not come to the step 'deploy_machines_template', or the "
    "machines are deleted."
)


def get(call: Call) -> Reply:
    """Answer POST of getSshKey: return the user, the private key in PEM, and each machine's name with its address.

    The machines are null if Azure does not show them now: the key opens a machine whose address is known elsewhere.
    `reason` says why there are none.

    Raises:
        CloudError: 404 `ResourceNotFound`; 400 `RequestNotAllowed` if the cluster has no key yet, or no longer.
    """
    document = cluster_document(call)
    key = _private_key(call, document)
    machines, reason = _machines(call, document)
    body = {"username": USERNAME, "privateKey": key, "machines": machines}
    return Reply(200, body | ({"reason": reason} if reason else {}), openshift_cluster_credentials.NO_STORE)


def _private_key(call: Call, document: ClusterDocument) -> str:
    none = request_not_allowed(
        f"The cluster '{document['openShiftCluster']['id']}' has no SSH key yet: its create has not come to the step "
        "'ensure_cluster_secrets'. Ask again when it has machines."
    )
    return str(bundle_of(call.services, document, Purpose.INSTALL, none)["sshKey"])


def _machines(call: Call, document: ClusterDocument) -> tuple[list[dict[str, str]] | None, str]:
    """Return the machines that have a network interface, by name, and why there are none.

    They are the bootstrap machine, if any, masters, and workers.
    """
    group = document["openShiftCluster"]["properties"]["clusterProfile"]["resourceGroupId"]
    try:
        arm = call.services.customer_arm(call.subscription_id)
        interfaces = arm.list(f"{group}/providers/Microsoft.Network/networkInterfaces", _NETWORK_INTERFACES)
    except ArmNotFound:
        # The group is made before the machines, and deleted after them.
        interfaces = []
    except (AzureError, CloudError) as error:
        told = error if isinstance(error, CloudError) else azure_errors.translate(error).error
        return None, f"Azure does not show the network interfaces of '{group}': {told.message}"
    addresses = _addresses(interfaces)
    machines = [{"name": name, "privateIpAddress": addresses[name]} for name in sorted(addresses)]
    return machines, "" if machines else _NO_MACHINES.format(group)


def _addresses(interfaces: Documents) -> dict[str, str]:
    """Return the address of each machine. Interfaces without a machine, such as those of endpoints, have none."""
    found = {}
    for interface in interfaces:
        match interface.get("properties"):
            case {"virtualMachine": {"id": str(machine)}, "ipConfigurations": [{"properties": configuration}, *_]}:
                found[resource_id.parse(machine).name] = str(configuration.get("privateIPAddress") or "")
    return found
