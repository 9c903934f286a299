"""The errors of virtual network peerings, in Azure's wording."""

from emulator.core.refusals import Refusal
from emulator.core.sources import OWN, public_output

# fmt: off
ALREADY_PEERED = Refusal(400, "AnotherPeeringAlreadyReferencesRemoteVnet",
    public_output("https://github.com/kyma-project/cloud-manager/blob/main/pkg/kcp/provider/azure/meta/metadata.go"),
    "Peering {other_id} already references remote virtual network {remote_id}. Cannot add another peering "
    "{peering_id} referencing the same remote virtual network.")
REMOTE_DISCONNECTED = Refusal(400, "RemotePeeringIsDisconnected",
    public_output("https://github.com/hashicorp/terraform-provider-azurerm/issues/14051"),
    "Cannot create or update peering {peering_id} because remote peering {remote_peering_id} referencing parent "
    "virtual network {network_id} is in Disconnected state. Update or re-create the remote peering to get it back to "
    "Initiated state. Peering gets Disconnected when remote vnet or remote peering is deleted and re-created.")
NO_GATEWAYS = Refusal(400, "RemoteVnetHasNoGateways",
    public_output("https://github.com/hashicorp/terraform/issues/30569"),
    "Peering {peering_id} cannot have UseRemoteGateway flag set to true because remote virtual network {remote_id} "
    "referenced by the peering does not have any gateways.")
REMOTE_NOT_PROVISIONED = Refusal(400, "ReferencedResourceNotProvisioned",
    public_output("https://github.com/Azure-Samples/azuresandbox/issues/267"),
    "Cannot proceed with operation because resource {remote_id} used by resource {peering_id} is not in Succeeded "
    "state. Resource is in Updating state and the last operation that updated/is updating the resource is "
    "PutVirtualNetworkOperation.")
NOT_EMULATED = Refusal(400, "NotSupportedByLocalAzure", OWN, "The local Azure does not support {what}.")
# fmt: on
