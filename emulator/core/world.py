"""The names and ids of the local Azure: tenants, subscriptions, principals, and the resource provider's own resources.

The ids are fixed, so that pasted commands and logs look the same on all machines. Every secret is random; the first
`up` creates it, and the state folder keeps it.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class World:
    """The names of the local Azure. As in Azure, the resource provider has a separate tenant and subscription."""

    location: str = "eastus"
    parent_domain: str = "aroapp.io"

    tenant_id: str = "aaaaaaaa-0000-4000-8000-000000000001"
    subscription_id: str = "bbbbbbbb-0000-4000-8000-000000000001"
    owner_client_id: str = "cccccccc-0000-4000-8000-000000000001"
    cluster_client_id: str = "cccccccc-0000-4000-8000-000000000002"
    extra_client_ids: tuple[str, ...] = (
        "cccccccc-0000-4000-8000-000000000011",
        "cccccccc-0000-4000-8000-000000000012",
        "cccccccc-0000-4000-8000-000000000013",
        "cccccccc-0000-4000-8000-000000000014",
    )

    rp_tenant_id: str = "aaaaaaaa-0000-4000-8000-000000000002"
    rp_subscription_id: str = "bbbbbbbb-0000-4000-8000-000000000002"
    # The principal that deployed the resource provider, and an empty subscription in which it can deploy another one.
    deployer_client_id: str = "cccccccc-0000-4000-8000-000000000004"
    spare_subscription_id: str = "bbbbbbbb-0000-4000-8000-000000000003"
    rp_resource_group: str = "rp-eastus"
    # The public application id of the resource provider; `az aro` looks it up by exactly this value.
    first_party_client_id: str = "f1dd0a37-89c6-4e07-bcd1-ffd3d43d8875"
    # Begins the names of the provider's resources: the parameter `name` of infra/service.json.
    service: str = "arorp-eastus"
    registry_group: str = "aro-global"
    registry: str = "arosvc"

    @property
    def registry_id(self) -> str:
        """The registry that mirrors OpenShift's images. It serves all regions, so it is not in the provider's group."""
        group = f"/subscriptions/{self.rp_subscription_id}/resourceGroups/{self.registry_group}"
        return f"{group}/providers/Microsoft.ContainerRegistry/registries/{self.registry}"

    @property
    def domain(self) -> str:
        """The DNS zone in which this region's clusters get their names."""
        return f"{self.location}.{self.parent_domain}"
