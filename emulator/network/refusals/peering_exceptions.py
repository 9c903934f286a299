"""The errors of virtual network peerings, in Azure's wording."""

from collections.abc import Sequence

from emulator.core.errors import ServiceError
from emulator.core.sources import MEMORY, OWN, public_output, said


@said(public_output("https://github.com/kyma-project/cloud-manager/blob/main/pkg/kcp/provider/azure/meta/metadata.go"))
def spaces_overlap(peering_id: str, network_id: str, remote_id: str, prefixes: Sequence[str]) -> ServiceError:
    """Return the error for a peering of two networks whose ranges overlap; a network overlaps itself.

    Args:
        peering_id: the peering.
        network_id: its network.
        remote_id: the other network.
        prefixes: the ranges that overlap, in pairs.
    """
    return ServiceError(
        400,
        "VnetAddressSpacesOverlap",
        f"Cannot create or update peering {peering_id}. Virtual networks {network_id} and {remote_id} cannot be peered "
        f"because their address spaces overlap. Overlapping address prefixes: {', '.join(prefixes)}",
    )


@said(public_output("https://github.com/Azure/ResourceModules/issues/731"))
def space_overlaps_peered(
    peering_id: str, network_id: str, remote_id: str, third_id: str, prefixes: Sequence[str]
) -> ServiceError:
    """Return the error for a peering whose network overlaps another one that the remote network is peered with.

    Args:
        peering_id: the peering.
        network_id: the network that overlaps.
        remote_id: the network that is peered already.
        third_id: the network with which it is peered.
        prefixes: the ranges that overlap.
    """
    return ServiceError(
        400,
        "VnetAddressSpaceOverlapsWithAlreadyPeeredVnet",
        f"Cannot create or update peering {peering_id}. Virtual networks {network_id} and {remote_id} cannot be peered "
        f"because address space of the first virtual network overlaps with address space of virtual network {third_id} "
        f"already peered with the second virtual network. Overlapping address prefixes: {', '.join(prefixes)}.",
    )


@said(MEMORY)
def new_space_overlaps_peered(network_id: str, peered_id: str, prefixes: Sequence[str]) -> ServiceError:
    """Return the error for a network that gets a range of a network with which it is peered.

    Args:
        network_id: the network that is written.
        peered_id: the network with which it is peered.
        prefixes: the ranges that overlap.
    """
    return ServiceError(
        400,
        "VnetAddressSpaceOverlapsWithAlreadyPeeredVnet",
        f"Address space of the virtual network {network_id} overlaps with address space of virtual network {peered_id} "
        f"already peered with it. Overlapping address prefixes: {', '.join(prefixes)}.",
    )


@said(public_output("https://github.com/kyma-project/cloud-manager/blob/main/pkg/kcp/provider/azure/meta/metadata.go"))
def already_peered(other_id: str, peering_id: str, remote_id: str) -> ServiceError:
    """Return the error for a second peering of a network with the same remote network.

    Args:
        other_id: the first peering.
        peering_id: the second one.
        remote_id: the remote network.
    """
    return ServiceError(
        400,
        "AnotherPeeringAlreadyReferencesRemoteVnet",
        f"Peering {other_id} already references remote virtual network {remote_id}. Cannot add another peering "
        f"{peering_id} referencing the same remote virtual network.",
    )


@said(public_output("https://github.com/hashicorp/terraform-provider-azurerm/issues/14051"))
def remote_disconnected(peering_id: str, remote_peering_id: str, network_id: str) -> ServiceError:
    """Return the error for a peering whose other half has been disconnected.

    Args:
        peering_id: the peering.
        remote_peering_id: the other half.
        network_id: the network of the peering.
    """
    return ServiceError(
        400,
        "RemotePeeringIsDisconnected",
        f"Cannot create or update peering {peering_id} because remote peering {remote_peering_id} referencing parent "
        f"virtual network {network_id} is in Disconnected state. Update or re-create the remote peering to get it back "
        "to Initiated state. Peering gets Disconnected when remote vnet or remote peering is deleted and re-created.",
    )


@said(public_output("https://github.com/hashicorp/terraform/issues/30569"))
def no_gateways(peering_id: str, remote_id: str) -> ServiceError:
    """Return the error for a peering that uses the gateways of a network without any."""
    return ServiceError(
        400,
        "RemoteVnetHasNoGateways",
        f"Peering {peering_id} cannot have UseRemoteGateway flag set to true because remote virtual network {remote_id} "
        "referenced by the peering does not have any gateways.",
    )


@said(public_output("https://github.com/Azure-Samples/azuresandbox/issues/267"))
def remote_not_provisioned(peering_id: str, remote_id: str) -> ServiceError:
    """Return the error for a remote network that is being changed."""
    return ServiceError(
        400,
        "ReferencedResourceNotProvisioned",
        f"Cannot proceed with operation because resource {remote_id} used by resource {peering_id} is not in Succeeded "
        "state. Resource is in Updating state and the last operation that updated/is updating the resource is "
        "PutVirtualNetworkOperation.",
    )


@said(MEMORY)
def remote_changed(peering_id: str, remote_id: str) -> ServiceError:
    """Return the error for a peering that would lead to another network than before."""
    return ServiceError(
        400,
        "ChangingRemoteVirtualNetworkNotAllowed",
        f"Remote virtual network of peering {peering_id} cannot be changed: it references {remote_id}.",
    )


@said(OWN)
def not_emulated(what: str) -> ServiceError:
    """Return the error for a part of peerings that the local Azure lacks."""
    return ServiceError(400, "NotSupportedByLocalAzure", f"The local Azure does not support {what}.")
